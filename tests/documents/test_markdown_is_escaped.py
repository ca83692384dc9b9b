"""Names in Markdown stay names: no image, link, HTML, table cell or list is made of them."""

import pytest

import treewright as tw
from documents.pages import a_page_of
from machine import imported
from treewright.documents.as_latex import to_latex
from treewright.documents.as_markdown import to_markdown
from treewright.documents.page import Document, Note, Paragraph, Run

NAMES = [
    "![y](http://host.example/m)",
    "[y](http://host.example/m)",
    "![y][1]",
    "[1]: http://host.example/m",
    "<http://host.example/m>",
    "<img src=http://host.example/m>",
    "<!-- a comment",
    "&lt;img&gt;",
    "a | b",
    "`code` and ``more``",
    "```",
    "~~~",
    "$x$ and $$y$$",
    "**bold** _slanted_ ~~struck~~",
    "# title",
    "> quote",
    r"\![y](http://host.example/m)",
    r"\\",
    "two\n\n![y](http://host.example/m)",
]
ADDRESSES = ["http://host.example/m", "https://host.example", "www.host.example", "a@host.example"]
STARTS = ["- x", "+ x", "1. x", "12) x", "---", "===", "    x", "* x"]
ALLOWED = {"sup", "/sup", "code", "/code"}


def a_page(name):
    return Document(name, tuple(a_page_of(name)))


def tokens_of(text):
    """All that a reader of Markdown makes of a text, tables included."""
    markdown_it = imported("markdown_it")
    parser = markdown_it.MarkdownIt("commonmark").enable(["table", "strikethrough"])
    for token in parser.parse(text):
        yield token
        yield from token.children or ()


def assert_makes_no_markup(text):
    for token in tokens_of(text):
        assert token.type not in ("image", "html_block", "s_open"), (token, text)
        if token.type == "html_inline":
            assert token.content.strip("<>") in ALLOWED, (token, text)
        if token.type == "link_open":
            assert token.attrs["href"].startswith("#"), (token, text)


@pytest.mark.parametrize("name", NAMES)
def test_a_page_of_all_blocks_makes_nothing_of_a_name(name):
    assert_makes_no_markup(to_markdown(a_page(name)))


@pytest.mark.parametrize("name", NAMES)
def test_worksheets_rules_reports_and_explanations_make_nothing_of_a_name(name):
    rows = {name: [1, 2, 3, 4, 5, 6], f"{name} 2": [name, "b", name, "b", name, "b"]}
    y = ["no", "no", "no", f"{name} 3", f"{name} 3", f"{name} 3"]
    model = tw.C45Classifier(min_samples_leaf=1).fit(rows, y)
    model.name_target(name)
    texts = [
        tw.worksheet(model, rows, y).to_markdown(),
        tw.rules(model).to_markdown(),
        model.explain({key: values[0] for key, values in rows.items()}).to_markdown(),
        tw.report(model, rows, y, name=name, target=name, folds=2).to_markdown(),
    ]
    for text in texts:
        assert_makes_no_markup(text)


@pytest.mark.parametrize("name", ["![y](http://host.example/m)", "a [b] c", "x://y"])
def test_formulas_hold_no_link_for_readers_that_know_no_formulas(name):
    X = {name: [1, 2, 3, 4], "w": ["a", "b", "a", "b"]}
    sheet = tw.worksheet(tw.C45Classifier(min_samples_leaf=1).fit(X, list("nnyy")), X, list("nnyy"))
    formulas = [part for part in sheet.to_markdown().split("$$")[1::2] if "text" in part]
    assert formulas
    assert not any("[" in part or "]" in part or "://" in part for part in formulas)


@pytest.mark.parametrize("address", ADDRESSES)
def test_addresses_are_no_links_for_readers_that_look_for_them(address):
    text = to_markdown(Document("t", (Paragraph.of(f"see {address}"), Note(address))))
    assert address not in text
    shown = [token.content for token in tokens_of(text) if token.type == "text"]
    assert "".join(shown).count(address) == 2


@pytest.mark.parametrize("name", STARTS)
def test_the_first_letters_of_a_paragraph_start_no_list(name):
    text = to_markdown(Document("t", (Paragraph.of(name), Paragraph.of(Run(name, "strong")))))
    kinds = {token.type for token in tokens_of(text)}
    assert not kinds & {"bullet_list_open", "ordered_list_open", "hr", "code_block"}
    assert kinds >= {"paragraph_open"}


@pytest.mark.parametrize(
    "name", [r"\input{/etc/passwd}", r"\write18{ls}", "%", "^^5cinput", "$ & #"]
)
def test_latex_makes_no_command_of_a_name(name):
    text = to_latex(a_page(name))
    for command in (r"\input", r"\write", "^^"):
        assert command not in text
