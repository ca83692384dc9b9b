"""One library, one workload, in a process of its own: reads a request, prints a JSON line.

The arrays come from files, so that making them leaves no trace in the memory peak.
"""

import json
import os
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.ensemble_libraries import ENSEMBLES, EnsembleTask
from benchmarks.libraries import LIBRARIES, Library, Task, why_skipped
from benchmarks.workloads import WORKLOADS

Result = dict[str, Any]


class Request:
    """What to measure, with the arrays at hand."""

    def __init__(self, workload: str, library: str, folder: str, repeat: int, threads: int) -> None:
        self.workload = WORKLOADS[workload]
        self.library = library
        self.folder = Path(folder)
        self.repeat = repeat
        self.threads = threads

    def arrays(self) -> tuple[Any, Any, Any, Any]:
        """Training x and y, test x and y."""
        x = np.load(self.folder / "x.npy")
        y = np.load(self.folder / "y.npy")
        n_train = len(x) - self.workload.n_test
        return x[:n_train], y[:n_train], x[n_train:], y[n_train:]

    def trainer(self) -> Library:
        task = Task(**{"n_threads": self.threads, **self.workload.settings})
        return LIBRARIES[self.library](task)


def grown_tree(request: Request) -> Result:
    return trained(request, request.trainer())


def ensemble(request: Request) -> Result:
    task = EnsembleTask(**{"n_threads": request.threads, **request.workload.settings})
    return trained(request, ENSEMBLES[request.library](task))


def trained(request: Request, library: Library) -> Result:
    """Fit several times; then predict a batch and single rows; quality on the test rows."""
    x, y, x_test, y_test = request.arrays()
    library.fit(x[:1000], y[:1000])  # whatever loads on first use is not the model's memory
    with PeakMemory() as memory:
        times = [seconds(lambda: library.fit(x, y)) for _ in range(request.repeat)]
    batch = [seconds(lambda: library.scores(x_test)) for _ in range(3)]
    row = [seconds(lambda: library.scores(x_test[:1])) for _ in range(50)]
    return {
        "seconds": min(times),
        "all_seconds": times,
        "batch_seconds": min(batch),
        "row_seconds": float(np.median(row)),
        "peak_mb": memory.above_start / 2**20,
        "peak_per_input": memory.above_start / x.astype(np.float32, copy=False).nbytes,
        **quality(np.asarray(library.scores(x_test)), y_test),
    }


def quality(scores: Any, y: Any) -> Result:
    """Mean squared error, accuracy or area under the curve, as the target asks for."""
    from sklearn.metrics import roc_auc_score

    if y.dtype.kind == "f":
        return {"quality": float(np.mean((scores.ravel() - y) ** 2)), "quality_is": "squared error"}
    if scores.ndim == 2 and scores.shape[1] > 2:
        return {"quality": float(np.mean(scores.argmax(axis=1) == y)), "quality_is": "accuracy"}
    of_second = scores[:, -1] if scores.ndim == 2 else scores
    return {"quality": float(roc_auc_score(y, of_second)), "quality_is": "AUC"}


def small_fit(request: Request) -> Result:
    x, y, *_ = request.arrays()
    return many_times(default_tree(request).fit, x, y)


def row_predict(request: Request) -> Result:
    x, y, x_test, _ = request.arrays()
    model = default_tree(request).fit(x, y)
    return many_times(model.predict, x_test[:1])


def batch_predict(request: Request) -> Result:
    x, y, x_test, _ = request.arrays()
    model = default_tree(request).fit(x, y)
    times = [seconds(lambda: model.predict_proba(x_test)) for _ in range(request.repeat + 2)]
    return {"seconds": min(times), "all_seconds": times}


