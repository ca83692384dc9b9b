"""Tables and trees of sizes that numbers of 16 or 32 bits do not count: T30 to T33."""

import resource
from pathlib import Path

import numpy as np

from benchmarks.robustness_cases.case import NotAskableError, case
from benchmarks.robustness_cases.libraries import NUMBERS


@case("T30", "a tree of more than 65,536 nodes gives back what it learned", seconds=120)
def tree_of_many_nodes(library):
    if library.has_bins:
        raise NotAskableError("puts numbers into bins: no tree of so many nodes on one column")
    x = np.arange(70_000.0)[:, None]
    y = np.random.default_rng(0).permutation(len(x)).astype(float)  # singles can hold them
    return np.array_equal(library.tree(NUMBERS, max_depth=None).fit(x, y).predict(x), y)


@case(
    "T31", "100,000 columns and 50 rows", names=("memory|column|feature",), seconds=180, alone=True
)
def many_columns(library):
    x = np.random.default_rng(0).normal(size=(50, 100_000))
    y = (x[:, 99_999] > 0).astype(int)
    return np.array_equal(library.tree().fit(x, y).predict(x), y)


@case("T31", "1,500 classes", names=("memory|class",), seconds=400, alone=True)
def many_classes(library):
    y = np.repeat(np.arange(1500), 4)
    x = np.column_stack([y % 40, y // 40]).astype(float)  # fewer values than any library has bins
    rounds = {"n_estimators": 2} if library.has_bins else {}  # of 1,500 trees each
    return np.array_equal(library.tree(max_depth=None, **rounds).fit(x, y).predict(x), y)


@case(
    "T32",
    "a nominal column of 100,000 levels",
    names=("level|categor|unique|cardinality",),
    place="code|column|feature",
    seconds=120,
    alone=True,
)
def many_levels(library):
    import pandas as pd

    codes = np.random.default_rng(0).integers(0, 100_000, 200_000)
    frame = pd.DataFrame({"code": pd.Categorical(codes.astype(str))})
    y = codes % 2
    model = library.boosted().fit(frame, y)
    return bool(np.isfinite(np.asarray(model.predict_proba(frame[:100]))).all())


@case(
    "T33",
    "memory that ends in the middle of a fit",
    names=("memory|alloc",),
    seconds=120,
    alone=True,
)
def memory_ends(library):
    x = np.random.default_rng(0).normal(size=(400_000, 40))
    y = (x[:, 0] + x[:, 1] > 0).astype(int)
    library.boosted(n_estimators=1).fit(x[:1000], y[:1000])  # what loads on first use is loaded
    grown = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (grown + x.nbytes // 5, resource.RLIM_INFINITY))
    model = library.boosted(n_estimators=3).fit(x, y)
    return len(model.predict(x[:5])) == 5
