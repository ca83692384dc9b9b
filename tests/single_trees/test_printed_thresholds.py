"""Thresholds are printed with enough digits: for every training row, and to tell them apart.

A reader who follows the printed tree by hand has to end where the model ends.
"""

import re
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import treewright as tw
from treewright.tree.as_text import export_text

CONDITION = re.compile(r"^x(\d+) (<=|>) (\S+)$")
BETWEEN = re.compile(r"^(\S+) < x(\d+) <= (\S+)$")

QUICK = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True
)


def close_values(start: float) -> list[float]:
    """Numbers that differ in the last bit, in the seventh digit, and far more."""
    found = [start]
    for step in (0.0, 0.0, 1e-7, 3e-7, 1e-6, 1e-3):
        at = found[-1] * (1 + step) if step else np.nextafter(found[-1], np.inf)
        found.append(float(at))
    return found


POOLS = (
    close_values(0.1234565),
    close_values(1.0),
    close_values(-2.45),
    close_values(7.3e-12),
    close_values(3.1e19),
    close_values(123456.7),
    [float(2**53 + 2 * step) for step in range(6)],
    [float(np.float32(step / 10)) for step in range(1, 8)],
    [step / 10 for step in range(1, 8)],
    [1.5, 2.0, 30.0, 1e300, -1e300, 5e-324],
)


@st.composite
def tables(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray]:
    n_rows = draw(st.integers(4, 24))
    pools = draw(st.lists(st.sampled_from(POOLS), min_size=1, max_size=3))
    columns = [
        draw(st.lists(st.sampled_from(pool), min_size=n_rows, max_size=n_rows)) for pool in pools
    ]
    y = draw(st.lists(st.integers(0, 2), min_size=n_rows, max_size=n_rows))
    return np.array(columns, dtype=np.float64).T.copy(), np.array(y)


MODELS = {
    "cart": lambda: tw.CARTClassifier(),
    "c45": lambda: tw.C45Classifier(min_samples_leaf=1, prune=None, collapse=False),
    "c45 pruned": lambda: tw.C45Classifier(min_samples_leaf=1),
    "intervals": lambda: tw.TreeClassifier(numeric="intervals", max_intervals=3),
    "optimal": lambda: tw.OptimalTreeClassifier(max_depth=2),
}


def holds(condition: str, row: np.ndarray) -> bool:
    if found := BETWEEN.match(condition):
        low, column, high = found.groups()
        return float(low) < row[int(column)] <= float(high)
    found = CONDITION.match(condition)
    assert found, condition
    column, sign, bound = found.groups()
    return bool((row[int(column)] <= float(bound)) == (sign == "<="))


def leaf_lines(text: str) -> list[str]:
    return [line for line in text.splitlines() if ": " in line]


def leaves_in_text_order(tree: Any) -> list[int]:
    """The leaves as the text lists them: depth first."""
    stack, found = [0], []
    while stack:
        node = stack.pop()
        if tree.kind[node] == 0:
            found.append(node)
        else:
            first = int(tree.first_child[node])
            stack.extend(range(first + int(tree.n_children[node]) - 1, first - 1, -1))
    return found


def check_text(tree: Any, text: str, X: np.ndarray) -> None:
    """Every row ends at the same leaf by the printed text and by the tree."""
    if tree.n_nodes == 1:
        return
    lines, order = leaf_lines(text), leaves_in_text_order(tree)
    at_line = {}
    position = 0
    for number, line in enumerate(text.splitlines()):
        if ": " in line:
            at_line[number] = order[position]
            position += 1
    assert len(lines) == len(order)
    for row in X:
        assert at_line[line_number(text, row)] == tree.leaf_of(row.reshape(1, -1), 0)


def line_number(text: str, row: np.ndarray) -> int:
    depth = 0
    for number, line in enumerate(text.splitlines()):
        level = line.count("|   ")
        assert level >= depth, "no branch is for this row"
        if level != depth:
            continue
        condition, _, prediction = line[4 * level :].partition(": ")
        if holds(condition, row):
            if prediction:
                return number
            depth += 1
    raise AssertionError(f"no way for {row.tolist()} in\n{text}")


@pytest.mark.parametrize("name", MODELS)
@QUICK
@given(data=tables())
def test_training_rows_follow_the_printed_tree(name: str, data: Any) -> None:
    X, y = data
    tree = MODELS[name]().fit(X, y).tree_
    check_text(tree, export_text(tree), X)


