"""T47 to T52: what a shell can do to a command."""

import contextlib
import csv
import io
import json
import math
import os
import random
import re
import subprocess
import sys
from pathlib import Path

import pytest

import treewright as tw
from every_command import (
    CALLS,
    PRINT,
    READ_MODEL,
    READ_TABLE,
    WRITE,
    WRITE_PAGES,
    filled,
    write_model_and_table,
)
from machine import found_program, needs
from treewright.cli.main import main
from treewright.plain_text import escape_formula

WRITE_ANY = [name for name in WRITE if name not in WRITE_PAGES]
ROOT = Path(__file__).parents[2]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    write_model_and_table(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def forked(jobs, folder):
    """What becomes of the jobs, each a process of its own."""
    script = Path(__file__).with_name("forked_commands.py")
    done = subprocess.run(
        [sys.executable, str(script)],
        input=json.dumps(jobs),
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout)


def names_in(folder):
    return {path.name for path in folder.iterdir()}


def assert_refused(words, capsys, *texts, code=2):
    """The command ends with one line of error, and creates nothing."""
    before = names_in(Path.cwd())
    capsys.readouterr()
    assert main(words) == code
    out, err = capsys.readouterr()
    assert out == ""
    assert [line.partition(" ")[0] for line in err.splitlines()].count("error:") == 1
    assert "Traceback" not in err
    assert "unexpected" not in err
    for text in texts:
        assert text in err
    assert names_in(Path.cwd()) == before


@pytest.mark.parametrize("command", READ_MODEL)
def test_T47_a_model_that_is_not_there_or_a_folder(folder, capsys, command):
    (folder / "sub").mkdir()
    for model in ("nosuch.json", "sub", "t.csv/m.json"):
        assert_refused(filled(command, model=model), capsys, model)


@pytest.mark.parametrize("command", READ_TABLE)
def test_T47_a_table_that_is_not_there_or_a_folder(folder, capsys, command):
    (folder / "sub").mkdir()
    for table in ("nosuch.csv", "sub", "t.csv/t.csv"):
        assert_refused(filled(command, table=table), capsys, table)


@pytest.mark.parametrize("command", READ_TABLE)
def test_T47_a_column_that_is_not_there_gets_the_nearest_name(folder, capsys, command):
    assert_refused([*filled(command), "--drop", "wrod"], capsys, "did you mean `word`?")
    if command in ("train", "evaluate", "compare", "tune", "columns", "report", "prune"):
        words = [word for word in filled(command) if word not in ("-t", "y")]
        assert_refused([*words, "-t", "wrod"], capsys, "did you mean `word`?")


@pytest.mark.parametrize("command", WRITE)
def test_T47_an_output_folder_that_is_not_there(folder, capsys, command):
    assert_refused(filled(command, out="nowhere/new.html"), capsys, "nowhere")
    assert_refused(filled(command, out="."), capsys, "is a folder")


@pytest.mark.skipif(sys.platform != "linux", reason="rights are given up by a call of Linux")
def test_T47_places_that_are_locked(folder):
    """Even for root, who gives up the right to read and write everywhere."""
    (folder / "locked").mkdir(mode=0o555)
    for name, source in {"hidden.csv": "t.csv", "hidden.json": "m.json"}.items():
        (folder / name).write_bytes((folder / source).read_bytes())
        (folder / name).chmod(0)
    before = names_in(folder)
    jobs = [filled(command, out="locked/new.html") for command in WRITE]
    jobs += [filled(command, table="hidden.csv") for command in READ_TABLE]
    jobs += [filled(command, model="hidden.json") for command in READ_MODEL]
    done = forked([{"words": words, "without_rights": True} for words in jobs], folder)
    for words, one in zip(jobs, done, strict=True):
        assert one["code"] == 2, (words, one)
        assert re.search("permission denied|is not readable", one["errors"]), (words, one)
        assert "Traceback" not in one["errors"], (words, one)
    assert names_in(folder) == before
    assert names_in(folder / "locked") == set()


def test_T48_a_reader_that_goes_away(folder):
    jobs = [
        {"words": filled(command), "output": output}
        for command in CALLS
        for output in ("closed", "one line")
    ]
    for job, done in zip(jobs, forked(jobs, folder), strict=True):
        assert done["code"] in (0, 141), (job, done)
        assert "error" not in done["errors"], (job, done)
        assert "Traceback" not in done["errors"], (job, done)


@needs("bash")
@pytest.mark.parametrize("tail", ["head -1", "true"])
def test_T48_in_a_shell(folder, tail):
    line = (
        f"'{sys.executable}' -m treewright.cli.main rules m.json | {tail}; echo ${{PIPESTATUS[0]}}"
    )
    done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, check=False)
    assert done.stderr == ""
    assert done.stdout.splitlines()[-1] in ("0", "141")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_T49_a_full_device_is_named(folder):
    jobs = [{"words": filled(command), "output": "full"} for command in PRINT]
    jobs += [{"words": filled("report", out="-"), "output": "full"}]
    jobs += [{"words": filled(command, out="/dev/full")} for command in WRITE_ANY]
    for job, done in zip(jobs, forked(jobs, folder), strict=True):
        assert done["code"] == 1, (job, done)
        place = "standard output" if "output" in job else "/dev/full"
        assert f"{place}" in done["errors"], (job, done)
        assert "no space left on device" in done["errors"], (job, done)
        assert "Traceback" not in done["errors"], (job, done)


