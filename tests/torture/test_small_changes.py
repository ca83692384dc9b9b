"""Small changes are made where `mutated_parts` says, and its tests are there."""

from pathlib import Path

import pytest
from benchmarks.reliability import mutation
from benchmarks.reliability.mutated_parts import PARTS
from benchmarks.reliability.same_anyway import SAME_ANYWAY
from benchmarks.reliability.small_changes import changes_of, lines_of


@pytest.mark.parametrize("part", PARTS, ids=lambda part: part.name)
def test_files_functions_and_tests_of_a_part_are_there(part):
    assert len(mutation.every_change(part)) > 100
    for test in part.tests:
        path, _, name = test.partition("::")
        assert (mutation.REPOSITORY / path).exists()
        assert not name or lines_of(name, (mutation.REPOSITORY / path).read_text())


def test_a_pattern_without_code_is_an_error():
    with pytest.raises(AssertionError, match="nothing to change"):
        mutation.changes_within("src/treewright/tree/renamed.py")
    with pytest.raises(AssertionError, match="nothing to change"):
        mutation.changes_within("src/treewright/linear/base.py::renamed")


def test_of_a_named_function_alone_something_changes(monkeypatch, tmp_path):
    text = "a = 1\n\n\ndef check(b):\n    return b < 2\n\n\ndef other(b):\n    return b > 3\n"
    (tmp_path / "code.py").write_text(text)
    monkeypatch.setattr(mutation, "REPOSITORY", tmp_path)
    assert [change.old for change in mutation.changes_within("code.py::check")] == ["<", "2"]
    assert mutation.changes_within("code.py") == changes_of(Path("code.py"), text)
    assert "b <= 2" in mutation.changes_within("code.py::check")[0].applied(text)


def test_the_exponent_of_a_number_is_no_number():
    changes = changes_of(Path("code.cpp"), "double a = 1e-12 * b - 3;\n")
    assert [change.old for change in changes] == ["*", "-", "3"]


@pytest.mark.parametrize("same", SAME_ANYWAY, ids=lambda same: f"{same.path} {same.before}")
def test_each_change_that_changes_nothing_is_one_that_would_be_tried(same):
    text = (mutation.REPOSITORY / same.path).read_text()
    of_parts = [change for part in PARTS for change in mutation.every_change(part)]
    meant = [change for change in of_parts if same.is_made_by(change, text)]
    assert len(meant) == 1
