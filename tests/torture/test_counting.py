"""The counts of `benchmarks/reliability` count what they say: they notice what they look for."""

import os
import random
import re
import sys
import tempfile
import threading
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from benchmarks.reliability import (
    determinism,
    forks,
    interrupts,
    kills,
    mutants,
    one_core_each,
    properties,
    under_fire,
)
from benchmarks.reliability.figures import write_figures
from fuzz import apart, mutant_worker, sanitized
from fuzz import run as fuzz_run
from fuzz.native_build import NATIVE_NAMES
from fuzz.seeds import seed_files

import treewright as tw
from treewright.estimators.threads import usable_cores
from treewright.files import write_file
from treewright.persistence import container
from treewright.verbs.load import model_bytes, model_from_bytes

# ---------------------------------------------------------------------------- interrupts


@pytest.fixture
def call(monkeypatch, tmp_path):
    """Puts a call in the place of the long ones, and temporary files where no one else has any."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))

    def install(made):
        monkeypatch.setitem(under_fire.LONG_CALLS, "made", made)

    return install


@pytest.mark.timed
def test_interrupts_that_came_too_late_are_sent_again(call, monkeypatch):
    call(lambda _scale: lambda: time.sleep(0.05))
    monkeypatch.setattr(interrupts, "BEYOND", 2)
    outcome = interrupts.interrupted("made", 6, 1.0, 0)
    assert outcome.n_over > 0
    assert len(outcome.seconds) == 6
    assert not outcome.failed(1.0)


@pytest.mark.timed
def test_a_call_that_was_never_interrupted_fails(call):
    call(lambda _scale: lambda: None)
    outcome = interrupts.interrupted("made", 6, 1.0, 0)
    assert outcome.failed(1.0)
    assert "interrupts were in time" in outcome.faults[-1]


@pytest.mark.timed
def test_calls_are_interrupted_from_beginning_to_end(call, monkeypatch):
    """Also those that take long here, which are made smaller."""
    call(lambda scale: lambda: time.sleep(scale))
    monkeypatch.setattr(interrupts, "LONGEST", 0.1)
    outcome = interrupts.interrupted("made", 16, 0.3, 0)
    assert outcome.duration < 0.28
    assert outcome.latest > 0.08


@pytest.mark.timed
def test_a_call_that_returns_something_else_after_an_interrupt_fails(call):
    def spoilt(_scale):
        state = ["whole"]

        def run():
            before = state[0]
            state[0] = "half"
            time.sleep(0.1)
            state[0] = before
            return before

        return run

    call(spoilt)
    outcome = interrupts.interrupted("made", 2, 1.0, 0)
    assert "after an interrupt the call returns something else" in outcome.faults


@pytest.mark.parametrize("name", ["CARTClassifier", "RandomForestClassifier"])
def test_an_interrupted_fit_leaves_the_old_model_or_the_whole_new_one(name):
    """The new one if the interrupt came when the fit had just ended."""
    fits = under_fire.FitUnderFire(under_fire.LONG_FITS[name], 0.01).calls()
    for _ in range(under_fire.FitUnderFire.n_turns):
        fit, faults = next(fits)
        assert not list(faults())
        model = fit()
        assert not list(faults())
        model.__dict__["_state"] = replace(model.state_, classes=model.classes_[::-1])
        assert len(list(faults())) == 1


# ---------------------------------------------------------------------------- kills and forks


def test_kills_that_come_too_late_are_drawn_again(monkeypatch, tmp_path):
    def write(words):
        time.sleep(0.05)
        write_file(words[1], words[2].encode())
        return 0

    monkeypatch.setattr(kills, "run_command", write)
    monkeypatch.chdir(tmp_path)
    found = kills.killed([["--out", "f", "old"], ["--out", "f", "new"]], 6, random.Random(0))
    assert not found.failures
    files = [found.outcomes[f"the file is the {which} one"] for which in ("old", "new")]
    assert found.n_in_time == sum(files) == 6


def test_a_command_that_cannot_be_killed_in_time_is_a_failure(monkeypatch, tmp_path):
    monkeypatch.setattr(kills, "run_command", lambda words: write_file(*words[1:]) or 0)

    def until_its_end(process):
        os.waitid(os.P_PID, process, os.WEXITED | os.WNOWAIT)

    monkeypatch.setattr(kills, "wait_for_temporary_file", until_its_end)
    monkeypatch.setattr(kills, "MOST_DRAWS", 1)
    monkeypatch.chdir(tmp_path)
    found = kills.killed([["--out", "f", b"old"], ["--out", "f", b"new"]], 2, random.Random(0))
    assert found.failures[-1].startswith("only ")
    assert found.n_too_late


def test_a_forked_child_that_hangs_is_noticed_and_ended(monkeypatch):
    monkeypatch.setattr(forks, "PATIENCE", 0.3)
    assert forks.in_child(lambda: time.sleep(60) or b"", "idle") is None
    monkeypatch.setattr(forks, "PATIENCE", 60.0)
    assert forks.in_child(lambda: b"told", "child of a child") == b"told"
    assert forks.in_child(lambda: bytes(1 // 0), "idle") == b""


def test_the_parent_forks_while_the_pool_is_at_work(monkeypatch):
    """It tries again until then."""
    looks = iter([False, True])
    monkeypatch.setattr(forks, "pool_is_at_work", lambda: next(looks))
    monkeypatch.setattr(forks, "FITS_TAKE", 0.0)
    X, score = forks.numbers(forks.N_ROWS, forks.N_COLUMNS)
    n_before = threading.active_count()
    with forks.threads_at_work(X, forks.classes(score, 2), random.Random(0)):
        assert next(looks, "both looks are taken") == "both looks are taken"
    assert threading.active_count() == n_before


def test_forks_that_leave_a_manner_out_are_no_success(monkeypatch, capsys):
    monkeypatch.setattr(forks, "write_figures", lambda *_: None)
    monkeypatch.setattr(forks, "run_all", lambda n: (Counter(forks.MANNERS[:n]), Counter()))
    for n_runs, code in ((3, 0), (2, 1)):
        monkeypatch.setattr(sys, "argv", ["forks", "--runs", str(n_runs)])
        assert forks.main() == code
    assert "not tried: child of a child" in capsys.readouterr().out


@pytest.mark.parametrize("words", [("forks", "--runs"), ("kills", "--kills")])
def test_nothing_cannot_be_asked_for(words, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", [*words, "0"])
    with pytest.raises(SystemExit):
        {"forks": forks, "kills": kills}[words[0]].main()
    assert "0 is not at least 1" in capsys.readouterr().err


# ---------------------------------------------------------------------------- mutants


# In the place of a process that judges: it refuses every mutant but the seventh.
WORKER = """
import mmap, os, sys, time
first, end = int(sys.argv[4]), int(sys.argv[5])
with open(sys.argv[7], "r+b") as file:
    progress = memoryview(mmap.mmap(file.fileno(), 0)).cast("q")
