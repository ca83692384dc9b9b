"""Exporting from a user's point of view: formats, files, options, and what can go wrong."""

import re
import warnings

import pytest
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression

import treewright as tw
from builders import build, leaf, numeric_schema, threshold
from exports.export_models import fitted
from machine import needs, needs_packages
from treewright.data.schema import Schema
from treewright.errors import ExportError, ParameterError
from treewright.exports import FORMATS, SYNONYMS
from treewright.verbs.export import export, verify_export


def test_an_unknown_format_names_the_nearest():
    with pytest.raises(ParameterError, match=r"no export to 'pyhton'\nhint: did you mean `python`"):
        export(fitted("one leaf"), to="pyhton")


def test_the_name_of_a_database_leads_to_sql():
    with pytest.raises(ParameterError, match=r'did you mean to="sql", dialect="postgresql"'):
        export(fitted("one leaf"), to="postgres")


def test_an_unknown_option_names_the_nearest():
    with pytest.raises(ParameterError, match=r"has no option `from`\nhint: did you mean `form`"):
        export(fitted("one leaf"), to="python", **{"from": "ifs"})
    with pytest.raises(ParameterError, match="it has no options"):
        export(fitted("one leaf"), to="json", form="ifs")


def test_an_option_that_is_true_or_false_takes_nothing_else():
    with pytest.raises(ParameterError, match="option `probabilities` of sql is 'maybe'"):
        export(fitted("tennis by ID3"), to="sql", probabilities="maybe")


@needs_packages("xgboost")
def test_categories_that_witnesses_make_up_give_no_warning():
    X, y = tw.load_sample("shapes")
    model = tw.RandomForestClassifier(n_estimators=2).fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        assert verify_export(model, export(model, to="xgboost"), to="xgboost")


def test_a_file_is_written_as_well(tmp_path):
    path = tmp_path / "tree.py"
    code = export(fitted("odd names"), to="python", path=path)
    assert path.read_text(encoding="utf-8") == code


def test_a_model_that_is_not_fitted_is_told_so():
    with pytest.raises(NotFittedError):
        export(tw.C45Classifier(), to="python")


def test_what_is_no_tree_is_refused():
    with pytest.raises(ParameterError, match="a LogisticRegression is not a model of treewright"):
        export(LogisticRegression(), to="python")


@pytest.mark.parametrize("classes", [(None, None), (b"a", b"b"), ("a", 1)])
def test_classes_that_no_language_has_are_refused(classes):
    tree = build(threshold(0, 1.0, leaf(1, 0), leaf(0, 1)), numeric_schema("x"), classes)
    with pytest.raises(ExportError, match=r"of type|of several types"):
        export(tree, to="python")


def test_a_tree_is_exported_as_a_model_is():
    model = fitted("tennis by CART")
    assert "decision tree: 7 leaves" in export(model.tree_, to="python")
    assert verify_export(model, export(model.tree_, to="python"), to="python")


def test_verification_is_false_and_tells_the_rows_that_differ():
    model = fitted("tennis by ID3")
    wrong = export(model, to="python").replace(
        'return "Yes", (0.0, 1.0)', 'return "No", (0.0, 1.0)'
    )
    found = verify_export(model, wrong, to="python")
    assert not found
    assert found.n_rows == 19
    first = found.differing[0]
    assert (first.expected[0], first.got[0]) == ("Yes", "No")
    assert str(found).startswith(f"python differs on {len(found.differing)} of 19 witnesses")
    assert str(first.row) in str(found)


def test_probabilities_count_to_the_last_bit():
    model = fitted("tennis by ID3")
    wrong = export(model, to="python").replace("0.35714285714285715", "0.3571428571428572")
    assert not verify_export(model, wrong, to="python")


def test_a_picture_is_not_run():
    model = fitted("one leaf")
    problem = (
        r"a DOT picture has no predictions to verify\nhint: these can be verified: python, c, java"
    )
    with pytest.raises(ExportError, match=problem):
        verify_export(model, export(model, to="dot"), to="dot")


def test_a_compiler_that_is_not_there_is_named(monkeypatch):
    monkeypatch.setattr("shutil.which", lambda program: None)
    model = fitted("one leaf")
    with pytest.raises(ExportError, match="running the exported code needs `rustc`"):
        verify_export(model, export(model, to="rust"), to="rust")


@needs("gcc")
def test_code_that_does_not_compile_is_told_with_the_compilers_words():
    wrong = "int tree_predict(void) { return nothing; }"
    found = verify_export(fitted("one leaf"), wrong, to="c")
    assert not found
    assert re.match(r"`gcc .*` failed: tree.c: In function .tree_predict", found.failure)


# ---------------------------------------------------------------------------- code that is broken


