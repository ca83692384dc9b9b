"""The public surface is small, listed, and light to load."""

import ast
import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import treewright
from machine import imported
from treewright.registry import ESTIMATORS

ROOT = Path(__file__).parents[1]

PUBLIC = [
    "__version__",
    *ESTIMATORS,
    "silhouette",
    "Silhouette",
    "elbow",
    "Elbow",
    "Discretizer",
    "Imputer",
    "prune",
    "PruningReport",
    "cost_complexity_path",
    "size_ladder",
    "SizeLadder",
    "optimality_gap",
    "OptimalityGap",
    "rules",
    "RuleSet",
    "Rule",
    "tree_from",
    "import_model",
    "ImportedClassifier",
    "ImportedModelTreeRegressor",
    "ImportedRegressor",
    "ImportedTreeClassifier",
    "ImportedTreeRegressor",
    "ImportReport",
    "GrowthSession",
    "draw",
    "Picture",
    "Explanation",
    "shap_values",
    "ShapValues",
    "importance",
    "Importance",
    "distil",
    "Distilled",
    "export",
    "verify_export",
    "to_treelite",
    "worksheet",
    "Worksheet",
    "stability",
    "Stability",
    "exercise",
    "Exercise",
    "evaluate",
    "evaluate_fitted",
    "Evaluation",
    "Verdict",
    "compare",
    "frontier",
    "Frontier",
    "learning_curve",
    "tune",
    "choose_threshold",
    "ThresholdChoice",
    "scaling_study",
    "missing_study",
    "missing_map",
    "calibration",
    "report",
    "Result",
    "Table",
    "Scan",
    "scan",
    "read_table",
    "table_from",
    "column_report",
    "find_leaks",
    "Leaks",
    "TableWarning",
    "load_sample",
    "sample_names",
    "Tree",
    "load",
    "load_state",
    "SavedModel",
    "distributed",
    "figures",
    "measures",
    "mlflow",
    "TreewrightError",
    "DataError",
    "ParameterError",
    "ModelFileError",
    "ExportError",
]


def run_python(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_the_public_names_are_those_agreed_on():
    assert treewright.__all__ == PUBLIC


@pytest.mark.parametrize("name", PUBLIC)
def test_every_public_name_loads(name):
    assert getattr(treewright, name) is not None
    assert name in dir(treewright)


@pytest.mark.parametrize("name", ["treewright", "treewright.figures", "treewright.measures"])
def test_tab_completion_offers_public_names_only(name):
    code = (
        f"import {name} as namespace, treewright.single_trees.c45, treewright.figures.row_points\n"
        "import treewright.measures.spread\n"
        "print(sorted(namespace.__all__) == dir(namespace))"
    )
    assert run_python(code) == "True"


@pytest.mark.parametrize("name", [n for n in PUBLIC if n != "__version__"])
def test_every_public_name_has_a_docstring(name):
    assert inspect.getdoc(getattr(treewright, name))


@pytest.mark.full
def test_a_star_import_brings_every_public_name():
    code = "from treewright import *\nprint(CARTClassifier.__name__, load.__name__)"
    assert run_python(code) == "CARTClassifier load"


def test_an_unknown_name_is_an_attribute_error_with_the_nearest_name():
    with pytest.raises(AttributeError, match="CARTClassifier"):
        treewright.CartClassifier  # noqa: B018


def test_type_checkers_see_the_same_names_as_users():
    source = (ROOT / "src" / "treewright" / "__init__.py").read_text(encoding="utf-8")
    imported = {
        alias.name
        for node in ast.parse(source).body
        if isinstance(node, ast.If)
        for statement in node.body
        if isinstance(statement, ast.ImportFrom)
        for alias in statement.names
    }
    assert imported == {*PUBLIC} - {"__version__"}


def test_import_loads_nothing_heavy():
    heavy = "{'numpy', 'sklearn', 'scipy', 'pandas', 'polars', 'pyarrow', 'typer', 'rich'}"
    code = f"import sys, treewright\nprint({heavy} & {{*sys.modules}})"
    assert run_python(code) == "set()"


def test_growing_a_tree_needs_no_table_package():
    code = (
        "import sys\n"
        "sys.modules.update(dict.fromkeys(['pandas', 'polars', 'pyarrow', 'typer', 'rich']))\n"
        "import treewright as tw\n"
        "print(tw.C45Classifier().fit(*tw.load_sample('tennis')).get_n_leaves())"
    )
    assert run_python(code) == "5"


def test_the_version_is_that_of_the_package():
    from importlib import metadata

    try:
        installed = metadata.version("treewright")
    except metadata.PackageNotFoundError:
        pytest.skip("treewright runs from its sources and is not installed")
    assert treewright.__version__ == installed


def test_the_stub_of_the_compiled_module_is_up_to_date():
    stubgen = imported("nanobind.stubgen")
    from treewright._kernels import _native

    generator = stubgen.StubGen(_native)
    generator.put(_native)
    kept = ROOT / "src" / "treewright" / "_kernels" / "_native.pyi"
    assert kept.read_text(encoding="utf-8") == generator.get(), "run `make stub`"
