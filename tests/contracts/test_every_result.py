"""Everything that functions return for people to read has the same forms."""

import functools
import importlib
import inspect
import io
import json
import math
import pkgutil
import typing
from collections.abc import Callable, Iterator

import pandas
import pytest
from sklearn.base import BaseEstimator
from sklearn.tree import DecisionTreeRegressor

import treewright as tw
from treewright.concepts.sheet import ConceptSheet
from treewright.data.table import Table
from treewright.documents.printed import Printed
from treewright.errors import ParameterError
from treewright.evaluation.missing_study import MissingStudy
from treewright.evaluation.protocol import Protocol
from treewright.pictures.picture import Picture
from treewright.registry import ESTIMATORS
from treewright.result import Result, plain_values
from treewright.rulesets.rule import Rule
from treewright.tree.tree import Tree

BASES = {Result, Printed, ConceptSheet}
NO_RESULTS = (Table, Tree, Picture, BaseEstimator, Rule)  # data, models and parts of them


@functools.cache
def sample(name: str) -> tuple[typing.Any, typing.Any]:
    if name != "widths":
        return tw.load_sample(name)
    X, _ = tw.load_sample("iris")
    return X.drop("petal width"), X["petal width"].to_numpy()


@functools.cache
def fitted(kind: str, name: str = "tennis") -> typing.Any:
    X, y = sample(name)
    small = {"n_estimators": 3} if kind.startswith(("Boosted", "Random")) else {}
    return getattr(tw, kind)(**small).fit(X, y)


@functools.cache
def evaluation() -> tw.Evaluation:
    return tw.evaluate(tw.C45Classifier(), *sample("iris"), folds=3)


def first_row(kind: str, name: str = "tennis") -> Result:
    return fitted(kind, name).explain(sample(name)[0][0:1])


def sheet(kind: str, name: str = "tennis") -> Result:
    return tw.worksheet(fitted(kind, name), *sample(name))


def verified() -> Result:
    model = fitted("C45Classifier")
    return tw.verify_export(model, tw.export(model, to="python"), to="python")


def missing_study() -> MissingStudy:
    X = {"a": [1.0, None, 3.0, 4.0] * 5, "b": ["u", "v", None, "v"] * 5}
    return tw.missing_study(tw.TreeClassifier(), X, ["x", "x", "y", "y"] * 5, folds=3)


def exercise() -> tw.Exercise:
    return tw.exercise("tennis")


def import_report() -> Result:
    widths, sizes = sample("widths")
    model = DecisionTreeRegressor(max_depth=2).fit(widths.to_pandas(), sizes)
    report: Result = tw.import_model(model).import_report_
    return report


