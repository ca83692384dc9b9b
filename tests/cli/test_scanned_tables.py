"""`--scan`: tables that are read in blocks into temporary files."""

import pytest

from made_up_loans import loans
from treewright.data import stored_table


@pytest.fixture
def parts(tmp_path, monkeypatch):
    """A table in three files, and small arrays in files too."""
    monkeypatch.setattr(stored_table, "SMALL", 1)
    header, *lines = loans(90).splitlines(keepends=True)
    for at in range(0, 90, 30):
        (tmp_path / f"part-{at}.csv").write_text("".join([header, *lines[at : at + 30]]))
    return "part-*.csv"


@pytest.mark.parametrize("model", ["c45", "cart", "boosted", "knn"])
def test_the_model_is_that_of_a_table_in_memory(treewright, tmp_path, parts, model):
    settings = ("-t", "repaid", "--model", model, "--no-verdict")
    assert treewright("train", parts, *settings, "--out", "a.tw").code == 0
    assert treewright("train", parts, *settings, "--out", "b.tw", "--scan").code == 0
    assert (tmp_path / "a.tw").read_bytes() == (tmp_path / "b.tw").read_bytes()


def test_evaluations_are_the_same(treewright, parts):
    found = [
        treewright("evaluate", parts, "-t", "repaid", "--hold-out", "0.3", *scan)
        for scan in ([], ["--scan"])
    ]
    assert found[0].code == 0
    assert found[0].out == found[1].out


def test_what_does_not_go_together(treewright, parts):
    run = treewright("train", parts, "-t", "repaid", "--scan", "--merge-case")
    assert run.code == 2
    assert "--merge-case and --scan cannot be combined" in run.err