@pytest.mark.parametrize("name", ["cart", "c45"])
@QUICK
@given(data=tables(), decimals=st.sampled_from([None, 0, 1, 3]))
def test_different_thresholds_look_different(name: str, data: Any, decimals: int | None) -> None:
    X, y = data
    model = MODELS[name]().fit(X, y)
    tree = model.tree_
    text = model.export_text(decimals=decimals)
    for column in range(X.shape[1]):
        asked = np.unique(tree.threshold[(tree.feature == column)])
        shown = [
            float(found[2])
            for line in text.splitlines()
            if (found := re.search(rf"x{column} (<=|>) ([^\s:]+)", line))
        ]
        assert len(set(shown)) == len(asked)


@QUICK
@given(data=tables())
def test_training_rows_follow_the_printed_rules(data: Any) -> None:
    X, y = data
    rules = tw.rules(tw.CARTClassifier().fit(X, y))
    for row in X:
        own = [rule for rule in rules if rule_holds(rule.text(), row)]
        assert len(own) == 1
        assert own[0].prediction == rules.predict(row.reshape(1, -1))[0]


@QUICK
@given(data=tables())
def test_training_rows_follow_the_printed_rules_of_c45(data: Any) -> None:
    X, y = data
    model = tw.C45Rules(min_samples_leaf=1).fit(X, y)
    for row in X:
        own = [rule for rule in model.rules_ if rule_holds(rule.text(), row)]
        expected = [rule for rule in model.rules_ if rule.shares(row.reshape(1, -1))[0] == 1]
        assert [rule.name for rule in own] == [rule.name for rule in expected]


def rule_holds(text: str, row: np.ndarray) -> bool:
    body = text.removeprefix("if ").rpartition(" then ")[0]
    return all(holds(part, row) for part in body.split(" and ")) if body else True


# ---------------------------------------------------------------------------- what was wrong once

CLOSE = np.array([[0.12345641], [0.12345649], [0.12345657], [0.12345661]])
CLOSE_Y = np.array([0, 1, 0, 1])


def test_thresholds_in_the_same_six_digits_are_told_apart() -> None:
    text = tw.CARTClassifier().fit(CLOSE, CLOSE_Y).export_text(show_weights=False)
    assert text.splitlines() == [
        "x0 <= 0.12345645: 0",
        "x0 > 0.12345645",
        "|   x0 <= 0.12345653: 1",
        "|   x0 > 0.12345653",
        "|   |   x0 <= 0.1234566: 0",
        "|   |   x0 > 0.1234566: 1",
    ]


def test_a_threshold_just_above_one_is_not_printed_as_one() -> None:
    X = np.array([[1.0], [1.0000000000000002], [1.0000000000000004]])
    text = tw.CARTClassifier().fit(X, [0, 0, 1]).export_text()
    assert "x0 <= 1.0000000000000002: 0" in text


def test_common_thresholds_stay_short() -> None:
    X, y = tw.load_sample("iris")
    text = tw.CARTClassifier().fit(X, y).export_text()
    assert "petal length <= 2.45: setosa" in text
    assert "petal width <= 1.75" in text
    assert "00000" not in text
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 2))
    tree = tw.CARTClassifier(max_depth=3).fit(X, X[:, 0] > X[:, 1]).tree_
    assert all(len(text) <= 10 for text in re.findall(r"<= (\S+?):?\s", f"{tree} "))


def test_a_threshold_of_c45_keeps_the_row_whose_value_it_is() -> None:
    X = np.array([[0.12345632], [0.12345634], [0.2], [0.3]])
    text = tw.C45Classifier(min_samples_leaf=1, prune=None).fit(X, [0, 0, 1, 1]).export_text()
    bound = float(re.search(r"<= (\S+):", text)[1])  # type: ignore[index]
    assert 0.12345634 <= bound < 0.2


def test_decimals_do_not_merge_thresholds() -> None:
    model = tw.CARTClassifier().fit(CLOSE, CLOSE_Y)
    texts = (
        model.export_text(decimals=2),
        tw.rules(model).to_text(decimals=2),
        tw.draw(model, decimals=2).to_svg(),
        tw.draw(model, decimals=2).to_html(),
    )
    for text in texts:
        assert {"0.1234564", "0.1234565", "0.1234566"} <= set(re.findall(r"0\.\d+", text))


