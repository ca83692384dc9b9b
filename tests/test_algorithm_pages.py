"""The page of each algorithm names its settings, their defaults and its oracles as they are."""

import ast
import re
from pathlib import Path

import pytest

import treewright as tw
from machine import imported
from oracles.goldens import cases

DOCS = Path(__file__).parents[1] / "docs"
SETTING = re.compile(r"^\| `(\w+)` \| `([^`]+)` \| ", flags=re.MULTILINE)
PAGES = {
    "id3.md": (tw.ID3Classifier,),
    "c45.md": (tw.C45Classifier,),
    "cart.md": (tw.CARTClassifier, tw.CARTRegressor),
    "mixed_trees.md": (tw.TreeClassifier, tw.TreeRegressor),
    "oblique_trees.md": (tw.ObliqueTreeClassifier,),
}


def text_of(page: str) -> str:
    return (DOCS / page).read_text(encoding="utf-8")


@pytest.mark.parametrize("page", PAGES)
def test_the_settings_of_a_page_have_the_defaults_that_it_shows(page):
    model = PAGES[page][0]()
    defaults = model.get_params()
    shown = dict(SETTING.findall(text_of(page).partition("## Settings")[2]))
    assert len(shown) >= 7
    for name, value in shown.items():
        assert ast.literal_eval(value) == defaults[name], name


@pytest.mark.parametrize("page", PAGES)
def test_a_page_names_its_estimators(page):
    for estimator in PAGES[page]:
        assert estimator.__name__ in text_of(page)


@pytest.mark.parametrize(
    ("page", "program", "words"),
    [
        ("id3.md", "weka", "on {} tables"),
        ("c45.md", "weka", "on {} tables"),
        ("cart.md", "rpart", "rpart on {} tables"),
        ("cart.md", "sklearn", "scikit-learn on {}"),
    ],
)
def test_a_page_tells_how_many_tables_its_oracle_has_seen(page, program, words):
    is_id3 = page == "id3.md"
    tables = {name for name, variant in cases(program) if (variant == "id3") == is_id3}
    assert words.format(len(tables)) in " ".join(text_of(page).split())


def test_the_page_of_c45_tells_how_many_options_of_weka_are_tried():
    options = {variant for _, variant in cases("weka") if variant.startswith("j48")}
    assert len(options) == 10
    assert "under ten sets of options" in text_of("c45.md")


def test_every_formula_of_the_pages_becomes_mathml():
    formulas = imported("docutils.utils.math.latex2mathml")
    texts = [re.sub(r"```.*?```|`[^`\n]*`", "", text_of(page), flags=re.DOTALL) for page in PAGES]
    found = [formula for text in texts for formula in re.findall(r"\${1,2}([^$]+)\${1,2}", text)]
    assert len(found) > 15
    for formula in found:
        assert formulas.tex2mathml(formula).startswith("<math"), formula
