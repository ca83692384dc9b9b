"""Commands do not wait for libraries that they never use, and find them when they do."""

import json
import subprocess
import sys

from machine import imported

COMMAND = """
import json, sys
from treewright.cli.main import main
from treewright.cli.quick_start import start_quickly

start_quickly()
code = main(["train", "loans", "--quiet"])
slow = [name for name in ("pandas", "scipy.optimize") if name in sys.modules]
"""


def told(rest):
    """What a process prints that has run a command and goes on with `rest`."""
    done = subprocess.run(
        [sys.executable, "-c", COMMAND + rest], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_a_command_loads_neither_pandas_nor_the_statistics_of_scipy():
    assert told("print(json.dumps([code, slow]))") == [0, []]


def test_the_statistics_of_scipy_are_there_when_they_are_wanted():
    rest = """
import scipy
from sklearn.utils import fixes
mode = fixes._mode([1, 2, 2])
is_the_one = scipy.stats is sys.modules["scipy.stats"]
print(json.dumps([int(mode.mode[0]), is_the_one, scipy.stats.norm.cdf(0.0)]))
"""
    assert told(rest) == [2, True, 0.5]


def test_names_of_a_module_that_waits_can_be_imported():
    rest = """
from scipy.stats import norm
import scipy.stats.distributions
print(json.dumps([norm.cdf(0.0), scipy.stats.distributions.norm is norm]))
"""
    assert told(rest) == [0.5, True]


def test_pandas_is_there_when_it_is_wanted():
    imported("pandas")
    rest = """
import pandas as pd
import treewright as tw
X = pd.DataFrame({"sky": ["sun", "rain"] * 5})
print(json.dumps(list(tw.C45Classifier().fit(X, ["yes", "no"] * 5).predict(X[:2]))))
"""
    assert told(rest) == ["yes", "no"]


def test_a_program_that_imports_treewright_finds_everything_as_usual():
    rest = "import treewright as tw; tw.C45Classifier; import treewright.cli.app"
    program = f"import sys; before = [*sys.meta_path]; {rest}; assert sys.meta_path == before"
    subprocess.run([sys.executable, "-c", program], check=True)


def test_the_package_is_the_command():
    done = subprocess.run(
        [sys.executable, "-m", "treewright", "--version"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.startswith("treewright ")