def test_T49_a_file_that_cannot_grow_leaves_the_old_one(folder):
    (folder / "old.html").write_text("the old content")
    before = names_in(folder)
    jobs = [{"words": filled(command, out="old.html"), "most_bytes": 10} for command in WRITE]
    for job, done in zip(jobs, forked(jobs, folder), strict=True):
        assert done["code"] == 1, (job, done)
        assert "`old.html`: file too large" in done["errors"], (job, done)
    assert (folder / "old.html").read_text() == "the old content"
    assert names_in(folder) == before


def test_T50_a_killed_train_leaves_the_old_model_or_the_new_one(folder):
    old = (folder / "m.json").read_text()
    words = ["train", "t.csv", "-t", "y", "--model", "c45", "--out", "m.json"]
    (whole,) = forked([{"words": [*words[:-1], "new.json"]}], folder)
    new = (folder / "new.json").read_text()
    assert old != new
    as_before = [*(word.replace("c45", "cart") for word in words), "--prune", "none"]
    pick = random.Random(0)
    jobs = [
        {"words": pick.choice([words, as_before]), "kill_after": pick.uniform(0, whole["seconds"])}
        for _ in range(30)
    ]
    jobs += [{"words": as_before}, {"words": words}]
    done = forked([{**job, "watched": "m.json"} for job in jobs], folder)
    assert {one["content"] for one in done} == {old, new}
    assert done[-1]["content"] == new
    assert not [name for name in names_in(folder) if name.endswith(".tmp")]


def kill_many(n_kills, folder):
    """Kill commands that write all kinds of files; the figures, and whether all is well."""
    words = ["-m", "benchmarks.reliability.kills", "--kills", str(n_kills), "--out", "."]
    path = os.pathsep.join([str(ROOT), *sys.path])
    environment = {**os.environ, "PYTHONPATH": path}
    done = subprocess.run(
        [sys.executable, *words],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return (folder / "kills.md").read_text()


@pytest.mark.large
def test_T50_a_thousand_kills_leave_whole_files_of_every_kind(tmp_path):
    assert "| all | 1000 |" in kill_many(1000, tmp_path)


TABLES = {
    "a byte order mark": ("\ufeffx,word,y\n1,a,no\n7,b,yes\n".encode(), 0, ""),
    "two bytes a letter": ("x,word,y\n1,a,no\n7,b,yes\n".encode("utf-16"), 0, ""),
    "Windows lines": (b"x,word,y\r\n1,a,no\r\n7,b,yes\r\n", 0, ""),
    "old Mac lines": (b"x,word,y\r1,a,no\r7,b,yes\r", 0, ""),
    "quoted newlines": (b'x,word,y\n"1","a\nb",no\n7,"b,""c""",yes', 0, ""),
    "semicolons": (b"x;word;y\n1;a;no\n7;b;yes\n", 0, ""),
    "tabs": (b"x\tword\ty\n1\ta\tno\n7\tb\tyes\n", 0, ""),
    "a long field": (b"x,word,y\n1," + b"a" * 10_000_000 + b",no\n7,b,yes\n", 0, ""),
    "too many fields": (b"x,word,y\n1,a,no\n2,b,no,c\n", 3, "line 3: 4 fields, expected 3"),
    "too few fields": (b"x,word,y\n1,a,no\n\n2,b\n", 3, "fields, expected 3"),
    "a header only": (b"x,word,y\n", 3, "no rows"),
    "nothing": (b"", 3, "is empty"),
    "Windows letters": (b"x,word,y\n1,caf\xe9,no\n7,b,yes\n", 0, ""),
    "other letters": (b"x,word,y\n1,\xc4\xe0\xed,no\n", 3, "line 2"),
    "no text": (b"\0\0\0\0", 3, "not a text file"),
}


READ_FIRST = ("train", "columns", "predict")


@pytest.mark.parametrize("name", TABLES)
def test_T51_tables_as_people_save_them(folder, capsys, monkeypatch, name):
    content, code, text = TABLES[name]
    (folder / "in.csv").write_bytes(content)
    for command in READ_FIRST:
        for table in ("in.csv", "-"):
            monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content)))
            words = filled(command, table=table)
            if code:
                assert_refused(words, capsys, text, code=code)
            else:
                assert main([*words, "--quiet"]) == 0
                assert capsys.readouterr().err == ""


