"""What the documentation shows is what happens."""

import re
from pathlib import Path

import treewright as tw

DOCS = Path(__file__).parents[1] / "docs"


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
