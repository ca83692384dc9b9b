"""Pages in a terminal: nothing is wider than it, and nothing is lost."""

import io

from hypothesis import given
from hypothesis import strategies as st

from machine import imported
from treewright.documents.as_text import to_text
from treewright.documents.math import Name, Number, Product, Sum
from treewright.documents.page import (
    Document,
    Formula,
    Heading,
    Listing,
    Note,
    Paragraph,
    Run,
    SheetTable,
)
from treewright.documents.printed import rich_lines
from treewright.documents.text_table import broken, columns_of

words = st.text(st.sampled_from("abcdefgh  _漢é"), min_size=1, max_size=40)


@st.composite
def tables(draw) -> SheetTable:
    n_columns = draw(st.integers(1, 24))
    n_rows = draw(st.integers(1, 4))
    head = tuple(draw(words) for _ in range(n_columns))
    numbers = st.sampled_from(["0", "12.25", "0.9403", "1234.5"])
    rows = [(draw(words), *(draw(numbers) for _ in range(n_columns - 1))) for _ in range(n_rows)]
    marked = frozenset(draw(st.lists(st.integers(0, n_rows - 1))))
    return SheetTable(head, tuple(rows), "l" + "r" * (n_columns - 1), "caption", marked)


@given(tables(), st.integers(40, 120))
def test_a_table_fits_the_width(table, width):
    lines = to_text(Document("t", (table,)), width).splitlines()
    assert max(map(columns_of, lines)) <= width


@given(tables())
def test_no_cell_of_a_broken_table_is_lost(table):
    text = to_text(Document("t", (table,)), 50)
    letters = [letter for letter in text if letter.isalpha()]
    for row in (table.columns, *table.rows):
        for cell in row:
            assert all(
                letters.count(letter) >= cell.count(letter)
                for letter in set(cell) - {" "}
                if letter.isalpha()
            )


@given(st.lists(words, min_size=1, max_size=8), st.integers(24, 80))
def test_sentences_fit_the_width(parts, width):
    page = Document("t", (Paragraph.of(*(Run(part, "strong") for part in parts)),))
    assert max(map(columns_of, to_text(page, width).splitlines())) <= width


@given(words, st.integers(2, 30))
def test_broken_text_has_all_its_letters(text, width):
    lines = broken(text, width)
    assert all(columns_of(line) <= width for line in lines)
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")


def test_a_long_sum_goes_on_below_its_equals_sign():
    term = Product((Number("5"), Number("0.9710")))
    page = Document("t", (Formula(Name("remainder"), (Sum.of(*[term] * 6), Number("29.1"))),))
    lines = to_text(page, 60).splitlines()[3:]
    assert lines[0].startswith("    remainder = 5 × 0.9710 + 5")
    assert lines[1].startswith("                + 5 × 0.9710")
    assert lines[-1].endswith("= 29.1")


def test_many_columns_go_to_further_panels_under_the_same_first_one():
    table = SheetTable(("branch", *"abcdefgh"), (("x <= 5", *["123.4567"] * 8),), "l" + "r" * 8)
    lines = to_text(Document("t", (table,)), 40).splitlines()
    assert sum(line.startswith("branch") for line in lines) == 3
    assert sum(line.count("123.4567") for line in lines) == 8


def test_rich_shows_the_same_words_and_takes_none_for_markup():
    console = imported("rich.console")
    page = Document(
        "Day [bold]",
        (
            Heading(2, "[red]x[/red] :smile:"),
            Paragraph.of("It is ", Run("sunny", "strong"), "."),
            SheetTable(("column", "gain"), (("[b]", "0.25"),), "lr", marked=frozenset([0])),
            Listing("[/nothing]"),
            Note("a note"),
        ),
    )

    class Shown:
        def __rich_console__(self, console, options):
            return rich_lines(page, console, options)

    screen = console.Console(width=60, record=True, file=io.StringIO(), color_system=None)
    with screen.capture() as captured:
        screen.print(Shown())
    shown = [line.rstrip() for line in captured.get().splitlines()]
    assert shown == [line.rstrip() for line in to_text(page, 60).splitlines()]
