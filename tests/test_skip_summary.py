"""Skipped tests say what to install, in one line for each package, with any number of workers."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from machine import PROGRAMS, how_to_install
from skip_summary import summary_lines

TESTS = Path(__file__).parent
SOME_TESTS = """
import pytest
from machine import imported, needs, needs_packages, program

PROGRAMS = {"a_program": ("A Program", "a-package")}
pytest.MonkeyPatch().setattr("machine.PROGRAMS", PROGRAMS)


@needs("a_program")
@pytest.mark.parametrize("number", range(3))
def test_marked(number):
    raise AssertionError


def test_within():
    program("a_program")


@needs_packages("no_such_package")
def test_of_a_package():
    raise AssertionError


def test_of_a_module():
    imported("no_such_package.part")


@pytest.mark.skipif(True, reason="there is no moon")
def test_another_reason():
    raise AssertionError


def test_that_passes():
    pass
"""
A_MODULE_THAT_IS_SKIPPED = """
from machine import imported

imported("no_such_package")
"""


@pytest.mark.parametrize("workers", ["0", "2"])
def test_the_end_of_a_run_says_what_to_install(tmp_path, workers):
    (tmp_path / "test_some.py").write_text(SOME_TESTS)
    (tmp_path / "test_whole_module.py").write_text(A_MODULE_THAT_IS_SKIPPED)
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    command = [sys.executable, "-m", "pytest", "-q", "-n", workers, "-p", "skip_summary", "."]
    path = os.pathsep.join([str(TESTS), *sys.path])
    done = subprocess.run(
        [*command, "-p", "no:cacheprovider"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    printed = [line for line in done.stdout.splitlines() if " skipped: " in line]
    assert printed == [
        "4 skipped: install A Program (apt install a-package)",
        "3 skipped: install the Python package no_such_package (pip install 'treewright[dev]')",
        "1 skipped: there is no moon",
    ]


def test_a_run_without_skipped_tests_prints_nothing():
    assert summary_lines([]) == []


@pytest.mark.parametrize("name", [*PROGRAMS, "aarch64-linux-gnu-g++", "qemu-s390x"])
def test_every_program_says_which_package_has_it(name):
    assert re.fullmatch(r"install .+ \(apt install [a-z0-9+-]+\)", how_to_install(name))


def test_a_test_cannot_need_a_program_that_nobody_knows_how_to_install():
    with pytest.raises(KeyError, match="what to install for `no_such_program`"):
        how_to_install("no_such_program")


def test_every_test_names_what_it_lacks_by_the_helpers_of_machine():
    wrong = re.compile(r"shutil\.which\(|pytest\.importorskip\(")
    allowed = {"machine.py", "test_skip_summary.py"}
    found = [
        f"{path.relative_to(TESTS)}: {line.strip()}"
        for path in sorted(TESTS.rglob("*.py"))
        if path.name not in allowed
        for line in path.read_text(encoding="utf-8").splitlines()
        if wrong.search(line)
    ]
    assert found == []
