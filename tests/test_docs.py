"""What the documentation shows is what happens."""

import doctest
import re
from pathlib import Path

import pytest

import treewright as tw

DOCS = Path(__file__).parents[1] / "docs"
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
def test_the_examples_of_a_page_give_what_they_show(page):
    sessions = SESSIONS.findall((DOCS / page).read_text(encoding="utf-8"))
    example = doctest.DocTestParser().get_doctest("\n".join(sessions), {}, page, None, None)
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    failed, _ = doctest.DocTestRunner(optionflags=flags).run(example)
    assert failed == 0
