"""Blanks: a result leaves every place where it stands, or is not asked for at all."""

from treewright.documents.math import Blank, Call, Dots, Fraction, Name, Number, Product, Sum
from treewright.documents.page import (
    Document,
    Formula,
    Heading,
    Note,
    Paragraph,
    Run,
    SheetTable,
)
from treewright.worksheets.blanks import blanks_in, numbers_to_ask, with_blanks

SHARE = Fraction(Number("5"), Number("14"))


def entropy(*steps) -> Formula:
    return Formula(Call(Name("entropy"), (Number("9"), Number("5"))), steps)


def a_page(*blocks) -> Document:
    return Document("Exercise", blocks)


def test_only_results_are_asked_for():
    page = a_page(entropy(SHARE, Sum.of(Number("0.530"), Number("0.410")), Number("0.940")))
    assert numbers_to_ask(page, 3) == ["0.940"]


def test_results_of_other_decimals_and_trivial_ones_are_not_asked_for():
    page = a_page(entropy(Number("0.94")), entropy(Number("1.000")), entropy(Number("0.000")))
    assert numbers_to_ask(page, 3) == []


def test_a_result_that_a_title_or_a_note_tells_is_not_asked_for():
    result = entropy(SHARE, Number("0.940"))
    for told in (
        Heading(2, "Node 1: x <= 0.940"),
        Note("about 0.940"),
        SheetTable(("branch",), (("x > 0.940",),), "l"),
        SheetTable(("branch",), (("a",),), "l", "gain 0.940"),
    ):
        assert numbers_to_ask(a_page(result, told), 3) == []


def test_a_longer_number_is_another_number():
    page = a_page(entropy(SHARE, Number("0.940")), Note("0.9403, 10.940, 0.940.1"))
    assert numbers_to_ask(page, 3) == ["0.940"]


def test_blanks_are_found_in_the_order_of_the_page():
    table = SheetTable(("branch", "entropy"), (("a", Blank(7)), ("b", "0.940")), "lr")
    page = a_page(Paragraph.of("x ", Blank(3)), table, entropy(Blank(3), Sum.of(Blank(1))))
    assert blanks_in(page) == [3, 7, 1]


def test_a_blank_takes_every_place_of_its_number():
    page = a_page(
        Paragraph.of("Chosen: ", Run("wind", "strong"), ", gain 0.048; margin 0.940."),
        SheetTable(("branch", "entropy"), (("a", "0.940"), ("b", "0.811")), "lr"),
        Formula(
            Name("remainder"), (Product((SHARE, Number("0.940"))), Number("1"), Number("0.336"))
        ),
    )
    blank = Blank(3)
    sentence, table, formula = with_blanks(page, {"0.940": 3}, 3).blocks
    assert sentence.runs[2:] == (Run(", gain 0.048; margin "), blank, Run("."))
    assert table.rows == (("a", blank), ("b", "0.811"))
    assert formula.steps == (Product((SHARE, blank)), Number("1"), Number("0.336"))


def test_the_steps_just_before_a_result_that_is_asked_for_go():
    page = a_page(entropy(SHARE, Sum.of(Number("0.530"), Number("0.410")), Number("0.940")))
    (formula,) = with_blanks(page, {"0.940": 1}, 3).blocks
    assert formula.steps == (SHARE, Blank(1))


def test_a_step_without_numbers_is_no_way_to_a_result():
    sizes = Fraction(Name("sum of squares"), Name("weight"))
    page = a_page(Formula(Name("variance"), (sizes, SHARE, Number("0.357"), Number("0.940"))))
    (formula,) = with_blanks(page, {"0.940": 1}, 3).blocks
    assert formula.steps == (sizes, SHARE, Blank(1))
    (formula,) = with_blanks(a_page(entropy(Number("0.940"))), {"0.940": 1}, 3).blocks
    assert formula.steps == (Blank(1),)


def test_a_result_of_numbers_that_are_left_out_is_not_asked_for():
    page = a_page(entropy(Sum.of(SHARE, Dots()), Number("0.940")))
    assert numbers_to_ask(page, 3) == []
