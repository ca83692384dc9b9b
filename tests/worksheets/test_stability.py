"""How stability is told: in words, in a table, for a picture."""

import pytest

import treewright as tw
from treewright.plain_text import whole_percent
from treewright.worksheets.stability import NodeStability, Stability, Win


def a_split(**fields) -> NodeStability:
    return NodeStability(
        **{
            "node": 2,
            "path": ("petal width > 0.8",),
            "column": "petal width",
            "kind": "threshold",
            "n_rows": 100,
            "n_resamples": 200,
            "share": 0.62,
            "others": (Win("petal length", 0.3), Win("sepal width", 0.06)),
            "without_split": 0.02,
            "same_split": 0.36,
            "many_levels": (),
            "threshold": 1.75,
            "low": 1.55,
            "high": 1.75,
            "threshold_text": "1.75",
            "bounds": ("1.55", "1.75"),
        }
        | fields
    )


def branches(**fields) -> NodeStability:
    nothing = {"threshold": None, "low": None, "high": None, "threshold_text": ""}
    return a_split(kind="branches", bounds=("", ""), **nothing, **fields)


def test_a_split_in_words():
    assert a_split().in_words() == (
        "Of 200 resamples of these rows: petal width is chosen in 62 %, petal length in 30 %, "
        "sepal width in 6 %, no column in 2 %. Of its thresholds 90 % lie from 1.55 to 1.75. "
        "The rows are split in exactly this way in 36 %."
    )


def test_many_other_columns_are_told_together():
    others = tuple(Win(f"x{at}", 0.05) for at in range(6))
    words = branches(share=0.7, others=others, without_split=0.0).in_words()
    assert words.endswith("x0 in 5 %, x1 in 5 %, x2 in 5 %, other columns in 15 %.")


def test_columns_that_rows_drawn_twice_favor_are_named():
    split = branches(others=(Win("ticket", 0.9),), many_levels=("ticket",))
    assert "ticket has very many categories" in split.in_words()
    assert str(Stability([split, split], "C45Classifier")).count("ticket has very many") == 1


def test_the_words_of_a_picture_are_few():
    assert a_split().remarks == ("chosen again: 62 %", "cut 1.55 to 1.75")
    assert a_split(low=1.75, bounds=("1.75", "1.75")).remarks[1] == "cut 1.75"
    assert branches().remarks == ("chosen again: 62 %",)


def test_only_all_and_nothing_are_told_as_such():
    assert [whole_percent(share) for share in (0.0, 1e-6, 0.5, 1 - 1e-6, 1.0)] == [
        "0 %",
        "1 %",
        "50 %",
        "99 %",
        "100 %",
    ]


def test_the_page_has_a_line_for_each_split():
    text = Stability([a_split(), branches(node=5)], "C45Classifier").to_markdown().replace("\\", "")
    assert "2: petal width > 0.8" in text
    assert "petal length 30 %" in text
    assert "1.75 (1.55 to 1.75)" in text
    assert "threshold" not in str(Stability([branches(node=5)], "ID3Classifier"))


@pytest.mark.parametrize("form", ["text", "markdown", "latex", "html"])
def test_every_form_shows_the_share(form):
    found = Stability([a_split()], "C45Classifier")
    assert "62" in getattr(found, f"to_{form}")()


def test_the_table_has_the_figures_unrounded():
    table = Stability([a_split(share=0.6249)], "C45Classifier").table()
    assert table["share"].values.tolist() == [0.6249]
    assert table["high"].values.tolist() == [1.75]


def test_a_node_that_was_not_looked_at_is_an_error_that_names_the_others():
    found = Stability([a_split()], "C45Classifier")
    assert 2 in found
    assert 3 not in found
    assert [*found] == [found[2]]
    with pytest.raises(tw.ParameterError, match=r"node 3(.|\n)*these are: 2"):
        found[3]


def test_names_are_never_markup():
    found = Stability([branches(column="<script>", path=("a < b",))], "ID3Classifier")
    assert "<script>" not in found.to_html()
    assert "<script>" not in found._repr_html_()