RESULTS: dict[str, Callable[[], Result]] = {
    "imports.fitted.ImportReport": import_report,
    "clustering.description.ClusterDescription": lambda: fitted("KMeans", "iris").describe(
        sample("iris")[0]
    ),
    "clustering.centers.NearestCenter": lambda: first_row("KMeans", "iris"),
    "clustering.elbow.Elbow": lambda: tw.elbow(sample("iris")[0], range(1, 4)),
    "clustering.sheet.ClusterSheet": lambda: tw.worksheet(
        fitted("KMeans", "iris"), sample("iris")[0]
    ),
    "concepts.sheet.EliminationSheet": lambda: sheet("CandidateElimination"),
    "concepts.sheet.FindSSheet": lambda: sheet("FindS"),
    "concepts.row_page.RowPage": lambda: first_row("FindS"),
    "data.leaks.Leaks": lambda: tw.find_leaks(*sample("loans")),
    "data.report.ColumnReport": lambda: tw.column_report(*sample("loans")),
    "ensembles.boosting.sheet.RoundSheet": lambda: sheet("BoostedTreesClassifier"),
    "ensembles.forests.sheet.ForestSheet": lambda: sheet("RandomForestClassifier"),
    "ensembles.row_shares.RowShares": lambda: first_row("RandomForestClassifier"),
    "evaluation.calibration.Calibration": lambda: tw.calibration(evaluation()),
    "evaluation.compare.ModelComparison": lambda: tw.compare(
        [tw.ID3Classifier(), tw.C45Classifier()], *sample("tennis"), hold_out=0.5
    ),
    "evaluation.evaluation.Evaluation": evaluation,
    "evaluation.frontier.Frontier": lambda: tw.frontier(
        *sample("iris"), leaves=(2, 3), folds=2, model=tw.ReadableTreeClassifier(distil=False)
    ),
    "evaluation.learning_curve.LearningCurve": lambda: tw.learning_curve(
        tw.C45Classifier(), *sample("iris"), folds=3, shares=(0.5, 1.0)
    ),
    "evaluation.missing_study.MissingMap": lambda: missing_study().missing,
    "evaluation.missing_study.MissingStudy": missing_study,
    "evaluation.scaling_study.ScalingStudy": lambda: tw.scaling_study(
        tw.CARTClassifier(), *sample("iris"), values=(6,), folds=3
    ),
    "evaluation.threshold.ThresholdChoice": lambda: tw.choose_threshold(
        tw.C45Classifier(), *sample("loans"), folds=3
    ),
    "evaluation.tuning.Tuning": lambda: tw.tune(
        tw.CARTClassifier(), *sample("iris"), {"max_depth": [1, 2]}, folds=3, nested=2
    ),
    "evaluation.verdict.Verdict": lambda: evaluation().verdict,
    "explanations.change.Change": lambda: first_row("C45Classifier").change,
    "explanations.by_rules.RuleExplanation": lambda: first_row("C45Rules"),
    "explanations.explanation.Explanation": lambda: first_row("C45Classifier"),
    "explanations.reason.Reason": lambda: first_row("C45Classifier").reason,
    "explanations.shap_values.ShapValues": lambda: tw.shap_values(
        fitted("C45Classifier"), sample("tennis")[0]
    ),
    "induction.optimal.proof.OptimalityProof": lambda: (
        fitted("OptimalTreeClassifier", "iris").proof_
    ),
    "linear.descent_sheet.DescentSheet": lambda: sheet("GradientDescentClassifier"),
    "linear.row_terms.RowTerms": lambda: first_row("GradientDescentClassifier"),
    "model_trees.row_work.RowWork": lambda: first_row("M5Regressor", "widths"),
    "model_trees.rules.ModelRules": lambda: tw.rules(fitted("M5Regressor", "widths")),
    "model_trees.sheet.ModelTreeSheet": lambda: sheet("M5Regressor", "widths"),
    "neighbors.explanation.RowNeighbors": lambda: first_row("KNeighborsClassifier"),
    "neighbors.sheet.NeighborSheet": lambda: sheet("KNeighborsClassifier"),
    "neighbors.silhouette.Silhouette": lambda: tw.silhouette(*sample("iris")),
    "pruning.cost_complexity_path.CostComplexityPath": lambda: tw.cost_complexity_path(
        fitted("CARTClassifier", "iris"), *sample("iris")
    ),
    "pruning.report.PruningReport": lambda: (
        tw.prune(tw.CARTClassifier(prune=None).fit(*sample("iris")), "pessimistic").pruning_
    ),
    "verbs.size_ladder.SizeLadder": lambda: tw.size_ladder(
        fitted("CARTClassifier", "iris"), *sample("iris")
    ),
    "reports.report.Report": lambda: tw.report(tw.C45Classifier(), *sample("tennis"), folds=2),
    "rulesets.ordered_rules.Explanation": lambda: tw.rules(fitted("C45Classifier")).explain(
        sample("tennis")[0]
    ),
    "single_trees.rule_set.RuleSet": lambda: tw.rules(fitted("C45Classifier")),
    "verbs.distil.Distilled": lambda: tw.distil(
        fitted("RandomForestClassifier", "iris"), sample("iris")[0]
    ),
    "verbs.export.Verification": verified,
    "verbs.importance.Importance": lambda: tw.importance(
        fitted("CARTClassifier", "iris"), method="gain"
    ),
    "readable_trees.fitted.Choice": lambda: (
        tw.ReadableTreeClassifier(distil=False).fit(*sample("iris")).candidates_
    ),
    "verbs.optimality_gap.OptimalityGap": lambda: tw.optimality_gap(
        tw.CARTClassifier(max_depth=2).fit(*sample("iris")), *sample("iris")
    ),
    "worksheets.cut_sheet.CutSheet": lambda: tw.worksheet(
        fitted("Discretizer", "iris"), *sample("iris")
    ),
    "worksheets.exercise.Exercise": exercise,
    "worksheets.fill_sheet.FillSheet": lambda: tw.worksheet(
        tw.Imputer().fit(sample("loans")[0]), sample("loans")[0]
    ),
    "worksheets.exercise.Solution": lambda: exercise().solution,
    "worksheets.marking.Marking": lambda: exercise().mark({1: "=1+1", 2: "0.5"}),
    "worksheets.sheet.Worksheet": lambda: sheet("C45Classifier"),
    "worksheets.stability.Stability": lambda: tw.stability(
        fitted("C45Classifier"), *sample("tennis"), n=10
    ),
}


@functools.cache
def result(name: str) -> Result:
    return RESULTS[name]()


every_result = pytest.mark.parametrize("name", RESULTS)


def subclasses(kind: type) -> Iterator[type]:
    for one in kind.__subclasses__():
        yield one
        yield from subclasses(one)


def test_every_kind_of_result_is_tested_here():
    for module in pkgutil.walk_packages(tw.__path__, "treewright."):
        if not module.name.endswith(("__main__", "_native")):
            importlib.import_module(module.name)
    known = {f"{kind.__module__}.{kind.__qualname__}" for kind in subclasses(Result)}
    known -= {f"{kind.__module__}.{kind.__qualname__}" for kind in BASES}
    assert known == {f"treewright.{name}" for name in RESULTS}