def pruning_path(request: Request) -> Result:
    """The path of a grown tree; of scikit-learn the part of its method that follows the fit."""
    x, y, *_ = request.arrays()
    model = default_tree(request).fit(x, y)
    if request.library == "treewright":
        from treewright import cost_complexity_path

        find = partial(cost_complexity_path, model)
    else:
        from sklearn.tree._tree import ccp_pruning_path

        find = partial(ccp_pruning_path, model.tree_)
    times = [seconds(find) for _ in range(request.repeat)]
    return {"seconds": min(times), "all_seconds": times, "leaves": int(model.get_n_leaves())}


def error_pruning(request: Request) -> Result:
    """Pruning by the rows that the tree was grown on; the peer is the growth itself."""
    import treewright

    x, y, *_ = request.arrays()
    model = treewright.CARTClassifier(prune=None, n_jobs=request.threads)
    times = [seconds(lambda: model.fit(x, y)) for _ in range(request.repeat)]
    if request.library == "treewright":
        prune = partial(treewright.prune, model, "error_based", x, y)
        times = [seconds(prune) for _ in range(request.repeat)]
        model = prune()
    return {"seconds": min(times), "all_seconds": times, "leaves": int(model.get_n_leaves())}


def default_tree(request: Request) -> Any:
    """A fully grown tree, as scikit-learn grows it with nothing set."""
    if request.library == "treewright":
        import treewright

        return treewright.CARTClassifier(prune=None, n_jobs=request.threads)
    from sklearn.tree import DecisionTreeClassifier

    return DecisionTreeClassifier(random_state=0)


def many_times(function: Callable[..., object], *arguments: object) -> Result:
    """The median of many short calls."""
    for _ in range(20):
        function(*arguments)
    times = [seconds(lambda: function(*arguments)) for _ in range(500)]
    return {"seconds": float(np.median(times)), "all_seconds": [min(times), max(times)]}


def c45_tree(request: Request) -> Result:
    """C4.5 on the Adult table, unpruned."""
    import treewright

    x, y = treewright.read_table(request.folder / "adult.arff", target="income")
    model = treewright.C45Classifier(prune=None, n_jobs=request.threads)
    times = [seconds(lambda: model.fit(x, y)) for _ in range(request.repeat)]
    return {"seconds": min(times), "all_seconds": times, "leaves": model.get_n_leaves()}


def many_levels(request: Request) -> Result:
    import treewright

    x, y, *_ = request.arrays()
    table = treewright.table_from({"level": x})
    model = getattr(treewright, request.library)(n_jobs=request.threads)
    if request.library == "CARTClassifier":
        model.set_params(prune=None)
    with PeakMemory() as memory:
        times = [seconds(lambda: model.fit(table, y)) for _ in range(request.repeat)]
    return {
        "seconds": min(times),
        "all_seconds": times,
        "peak_mb": memory.above_start / 2**20,
        "leaves": model.get_n_leaves(),
    }


def seconds(call: Callable[[], object]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


class PeakMemory:
    """The most memory this process held inside the block, above what it held before (Linux)."""

    def __enter__(self) -> "PeakMemory":
        Path("/proc/self/clear_refs").write_text("5")  # forget the peak so far
        self.start = resident("VmRSS")
        return self

    def __exit__(self, *_: object) -> None:
        self.above_start = resident("VmHWM") - self.start


def resident(field: str) -> int:
    """A field of /proc/self/status, in bytes."""
    status = Path("/proc/self/status").read_text()
    return int(status.partition(f"{field}:")[2].split()[0]) * 1024


MEASURES = {
    function.__name__: function
    for function in (
        grown_tree,
        ensemble,
        small_fit,
        row_predict,
        batch_predict,
        c45_tree,
        pruning_path,
        error_pruning,
        many_levels,
    )
}


def main() -> None:
    request = Request(**json.loads(sys.argv[1]))
    try:
        result = MEASURES[request.workload.measure](request)
    except ModuleNotFoundError as error:
        result = {"skipped": why_skipped(error)}
    print(json.dumps(result))
    sys.stdout.flush()
    os._exit(0)  # some peers' thread pools hang on at exit


if __name__ == "__main__":
    main()
