"""T44 of the torture list: Ctrl-C ends any call soon, and leaves the old fit or the new.

Long calls are interrupted at random moments, many times: see benchmarks/reliability/interrupts.py.
"""

import random
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from benchmarks.reliability.calls_of_seconds import calls_of
from benchmarks.reliability.silences import silence_of

from torture.models import for_every_model, learned, table_for
from watched import SLOWER, best_of_three


class InterruptAtLine:
    """Counts the lines of Treewright that run, and raises KeyboardInterrupt at one of them."""

    def __init__(self, at=None):
        self.at, self.n_lines = at, 0

    def __call__(self, frame, event, _argument):
        if "treewright" not in frame.f_code.co_filename:
            return None
        if event == "line":
            self.n_lines += 1
            if self.n_lines == self.at:
                sys.settrace(None)
                raise KeyboardInterrupt
        return self

    def __enter__(self):
        self.before = sys.gettrace()  # that of a count of branches, for one
        sys.settrace(self)
        return self

    def __exit__(self, *_):
        sys.settrace(self.before)


@pytest.mark.filterwarnings("ignore::UserWarning")
@for_every_model
def test_T44_an_interrupt_at_any_line_leaves_the_old_fit_or_the_new(kind):
    """Never a part of each; and an estimator that was not fitted is not, or is wholly."""
    old_rows, new_rows = table_for(kind, 40), table_for(kind, 30, seed=1)
    states = [learned(kind().fit(*rows)) for rows in (old_rows, new_rows)]
    model = kind().fit(*old_rows)
    with InterruptAtLine() as lines:
        model.fit(*new_rows)
    draw = random.Random(0)
    last = range(
        max(1, lines.n_lines - 10), lines.n_lines + 1
    )  # where what was learned is taken on
    for at in {*last, *(draw.randint(1, lines.n_lines) for _ in range(3))}:
        was_fitted = at % 2 == 0
        model = kind().fit(*old_rows) if was_fitted else kind()
        with suppress(KeyboardInterrupt), InterruptAtLine(at):
            model.fit(*new_rows)
        if model.__sklearn_is_fitted__():
            assert learned(model) in (states if was_fitted else states[1:])
        else:
            assert not was_fitted
            assert not [name for name in vars(model) if name.endswith("_")]
        assert learned(model.fit(*new_rows)) == states[1]


SOON = ["CARTClassifier", "BoostedTreesClassifier", "KPrototypes", "tree finds leaves", "evaluate"]


def interrupted(names, times, scale=1.0, long=0):
    """Runs the harness in a process of its own, since it moves the folder of temporary files."""
    command = [sys.executable, "-m", "benchmarks.reliability.interrupts", "--alone"]
    command += ["--soon", str(5 * SLOWER)]  # 1 on a machine that has nothing else to do
    command += ["--scale", str(scale)]
    command += ["--times", str(times), "--long", str(long), *names]
    root = Path(__file__).parents[2]  # where `benchmarks` is found
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=root)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.timed
def test_T44_ctrl_c_ends_long_calls_soon():
    """And leaves no thread, no file, no half a fit, and the user's signal handler."""
    assert interrupted(SOON, 2, scale=0.3).count("\n") == len(SOON)


@pytest.mark.large
def test_T44_ctrl_c_ends_every_kind_of_call_soon():
    interrupted([], 20, long=10)


LISTENERS = {
    "CARTRegressor": 4,
    "CARTRegressor, absolute error": 1,
    "TreeClassifier, intervals": 20,
    "BoostedTreesClassifier": 4,
}


@pytest.mark.parametrize("name", LISTENERS)
@pytest.mark.timed
@best_of_three
def test_T44_a_long_fit_listens_all_the_time(name):
    """However large it is: Ctrl-C is heard within the search of one column."""
    by_one_thread = next(calls_of(name, LISTENERS[name]))
    assert silence_of(by_one_thread).longest_work < 0.25 * SLOWER
