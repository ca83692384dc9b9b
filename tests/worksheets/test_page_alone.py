"""What a reader needs who has the page alone: each rule stands on the pages that follow it."""

import random

import pytest

import treewright as tw

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def made(missing: float = 0.0, seed: int = 0):
    rng = random.Random(seed)
    rows, y = [], []
    for _ in range(150):
        row = {
            "word": rng.choice("abcde"),
            "sign": rng.choice("xy"),
            "size": rng.randint(0, 40) / 4,
        }
        is_yes = (row["word"] in "ab") != (row["size"] > 6)
        y.append("yes" if is_yes != (rng.random() < 0.25) else "no")
        rows.append({name: None if rng.random() < missing else row[name] for name in row})
    return rows, y


def text_of(model, X, y, **choices) -> str:
    return " ".join(tw.worksheet(model.fit(X, y), X, y).to_text(**choices).split())


def test_no_missing_value_makes_no_phantom_branch_and_no_factor():
    for seed in range(4):  # weights of rows spread above are sums of fractions
        X, y = made(0.3, seed)
        for row in X:
            row["sign"] = row["sign"] or "x"
        for work in tw.worksheet(tw.C45Classifier(prune=None).fit(X, y), X, y).nodes:
            for found in work.candidates:
                if found.kind:
                    assert (found.known_share < 1) == (found.missing_weight > 0)


def test_gain_ratio_and_split_information_are_defined():
    text = text_of(tw.C45Classifier(), *made())
    assert "split information = - sum over b of w_b/w log2(w_b/w)" in text
    assert "gain ratio = gain/(split information)" in text
    assert "gain ratio" not in text_of(tw.ID3Classifier(), *made())


def test_missing_values_are_explained_where_there_are_some():
    factor, branch = "multiplied by their share of the node", "count as one more branch"
    text = text_of(tw.C45Classifier(), *made(0.2))
    assert factor in text
    assert branch in text
    assert factor not in text_of(tw.C45Classifier(), *made())
    assert branch not in text_of(tw.CARTClassifier(prune=None, missing="majority"), *made(0.2))


def test_the_least_rows_of_a_branch_and_the_place_of_thresholds_are_told():
    text = text_of(tw.C45Classifier(min_samples_leaf=3), *made())
    assert "At least two branches of a split by categories must have a weight of 3" in text
    assert "but at least 3; more than 25 is never asked" in text
    assert "A threshold is a value of the column" in text
    text = text_of(tw.CARTClassifier(prune=None, min_samples_leaf=5), *made())
    assert "Both sides of a split must have 5 rows or more" in text
    assert "A threshold is a value of the column" not in text


@pytest.mark.parametrize(
    "model", [tw.CARTClassifier(prune=None), tw.CARTRegressor(prune=None, max_depth=2)]
)
def test_lists_of_categories_are_cuts_of_an_order(model):
    X, y = made()
    if isinstance(model, tw.CARTRegressor):
        y = [row["size"] for row in X]
        by = "the mean of the target"
    else:
        by = "the share of no"
    text = text_of(model, X, y)
    assert (
        f"A list of categories is a cut of an order: the categories of a node are put in the "
        f"order of {by}" in text
    )


def test_the_upper_limit_of_errors_has_its_formula_in_every_form():
    X, y = made()
    sheet = tw.worksheet(tw.C45Classifier().fit(X, y), X, y)
    assert "U(E, N) = (f + (z^2)/(2 × N) + z × sqrt(" in sheet.to_text(width=200)
    assert "z = 0.67448975" in sheet.to_text(width=200)
    for page in (sheet.to_markdown(), sheet.to_latex(), sheet.to_html()):
        assert "sqrt" in page
        assert "0.67448975" in page


def test_a_collapsed_leaf_tells_the_errors_that_were_compared():
    n_seen = 0
    for seed in range(5):
        X, y = made(seed=seed)
        model = tw.C45Classifier(prune=None).fit(X, y)
        sheet = tw.worksheet(model, X, y)
        for work in sheet.nodes:
            if work.stop_reason == "collapsed":
                n_seen += 1
                errors = work.group.weight - max(work.group.counts)
                said = f"{errors:g} of {work.group.weight:g} rows are wrong either way"
                assert said in " ".join(sheet.to_text(steps=work.node).split())
    assert n_seen


def test_the_price_of_a_leaf_says_where_it_comes_from():
    X, y = made()
    text = text_of(tw.CARTClassifier(ccp_alpha=0.01), X, y)
    assert "alpha is 0.01." in text
    assert "alpha was set beforehand" in text
    text = text_of(tw.CARTClassifier(prune="cv"), X, y)
    assert "alpha was chosen by cross-validation with 10 folds" in text
    assert "within one standard error of the best one" in text


def test_a_boosted_split_shows_the_sums_that_it_was_chosen_by():
    X, y = made()
    model = tw.BoostedTreesClassifier(n_estimators=1, max_leaf_nodes=4, min_samples_leaf=5)
    text = text_of(model, X, y)
    assert "gain = (G_1^2)/(H_1 + 1) + (G_2^2)/(H_2 + 1) - (G^2)/(H + 1)" in text
    assert "the split with the largest gain is taken" in text
    tree = model.trees_[0]
    lines = tw.worksheet(model, X, y).to_text().splitlines()
    at = next(i for i, line in enumerate(lines) if line.split()[:1] == ["node"])
    gains = [float(line.split()[-1]) for line in lines[at + 2 : at + 2 + (tree.n_leaves - 1)]]
    expected = [tree.score[node] for node in range(tree.n_nodes) if not tree.is_leaf[node]]
    assert gains == pytest.approx(expected, rel=1e-3)  # gradients are rounded for the search


def test_the_error_of_a_model_tree_is_defined():
    X, _ = made()
    text = text_of(tw.M5Regressor(), X, [row["size"] + (row["word"] == "a") for row in X])
    assert "is the root of the mean squared difference from the targets" in text
    assert "in the order of the mean target of their training rows" in text


def test_cost_complexity_compares_a_leaf_with_the_best_pruned_subtree():
    X, y = made()
    grown = tw.CARTClassifier(prune=None).fit(X, y)
    for alpha in (0.004, 0.01, 0.02):
        pruned = tw.prune(grown, "cost_complexity", alpha=alpha)
        sheet = tw.worksheet(pruned, X, y)
        cuts = [sheet.nodes[cut.node].pruning for cut in pruned.pruning_.cuts]
        assert cuts
        for cut, found in zip(pruned.pruning_.cuts, cuts, strict=True):
            assert found.leaf.estimate <= found.as_subtree * (1 + 1e-9)
            assert cut.as_subtree == pytest.approx(best(grown.tree_, cut.was, alpha))


def best(tree, node: int, alpha: float) -> float:
    """The least cost of a subtree that splits the node and is pruned below it at will."""

    def as_leaf(at: int) -> float:
        return tree.weight[at] * tree.impurity[at] / tree.weight[0] + alpha

    def below(at: int) -> float:
        first = tree.first_child[at]
        children = range(first, first + tree.n_children[at])
        return sum(
            as_leaf(child) if tree.is_leaf[child] else min(as_leaf(child), below(child))
            for child in children
        )

    return below(node)
