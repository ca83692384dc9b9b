"""Every tree and every gain that the lecture notes work out by hand."""

import numpy as np
import pytest

import treewright as tw

TENNIS = """\
outlook = Sunny
|   humidity = High: No (3)
|   humidity = Normal: Yes (2)
outlook = Overcast: Yes (4)
outlook = Rain
|   wind = Weak: Yes (3)
|   wind = Strong: No (2)"""

GOLF = """\
outlook = Rainy
|   humidity = High: No (3)
|   humidity = Normal: Yes (2)
outlook = Overcast: Yes (4)
outlook = Sunny
|   windy = FALSE: Yes (3)
|   windy = TRUE: No (2)"""

BUYS_COMPUTER = """\
age = <=30
|   student = no: no (3)
|   student = yes: yes (2)
age = 31..40: yes (4)
age = >40
|   credit_rating = fair: yes (3)
|   credit_rating = excellent: no (2)"""

WEEKEND = """\
weather = Sunny
|   parents = Yes: Cinema (1)
|   parents = No: Tennis (2)
weather = Windy
|   parents = Yes: Cinema (2)
|   parents = No
|   |   money = Rich: Shopping (1)
|   |   money = Poor: Cinema (1)
weather = Rainy
|   parents = Yes: Cinema (2)
|   parents = No: Stay in (1)"""

SHAPES = """\
shape = circle
|   color = red: + (1)
|   color = blue: - (1)
shape = square: - (2)
shape = triangle: - (2)"""

SHAPES_DISJUNCTIVE = """\
color = red
|   shape = circle: YES (1)
|   shape = triangle: NO (1)
|   shape = square: NO (1)
color = blue: YES (2)"""

TINY_VARIABLE = """\
v = v2: false (2/1)
v = v3: false (1)
v = v1: false (1)"""

ID3_TREES = {
    "tennis": (TENNIS, 5),
    "netball": (TENNIS, 5),
    "golf": (GOLF, 5),
    "buys_computer": (BUYS_COMPUTER, 5),
    "weekend": (WEEKEND, 7),
    "shapes": (SHAPES, 4),
    "shapes_disjunctive": (SHAPES_DISJUNCTIVE, 4),
    "tiny_variable": (TINY_VARIABLE, 3),
}

# Information gain of every column at the root.
ROOT_GAINS = {
    "tennis": {
        "outlook": 0.2467498198,
        "humidity": 0.1518355014,
        "wind": 0.0481270304,
        "temperature": 0.0292225657,
    },
    "golf": {
        "outlook": 0.2467498198,
        "humidity": 0.1518355014,
        "windy": 0.0481270304,
        "temperature": 0.0292225657,
    },
    "buys_computer": {
        "age": 0.2467498198,
        "student": 0.1518355014,
        "credit_rating": 0.0481270304,
        "income": 0.0292225657,
    },
    "weekend": {"weather": 0.6954618442, "parents": 0.6099865470, "money": 0.2812908992},
    "shapes": {"shape": 0.3166890883, "color": 0.1908745046},
    "shapes_disjunctive": {"color": 0.4199730940, "shape": 0.1709505945},
    "tiny_variable": {"v": 0.3112781245},
}

ROOT_ENTROPIES = {
    "tennis": 0.9402859587,
    "weekend": 1.5709505945,
    "shapes": 0.6500224216,
    "tiny_variable": 0.8112781245,
}


def id3(name, **settings):
    return tw.ID3Classifier(**settings).fit(*tw.load_sample(name))


def column_gains(tree, node=0):
    """The gain of each column at a node: the chosen split, then the runners-up."""
    names = tree.schema.names
    gains = {names[tree.feature[node]]: float(tree.gain[node])}
    for at in range(tree.competitor_start[node], tree.competitor_start[node + 1]):
        gains[names[tree.competitor_feature[at]]] = float(tree.competitor_gain[at])
    return gains


def node_at(tree, *path):
    """The node reached by following level names from the root."""
    node = 0
    for level in path:
        levels = tree.schema.columns[tree.feature[node]].levels
        entries = slice(tree.level_start[node], tree.level_start[node + 1])
        child_of = dict(zip(tree.level_code[entries], tree.level_child[entries], strict=True))
        node = int(tree.first_child[node] + child_of[levels.index(level)])
    return node


@pytest.mark.parametrize("name", ID3_TREES)
def test_id3_grows_the_tree_of_the_notes(name):
    text, n_leaves = ID3_TREES[name]
    model = id3(name)
    assert str(model.tree_) == text
    assert model.export_text() == text
    assert model.get_n_leaves() == model.tree_.n_leaves == n_leaves
    depth = 1 + max(line.count("|") for line in text.splitlines())
    assert model.get_depth() == model.tree_.depth == depth


