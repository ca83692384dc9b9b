"""Broken and hostile model files, and what becomes of a file in trouble: T34 to T41, T49, T50."""

import hashlib
import json
import locale
import os
import pickle
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from benchmarks.robustness_cases.case import NotAskableError, case, is_clear

RNG = np.random.default_rng(0)
ROWS = RNG.normal(size=(300, 4))
LABELS = (ROWS[:, 0] + ROWS[:, 1] > 0).astype(int)
FILE = (
    "file|model|json|parse|format|version|truncat|checksum|damaged|corrupt|end of|eof"
    "|pickl|ran out of input|invalid load key"
)


def folder() -> Path:
    return Path(tempfile.mkdtemp())


def kept(library) -> tuple[Path, np.ndarray]:
    """The file of a model, and what it answers on `ROWS`."""
    model = library.tree(max_depth=4).fit(ROWS, LABELS)
    path = folder() / f"model{library.suffix}"
    library.save(model, path)
    return path, np.asarray(library.load(path).predict_proba(ROWS))


def same_or_error(library, content: bytes, predictions: np.ndarray) -> Exception | bool:
    """The error for a changed file, or whether it still answers as the model did."""
    path = folder() / f"model{library.suffix}"
    path.write_bytes(content)
    try:
        return np.array_equal(library.load(path).predict_proba(ROWS), predictions)
    except Exception as error:
        return error
    finally:
        path.unlink()
        path.parent.rmdir()


def all_noticed(outcomes: list[Exception | bool]) -> bool:
    """Whether no change went through with other answers; raises the least clear error if some did
    not go through."""
    if any(outcome is False for outcome in outcomes):
        return False
    errors = [outcome for outcome in outcomes if isinstance(outcome, Exception)]
    if errors:
        raise min(errors, key=lambda error: is_clear(error, (FILE,)))
    return True


@case("T34", "a model file cut at 200 places", names=(FILE,), place=r"model\.\w+")
def file_cut_short(library):
    path, predictions = kept(library)
    content = path.read_bytes()
    lengths = np.linspace(0, len(content) - 2, 200).astype(int)
    return all_noticed([same_or_error(library, content[:n], predictions) for n in lengths])


@case("T35", "one byte of a model file changed, 1,000 times", names=(FILE,), seconds=120)
def byte_changed(library):
    path, predictions = kept(library)
    content = path.read_bytes()
    outcomes = []
    for _ in range(1000):
        changed = bytearray(content)
        changed[int(RNG.integers(len(changed)))] ^= 1 << int(RNG.integers(8))
        outcomes.append(same_or_error(library, bytes(changed), predictions))
    return all_noticed(outcomes)


@case("T36", "a child beyond the end of the tree", names=(r"child|node|index",), place=r"node \d+")
def child_out_of_range(library):
    return changed_tree_is_refused(library, "child")


@case("T36", "a column beyond the end of the table", names=("feature|column",), place=r"node \d+")
def column_out_of_range(library):
    return changed_tree_is_refused(library, "column")


def changed_tree_is_refused(library, what: str) -> bool:
    path, _ = kept(library)
    change = {
        "treewright": change_treewright,
        "scikit-learn": change_scikit_learn,
        "XGBoost": change_xgboost,
        "LightGBM": change_lightgbm,
    }[library.name]
    change(path, what)
    library.load(path).predict_proba(ROWS)
    return False


def change_treewright(path: Path, what: str) -> None:
    text = path.read_text()
    name, value = {"child": ("first_child", 100_000), "column": ("feature", 100_000)}[what]
    text = re.sub(rf'"{name}": \[-?\d+', f'"{name}": [{value}', text, count=1)
    path.write_text(with_checksum(text))


def with_checksum(text: str) -> str:
    head, model = text.split('"model": ', 1)
    digest = hashlib.sha256(model.encode()).hexdigest()
    return re.sub("sha256:[0-9a-f]+", f"sha256:{digest}", head) + '"model": ' + model


def change_scikit_learn(path: Path, what: str) -> None:
    """What an edited pickle can hold: the arrays of its tree are data like any other."""
    model = pickle.loads(path.read_bytes())
    state = model.tree_.__getstate__()
    state["nodes"][{"child": "left_child", "column": "feature"}[what]][0] = 100_000_000
    made, arguments, _ = model.tree_.__reduce__()
    model.tree_ = made(*arguments)
    model.tree_.__setstate__(state)
    path.write_bytes(pickle.dumps(model))


def change_xgboost(path: Path, what: str) -> None:
    content = json.loads(path.read_text())
    tree = content["learner"]["gradient_booster"]["model"]["trees"][0]
    tree[{"child": "left_children", "column": "split_indices"}[what]][0] = 100_000_000
    path.write_text(json.dumps(content))


