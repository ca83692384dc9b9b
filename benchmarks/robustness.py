"""Bad treatment, beside the peers: `python -m benchmarks.robustness`.

Each case runs for each library in a process of its own, so that a crash or a hang is an outcome
like any other. Writes `benchmarks/results/robustness.md` and `.json`. Only the Treewright column
has a say in the exit code.
"""

import argparse
import contextlib
import json
import os
import platform
import re
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, replace
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import benchmarks.robustness_cases  # noqa: F401 - registers the cases
from benchmarks.robustness_cases.case import (
    CASES,
    CLEAR,
    CRASH,
    FROM_BEST_TO_WORST,
    HANG,
    NOT_APPLICABLE,
    OK,
    UNCLEAR,
    Case,
    Verdict,
    judge,
)
from benchmarks.robustness_cases.libraries import LIBRARIES

RESULTS = Path(__file__).parent / "results"
VERDICT = "verdict: "
MADE_FOLDER = re.compile(re.escape(tempfile.gettempdir()) + r"/tmp\w+/")  # of a case's files


def main() -> int:
    arguments = parsed_arguments()
    if arguments.one:
        return print_one(*arguments.one)
    libraries = [name for name in LIBRARIES if find_spec(LIBRARIES[name].package)]
    cases = [case for case in in_order(CASES.values()) if chosen(case, arguments.cases)]
    outcomes = {
        **tried_all([case for case in cases if not case.alone], libraries, arguments.processes),
        **tried_all([case for case in cases if case.alone], libraries, 1),
    }
    page = "\n".join(report(cases, libraries, outcomes))
    print(page[: page.index("## Every case")])
    if not arguments.cases:
        keep(page, outcomes)
    ours = [verdicts["treewright"].word for verdicts in outcomes.values()]
    return int(any(word not in (OK, CLEAR, NOT_APPLICABLE) for word in ours))


def parsed_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", nargs="*", help="numbers such as T01; all if none is given")
    parser.add_argument(
        "--processes", type=int, default=os.cpu_count(), help="for cases that need no quiet machine"
    )
    parser.add_argument("--one", nargs=2, metavar=("CASE", "LIBRARY"), help=argparse.SUPPRESS)
    return parser.parse_args()


def absent() -> dict[str, str]:
    """Libraries that could not be asked, and why."""
    return {
        name: f"not installed, or no wheel for {platform.machine()}"
        for name, library in LIBRARIES.items()
        if not find_spec(library.package)
    }


def in_order(cases: Iterable[Case]) -> list[Case]:
    return sorted(cases, key=lambda case: case.number)


def chosen(case: Case, numbers: list[str]) -> bool:
    return not numbers or case.number in numbers


def print_one(key: str, library: str) -> int:
    """One case for one library, in this process; a line has the verdict."""
    verdict = judge(CASES[key], LIBRARIES[library]())
    print("\n" + VERDICT + json.dumps(asdict(verdict)), flush=True)
    os._exit(0)  # threads that a case left behind have no say any more


def tried_all(
    cases: list[Case], libraries: list[str], n_processes: int
) -> dict[str, dict[str, Verdict]]:
    """The verdicts on each library, by case; printed as they come."""
    outcomes = {}
    with ThreadPoolExecutor(n_processes) as pool:
        begun = {case: [pool.submit(tried, case, name) for name in libraries] for case in cases}
        for case, tries in begun.items():
            verdicts = {name: each.result() for name, each in zip(libraries, tries, strict=True)}
            outcomes[case.key] = verdicts
            print_case(case, verdicts)
    return outcomes


def tried(case: Case, library: str) -> Verdict:
    """The verdict from a fresh process; a crash or a hang is given a second try."""
    verdict = tried_once(case, library)
    if verdict.word not in (CRASH, HANG):
        return verdict
    again = tried_once(case, library)
    return verdict if (verdict.word, again.word) == (CRASH, HANG) else again


def tried_once(case: Case, library: str) -> Verdict:
    command = [sys.executable, "-W", "ignore", "-m", "benchmarks.robustness", "--one", case.key]
    child = subprocess.Popen(
        [*command, library],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        errors="replace",  # of what a library prints
        start_new_session=True,
    )
    try:
        printed, _ = child.communicate(timeout=case.seconds)
    except subprocess.TimeoutExpired:
        return Verdict(HANG, f"no answer after {case.seconds:g} s")
    finally:
        end_group(child)
    if child.returncode != 0:
        return Verdict(CRASH, how_it_ended(child.returncode))
    (verdict,) = (line for line in printed.splitlines() if line.startswith(VERDICT))
    found = Verdict(**json.loads(verdict.removeprefix(VERDICT)))
    return replace(found, detail=MADE_FOLDER.sub("", found.detail))


