"""The table of docs/importing.md that says what works for models of each source.

`PYTHONPATH=src:tests python tests/imports/test_verb_table.py` writes it anew. A new source is one
line in `SOURCES`, a new verb one line in `VERBS`.
"""

import re
import tempfile
import warnings
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn import ensemble
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import treewright as tw
from treewright.imports.import_model import FORMATS
from treewright.model_trees.row_work import RowWork

FILES = Path(__file__).parents[1] / "files" / "imports"
PAGE = Path(__file__).parents[2] / "docs" / "importing.md"
BEGIN, END = "<!-- verb table: begin -->\n", "<!-- verb table: end -->\n"
GOLDEN = np.load(FILES / "scores.npz")["X"], (np.load(FILES / "scores.npz")["lightgbm"] > 0) * 1
ONNX_ROWS = np.load(FILES / "onnx.npz")["X"]
RNG = np.random.default_rng(0)
NUMBERS = RNG.normal(size=(80, 3))
SCORE = NUMBERS[:, 0] + NUMBERS[:, 1] ** 2
LABELS = np.array(["no", "maybe", "yes"])[np.digitize(SCORE, [0.3, 1.5])]

Source = Callable[[], tuple[Any, Any, Any]]  # a model, and rows with their target


def of_sklearn(model: Any, y: Any = LABELS) -> Source:
    return lambda: (tw.import_model(model.fit(NUMBERS, y)), NUMBERS, y)


def of_file(name: str) -> Source:
    return lambda: (tw.import_model(FILES / name, verify=False), *GOLDEN)


def of_onnx(name: str) -> Source:
    def made() -> tuple[Any, Any, Any]:
        model = tw.import_model(FILES / f"onnx_{name}.onnx", verify=False)
        return model, ONNX_ROWS, model.predict(ONNX_ROWS)

    return made


def of_text(name: str, *, with_rows: bool = False) -> Source:
    def made() -> tuple[Any, Any, Any]:
        table = next(FILES.glob(f"printed/{name}.csv"), FILES / f"printed/{name}.arff")
        rows = tw.read_table(table)
        model = tw.import_model(FILES / f"printed/{name}.txt", X=rows if with_rows else None)
        X = rows[:60]
        return model, X, model.predict(X)

    return made


def of_pmml() -> tuple[Any, Any, Any]:
    X = tw.table_from(dict(zip("abc", NUMBERS.T, strict=True)))
    own = tw.CARTClassifier(max_depth=3, missing="majority").fit(X, LABELS)
    return tw.import_model(tw.export(own, to="pmml").encode(), verify=False), X, LABELS


def of_own_forest(target: str) -> Source:
    def made() -> tuple[Any, Any, Any]:
        X = tw.table_from(dict(zip("abc", NUMBERS.T, strict=True)))
        own = tw.RandomForestClassifier(n_estimators=3, max_depth=3, random_state=0).fit(X, LABELS)
        written = tw.export(own, to=target)
        written = written if isinstance(written, bytes) else written.encode()
        return tw.import_model(written, verify=False), X, LABELS

    return made


def of_ydf() -> tuple[Any, Any, Any]:
    import ydf

    ydf.verbose(0)
    rows = {**dict(zip("abc", NUMBERS.T, strict=True)), "target": LABELS}
    learner = ydf.GradientBoostedTreesLearner(label="target", num_trees=2, validation_ratio=0.0)
    X = tw.table_from({name: rows[name] for name in "abc"})
    return tw.import_model(learner.train(rows)), X, LABELS


FEW = {"n_estimators": 3, "random_state": 0}
SOURCES: dict[str, Source] = {
    "scikit-learn tree": of_sklearn(DecisionTreeClassifier(max_depth=3)),
    "scikit-learn tree of numbers": of_sklearn(DecisionTreeRegressor(max_depth=3), SCORE),
    "scikit-learn forest": of_sklearn(ensemble.RandomForestClassifier(max_depth=3, **FEW)),
    "scikit-learn extra trees of numbers": of_sklearn(
        ensemble.ExtraTreesRegressor(max_depth=3, **FEW), SCORE
    ),
    "`GradientBoosting`": of_sklearn(ensemble.GradientBoostingClassifier(max_depth=2, **FEW)),
    "`HistGradientBoosting`": of_sklearn(ensemble.HistGradientBoostingRegressor(max_iter=3), SCORE),
    "`AdaBoostClassifier`": of_sklearn(ensemble.AdaBoostClassifier(**FEW)),
    "LightGBM": of_file("lightgbm.txt"),
    "XGBoost": of_file("xgboost.json"),
    "CatBoost": of_file("catboost.json"),
    "YDF": of_ydf,
    "ONNX tree": of_onnx("tree"),
    "ONNX ensemble": of_onnx("forest"),
    "ONNX that `tw.export` wrote": of_own_forest("onnx"),
    "PMML tree": of_pmml,
    "PMML ensemble": of_own_forest("pmml"),
    "rpart": of_text("rpart_class"),
    "partykit": of_text("partykit_class"),
    "Weka J48": of_text("weka_j48"),
    "Weka REPTree": of_text("weka_reptree_number"),
    "Weka Id3": of_text("weka_id3"),
    "Weka M5P -R": of_text("weka_m5p_number"),
    "Weka M5P": of_text("weka_m5p_categories", with_rows=True),
}