BAD_TABLES = {name: table for name, table in TABLES.items() if table[1]}


@pytest.mark.parametrize("command", [name for name in READ_TABLE if name not in READ_FIRST])
def test_T51_no_command_takes_a_bad_table(folder, capsys, command):
    for content, code, text in BAD_TABLES.values():
        (folder / "in.csv").write_bytes(content)
        assert_refused(filled(command, table="in.csv"), capsys, text, code=code)


def test_T51_the_line_of_a_ragged_row_is_counted_in_the_file(folder, capsys):
    """Over rows, quoted newlines and empty lines alike."""
    rows = 'x,word,y\n1,"a\nb",no\n\n' + "2,b,yes\n" * 1036 + "3,c,no,4\n"
    (folder / "in.csv").write_text(rows)
    assert_refused(filled("train", table="in.csv"), capsys, "line 1041: 4 fields", code=3)


STARTS = ["=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠"]
RISKY = [f"{start}{at}x" for at, start in enumerate(STARTS)]
PLAIN = ["plain", "a=1", "a\r=1", "'=1", " =1"]
WORDS = [*RISKY, *PLAIN]
HARMLESS = [*(f"'{one}" for one in RISKY), *PLAIN]
CSV_COMMANDS = {
    "predict": ["predict", "f.json", "in.csv", "--keep", "-x", "--keep", "=word", "--proba"],
    "rules": ["rules", "f.json", "--format", "csv"],
    "impute": ["impute", "in.csv"],
    "discretize": ["discretize", "in.csv", "-t", "y"],
}
for_every_csv = pytest.mark.parametrize("command", CSV_COMMANDS)


