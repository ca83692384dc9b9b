"""Rules of a report: few enough to read, with what missing values do where that is short."""

import numpy as np
import pandas as pd

import treewright as tw
from treewright.documents.page import Note, SheetTable
from treewright.reports.rule_section import MOST_LETTERS, rule_section


def sections_of(model, X, y):
    blocks = list(rule_section(tw.report(model, X, y, folds=2).facts))
    return next(block for block in blocks if isinstance(block, SheetTable)), [
        block.text for block in blocks if isinstance(block, Note)
    ]


def test_rules_of_a_small_tree_are_all_there():
    table, notes = sections_of(tw.ID3Classifier(), *tw.load_sample("tennis"))
    assert [row[1:4] for row in table.rows] == [
        ("outlook = Overcast", "Yes", "4"),
        ("outlook = Sunny and humidity = High", "No", "3"),
        ("outlook = Rain and wind = Weak", "Yes", "3"),
        ("outlook = Sunny and humidity = Normal", "Yes", "2"),
        ("outlook = Rain and wind = Strong", "No", "2"),
    ]
    assert table.caption == ""
    assert notes[0].startswith("A missing value fulfills no condition")


def test_long_rules_are_few_and_a_smaller_tree_is_recommended():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.random((600, 8)), columns=[f"measurement {at}" for at in range(8)])
    table, notes = sections_of(tw.CARTRegressor(prune=None), X, rng.random(600))
    assert sum(len(row[1]) for row in table.rows) < 2 * MOST_LETTERS
    assert "of 600 rules" in table.caption
    assert any("a pruned or smaller tree" in note for note in notes)


def test_many_notes_on_missing_values_become_one():
    loans, y = tw.load_sample("loans")
    table, notes = sections_of(tw.C45Classifier(prune=None), loans.drop("loan"), y)
    assert notes[0] == "Rows with missing values count fractionally; the counts are rounded."
    assert len(notes) == 2
    assert "is left out here" in notes[1]
    assert table.columns[3] == "rows"
    assert all(row[3] == "under 1" or row[3].replace(",", "").isdigit() for row in table.rows)
    assert not any("[a]" in row[1] for row in table.rows)


def test_long_conditions_are_shortened():
    levels = [f"a level of some length {at}" for at in range(60)]
    X = pd.DataFrame({"a": levels * 4})
    y = ["yes" if at % 2 else "no" for at in range(60)] * 4
    table, _ = sections_of(tw.CARTClassifier(prune=None), X, y)
    assert max(len(row[1]) for row in table.rows) < 120