def test_one_threshold_has_the_same_digits_everywhere() -> None:
    model = tw.CARTClassifier().fit(CLOSE, CLOSE_Y)
    shown = {"0.12345645", "0.12345653", "0.1234566"}
    drawn = tw.draw(model)
    texts = (
        model.export_text(),
        tw.rules(model).to_text(),
        drawn.to_svg(),
        tw.worksheet(model, CLOSE, CLOSE_Y).to_text(),
        tw.worksheet(model).to_text(),
        tw.export(model, "dot"),
    )
    for text in texts:
        assert set(re.findall(r"0\.1234\d\d+", text)) == shown, text
    for page in (drawn.to_html(), tw.report(model, CLOSE, CLOSE_Y).to_html()):
        assert shown <= set(re.findall(r"0\.1234\d\d+", page))  # beside the numbers in full


def test_candidate_lists_keep_splits_whose_text_was_alike() -> None:
    sheet = tw.worksheet(tw.CARTClassifier().fit(CLOSE, CLOSE_Y), CLOSE, CLOSE_Y)
    tried = sheet.nodes[0].candidates[0].tried
    assert len(tried) == len({one.condition for one in tried}) == 3


@pytest.mark.parametrize(
    "estimator",
    [
        tw.RandomForestClassifier(n_estimators=3, random_state=0),
        tw.RandomForestClassifier(n_estimators=3, splits="exact", random_state=0),
        tw.BoostedTreesClassifier(n_estimators=3, min_samples_leaf=1),
        tw.ExtraTreesClassifier(n_estimators=3, random_state=0),
    ],
    ids=["forest", "exact forest", "boosted", "extra trees"],
)
def test_trees_of_ensembles_are_printed_in_the_same_way(estimator: Any, tmp_path: Any) -> None:
    X = np.round(np.random.default_rng(1).normal(size=(60, 2)), 1)
    X[:, 1] = np.repeat(CLOSE[:, 0], 15)
    model = estimator.fit(X, np.tile(CLOSE_Y, 15) ^ (X[:, 0] > 0))
    model.save(tmp_path / "model")
    again = tw.load(tmp_path / "model")
    for tree, loaded in zip(model.trees_, again.trees_, strict=True):
        text = export_text(tree)
        assert not re.search(r"\d\.\d{10}", text)
        assert text == export_text(loaded)
        check_text(tree, text, X)


def test_a_loaded_model_is_printed_as_before(tmp_path: Any) -> None:
    X = np.random.default_rng(0).normal(size=(200, 3))
    for model in (tw.CARTRegressor(max_depth=4), tw.M5Regressor(), tw.ID3Classifier()):
        y = X[:, 0] > 0.3 if isinstance(model, tw.ID3Classifier) else X[:, 0] * X[:, 1]
        model.fit(X, y).save(tmp_path / "model")
        again = tw.load(tmp_path / "model")
        assert again.export_text() == model.export_text()
        again.save(tmp_path / "again")
        assert (tmp_path / "model").read_bytes() == (tmp_path / "again").read_bytes()


def test_trees_that_know_no_rows_print_thresholds_exactly() -> None:
    model = tw.tree_from("x <= 0.12345678901: a\nx > 0.12345678901: b")
    assert "x <= 0.12345678901: a" in model.export_text()


def test_an_explained_value_is_on_its_side_of_the_threshold() -> None:
    model = tw.CARTClassifier().fit(CLOSE, CLOSE_Y)
    for row in CLOSE:
        shown = re.findall(r"x0 (<=|>) (\S+) \(here (\S+)\)", str(model.explain(row)))
        assert shown
        for sign, bound, value in shown:
            assert (float(value) <= float(bound)) == (sign == "<=")


def test_dates_keep_the_time_of_day_that_decides() -> None:
    times = np.array(
        ["2020-01-01T00:00:00", "2020-01-01T10:30:01", "2020-01-01T10:30:02", "2020-01-03"],
        dtype="datetime64[s]",
    )
    model = tw.CARTClassifier().fit({"at": times}, [0, 0, 1, 1])
    bound = re.search(r"at <= (\S+): 0", model.export_text())[1]  # type: ignore[index]
    assert times[1] <= np.datetime64(bound) < times[2]
