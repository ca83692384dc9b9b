"""Standard streams that are closed, full, gone, or that know only ASCII."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from every_command import CALLS, WRITE, filled, write_model_and_table
from treewright.cli.main import main

pytestmark = pytest.mark.skipif(os.name != "posix", reason="the lines are for a POSIX shell")
PRINT_DATA = ["predict", "export", "samples"]
PRINT_BESIDE_A_FILE = ["train", "tune", "prune", "distil", "elbow", "impute", "discretize"]
CLOSED = "error: the standard output is closed, so the result cannot be printed\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    write_model_and_table(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def forked(jobs):
    """What becomes of the jobs, each a process of its own."""
    script = Path(__file__).with_name("forked_commands.py")
    done = subprocess.run(
        [sys.executable, str(script)],
        input=json.dumps([{"output": "kept", **job} for job in jobs]),
        capture_output=True,
        text=True,
        check=True,
    )
    results = json.loads(done.stdout)
    for job, one in zip(jobs, results, strict=True):
        for word in ("Traceback", "Exception ignored", "unexpected"):
            assert word not in one["errors"], (job, one)
    return list(zip([job["words"] for job in jobs], results, strict=True))


def with_streams(calls, streams):
    return [{"words": words, "streams": streams} for words in calls]


def test_a_result_that_cannot_be_printed_is_an_error(folder):
    calls = [filled(command) for command in CALLS if command != "report"]
    calls += [["--help"], ["--version"], ["show", "m.json", "--json"]]
    for words, done in forked(with_streams(calls, {"1": "shut"})):
        assert done["code"] == 1, (words, done)
        assert done["errors"].endswith(CLOSED), (words, done)


def test_a_result_in_a_file_is_a_success_though_nothing_can_be_printed(folder):
    named = {command: f"r{at}.html" for at, command in enumerate(WRITE)}
    calls = [filled(command, out=out) for command, out in named.items()]
    for words, done in forked(with_streams(calls, {"1": "shut"})):
        assert done["code"] == 0, (words, done)
        assert "error: " not in done["errors"], (words, done)
    assert all(Path(out).stat().st_size > 0 for out in named.values())


def test_facts_that_were_asked_for_are_missed_even_so(folder):
    calls = [[*filled(command, out="r.html"), "--json"] for command in PRINT_BESIDE_A_FILE]
    for words, done in forked(with_streams(calls, {"1": "shut"})):
        assert done["code"] == 1, (words, done)
        assert done["errors"].endswith(CLOSED), (words, done)


def test_messages_that_nobody_can_read_stop_nothing(folder):
    calls = [filled(command) for command in CALLS]
    jobs = with_streams(calls, {"2": "full"})
    jobs += with_streams([["train", "t.csv", "-t", "y", "--out", "a.json"]], {"2": "shut"})
    jobs += with_streams([["train", "t.csv", "-t", "y", "--out", "b.json"]], {"2": "closed"})
    for words, done in forked(jobs):
        assert done["code"] == 0, (words, done)
        assert done["printed"] or words[0] == "report"
    assert Path("a.json").read_bytes() == Path("b.json").read_bytes()


def test_an_error_keeps_its_code_without_a_message(folder):
    calls = {2: ["show", "nosuch.json"], 3: ["show", "t.csv"], 1: ["show", "m.json"]}
    shut = {"0": "shut", "1": "shut", "2": "shut"}
    for code, (_, done) in zip(calls, forked(with_streams(calls.values(), shut)), strict=True):
        assert done["code"] == code


def test_no_file_takes_the_place_of_a_closed_stream(folder):
    """Number 1 or 2 would go to the next file that is opened, and messages into it."""
    for numbers in ("1", "012"):
        calls = [["predict", "m.json", "t.csv", "--out", f"p{numbers}.csv"]]
        calls += [["train", "t.csv", "-t", "y", "--out", f"n{numbers}.json"]]
        for _, done in forked(with_streams(calls, dict.fromkeys(numbers, "shut"))):
            assert done["code"] == 0
        assert Path(f"p{numbers}.csv").read_text().startswith("prediction\nno\nyes\n")
        assert main(["show", f"n{numbers}.json"]) == 0


def test_a_closed_standard_input_is_named(folder):
    calls = [["show", "-"], ["predict", "m.json", "-"], ["train", "-", "-t", "y"]]
    for _, done in forked(with_streams(calls, {"0": "shut"})):
        assert done["code"] == 3
        said = "error: the standard input is closed\nhint: give the name of a file\n"
        assert done["errors"] == said
    ((_, done),) = forked(with_streams([["show", "m.json"]], {"0": "shut"}))
    assert done["code"] == 0


def test_a_full_device_is_an_error_even_beside_a_file(folder):
    """Whoever sends the printed part somewhere wants it; whoever closes the stream does not."""
    words = ["train", "t.csv", "-t", "y", "--out", "new.json"]
    ((_, done),) = forked(with_streams([words], {"1": "full"}))
    assert done["code"] == 1
    assert "error: standard output: no space left on device" in done["errors"]
    assert Path("new.json").exists()


def test_closed_streams_in_a_shell(folder):
    """The whole way from the shell on: `treewright ... >&-`."""
    lines = {
        "show m.json >&-": (1, CLOSED),
        "train t.csv -t y --out new.json >&- 2>&-": (0, ""),
        "predict m.json - <&-": (3, "error: the standard input is closed"),
    }
    for line, (code, said) in lines.items():
        command = f"'{sys.executable}' -m treewright {line}"
        done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
        assert done.returncode == code
        assert done.stderr.startswith(said)


@pytest.fixture
def accents(folder):
    """The usual files with letters beyond ASCII in every name and word."""
    text = Path("t.csv").read_text().replace("yes", "já 是").replace("a,", "ä²,")
    Path("t.csv").write_text(text.replace("x,word,y", "größe,wört,y"), encoding="utf-8")
    for model, file in (("cart", "m.json"), ("forest", "e.tw")):
        assert main(["train", "t.csv", "-t", "y", "--model", model, "--out", file, "-q"]) == 0
    return folder


def test_every_command_prints_where_only_ascii_can_be(accents):
    calls = [*map(filled, CALLS), ["--help"], ["train", "--help"]]
    for words, done in forked([{"words": words, "encoding": "ascii"} for words in calls]):
        assert done["code"] == 0, (words, done)
        if words[0] not in PRINT_DATA:
            assert done["printed"].isascii(), (words, done)


def test_facts_as_json_are_the_same_in_ascii(accents):
    calls = [["rules", "m.json"], ["show", "m.json"], ["columns", "t.csv"]]
    calls = [[*words, "--json"] for words in calls]
    usual = forked([{"words": words} for words in calls])
    ascii_only = forked([{"words": words, "encoding": "ascii"} for words in calls])
    for (_, one), (_, other) in zip(usual, ascii_only, strict=True):
        assert json.loads(one["printed"]) == json.loads(other["printed"])


def test_data_is_utf_8_wherever_it_goes(accents):
    """What a program reads must not depend on the terminal: it is the same as in a file."""
    calls = [filled("predict"), filled("export"), [*filled("impute"), "--out", "-"]]
    usual = forked([{"words": words} for words in calls])
    ascii_only = forked([{"words": words, "encoding": "ascii"} for words in calls])
    assert [one["printed"] for _, one in usual] == [one["printed"] for _, one in ascii_only]


def test_signs_of_our_own_have_near_ones(folder):
    words = ["worksheet", "m.json", "t.csv"]
    ((_, done),) = forked([{"words": words, "encoding": "ascii"}])
    assert "\\u" not in done["printed"]
    assert " x " in done["printed"]


@pytest.mark.parametrize(
    "environment",
    [
        {"PYTHONIOENCODING": "ascii"},
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        {"LC_ALL": "POSIX"},
    ],
    ids=str,
)
def test_ascii_by_the_environment(accents, environment):
    command = [sys.executable, "-m", "treewright", "worksheet", "m.json", "t.csv"]
    done = subprocess.run(
        command, capture_output=True, check=False, env={**os.environ, **environment}
    )
    assert done.returncode == 0, done.stderr


NOT_UTF_8 = os.fsdecode(b"caf\xe9")  # as Latin-1 writes it


@pytest.fixture
def odd_names(folder):
    """The usual files under names that are not UTF-8."""
    try:
        for name in ("m.json", "e.tw", "t.csv"):
            Path(name).rename(folder / f"{NOT_UTF_8}-{name}")
    except OSError:
        pytest.skip("the file system refuses such names")
    return folder


def odd_call(command, **out):
    is_ensemble = "{ensemble}" in CALLS.get(command, ())
    model = f"{NOT_UTF_8}-{'e.tw' if is_ensemble else 'm.json'}"
    return filled(command, table=f"{NOT_UTF_8}-t.csv", model=model, **out)


def test_names_of_files_that_are_not_utf_8(odd_names):
    calls = [odd_call(command) for command in CALLS if command not in WRITE]
    calls += [odd_call(command, out=f"{NOT_UTF_8}.html") for command in WRITE]
    calls += [odd_call("report", out=out) for out in ("-", f"{NOT_UTF_8}.md")]
    calls += [[*odd_call(command), "--json"] for command in PRINT_BESIDE_A_FILE]
    for words, done in forked([{"words": words, "streams": {}} for words in calls]):
        assert done["code"] == 0, (words, done)


def test_errors_about_such_names(odd_names):
    calls = [filled(command, table=f"{NOT_UTF_8}-nosuch") for command in ("train", "columns")]
    calls += [filled(command, model=f"{NOT_UTF_8}-t.csv") for command in ("show", "predict")]
    calls += [[*filled("show"), f"--{NOT_UTF_8}"], [NOT_UTF_8]]
    forked([{"words": words, "streams": {}} for words in calls])


def test_a_report_names_such_a_file_by_escapes(odd_names, capsys):
    assert main([*odd_call("report", out="r.html")]) == 0
    assert r"caf\udce9-t.csv" in Path("r.html").read_text(encoding="utf-8")
