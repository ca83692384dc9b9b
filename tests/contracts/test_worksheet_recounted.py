"""Worksheets recomputed from their text and the raw rows: no number is wrong."""

import random

import pytest

import treewright as tw
from reference.recounted_sheet import Tally, recount

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def made(seed: int, *, missing: float = 0.0, n_rows: int = 260, noise: float = 0.2, kind="mixed"):
    """Rows of categories and numbers with a few that matter, by the standard generator."""
    rng = random.Random(seed)
    rows, y = [], []
    for _ in range(n_rows):
        row = {f"cell {name}": rng.choice("xob") for name in "abcde"}
        if kind == "mixed":
            row |= {"age": float(rng.randint(18, 80)), "rate": rng.randint(0, 400) / 20}
        is_yes = row["cell a"] == row["cell b"] or row.get("age", 0.0) > 66
        grade = "high" if row.get("rate", 0.0) > 15 else "yes" if is_yes else "no"
        y.append(grade if rng.random() > noise else rng.choice(["yes", "no"]))
        rows.append({name: None if rng.random() < missing else row[name] for name in row})
    return rows, y


def numbers(seed: int, missing: float = 0.0):
    rows, _ = made(seed, missing=missing)
    rng = random.Random(seed + 1)
    return rows, [
        round((row["age"] or 40.0) / 10 + (row["cell a"] == "x") * 3 + rng.gauss(0, 1), 2)
        for row in rows
    ]


TABLES = {
    "board": lambda: made(13, kind="board", n_rows=400),
    "board 2": lambda: made(19, kind="board", n_rows=400),
    "board with missing values": lambda: made(13, kind="board", n_rows=400, missing=0.1),
    "board with collapsed nodes": lambda: made(23, kind="board", n_rows=400, missing=0.1),
    "mixed": lambda: made(1),
    "mixed with missing values": lambda: made(2, missing=0.08),
    "mixed with many missing values": lambda: made(4, missing=0.25),
    "noise": lambda: made(6, noise=0.5),
    "nearly clean": lambda: made(7, noise=0.03),
    "small": lambda: made(10, n_rows=40),
    "small with missing values": lambda: made(11, n_rows=40, missing=0.15),
}
MODELS = {
    "c45": lambda X, y: tw.C45Classifier().fit(X, y),
    "c45 without collapse": lambda X, y: tw.C45Classifier(collapse=False).fit(X, y),
    "c45 not pruned": lambda X, y: tw.C45Classifier(prune=None).fit(X, y),
    "cart by cost complexity": lambda X, y: tw.CARTClassifier(ccp_alpha=0.01).fit(X, y),
    "cart pessimistic": lambda X, y: tw.CARTClassifier(prune="pessimistic").fit(X, y),
}


def tally_of(X, y, model: str, decimals: int = 4) -> Tally:
    sheet = tw.worksheet(MODELS[model](X, y), X, y)
    return recount(sheet.to_text, X, y, decimals)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("table", TABLES)
def test_no_number_of_a_classification_worksheet_is_wrong(table, model):
    X, y = TABLES[table]()
    found = tally_of(X, y, model)
    assert found.wrong == []
    assert found.n_checked > 100


@pytest.mark.parametrize("missing", [0.0, 0.1])
def test_no_number_of_a_regression_worksheet_is_wrong(missing):
    X, y = numbers(12, missing)
    sheet = tw.worksheet(tw.CARTRegressor(prune=None, max_depth=4).fit(X, y), X, y)
    found = recount(sheet.to_text, X, y)
    assert found.wrong == []
    assert found.n_checked > 100


def test_raised_and_collapsed_nodes_and_missing_values_are_among_them():
    kinds: dict[str, int] = {}
    n_raised = n_came = 0
    for table in TABLES.values():
        X, y = table()
        sheet = tw.worksheet(tw.C45Classifier().fit(X, y), X, y)
        n_raised += sum(work.is_raised for work in sheet.nodes)
        n_came += sum(bool(work.pruning and work.pruning.rows_came) for work in sheet.nodes)
        for kind, n in recount(sheet.to_text, X, y).kinds.items():
            kinds[kind] = kinds.get(kind, 0) + n
    assert n_raised > 10
    assert n_came > 3
    assert kinds["collapsed"] > 3
    assert kinds["missing"] > 3
    assert kinds["negative margin"] > 0


def test_the_recount_finds_a_wrong_number():
    X, y = TABLES["mixed"]()
    text = tw.worksheet(tw.C45Classifier().fit(X, y), X, y).to_text

    def changed(**choices):
        return text(**choices).replace("remainder = ", "remainder = 1/2 × 0.5 + ", 1)

    assert recount(changed, X, y).wrong
