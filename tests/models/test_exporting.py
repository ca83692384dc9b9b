"""Exporting from a user's point of view: formats, files, options, and what can go wrong."""

import pytest
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression

import treewright as tw
from builders import build, leaf, numeric_schema, threshold
from exports.export_models import fitted
from exports.machine import needs
from treewright.errors import ExportError, ParameterError
from treewright.models.exporting import export, verify_export


def test_an_unknown_format_names_the_nearest():
    with pytest.raises(ParameterError, match=r"no export to 'pyhton'\nhint: did you mean `python`"):
        export(fitted("one leaf"), to="pyhton")


def test_an_unknown_option_names_the_nearest():
    with pytest.raises(ParameterError, match=r"has no option `from`\nhint: did you mean `form`"):
        export(fitted("one leaf"), to="python", **{"from": "ifs"})
    with pytest.raises(ParameterError, match="it has no options"):
        export(fitted("one leaf"), to="json", form="ifs")


def test_a_file_is_written_as_well(tmp_path):
    path = tmp_path / "tree.py"
    code = export(fitted("odd names"), to="python", path=path)
    assert path.read_text(encoding="utf-8") == code


def test_a_model_that_is_not_fitted_is_told_so():
    with pytest.raises(NotFittedError):
        export(tw.C45Classifier(), to="python")


def test_what_is_no_tree_is_refused():
    with pytest.raises(ParameterError, match="a LogisticRegression is not a tree"):
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
    with pytest.raises(ExportError, match=r"dot is not run\nhint: these are: python, c, java"):
        verify_export(model, export(model, to="dot"), to="dot")


def test_a_compiler_that_is_not_there_is_named(monkeypatch):
    monkeypatch.setattr("shutil.which", lambda program: None)
    model = fitted("one leaf")
    with pytest.raises(ExportError, match="running exported Rust needs `rustc`"):
        verify_export(model, export(model, to="rust"), to="rust")


@needs("gcc")
def test_code_that_does_not_compile_is_an_error_with_the_compilers_words():
    wrong = "int tree_predict(void) { return nothing; }"
    with pytest.raises(ExportError, match=r"`gcc .*` failed: tree.c: In function .tree_predict"):
        verify_export(fitted("one leaf"), wrong, to="c")