@pytest.fixture
def formulas(folder):
    """A model whose names, classes and levels a spreadsheet would run, and its table."""
    with open(folder / "in.csv", "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, quoting=csv.QUOTE_NONNUMERIC)
        writer.writerow(["-x", "=word", "y"])
        writer.writerows([-1.5 - at, word, word] for at, word in enumerate(WORDS * 5))
    model = tw.ID3Classifier().fit(*tw.read_table(folder / "in.csv", target="y"))
    model.save(folder / "f.json")


def written(words):
    """The cells of the CSV that a command writes; and it prints the same."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        assert main([*words, "--quiet", "--out", "-"]) == 0
    assert main([*words, "--quiet", "--out", "out.csv"]) == 0
    with open("out.csv", encoding="utf-8", newline="") as file:
        lines = list(csv.reader(file))
    assert list(csv.reader(io.StringIO(out.getvalue(), newline=""))) == lines
    return lines


@for_every_csv
def test_T52_no_cell_of_any_csv_is_run_by_a_spreadsheet(formulas, command):
    """Headers, names, levels and classes alike; cells that are numbers are left alone."""
    lines = written(CSV_COMMANDS[command])
    cells = [cell for line in lines for cell in line]
    risky = [cell for cell in cells if cell.startswith(tuple(STARTS))]
    assert all(math.isfinite(float(cell)) for cell in risky)
    raw = written([*CSV_COMMANDS[command], "--raw"])
    assert [len(line) for line in raw] == [len(line) for line in lines]
    pairs = zip(cells, (cell for line in raw for cell in line), strict=True)
    changed = [(cell, as_is) for cell, as_is in pairs if cell != as_is]
    # Spaces around words are not part of them.
    escaped = set("\t\r\n") if command in ("rules", "predict") else set()
    assert {as_is[0] for _, as_is in changed} == set(STARTS) - escaped
    assert all(cell == f"'{as_is}" for cell, as_is in changed)


@for_every_csv
def test_T52_the_switch_for_cells_as_they_are_is_told(command, capsys):
    assert main([command, "--help"]) == 0
    assert "--raw" in capsys.readouterr().out
    page = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
    assert "--raw" in page.split(f"## {command}\n")[1].split("\n## ")[0]


def test_T52_every_command_that_writes_csv_has_the_switch(capsys):
    """`samples` prints files of this package as they are."""
    for command in CALLS:
        assert main([command, "--help"]) == 0
        assert ("--raw" in capsys.readouterr().out) == (command in CSV_COMMANDS), command


def test_T52_predictions_that_spreadsheets_would_run(formulas):
    header, *lines = written(CSV_COMMANDS["predict"])
    assert header[:3] == ["'-x", "'=word", "prediction"]
    trimmed = [escape_formula(word.strip()) for word in WORDS]
    assert [line[1] for line in lines] == trimmed * 5
    assert [line[0] for line in lines[:3]] == ["-1.5", "-2.5", "-3.5"]
    raw = written([*CSV_COMMANDS["predict"], "--raw"])
    assert [line[1] for line in raw[1:]] == [word.strip() for word in WORDS] * 5


@pytest.mark.parametrize("start", STARTS)
def test_T52_every_start_that_a_spreadsheet_might_run_is_neutralised(start):
    """A cell that begins with a line end too, which no line of CSV above can show."""
    assert escape_formula(start + "x") == f"'{start}x"
    assert escape_formula("x" + start) == "x" + start


def test_T52_numbers_are_left_alone(folder, capsys):
    (folder / "n.csv").write_text("x,y\n" + "1,-3.5\n2,2.25\n" * 10)
    assert main(["train", "n.csv", "-t", "y", "--out", "n.json", "--quiet"]) == 0
    capsys.readouterr()
    assert main(["predict", "n.json", "n.csv"]) == 0
    assert capsys.readouterr().out.startswith("prediction\n-3.5\n2.25\n")


@pytest.mark.parametrize("words", [[], ["--categorical", "level"], ["--numeric", "x"]])
def test_T52_numbers_of_a_changed_table_are_left_as_they_were_written(folder, words):
    """A minus before a number is no formula, and a table of such text would be one of words."""
    rows = "x,level,y\n-1.50,-1,no\n,-2,yes\n-3,-1,no\n-4e1,+2,yes\n"
    (folder / "n.csv").write_text(rows)
    for command in ("impute", "discretize"):
        lines = written([command, "n.csv", "-t", "y", *words])
        assert not [cell for line in lines for cell in line if cell.startswith("'")]
    lines = written(["impute", "n.csv", "-t", "y", *words])
    assert [line[1] for line in lines[1:]] == ["-1", "-2", "-1", "+2"]
    assert [line[0] for line in lines[1:]][::2] == ["-1.50", "-3"]


def test_T52_rules_that_spreadsheets_would_run(formulas):
    lines = written(CSV_COMMANDS["rules"])
    predictions = {line[lines[0].index("then")] for line in lines[1:]}
    words = {escape_formula(word.strip()) for word in WORDS}
    assert predictions >= {word for word in words if word.isprintable()}
    assert any(cell.startswith("'=word = ") for line in lines for cell in line)


@pytest.mark.parametrize("command", ["impute", "discretize"])
def test_T52_changed_tables_that_spreadsheets_would_run(formulas, command):
    header, *lines = written(CSV_COMMANDS[command])
    assert header == ["'-x", "'=word", "y"]
    assert [line[-1] for line in lines] == HARMLESS * 5
    raw = written([*CSV_COMMANDS[command], "--raw"])
    assert raw[0] == ["-x", "=word", "y"]
    assert [line[-1] for line in raw[1:]] == WORDS * 5


def a_small_disk(place):
    """A file system of 1 MB mounted at `place`, or None where that is not allowed."""
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(place)]
    if found_program("mount") is None or os.geteuid() != 0:
        return None
    return (
        place if subprocess.run(mount, capture_output=True, check=False).returncode == 0 else None
    )


@pytest.fixture
def full_disk(tmp_path):
    """A folder on a disk without room, with an old file in it."""
    place = a_small_disk(tmp_path / "disk")
    if place is None:
        pytest.skip("a file system cannot be mounted here: that takes root")
    (place / "old.html").write_text("the old content")
    with contextlib.suppress(OSError), open(place / "filler", "wb") as filler:
        while True:
            filler.write(bytes(4096))
            filler.flush()
    yield place
    subprocess.run(["umount", str(place)], check=True)


def test_T49_a_full_disk_leaves_the_old_file_and_no_other(folder, full_disk):
    before = names_in(full_disk)
    target = full_disk / "old.html"
    jobs = [{"words": filled(command, out=str(target))} for command in WRITE]
    for job, done in zip(jobs, forked(jobs, folder), strict=True):
        assert done["code"] == 1, (job, done)
        assert str(target) in done["errors"], (job, done)
        assert "no space left on device" in done["errors"], (job, done)
        assert "Traceback" not in done["errors"], (job, done)
    assert target.read_text() == "the old content"
    assert names_in(full_disk) == before
