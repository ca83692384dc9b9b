"""The table of docs/export.md that says which model can be exported to what.

`PYTHONPATH=src:tests python tests/exports/test_export_matrix.py` writes it anew.
"""

import re
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

import treewright as tw
from exports.sum_models import classes_for, fitted, numbers_for, table
from machine import needs_packages
from treewright.exports import FORMATS

PAGE = Path(__file__).parents[2] / "docs" / "export.md"
BEGIN, END = "<!-- export matrix: begin -->\n", "<!-- export matrix: end -->\n"


def models() -> dict:
    """One small model of each kind, by the name in the table."""
    rows = table(80)
    y, two = numbers_for(rows), classes_for(rows, 2)
    numbers = np.random.default_rng(0).normal(size=(80, 2))
    return {
        "ID3, C4.5, CART and other single trees": tw.TreeClassifier(max_depth=3).fit(rows, two),
        "trees with surrogates (CART)": tw.CARTClassifier(prune=None).fit(rows, two),
        "trees that divide rows (C4.5)": tw.C45Classifier(prune=None).fit(rows, two),
        "oblique trees": tw.ObliqueTreeClassifier().fit(numbers, numbers.sum(axis=1) > 0),
        "C4.5 rules": tw.C45Rules().fit(rows, two),
        "random forest": fitted("forest of classes"),
        "random forest with costs": fitted("forest with costs"),
        "random forest of numbers": fitted("forest of numbers"),
        "forest that refuses unseen categories": fitted("extra trees that refuse"),
        "extremely randomized trees": fitted("extra trees of numbers"),
        "boosted classes": fitted("boosted, ten classes"),
        "boosted numbers": fitted("boosted numbers"),
        "boosted counts and amounts": fitted("boosted counts"),
        "isolation forest": fitted("isolation forest"),
        "imported ensembles": fitted("imported, with a scale"),
        "imported sums in float32 (XGBoost)": fitted("imported, float32"),
        "forest of CART trees (surrogates)": fitted("forest of CART trees"),
        "forest of C4.5 trees": fitted("forest of C4.5 trees"),
        "forest of C4.5 trees that vote": fitted("votes of C4.5 trees"),
        "M5 model tree": tw.M5Regressor().fit(rows, y),
        "linear models, neighbors, clusters": tw.KNeighborsClassifier().fit(rows, two),
    }


def reason_of(error: Exception) -> str:
    """The message without what concerns one model alone."""
    text = str(error).partition("\n")[0]
    text = re.sub(r"^(tree \d+|an? \w+) ", "", text)
    text = re.sub(r", and (\w+) is many$", "", text)
    text = re.sub(r"column `[^`]+`", "a column", text)
    return text[0].upper() + text[1:]


def matrix() -> str:
    """The table, and the reasons below it."""
    reasons: dict[str, int] = {}
    lines = [f"| | {' | '.join(FORMATS)} |", f"|---|{'---|' * len(FORMATS)}"]
    for name, model in models().items():
        cells = []
        for to in FORMATS:
            try:
                tw.export(model, to)
                cells.append("yes")
            except tw.TreewrightError as error:
                number = reasons.setdefault(reason_of(error), len(reasons) + 1)
                cells.append(f"no ({number})")
        lines.append(f"| {name} | {' | '.join(cells)} |")
    notes = [f"{number}. {reason}." for reason, number in reasons.items()]
    return "\n".join([*lines, "", *notes, ""])


@needs_packages("onnx", "treelite")
@pytest.mark.filterwarnings("ignore")
def test_the_page_says_what_can_be_exported():
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    shown = rest.partition(END)[0]
    assert before, "the page has lost its table"
    assert shown == matrix(), f"write it anew: {__doc__.splitlines()[2]}"


if __name__ == "__main__":
    assert find_spec("treelite") is not None, "pip install treelite"
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    after = rest.partition(END)[2]
    PAGE.write_text(before + BEGIN + matrix() + END + after, encoding="utf-8")
