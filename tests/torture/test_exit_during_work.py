"""The interpreter may exit while a daemon thread is inside the compiled core.

Python then ends every thread that asks for the interpreter lock. That once aborted the process:
the thread was ended in the midst of C++ code.
"""

import subprocess
import sys
from concurrent.futures import thread

import numpy as np
import pytest

import treewright as tw

N_EXITS = 3  # for each kind of work, each at another moment

# The parent imports once and forks; each child exits as a Python program does.
CHILD = """
import os, sys, tempfile, threading, time
import numpy as np
import treewright as tw

rng = np.random.default_rng(0)
X = rng.normal(size=(20_000, 8))
y = np.where(X[:, 0] * X[:, 1] + X[:, 2] > 0, "yes", "no")
numbers = X[:, 0] * X[:, 1]

def impurity(weights):
    share = weights / weights.sum()
    return 1.0 - float(share @ share)

def after_fit(model, use):
    model.fit(X[:4000], y[:4000])
    return lambda: use(model)

def loading():
    folder = tempfile.mkdtemp()
    path = os.path.join(folder, "model.tw")
    tw.RandomForestClassifier(n_estimators=60, n_jobs=2).fit(X, y).save(path)
    return lambda: tw.load(path)

def reading():
    folder = tempfile.mkdtemp()
    path = os.path.join(folder, "table.csv")
    with open(path, "w") as file:
        file.write("a,b,c\\n" + "1.5,red,7\\n" * 400_000)
    return lambda: tw.read_table(path)

def fitting(name, **settings):
    target = numbers if name.endswith("Regressor") else y
    model = getattr(tw, name)(**settings)
    def warmed_up():  # all that is imported late is there
        model.fit(X[:60], target[:60])
        return lambda: model.fit(X, target)
    return warmed_up

WORK = {
    "boosted": fitting("BoostedTreesClassifier", n_estimators=200, n_jobs=2),
    "forest": fitting("RandomForestClassifier", n_estimators=200, n_jobs=2),
    "tree": fitting("CARTClassifier", n_jobs=2),
    "tree_one_thread": fitting("C45Classifier", n_jobs=1),
    "own_criterion": fitting("TreeClassifier", criterion=impurity, n_jobs=2),
    "oblique": fitting("ObliqueTreeClassifier"),
    "optimal": fitting("OptimalTreeClassifier", max_depth=3),
    "model_tree": fitting("M5Regressor"),
    "isolation": fitting("IsolationForest", n_estimators=200),
    "descent": fitting("GradientDescentClassifier"),
    "clusters": fitting("KMeans", n_clusters=8),
    "neighbors": lambda: after_fit(tw.KNeighborsClassifier(), lambda m: m.predict(X)),
    "predict": lambda: after_fit(
        tw.RandomForestClassifier(n_estimators=50), lambda m: m.predict_proba(X)),
    "shap": lambda: after_fit(
        tw.RandomForestClassifier(n_estimators=10, max_depth=6), lambda m: tw.shap_values(m, X)),
    "load": loading,
    "read_csv": reading,
}

do = WORK[sys.argv[1]]()
for exit in range(int(sys.argv[2])):
    child = os.fork()
    if child == 0:
        def work():
            while True:
                do()
        threading.Thread(target=work, daemon=True).start()
        while time.process_time() < 0.06 + 0.037 * exit:  # of this child, all threads together
            time.sleep(0.005)
        sys.exit(0)
    _, status = os.waitpid(child, 0)
    assert status == 0, f"exit {exit}: status {status}"
"""

WORK = [
    "boosted",
    "forest",
    "tree",
    "tree_one_thread",
    "own_criterion",
    "oblique",
    "optimal",
    "model_tree",
    "isolation",
    "descent",
    "clusters",
    "neighbors",
    "predict",
    "shap",
    "load",
    "read_csv",
]


@pytest.mark.skipif(sys.platform == "win32", reason="forks")
@pytest.mark.parametrize("work", WORK)
def test_an_exit_while_a_daemon_thread_works_is_clean(work):
    """The exit code is 0 and nothing is printed, at whatever moment the exit comes."""
    done = subprocess.run(
        [sys.executable, "-c", CHILD, work, str(N_EXITS)],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_daemon_thread_goes_on_without_others_while_python_exits(monkeypatch):
    """It can no longer start threads; the user should see no error about that."""
    rows = np.random.default_rng(0).normal(size=(2000, 3))
    classes = rows[:, 0] > rows[:, 1] ** 2
    model = tw.CARTClassifier(n_jobs=2)
    expected = model.fit(rows, classes).export_text()
    monkeypatch.setattr(thread, "_shutdown", True)
    assert model.fit(rows, classes).export_text() == expected
