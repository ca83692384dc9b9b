"""Names from a file cannot steer the terminal: what commands say shows such signs as escapes."""

import pytest

import treewright as tw
from every_command import CALLS, ENSEMBLE, READ_TABLE, filled
from treewright.data.report import column_report

RED, TURNED = "\x1b[31m", "\u202e"
NUMBER, WORD, TARGET = f"x{RED}", f"word{TURNED}", f"y{RED}"
GIVE_DATA = {"predict", "impute", "discretize"}


@pytest.fixture
def odd(tmp_path, monkeypatch):
    """The usual files, whose columns, levels and classes hold such signs."""
    monkeypatch.chdir(tmp_path)
    rows = "".join(
        f"{at * 5 % 9},{'abc'[at % 3]}{TURNED},{'yes' if at * 5 % 9 > 4 else 'no'}{RED}\n"
        for at in range(60)
    )
    (tmp_path / "t.csv").write_text(f"{NUMBER},{WORD},{TARGET}\n{rows}")
    X, y = tw.read_table(tmp_path / "t.csv", target=TARGET)
    model = tw.C45Classifier().fit(X, y)
    model.name_target(TARGET)
    model.save("m.json")
    tw.RandomForestClassifier(n_estimators=3).fit(X, y).save(ENSEMBLE)
    return tmp_path


def words_of(command):
    return [TARGET if word == "y" else word for word in filled(command)]


def assert_steers_nothing(text):
    assert not {"\x1b", TURNED} & {*text}, repr(text)


@pytest.mark.parametrize("command", CALLS)
def test_no_command_prints_them(treewright, odd, command):
    run = treewright(*words_of(command))
    assert run.code == 0, run.err
    assert_steers_nothing(run.err)
    if command not in GIVE_DATA:
        assert_steers_nothing(run.out)


@pytest.mark.parametrize("command", READ_TABLE)
@pytest.mark.parametrize("flag", ["--drop", "--numeric"])
def test_no_error_prints_them(treewright, odd, command, flag):
    for name in (f"nosuch{RED}{TURNED}", "nosuch"):
        run = treewright(*words_of(command), flag, name)
        assert run.code == 2
        assert_steers_nothing(run.out + run.err)


def test_files_of_such_names_are_told_by_escapes(treewright, odd):
    run = treewright("train", f"no{RED}such.csv", "-t", "y")
    assert run.code == 2
    assert r"`no\x1b[31msuch.csv`" in run.err
    (odd / f"bad{RED}.json").write_text("{}")
    run = treewright("show", f"bad{RED}.json")
    assert run.code == 3
    assert_steers_nothing(run.out + run.err)


def test_a_table_shows_them_as_escapes(odd):
    table = tw.read_table("t.csv")
    assert_steers_nothing(repr(table) + str(column_report(table)) + table._repr_html_())
    assert r"x\x1b[31m" in repr(table)