@every_result
def test_it_is_what_it_is_called_and_has_text_and_html(name):
    found = result(name)
    assert f"{type(found).__module__}.{type(found).__qualname__}" == f"treewright.{name}"
    assert found.to_text().strip()
    assert str(found).strip()
    part = found._repr_html_()
    assert "<" in part
    assert "<html" not in part
    assert "<html" in found.to_html()
    assert found.to_markdown().strip()


@pytest.mark.parametrize("name", [name for name in RESULTS if not name.endswith("ColumnReport")])
def test_its_repr_is_one_short_line(name):  # a report of columns is the table itself
    found = repr(result(name))
    assert len(found) <= 160
    assert "\n" not in found
    assert found.startswith("<")
    assert " object at " not in found


def check_plain(value: object) -> None:
    if isinstance(value, dict):
        assert all(type(key) is str for key in value)
        for one in value.values():
            check_plain(one)
    elif isinstance(value, list):
        for one in value:
            check_plain(one)
    else:
        assert value is None or type(value) in (str, int, float, bool)
        assert not isinstance(value, float) or math.isfinite(value)


@every_result
def test_its_facts_are_plain_values_and_its_json_means_the_same(name):
    found = result(name)
    facts = found.to_dict()
    assert facts
    check_plain(facts)
    assert json.loads(found.to_json()) == facts


@every_result
def test_its_frame_and_its_csv_have_the_same_rows(name):
    found = result(name)
    frame = found.to_frame()
    assert isinstance(frame, pandas.DataFrame)
    assert len(frame) or name == "verbs.export.Verification"
    assert frame.columns.is_unique
    if len(frame):
        read = pandas.read_csv(io.StringIO(found.to_csv()))
        assert len(read) == len(frame)
        assert read.shape[1] == frame.shape[1]


@pytest.mark.parametrize("name", [name for name in RESULTS if not name.endswith(".RuleSet")])
def test_it_is_saved_in_the_form_that_the_ending_names(name, tmp_path):
    found = result(name)
    ways = {".txt": found.to_text, ".md": found.to_markdown, ".html": found.to_html}
    for ending, way in (ways | {".json": found.to_json, ".csv": found.to_csv}).items():
        found.save(tmp_path / f"a{ending}")
        assert (tmp_path / f"a{ending}").read_bytes().decode() == way()
    with pytest.raises(ParameterError, match=r"saved as '.docx'") as refused:
        found.save(tmp_path / "a.docx")
    assert all(ending in str(refused.value) for ending in (".txt", ".md", ".html", ".json", ".csv"))
    assert not (tmp_path / "a.docx").exists()


def test_rules_are_saved_as_a_model(tmp_path):
    rules = result("single_trees.rule_set.RuleSet")
    rules.save(tmp_path / "rules.json")
    assert tw.load(tmp_path / "rules.json").to_dict() == rules.to_dict()


def test_a_missing_number_is_null_and_not_nan():
    found = result("evaluation.compare.ModelComparison")  # of one split, without a test
    assert found.to_dict()["pairs"][0]["p_value"] is None
    assert "NaN" not in found.to_json()
    assert plain_values([float("nan"), float("inf")]) == [None, None]


def test_a_cell_that_a_spreadsheet_would_run_is_made_harmless():
    assert "'=1+1" in result("worksheets.marking.Marking").to_csv()


def classes_in(hint: object) -> Iterator[type]:
    if inspect.isclass(hint):
        yield hint
    for part in typing.get_args(hint):
        yield from classes_in(part)


def returned(function: Callable[..., object]) -> Iterator[type]:
    try:
        yield from classes_in(typing.get_type_hints(function).get("return"))
    except NameError:  # a class that only type checkers import
        return


def is_printable(kind: type) -> bool:
    has_text = any("__str__" in base.__dict__ for base in kind.__mro__ if base is not object)
    return hasattr(kind, "_repr_html_") or (kind.__module__.startswith("treewright") and has_text)


def test_whatever_a_public_function_returns_to_be_printed_is_a_result():
    public = [getattr(tw, name) for name in tw.__all__]
    functions = [one for one in public if inspect.isfunction(one)]
    for name in ESTIMATORS:
        methods = inspect.getmembers(getattr(tw, name), inspect.isfunction)
        functions += [method for own, method in methods if not own.startswith("_")]
    found = {kind for function in functions for kind in returned(function)}
    odd = {kind for kind in found if is_printable(kind) and not issubclass(kind, Result)}
    assert [kind for kind in odd if not issubclass(kind, NO_RESULTS)] == []
    assert len(found & {tw.Evaluation, tw.RuleSet, tw.Stability}) == 3


SHARED = inspect.signature(Protocol).parameters


@pytest.mark.parametrize(
    "name",
    [
        "evaluate",
        "compare",
        "learning_curve",
        "tune",
        "choose_threshold",
        "missing_study",
        "scaling_study",
    ],
)
def test_functions_that_split_rows_share_the_arguments_of_the_protocol(name):
    own = inspect.signature(getattr(tw, name)).parameters
    defaults = {key: one.default for key, one in own.items() if key in SHARED}
    assert list(defaults.items()) == [(key, one.default) for key, one in SHARED.items()]