def change_lightgbm(path: Path, what: str) -> None:
    name = {"child": "left_child", "column": "split_feature"}[what]
    text = without_tree_sizes(path.read_text())
    path.write_text(re.sub(rf"{name}=-?\d+", f"{name}=100000000", text, count=1))


def without_tree_sizes(text: str) -> str:
    """They are optional; they would betray a longer tree before it is read."""
    return re.sub(r"tree_sizes=.*\n", "", text)


@case("T38", "a million opening brackets for a model", names=(FILE,), seconds=20)
def brackets(library):
    path = folder() / f"model{library.suffix}"
    path.write_bytes(b'{"learner": ' + b"[" * 1_000_000)
    library.load(path)
    return False


@case(
    "T39",
    "one key twice: what a reader sees is not what answers",
    names=("twice|duplicate|key|checksum",),
)
def key_twice(library):
    path, _ = kept(library)
    double = {"treewright": twice_in_treewright, "XGBoost": twice_in_xgboost}
    double["LightGBM"] = twice_in_lightgbm
    if library.name not in double:
        raise NotAskableError("its file has no keys")
    path.write_text(double[library.name](path.read_text()))
    library.load(path).predict_proba(ROWS)
    return False


def twice_in_treewright(text: str) -> str:
    return with_checksum(text.replace('"n_nodes": ', '"n_nodes": 1,\n"n_nodes": ', 1))


def twice_in_xgboost(text: str) -> str:
    thresholds = re.search(r'"split_conditions":\[([^]]*)\]', text).group(1)
    others = ",".join("7.0" for _ in thresholds.split(","))
    return text.replace('"base_weights"', f'"split_conditions":[{others}],"base_weights"', 1)


def twice_in_lightgbm(text: str) -> str:
    leaves = re.search(r"leaf_value=.*", text).group()
    others = "leaf_value=" + " ".join("-9" for _ in leaves.split())
    return without_tree_sizes(text).replace(leaves, f"{leaves}\n{others}", 1)


class Canary:
    """A pickle that leaves a file when it is read."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self):
        return Path.touch, (self.path,)


@case("T40", "a pickle under the name of a model: nothing of it runs", names=(FILE,))
def pickle_for_a_model(library):
    place = folder()
    path = place / f"model{library.suffix}"
    path.write_bytes(pickle.dumps(Canary(place / "canary")))
    try:
        library.load(path)
    except Exception:
        if not (place / "canary").exists():
            raise
    return False


@case("T41", "a country with decimal commas")
def decimal_commas(library):
    try:
        locale.setlocale(locale.LC_ALL, "de_DE.UTF-8")
    except locale.Error:
        raise NotAskableError("the locale de_DE.UTF-8 is not installed") from None
    model = library.tree(max_depth=4).fit(ROWS, LABELS)
    path = folder() / f"model{library.suffix}"
    library.save(model, path)
    return np.array_equal(library.load(path).predict(ROWS), model.predict(ROWS))


@case("T49", "saving on a full disk", names=("space|full|writ",), place="/dev/full")
def full_disk(library):
    if not Path("/dev/full").exists():
        raise NotAskableError("there is no /dev/full")
    library.save(library.tree(max_depth=4).fit(ROWS, LABELS), Path("/dev/full"))
    return False


SAVING = """
import sys
from pathlib import Path
import numpy as np
from benchmarks.robustness_cases.libraries import LIBRARIES
library = LIBRARIES[sys.argv[1]]()
rng = np.random.default_rng(0)
x = rng.normal(size=(20_000, 4))
settings = {"n_estimators": 200} if library.has_bins else {}
model = library.tree(**settings).fit(x, rng.integers(0, 2, len(x)))
library.save(model, Path(sys.argv[2]))
print("saved", flush=True)
while True:
    library.save(model, Path(sys.argv[3]))
"""


@case("T50", "kill -9 while a file is written over, 25 times: the old or the new one", seconds=400)
def killed_while_saving(library):
    kept(library)  # a library that keeps no file of a model says so here
    place, draw = folder(), random.Random(0)
    whole, path = place / f"whole{library.suffix}", place / f"model{library.suffix}"
    for _ in range(25):
        writer = subprocess.Popen(
            [sys.executable, "-c", SAVING, library.name, whole, path], stdout=subprocess.PIPE
        )
        writer.stdout.readline()
        while not path.exists():
            assert writer.poll() is None, "the process that saves has ended"
            time.sleep(0.01)
        time.sleep(draw.random() * 0.3)
        os.kill(writer.pid, signal.SIGKILL)
        writer.wait()
        if path.read_bytes() != whole.read_bytes():
            return False
    return True