@pytest.mark.parametrize(
    ("code", "failure"),
    [
        ("", "the module has no function `predict`"),
        ("def predict(:", "the module does not run: SyntaxError: invalid syntax"),
        ("1 / 0", "the module does not run: ZeroDivisionError: division by zero"),
        ("import sys; sys.exit(0)", "the module does not run: SystemExit: 0"),
        ("predict = predict_proba = 3", "the module has no function `predict`"),
        (b"\xff", "UnicodeDecodeError: 'utf-8' codec can't decode"),
    ],
)
def test_python_that_does_not_run_is_false_with_the_reason(code, failure):
    found = verify_export(fitted("tennis by ID3"), code, to="python")
    assert not found
    assert found.failure.startswith(failure)
    assert str(found).startswith(f"python has no predictions to compare: {failure}")


@pytest.mark.parametrize(
    ("statement", "got"),
    [
        ("raise KeyError('x')", "KeyError: 'x'"),
        ("raise SystemExit", "SystemExit"),
        ("return []", "TypeError: a list is not a class"),
        ("raise ValueError('never seen')", "ValueError: never seen"),
    ],
)
def test_python_that_fails_for_some_rows_differs_there(statement, got):
    model = fitted("tennis by ID3")
    wrong = (
        f"{export(model, to='python')}\n_right = predict\n"
        f"def predict(row):\n    if row['outlook'] == 'Rain': {statement}\n    return _right(row)\n"
    )
    found = verify_export(model, wrong, to="python")
    assert 0 < len(found.differing) < found.n_rows
    assert {different.row["outlook"] for different in found.differing} == {"Rain"}
    assert {different.got for different in found.differing} == {got}


def test_stopping_by_hand_stops():
    with pytest.raises(KeyboardInterrupt):
        verify_export(fitted("one leaf"), "raise KeyboardInterrupt", to="python")


@pytest.mark.parametrize(
    ("code", "failure"),
    [("{", "JSONDecodeError"), ("{}", "KeyError: 'nodes'"), ("[]", "TypeError: list indices")],
)
def test_json_that_is_no_tree_is_false_with_the_reason(code, failure):
    assert verify_export(fitted("one leaf"), code, to="json").failure.startswith(failure)


def test_json_whose_nodes_go_round_in_a_ring_is_told():
    tree = build(threshold(0, 1.0, leaf(1, 0), leaf(0, 1)), numeric_schema("x"), ("a", "b"))
    ring = export(tree, to="json").replace('"children": [1, 2]', '"children": [0, 2]')
    found = verify_export(tree, ring, to="json")
    assert found.failure == "node 0 leads back to one before it"


def test_what_is_no_code_is_refused():
    with pytest.raises(ParameterError, match="python is verified from text, not from a NoneType"):
        verify_export(fitted("one leaf"), None, to="python")  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="onnx is verified from bytes, not from a str"):
        verify_export(fitted("one leaf"), "x", to="onnx")


def test_a_file_that_is_none_is_false_with_the_reason():
    found = verify_export(fitted("one leaf"), b"x", to="excel")
    assert found.failure == "BadZipFile: File is not a zip file"


@pytest.mark.parametrize("timeout", [0, -1, "long", float("nan"), True])
def test_a_time_limit_is_a_number_of_seconds(timeout):
    model = fitted("one leaf")
    with pytest.raises(ParameterError, match="timeout must be a number of seconds above 0"):
        verify_export(model, export(model, to="python"), to="python", timeout=timeout)


@needs("node")
def test_a_program_without_end_is_ended():
    found = verify_export(fitted("one leaf"), "while (true) {}", to="javascript", timeout=0.5)
    assert found.failure == "`node main.mjs` did not end within 0.5 seconds"


@needs("gcc")
def test_a_crash_is_called_by_its_signal():
    model = fitted("one leaf")
    crash = "#include <stdlib.h>\n__attribute__((constructor)) static void f(void) { abort(); }\n"
    found = verify_export(model, crash + export(model, to="c"), to="c")
    assert found.failure == "`./tree` was ended by SIGABRT (Aborted)"


@needs("gcc")
def test_a_program_that_ends_too_soon_is_told():
    model = fitted("one leaf")
    end = "#include <stdlib.h>\n__attribute__((constructor)) static void f(void) { exit(0); }\n"
    found = verify_export(model, end + export(model, to="c"), to="c")
    assert found.failure == f"{found.n_rows} rows were given, 0 predicted"


@pytest.mark.parametrize("to", ["python", "sql", "json"])
def test_a_leaf_without_columns_is_verified(to):
    tree = build(leaf(3, 1), Schema(()), ("a", "b"))
    assert verify_export(tree, export(tree, to=to), to=to)
    numbers = build(leaf(2.5), Schema(()), None)
    assert verify_export(numbers, export(numbers, to=to), to=to)


def test_a_format_has_the_names_that_people_use():
    model = tw.ID3Classifier().fit(*tw.load_sample("tennis"))
    for name, meant in SYNONYMS.items():
        assert meant in FORMATS
        assert name not in FORMATS
    assert export(model, "js") == export(model, "JavaScript") == export(model, "javascript")
    assert verify_export(model, export(model, "py"), "py").to == "python"
    with pytest.raises(ParameterError, match='did you mean to="sql", dialect="tsql"'):
        export(model, "mssql")
