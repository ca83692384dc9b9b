"""The page of a tree, read as text: nothing from elsewhere, nothing in a name becomes markup."""

import base64
import hashlib
import json
import re
from html.parser import HTMLParser
from importlib.resources import files

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import builders
import treewright as tw
from builders import leaf, threshold
from pictures.html_models import HOSTILE, tennis
from treewright.data.schema import ColumnSpec, Schema
from treewright.pictures.html_page import SCRIPTS


class Elements(HTMLParser):
    """Tags, attributes and the content of scripts, as a browser with JavaScript reads them."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.attributes, self.scripts = [], [], []
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.attributes += [(tag, name, value) for name, value in attributes]
        if tag == "script":
            self.scripts.append("")

    def handle_data(self, text):
        if self.tags and self.tags[-1] == "script":
            self.scripts[-1] += text


def named_tree(name):
    columns = (
        ColumnSpec(name, "numeric"),
        ColumnSpec(name + "level", "nominal", (name, "b")),
    )
    below = builders.branches(1, {0: 0, 1: 1}, leaf(1, 2), leaf(3, 0))
    return builders.build(threshold(0, 1.5, below, leaf(1, 2)), Schema(columns), (name, "other"))


def test_the_page_is_one_file_whose_policy_knows_its_script_and_style_and_nothing_else():
    page = tw.draw(tennis()).to_html()
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)[1]
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    for rule, tag in (("script-src", "script"), ("style-src", "style")):
        [text] = re.findall(rf"<{tag}>(.*?)</{tag}>", page, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert rules.pop(rule) == f"'sha256-{digest}'"
    assert {*rules.values()} == {"'none'"}
    assert "default-src" in rules
    elsewhere = {*re.findall(r"\w+://[^\s\"'<>]+", page)} - {"http://www.w3.org/2000/svg"}
    assert not elsewhere
    assert not re.search(r"@import|url\(|<link|<img|\bsrc=|\bimport\s*\(", page)


def test_every_script_is_part_of_the_page():
    folder = files("treewright.pictures") / "page"
    assert {path.name for path in folder.iterdir() if path.name.endswith(".js")} == {*SCRIPTS}


def test_the_same_tree_gives_the_same_page():
    assert tw.draw(tennis()).to_html() == tw.draw(tennis()).to_html()


def test_the_page_is_saved_by_its_ending(tmp_path):
    picture = tw.draw(tennis())
    picture.save(tmp_path / "tree.html")
    assert (tmp_path / "tree.html").read_text(encoding="utf-8") == picture.to_html()


@settings(max_examples=25)
@given(st.text(max_size=30) | st.sampled_from(HOSTILE))
def test_no_name_adds_an_element_an_attribute_or_a_script(name):
    expected = Elements(tw.draw(named_tree("name")).to_html())
    found = Elements(tw.draw(named_tree(name)).to_html())
    assert found.tags == expected.tags
    assert {key[:2] for key in found.attributes} == {key[:2] for key in expected.attributes}
    data = json.loads(found.scripts[0])
    assert found.scripts[1] == expected.scripts[1]
    assert data["classes"][0] == data["columns"][1]["levels"][0]


@pytest.mark.parametrize("name", HOSTILE)
def test_names_are_whole_in_the_data(name):
    text = tw.draw(named_tree(name)).to_html()
    data = json.loads(Elements(text).scripts[0])
    if name.isprintable() and name.strip():
        assert data["classes"][0].strip("\u2068\u2069") == name


def test_a_row_given_by_the_caller_is_on_the_page():
    page = tw.draw(tennis(), row={"outlook": "Rain", "wind": "Weak"}).to_html()
    data = json.loads(Elements(page).scripts[0])
    levels = [column["levels"] for column in data["columns"]]
    given_levels = [
        None if at < 0 else own[at] for own, at in zip(levels, data["row"], strict=True)
    ]
    assert given_levels == ["Rain", None, None, "Weak"]
    assert json.loads(Elements(tw.draw(tennis()).to_html()).scripts[0])["row"] is None


def test_remarks_on_splits_are_on_the_page():
    X, y = tw.load_sample("tennis")
    stability = tw.stability(tennis(), X, y, n=20, random_state=0)
    picture = tw.draw(tennis(), stability=stability)
    remarks = json.loads(Elements(picture.to_html()).scripts[0])["remarks"]
    assert "0" in remarks
    svg = picture.to_svg()
    assert all(f">{line}</text>" in svg for lines in remarks.values() for line in lines)


def test_the_page_of_a_large_tree_is_small():
    assert len(tw.draw(builders.a_perfect_tree(13)).to_html()) < 1_500_000
