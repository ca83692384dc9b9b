"""What stands in the box of a node."""

from builders import build, leaf, numeric_schema, oblique
from treewright.pictures.folded import fold
from treewright.pictures.node_box import boxes_of


def box_of_sum(*names):
    terms = [(at, weight) for at, weight in enumerate((2.0, -1.0, 0.5)[: len(names)])]
    root = oblique(terms, 91.0, leaf(3, 0), leaf(0, 4))
    tree = build(root, numeric_schema(*names), ("no", "yes"))
    return boxes_of(fold(tree))[0]


def test_a_short_sum_is_the_title():
    box = box_of_sum("age", "income")
    assert box.title == "2 * age - income <= 91"
    assert box.notes == ("7 rows",)


def test_of_a_long_sum_every_term_has_a_line_of_its_own():
    box = box_of_sum("height in the morning", "weight in the evening", "temperature")
    assert box.title == "sum <= 91"
    assert box.notes == (
        "sum = 2 * height in the morning",
        "- weight in the evening",
        "+ 0.5 * temperature",
        "7 rows",
    )