for index in range(first, end):
    progress[0] = index
    if index == 7: {spoil}
    progress[2] += 1
os._exit(0)
"""


@pytest.mark.parametrize(
    ("spoil", "told"), [("os._exit(9)", "ends the process with 9"), ("time.sleep(99)", "hangs")]
)
def test_a_mutant_that_ends_or_stops_its_process_is_one_failure_of_all(
    spoil, told, monkeypatch, tmp_path
):
    """The others are counted, those before it too."""
    monkeypatch.setattr(mutants, "WAIT", 6.0)
    python = (sys.executable, "-c", WORKER.format(spoil=spoil))
    worker = mutants.Worker(0, 0, 12, 1, tmp_path, dict(os.environ), python)
    worker.start()
    while not worker.is_done():
        time.sleep(mutants.LOOK)
    assert [index for index, _ in worker.failures] == [7]
    assert told in worker.failures[0][1]
    assert worker.counts == {"bytes, refused": 11, "failed": 1}


def test_the_process_that_judges_counts_and_tells(monkeypatch, capsys):
    def judged(_content, *, must_be_refused):
        if must_be_refused:
            raise ValueError("taken although changed")
        return True

    monkeypatch.setattr(mutant_worker, "judged", judged)
    monkeypatch.setattr(mutant_worker, "seed_files", lambda: few)
    few = dict(list(seed_files().items())[:3])
    progress = [0] * mutant_worker.N_NUMBERS
    mutant_worker.judge_mutants(0, range(20), progress)
    counts = dict(zip(mutant_worker.SORTS, progress[1:], strict=True))
    assert progress[0] == 19
    assert sum(counts.values()) == 20
    assert counts["failed"] == capsys.readouterr().out.count("taken although changed") > 0
    assert counts["right checksum, accepted"] > 0


def test_arrays_of_model_files_are_apart_where_sanitizers_watch(monkeypatch):
    for module in apart.READERS:
        monkeypatch.setattr(module, "read_container", container.read_container)
    for name in tw.__all__:
        getattr(tw, name)  # loads every module that reads files
    readers = {
        module
        for name, module in sys.modules.items()
        if name.startswith("treewright.") and hasattr(module, "read_container")
    }
    assert readers == {*apart.READERS, container}
    forest = tw.RandomForestClassifier(n_estimators=2).fit([[0.0], [1.0]], ["a", "b"])
    content = model_bytes(forest)
    apart.keep_arrays_apart()
    for module in apart.READERS:
        arrays = module.read_container(content).arrays
        assert arrays
        assert all(array.base is None for array in arrays.values())
    assert model_bytes(model_from_bytes(content)) == content


@pytest.mark.parametrize("changed", ["grow.cpp", "deep/node.hpp"])
def test_a_module_with_sanitizers_that_is_older_than_a_source_is_refused(
    changed, tmp_path, monkeypatch
):
    sources, build = tmp_path / "core", tmp_path / "asan"
    monkeypatch.setattr(sanitized, "SOURCES", (sources,))
    monkeypatch.setattr(sanitized, "BUILD", build)
    (sources / "deep").mkdir(parents=True)
    build.mkdir()
    for name in ("grow.cpp", "deep/node.hpp"):
        (sources / name).touch()
        os.utime(sources / name, (100, 100))
    with pytest.raises(SystemExit, match="not built: cmake/sanitized asan build"):
        sanitized.sanitized_environment()
    module = build / "_native.cpython-311.so"
    module.touch()
    os.utime(module, (200, 200))
    assert sanitized.sanitized_environment()["PYTHON"] == sys.executable
    os.utime(sources / changed, (300, 300))
    with pytest.raises(SystemExit, match=f"older than .*{changed}: cmake/sanitized asan build"):
        sanitized.sanitized_environment()


# ---------------------------------------------------------------------------- fuzzing


@pytest.fixture
def elsewhere(monkeypatch, tmp_path):
    """What fuzzing finds is kept in another folder."""
    monkeypatch.setattr(fuzz_run, "ROOT", tmp_path)
    monkeypatch.setattr(fuzz_run, "FOUND", tmp_path / "found")


def test_a_fuzzer_that_hangs_has_broken_something(elsewhere, monkeypatch):
    monkeypatch.setattr(fuzz_run, "GRACE", 0.2)
    job = fuzz_run.Job("made", (sys.executable, "-c", "import time; time.sleep(99)"))
    outcome = fuzz_run.run(job, 0)
    assert outcome.broke
    assert "it hangs" in outcome.output


@pytest.fixture
def fuzzed(elsewhere, monkeypatch, tmp_path):
    """The exit code of fuzzing with one target that can run here, and prints this."""

    def run(*words, prints="Done 7 runs in 1 second(s)"):
        program = tmp_path / "program"
        program.write_text(f"#!/bin/sh\necho '{prints}'\n")
        program.chmod(0o755)
        monkeypatch.setattr(fuzz_run.importlib.util, "find_spec", lambda _name: None)
        monkeypatch.setattr(fuzz_run, "native_programs", lambda: ({"csv_target": program}, ""))
        monkeypatch.setattr(sys, "argv", ["run", "--seconds", "1", *words])
        return fuzz_run.main()

    return run


@pytest.mark.parametrize("words", [(), ("--targets", "csv_target", "csv_table")])
def test_a_target_that_cannot_run_is_an_error(words, fuzzed, capsys):
    assert fuzzed(*words) == 1
    told = capsys.readouterr().out
    assert "skipped: " in told
    assert "7 runs" in told
    assert "not run: " in told


def test_skips_can_be_allowed_but_not_of_a_target_that_was_asked_for(fuzzed):
    assert fuzzed("--allow-skips") == 0
    assert fuzzed("--targets", "csv_target") == 0
    assert fuzzed("--allow-skips", "--targets", "csv_target", "csv_table") == 1


@pytest.mark.parametrize("prints", ["", "Done 0 runs in 1 second(s)"])
def test_a_target_that_tried_no_input_is_an_error(prints, fuzzed, capsys):
    assert fuzzed("--targets", "csv_target", prints=prints) == 1
    assert "TRIED NOTHING" in capsys.readouterr().out


def test_every_fuzzer_of_the_core_begins_with_some_inputs():
    for name in NATIVE_NAMES:
        assert list((Path(fuzz_run.__file__).parent / "corpus" / name).iterdir())


# ---------------------------------------------------------------------------- coverage


@pytest.mark.parametrize(("worker", "core"), [("gw0", 3), ("gw1", 5), ("gw2", 3), ("", None)])
def test_each_worker_keeps_to_a_core_of_its_own(worker, core, monkeypatch):
    usable_cores()  # is remembered: this machine has what it had
    kept = []
    monkeypatch.setenv("PYTEST_XDIST_WORKER", worker)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _process: {3, 5}, raising=False)
    monkeypatch.setattr(os, "sched_setaffinity", lambda *given: kept.append(given), raising=False)
    one_core_each.pytest_configure()
    assert kept == ([(0, {core})] if core else [])


# ---------------------------------------------------------------------------- pages


def test_a_smaller_count_does_not_take_the_page_of_a_larger_one(tmp_path, capsys):
    assert write_figures("kills", "--kills 1000", ["all whole"], tmp_path)
    assert not write_figures("kills", "--kills 20", ["some"], tmp_path)
    assert "larger count" in capsys.readouterr().out
    page = (tmp_path / "kills.md").read_text()
    assert page == "`python -m benchmarks.reliability.kills --kills 1000`\n\nall whole\n"
    assert write_figures("kills", "--kills 1000", ["all whole again"], tmp_path)
    assert write_figures("coverage", "", ["95 %"], tmp_path)
    assert (tmp_path / "coverage.md").read_text().startswith("`python -m benchmarks.reliability.c")


def test_combinations_of_models_and_threads_are_counted_once():
    """A model without threads is one, and numbers that no machine starts are not told apart."""
    assert determinism.n_distinct("find-S") == 1
    assert 5 <= determinism.n_distinct("forest") <= len(determinism.THREADS)


def test_what_was_not_compared_is_told():
    known = {("iris", name): "digest" for name in determinism.MODELS}
    counted = Counter(determinism.SETTINGS[1:])
    lacking = determinism.not_tried(known, counted, has_all=False)
    assert lacking == [determinism.SETTINGS[0]]
    lacking = determinism.not_tried(known, Counter(determinism.SETTINGS), has_all=True)
    assert {*lacking} == determinism.TABLES.keys() - {"iris"}


def test_a_property_without_tests_is_no_success(monkeypatch):
    monkeypatch.setattr(properties, "tests", lambda: ["tests/a.py::test_P1_x"])
    monkeypatch.setattr(sys, "argv", ["properties", "--only", "P99"])
    with pytest.raises(SystemExit, match="no such test"):
        properties.main()


def test_every_property_of_the_list_has_a_test():
    passed = "PASSED tests/a.py::test_P4_x[1]\nFAILED tests/a.py::TestP18::runTest - x\nPASSED a::b"
    found = properties.outcomes(passed)
    assert (found[4]["PASSED"], found[18]["FAILED"]) == (1, 1)
    texts = [path.read_text() for path in Path(__file__).parents[1].rglob("test_*.py")]
    names = re.findall(r"(?:def test_|class Test)P(\d+)", "\n".join(texts))
    assert {int(name) for name in names} == set(properties.NUMBERS)