@pytest.mark.parametrize("name", [name for name in ID3_TREES if name != "tiny_variable"])
def test_the_tree_of_the_notes_answers_every_row_of_its_table(name):
    X, y = tw.load_sample(name)
    assert (tw.ID3Classifier().fit(X, y).predict(X) == y).all()


@pytest.mark.parametrize("name", ROOT_GAINS)
def test_gains_at_the_root_are_those_of_the_notes(name):
    assert column_gains(id3(name).tree_) == pytest.approx(ROOT_GAINS[name], abs=1e-9)


@pytest.mark.parametrize("name", ROOT_ENTROPIES)
def test_entropy_at_the_root_is_that_of_the_notes(name):
    assert id3(name).tree_.impurity[0] == pytest.approx(ROOT_ENTROPIES[name], abs=1e-9)


def test_entropies_of_the_weekend_branches_are_those_of_the_notes():
    tree = id3("weekend").tree_
    found = {level: tree.impurity[node_at(tree, level)] for level in ("Sunny", "Windy", "Rainy")}
    expected = {"Sunny": 0.918296, "Windy": 0.811278, "Rainy": 0.918296}
    assert found == pytest.approx(expected, abs=1e-6)


def test_on_a_sunny_weekend_parents_gain_everything():
    tree = id3("weekend").tree_
    gains = column_gains(tree, node_at(tree, "Sunny"))
    assert gains["parents"] == pytest.approx(0.918296, abs=1e-6)
    assert gains.get("money", 0.0) == pytest.approx(0.0, abs=1e-12)


def test_on_a_rainy_weekend_money_ties_with_parents_and_the_tie_is_recorded():
    tree = id3("weekend").tree_
    node = node_at(tree, "Rainy")
    assert tree.schema.names[tree.feature[node]] == "parents"
    first = tree.competitor_start[node]
    assert tree.schema.names[tree.competitor_feature[first]] == "money"
    assert tree.competitor_tied[first] == 1


def test_gain_ratio_picks_parents_where_gain_picks_weather():
    tree = id3("weekend", criterion="gain_ratio").tree_
    assert tree.schema.names[tree.feature[0]] == "parents"
    assert tree.score[0] == pytest.approx(0.6099865470, abs=1e-9)
    scores = dict(
        zip(
            (tree.schema.names[f] for f in tree.competitor_feature),
            tree.competitor_score,
            strict=True,
        )
    )
    assert scores["weather"] == pytest.approx(0.4427012833, abs=1e-9)


@pytest.mark.parametrize(
    ("name", "text"), [("tennis", TENNIS), ("golf", GOLF), ("buys_computer", BUYS_COMPUTER)]
)
def test_c45_grows_the_same_tree_on_the_three_tables_that_are_one(name, text):
    model = tw.C45Classifier().fit(*tw.load_sample(name))
    assert str(model.tree_) == text


def test_the_best_two_income_groups_by_gini_are_those_of_note_001():
    X, y = tw.load_sample("buys_computer")
    model = tw.TreeClassifier(criterion="gini", nominal="subset", max_depth=1)
    tree = model.fit(X[["income"]], y).tree_
    assert tree.impurity[0] == pytest.approx(0.4591836735, abs=1e-10)
    assert tree.impurity[0] - tree.gain[0] == pytest.approx(0.4428571429, abs=1e-10)
    assert str(tree).splitlines()[0].startswith("income = high:")


@pytest.mark.parametrize(
    ("levels", "left_over"), [(("medium",), 0.4583333333), (("low",), 0.4500000000)]
)
def test_the_other_income_groups_have_the_gini_of_note_001(levels, left_over):
    X, y = tw.load_sample("buys_computer")
    income = X["income"].to_numpy()
    group = np.where(np.isin(income, levels), "in", "out").reshape(-1, 1)
    tree = tw.CARTClassifier(max_depth=1).fit(group, y).tree_
    assert tree.impurity[0] - tree.gain[0] == pytest.approx(left_over, abs=1e-10)


@pytest.mark.parametrize("estimator", [tw.C45Classifier, tw.CARTClassifier, tw.TreeClassifier])
def test_scaled_input_gives_the_same_answers(estimator):
    X, y = tw.load_sample("iris")
    numbers = np.asarray(X)
    to_unit = (numbers - numbers.min(axis=0)) / np.ptp(numbers, axis=0)
    standardized = (numbers - numbers.mean(axis=0)) / numbers.std(axis=0)
    predictions = [estimator().fit(table, y).predict(table) for table in (numbers, to_unit)]
    predictions.append(estimator().fit(standardized, y).predict(standardized))
    assert (predictions[0] == predictions[1]).all()
    assert (predictions[0] == predictions[2]).all()
