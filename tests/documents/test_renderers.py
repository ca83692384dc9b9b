"""One page, four forms: everything on it is shown, and no name is taken for markup."""

from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treewright.documents.as_html import to_html
from treewright.documents.as_latex import to_latex
from treewright.documents.as_markdown import to_markdown
from treewright.documents.as_text import to_text
from treewright.documents.math import Call, Fraction, Name, Number
from treewright.documents.page import (
    Contents,
    Document,
    Figure,
    Formula,
    Heading,
    KeyFact,
    KeyFacts,
    Listing,
    Note,
    Paragraph,
    Run,
    SheetTable,
)
from treewright.documents.text_table import columns_of

RENDERERS = (to_text, to_markdown, to_latex, to_html)
HALF = Fraction(Number("1"), Number("2"))
NASTY = (
    "<script>alert(1)</script>",
    '"quoted" & \\done{}',
    "🌞 sun",
    "אבג",
    "a|b_c$d^e",
    "two\nlines",
)


def a_page(name: str = "outlook") -> Document:
    return Document(
        f"About {name}",
        (
            Contents((Heading(2, name, "column"),)),
            KeyFacts((KeyFact(name, "14 rows", f"of {name}"), KeyFact("wind", "7.5"))),
            Heading(2, name, "column"),
            Paragraph.of("The column ", Run(name, "strong"), " or ", Run(name, "code"), "."),
            Formula(Call(Name("gain"), (Name(name),)), (HALF, Number("0.5"))),
            SheetTable(
                ("column", "gain"),
                ((name, "0.25"), ("wind", "0.048")),
                "lr",
                caption=name,
                marked=frozenset([0]),
            ),
            Listing(f"{name}\n    four"),
            Figure("<svg></svg>", name),
            Note(name),
        ),
    )


@pytest.mark.parametrize("render", RENDERERS)
def test_every_block_is_shown(render):
    text = render(a_page())
    for words in ("About outlook", "The column", "0.048", "four", "14 rows", "7.5"):
        assert words in text.replace("~", " ")


class Tags(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)


@given(st.one_of(st.sampled_from(NASTY), st.text(min_size=1, max_size=20)))
def test_html_has_the_same_tags_whatever_the_names(name):
    expected = Tags(to_html(a_page())).tags
    found = [tag for tag in Tags(to_html(a_page(name))).tags if tag != "bdi"]
    assert found == expected


@given(st.one_of(st.sampled_from(NASTY), st.text(min_size=1, max_size=20)))
def test_latex_braces_balance_whatever_the_names(name):
    text = to_latex(a_page(name)).replace(r"\{", "").replace(r"\}", "")
    assert text.count("{") == text.count("}")
    assert r"\done" not in text


@pytest.mark.parametrize("name", NASTY)
def test_markdown_tables_keep_their_number_of_cells(name):
    lines = [line for line in to_markdown(a_page(name)).splitlines() if line.startswith("|")]
    bars = [line.replace(r"\|", "").count("|") for line in lines]
    assert bars == [4] * 4 + [3] * 4
    assert "<script>" not in to_markdown(a_page(name)).split("```")[0]


def test_text_tables_line_up_under_wide_letters():
    table = SheetTable(("a", "b"), (("漢字", "1"), ("x", "22")), "lr")
    lines = to_text(Document("t", (table,))).splitlines()[3:]
    assert len({columns_of(line) for line in lines}) == 1


def test_right_to_left_names_are_isolated():
    page = Document("t", (SheetTable(("a", "b"), (("אבג", "1"),), "lr"),))
    assert "<bdi>אבג</bdi>" in to_html(page)
    assert "\u2068אבג\u2069" in to_text(page)


def test_html_needs_nothing_from_elsewhere():
    text = to_html(a_page())
    assert "http:" not in text
    assert "https:" not in text
    assert "default-src 'none'" in text
    assert "<script" not in text


A_SMALL_TREE = SheetTable(
    ("where", "rows"), (("all", "9"), ("left", "4"), ("deep", "3")), "lr", depths=(0, 1, 2)
)


def test_rows_of_a_tree_are_set_in_by_their_depth():
    page = Document("t", (A_SMALL_TREE,))
    lines = to_text(page).splitlines()[-3:]
    assert [len(line) - len(line.lstrip()) for line in lines] == [0, 2, 4]
    assert "| all | 9 |\n| &emsp;left | 4 |\n| &emsp;&emsp;deep | 3 |" in to_markdown(page)
    assert r"{}all & 9" in to_latex(page)
    assert r"{}\hspace*{2em}deep & 3" in to_latex(page)
    assert "<td>all</td>" in to_html(page)
    assert "<td style='padding-left:1.7em'>left</td>" in to_html(page)
    assert "<td style='padding-left:2.7em'>deep</td>" in to_html(page)


@given(st.integers(12, 40), st.integers(0, 60), st.sampled_from(("a long condition", "x" * 50)))
def test_lines_of_a_cell_that_is_set_in_stay_within_the_width(width, depth, words):
    table = SheetTable(("where",), ((words,),), "l", depths=(depth,))
    lines = to_text(Document("t", (table,)), width=width).splitlines()[5:]
    assert max(map(len, lines)) <= width
    assert "".join(lines).replace(" ", "") == words.replace(" ", "")


def test_the_contents_lead_to_headings_only_where_a_page_stands_alone():
    assert "<a href='#column'>outlook</a>" in to_html(a_page())
    assert "<h2 id='column'>outlook</h2>" in to_html(a_page())
    assert "#column" not in to_html(a_page(), standalone=False)
    assert "- [outlook](#column)" in to_markdown(a_page())


def test_shades_are_a_ground_that_words_stay_readable_on():
    table = SheetTable(("a", "b"), (("x", "1"), ("y", "2")), "lr", shades=((0, 1.0), (0, 0.0)))
    page = to_html(Document("Shades", (table,)))
    assert "<td class=r style='background:rgba(68, 119, 170, 0.50)'>1</td>" in page
    assert "<td class=r>2</td>" in page
