"""The words of a picture."""

import builders
from builders import intervals, leaf, subset, threshold
from treewright.data.schema import ColumnSpec, Schema
from treewright.pictures.folded import fold
from treewright.pictures.node_text import branch_label, evidence, question, shown_name, support

SCHEMA = Schema(
    (
        ColumnSpec("age", "numeric"),
        ColumnSpec("size", "ordered", ("S", "M", "L")),
        ColumnSpec("color", "nominal", ("red", "blue", "")),
    )
)


def labels(root):
    tree = builders.build(root, SCHEMA, ("no", "yes"))
    return question(tree, 0), [branch_label(tree, place, 0) for place in fold(tree).shown[1:]]


def test_a_label_says_what_leads_there_without_the_column():
    two = leaf(1, 0), leaf(0, 1)
    assert labels(threshold(0, 30.5, *two)) == ("age", ["≤ 30.5", "> 30.5"])
    assert labels(threshold(1, 1.0, *two)) == ("size", ["≤ M", "> M"])
    assert labels(subset(2, {0: 0, 1: 0, 2: 1}, *two)) == ("color", ["red, blue", '""'])
    three = (*two, leaf(1, 1))
    assert labels(intervals(0, [2, 5], *three)) == ("age", ["≤ 2", "> 2, ≤ 5", "> 5"])


def test_a_node_tells_its_rows_and_how_sure_it_is():
    tree = builders.build(threshold(0, 1, leaf(9, 0), leaf(1, 2)), SCHEMA, ("no", "yes"))
    assert [support(tree, node) for node in range(3)] == ["12 rows", "9 rows", "3 rows"]
    assert [evidence(tree, node) for node in (1, 2)] == ["9 rows", "67 % of 3 rows"]


def test_blank_names_are_quoted_and_names_from_right_to_left_isolated():
    assert [shown_name(name) for name in ("", " ", 3, "a\nb")] == ['""', '" "', "3", "a\\nb"]
    assert shown_name("שלום") == "\u2068שלום\u2069"
