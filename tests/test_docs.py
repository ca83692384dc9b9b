"""What the documentation shows is what happens."""

import difflib
import doctest
import re
from pathlib import Path

import pytest
import sklearn.calibration
import sklearn.ensemble
import sklearn.inspection
import sklearn.model_selection
import sklearn.tree

import treewright as tw
from pages import Step, printed_by, steps_of
from treewright.registry import ESTIMATORS

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
ALL = [*sorted(ROOT.glob("*.md")), *sorted(DOCS.glob("*.md"))]
WITH_COMMANDS = [page for page in ALL if steps_of(page.read_text(encoding="utf-8"))]
LINK = re.compile(r"\]\(([^)#\s]*)(?:#([^)\s]+))?\)")
SESSIONS = re.compile(r"^```python\n(>>> .*?)^```$", flags=re.MULTILINE | re.DOTALL)
PAGES = [page.name for page in sorted(DOCS.glob("*.md")) if SESSIONS.search(page.read_text())]


def block(page: str, language: str) -> str:
    text = (DOCS / page).read_text(encoding="utf-8")
    (found,) = re.findall(rf"^```{language}\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL)
    return found


def test_the_model_file_is_the_one_shown(tmp_path):
    X, y = tw.load_sample("shapes")
    tw.ID3Classifier().fit(X, y).save(tmp_path / "shapes.json")
    assert (tmp_path / "shapes.json").read_text(encoding="utf-8") == block("model_file.md", "json")


def test_a_model_file_can_be_read_without_the_library(tmp_path):
    names = {}
    exec(block("model_file.md", "python"), names)
    for sample, model in (("tennis", tw.ID3Classifier()), ("iris", tw.C45Classifier())):
        X, y = tw.load_sample(sample)
        path = tmp_path / f"{sample}.json"
        expected = model.fit(X, y).predict(X).tolist()
        model.save(path)
        columns = [column.to_numpy().tolist() for column in X.columns]
        rows = [dict(zip(X.names, cells, strict=True)) for cells in zip(*columns, strict=True)]
        assert [names["predict"](path, row) for row in rows] == expected


@pytest.mark.parametrize("page", PAGES)
def test_the_examples_of_a_page_give_what_they_show(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    sessions = SESSIONS.findall((DOCS / page).read_text(encoding="utf-8"))
    example = doctest.DocTestParser().get_doctest("\n".join(sessions), {}, page, None, None)
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    failed, _ = doctest.DocTestRunner(optionflags=flags).run(example)
    assert failed == 0


def test_the_table_for_users_of_scikit_learn_names_what_exists():
    text = (DOCS / "from_scikit_learn.md").read_text(encoding="utf-8")
    tables = [line for line in text.splitlines() if re.match(r"\| \S", line)]
    theirs = [one for line in tables for one in re.findall(r"`(\w+)`", line.split("|")[1])]
    known = {*dir(sklearn.tree), *dir(sklearn.ensemble), *dir(sklearn.inspection)}
    known |= {*dir(sklearn.model_selection), *dir(sklearn.calibration)}
    fitted = sklearn.ensemble.GradientBoostingClassifier, sklearn.ensemble.RandomForestClassifier
    known |= {name for kind in (*fitted, sklearn.tree.DecisionTreeClassifier) for name in dir(kind)}
    assert {*theirs} - known <= {"scikit", "ccp_alpha", "oob_score", "oob_score_"}
    in_tables = {
        name
        for module in (sklearn.tree, sklearn.inspection, sklearn.ensemble)
        for name in module.__all__
        if not name.startswith("Base")
    }
    left_out = {"AdaBoostRegressor", "StackingRegressor", "VotingRegressor"}
    assert in_tables - {*theirs} <= left_out
    model = tw.CARTClassifier().fit(*tw.load_sample("iris"))
    for name in re.findall(r"\btw\.([\w.]+)", text):
        found = tw
        for part in name.rstrip(".").split("."):
            found = getattr(found, part)
    for name in re.findall(r"\bmodel\.([\w]+)", " ".join(line.split("|")[2] for line in tables)):
        assert name == "trees_" or hasattr(model, name), name


@pytest.mark.parametrize("page", WITH_COMMANDS, ids=lambda page: page.stem)
def test_the_commands_of_a_page_print_what_they_show(page, tmp_path):
    for step in steps_of(page.read_text(encoding="utf-8")):
        printed = printed_by(step.command, tmp_path)
        assert step.is_like(printed), differences(step, printed)
    for picture in tmp_path.glob("*.svg"):
        kept = (DOCS / "pictures" / picture.name).read_text(encoding="utf-8")
        assert picture.read_text(encoding="utf-8") == kept, "save it anew by the command, and look"


def differences(step: Step, printed: str) -> str:
    lines = difflib.unified_diff(
        step.output.splitlines(), printed.splitlines(), "shown", "printed", lineterm=""
    )
    hint = "python tests/pages.py PAGE puts it in"
    return "\n".join([f"$ {step.command}", *lines, hint])


def test_every_link_leads_to_a_file_and_a_heading():
    for page in ALL:
        for target, heading in LINK.findall(page.read_text(encoding="utf-8")):
            if "://" in target:
                continue
            aim = page.parent / target if target else page
            assert aim.exists(), f"{page.name}: {target}"
            assert not heading or heading in headings_of(aim), f"{page.name}: {target}#{heading}"


def headings_of(page: Path) -> set[str]:
    """The names that links give to the headings of a page."""
    titles = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}


def test_every_page_is_in_the_index():
    index = (DOCS / "index.md").read_text(encoding="utf-8")
    listed = set(re.findall(r"^(?:[^<\n]*<)?([\w/]+)>?$", index, flags=re.MULTILINE))
    assert {page.stem for page in DOCS.glob("*.md")} - {"index"} <= listed


def test_every_public_name_is_in_the_reference():
    reference = (DOCS / "reference.md").read_text(encoding="utf-8")
    named = set(
        re.findall(
            r"^\.\. auto\w+:: (?!treewright\.\w+\.)(?:treewright\.)?(\w+)",
            reference,
            flags=re.MULTILINE,
        )
    )
    assert "\n.. every-estimator::\n" in reference
    assert named | {*ESTIMATORS} == set(tw.__all__) - {"__version__"}


def test_the_defaults_of_boosted_trees_are_those_in_the_table():
    page = (DOCS / "boosting.md").read_text(encoding="utf-8").split("## Settings and defaults")[1]
    rows = re.findall(r"^\| `(\w+)` \| [^|]* \| `?\"?([\w.]+)", page, flags=re.MULTILINE)
    shown = {
        name: default for name, default in rows if name not in ("max_depth", "n_iter_no_change")
    }
    actual = tw.BoostedTreesRegressor().get_params()
    assert len(shown) > 10
    assert {name: str(actual[name]).removesuffix(".0") for name in shown} == shown