WITHOUT_YDF = find_spec("ydf") is None


def first_row(X: Any) -> Any:
    return X[[0]] if isinstance(X, tw.Table) else X[0]


def saved(model: Any, X: Any, y: Any) -> None:
    with tempfile.TemporaryDirectory() as folder:
        model.save(Path(folder) / "m.tw")
        np.testing.assert_array_equal(tw.load(Path(folder) / "m.tw").predict(X), model.predict(X))


def exported(model: Any, X: Any, y: Any) -> None:
    assert tw.verify_export(model, tw.export(model, to="python"), to="python")


def pruned(model: Any, X: Any, y: Any) -> None:
    if hasattr(model, "classes_"):
        tw.prune(model, "pessimistic")
    else:
        tw.prune(model, "cost_complexity", alpha=0.01)


def counterfactual(model: Any, X: Any, y: Any) -> None:
    if hasattr(model, "trees_"):
        raise tw.ParameterError("many trees are explained by Shapley values, not by a path")
    explanation = model.explain(first_row(X))
    if isinstance(explanation, RowWork):
        raise tw.ParameterError("a prediction of an equation changes with every column of it")
    assert explanation.change is not None


def with_shap(model: Any, X: Any, y: Any) -> None:
    assert np.isfinite(tw.shap_values(model, X[:3]).values).all()


VERBS: dict[str, Callable[[Any, Any, Any], Any]] = {
    "draw": lambda model, X, y: tw.draw(model),
    "text": lambda model, X, y: str(tw.rules(model)) and model.export_text(),
    "rules": lambda model, X, y: tw.rules(model),
    "explain": lambda model, X, y: str(model.explain(first_row(X))),
    "counterfactual": counterfactual,
    "SHAP": with_shap,
    "importance": lambda model, X, y: tw.importance(model, X, y, n_repeats=2),
    "prune": pruned,
    "worksheet": lambda model, X, y: str(tw.worksheet(model)),
    "distil": lambda model, X, y: tw.distil(model, X),
    "evaluate": lambda model, X, y: tw.evaluate(model, X, y).verdict,
    "report": lambda model, X, y: tw.report(model, X, y).to_html(),
    "export": exported,
    "save": saved,
}
# What a model of many trees refuses, but each of its trees can.
OF_EACH_TREE: dict[str, Callable[[Any], Any]] = {"draw": tw.draw, "text": str, "rules": tw.rules}


def cell(verb: str, source: tuple[Any, Any, Any], reasons: dict[str, int]) -> str:
    """What the table says: yes, for each tree, or no with the number of the reason."""
    model = source[0]
    if verb in OF_EACH_TREE and hasattr(model, "trees_"):
        with pytest.raises((tw.TreewrightError, AttributeError)):
            VERBS[verb](*source)
        OF_EACH_TREE[verb](model.trees_[0])
        return "each tree"
    try:
        VERBS[verb](*source)
    except tw.TreewrightError as error:
        text = re.sub(r"an? Imported\w+", "it", str(error).partition("\n")[0])
        return f"no ({reasons.setdefault(text[0].upper() + text[1:], len(reasons) + 1)})"
    return "yes"


def verb_table() -> str:
    """The table, and the reasons below it."""
    reasons: dict[str, int] = {}
    lines = [f"| | {' | '.join(VERBS)} |", f"|---|{'---|' * len(VERBS)}"]
    for name, made in SOURCES.items():
        if name == "YDF" and WITHOUT_YDF:
            continue
        source = made()
        cells = [cell(verb, source, reasons) for verb in VERBS]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    notes = [f"{number}. {reason}." for reason, number in reasons.items()]
    return "\n".join([*lines, "", *notes, ""])


@pytest.mark.filterwarnings("ignore")
def test_the_page_says_what_works_after_an_import():
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    assert before, "the page has lost its table"
    shown = rest.partition(END)[0]
    if WITHOUT_YDF:
        shown = re.sub(r"^\| YDF .*\n", "", shown, flags=re.M)
    assert shown == verb_table(), f"write it anew: {__doc__.splitlines()[2]}"


def test_every_format_is_in_the_table():
    names = " ".join(SOURCES).lower().replace("-", "")
    known = {"sklearn": "scikitlearn"}
    assert [one for one in FORMATS if known.get(one, one) not in names] == []


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    after = rest.partition(END)[2]
    PAGE.write_text(before + BEGIN + verb_table() + END + after, encoding="utf-8")