def end_group(child: "subprocess.Popen[str]") -> None:
    """Whatever a case started goes with it."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child.pid, signal.SIGKILL)
    child.wait()


def how_it_ended(code: int) -> str:
    return f"the process ended by {signal.Signals(-code).name}" if code < 0 else f"exit {code}"


def print_case(case: Case, verdicts: dict[str, Verdict]) -> None:
    words = "  ".join(f"{name}: {verdict.word}" for name, verdict in verdicts.items())
    print(f"{case.number} {case.title}\n     {words}", flush=True)


def report(
    cases: list[Case], libraries: list[str], outcomes: dict[str, dict[str, Verdict]]
) -> Iterable[str]:
    """The page: how many of each, then every case."""
    yield "# Bad treatment, beside the peers\n"
    yield (
        f"{len(cases)} cases, each in a process of its own; `python -m benchmarks.robustness` "
        f"makes this page. {platform.machine()}, Python {platform.python_version()}, "
        + ", ".join(f"{name} {version(name)}" for name in libraries)
        + "."
        + "".join(f" {name} could not be asked: {why}." for name, why in absent().items())
        + "\n"
    )
    yield (
        "*ok*: the right answer. *Clear error*: it names what is wrong (or a warning does). "
        "*Unclear error*: it does not, or is an accident of the program. *Wrong*: accepted "
        "without a word, and the answer is not right or there is none. *Hang*: no answer in the "
        "time of the case, which is one second for Ctrl-C. *Not applicable*: the library has "
        "nothing to try it on, or documents it as legal. A crash or a hang is tried twice; the "
        "better try counts.\n"
    )
    yield (
        "Some answers follow from what a library documents. scikit-learn's models are kept by "
        "pickle, which promises no safety, as scikit-learn's own documentation says: T34 to T40 "
        "and T50 are about pickle as much as about scikit-learn. scikit-learn, XGBoost and YDF "
        "learn from features of single precision, XGBoost, LightGBM and YDF from such targets: "
        "T08, T09 and T62 show what this means.\n"
    )
    yield "| | " + " | ".join(libraries) + " |\n|---|" + "---|" * len(libraries)
    counts = {name: Counter(row[name].word for row in outcomes.values()) for name in libraries}
    for word in (*FROM_BEST_TO_WORST, NOT_APPLICABLE):
        yield f"| {word} | " + " | ".join(str(counts[name][word]) for name in libraries) + " |"
    placed = {name: errors_that_say_where(outcomes, name) for name in libraries}
    yield "| errors that say where | " + " | ".join(placed.values()) + " |\n"
    yield "## Every case\n"
    yield "| | case | " + " | ".join(libraries) + " |\n|---|---|" + "---|" * len(libraries)
    for case in cases:
        words = [outcomes[case.key][name].word for name in libraries]
        yield f"| {case.number} | {case.title} | " + " | ".join(words) + " |"
    yield "\n## What the peers said, and ours\n"
    for case in cases:
        for name in libraries:
            verdict = outcomes[case.key][name]
            if verdict.detail:
                said = f"{verdict.word}: `{quoted(verdict.detail)}`"
                yield f"- {case.number} {case.title}, {name}: {said}"


def errors_that_say_where(outcomes: dict[str, dict[str, Verdict]], name: str) -> str:
    said = [row[name].placed for row in outcomes.values() if row[name].word in (CLEAR, UNCLEAR)]
    asked = [placed for placed in said if placed is not None]
    return f"{sum(asked)} of {len(asked)}"


def quoted(text: str) -> str:
    return " ".join(text.replace("`", "'").split())


def version(name: str) -> str:
    return str(import_module(LIBRARIES[name].package).__version__)


def keep(page: str, outcomes: dict[str, dict[str, Verdict]]) -> None:
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "robustness.md").write_text(page + "\n")
    rows: dict[str, Any] = {
        key: {name: asdict(verdict) for name, verdict in row.items()}
        for key, row in outcomes.items()
    }
    (RESULTS / "robustness.json").write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    sys.exit(main())
