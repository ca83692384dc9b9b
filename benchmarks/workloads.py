"""What is timed, against whom, and what ratio is wanted."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from benchmarks.tables import Arrays, covertype, friedman_like, higgs_like, iris, many_levels

EVERYONE = ("treewright", "scikit-learn", "lightgbm", "xgboost", "ydf")
TWO = ("treewright", "scikit-learn")
BOOSTERS = ("treewright", "scikit-learn", "lightgbm", "xgboost", "catboost", "ydf")


@dataclass(frozen=True, slots=True)
class Wanted:
    """A promise: `figure` of treewright is so many times smaller than that of `peer`."""

    times: float
    peer: str = "scikit-learn"  # or one of the words of `report.measured`
    figure: str = "seconds"


@dataclass(frozen=True, slots=True)
class Workload:
    """One job, given to several libraries."""

    name: str
    about: str
    measure: str  # a function of benchmarks.measure
    libraries: tuple[str, ...] = EVERYONE
    make: Callable[[], Arrays] | None = None  # x, y
    n_test: int = 0  # rows kept back from the end
    settings: dict[str, Any] = field(default_factory=dict)
    wanted: tuple[Wanted, ...] = ()


def grown_tree(name: str, about: str, n_rows: int, **others: Any) -> Workload:
    n_test = 50_000 if n_rows < 500_000 else 100_000
    make = others.pop("make", higgs_like)
    return Workload(
        name, about, "grown_tree", make=partial(make, n_rows + n_test), n_test=n_test, **others
    )


def ensemble(
    name: str, about: str, n_rows: int, n_test: int, settings: dict[str, Any], **others: Any
) -> Workload:
    make = others.pop("make", higgs_like)
    libraries = BOOSTERS if settings["kind"] == "boosted" else EVERYONE
    return Workload(
        name,
        about,
        "ensemble",
        libraries,
        make=partial(make, n_rows + n_test),
        n_test=n_test,
        settings=settings,
        **others,
    )


TWICE = Wanted(2, "fastest peer")
TEN_TIMES = Wanted(10, "fastest peer")
LEAST_MEMORY = Wanted(1, "fastest peer", "peak_mb")
ENSEMBLES = (
    ensemble(
        "boost_1m",
        "100 boosted trees of 31 leaves, 28 numeric columns, two classes, a million rows",
        1_000_000,
        100_000,
        {"kind": "boosted"},
        wanted=(
            TWICE,
            LEAST_MEMORY,
            Wanted(2, "fastest general", "batch_seconds"),
            Wanted(1, "catboost", "batch_seconds"),
            Wanted(1, "lightgbm", "row_seconds"),
        ),
    ),
    ensemble(
        "boost_100k",
        "the same, 100,000 rows",
        100_000,
        50_000,
        {"kind": "boosted"},
        wanted=(TWICE,),
    ),
    ensemble(
        "boost_5k", "the same, 5,000 rows", 5_000, 5_000, {"kind": "boosted"}, wanted=(TWICE,)
    ),
    ensemble(
        "boost_deep_500k",
        "100 boosted trees of 255 leaves, 500,000 rows",
        500_000,
        100_000,
        {"kind": "boosted", "n_leaves": 255},
        wanted=(TWICE,),
    ),
    ensemble(
        "cover_boost",
        "Covertype: 50 rounds of boosted trees for seven classes, 200,000 rows",
        200_000,
        100_000,
        {"kind": "boosted", "n_trees": 50, "n_classes": 7},
        make=covertype,
    ),
    ensemble(
        "forest_100k",
        "a forest of 100 fully grown trees, 28 numeric columns, two classes, 100,000 rows",
        100_000,
        50_000,
        {"kind": "forest"},
        wanted=(TEN_TIMES, LEAST_MEMORY),
    ),
    ensemble(
        "forest_20k",
        "the same, 20,000 rows",
        20_000,
        20_000,
        {"kind": "forest"},
        wanted=(TEN_TIMES,),
    ),
    ensemble(
        "cover_forest",
        "Covertype: a forest of 100 fully grown trees, 100,000 rows",
        100_000,
        100_000,
        {"kind": "forest", "n_classes": 7},
        make=covertype,
    ),
)
ALL = (
    grown_tree("tree_10k", "28 numeric columns, two classes, fully grown", 10_000, libraries=TWO),
    grown_tree(
        "tree_100k",
        "the same, 100,000 rows",
        100_000,
        wanted=(Wanted(10), Wanted(5, "fastest other")),
    ),
    grown_tree("tree_1m", "the same, a million rows", 1_000_000),
    grown_tree("tree8_1m", "the same, eight levels deep", 1_000_000, settings={"max_depth": 8}),
    grown_tree(
        "regtree_500k",
        "20 numeric columns, a numeric target, fully grown",
        500_000,
        make=friedman_like,
        settings={"n_classes": 0},
        wanted=(Wanted(5),),
    ),
    grown_tree(
        "cover_tree",
        "Covertype: 54 columns, seven classes, fully grown",
        481_012,
        make=covertype,
        settings={"n_classes": 7},
        wanted=(Wanted(4, "fastest peer"),),
    ),
    Workload(
        "adult_c45",
        "Adult by C4.5: nominal columns and holes",
        "c45_tree",
        ("treewright", "weka"),
        wanted=(Wanted(10, "weka"),),
    ),
    Workload("iris_fit", "one fit of 150 rows", "small_fit", TWO, make=iris, wanted=(Wanted(1),)),
    Workload(
        "row_predict",
        "`predict` of one row by a tree of 20,000 rows",
        "row_predict",
        TWO,
        make=partial(higgs_like, 21_000),
        n_test=1_000,
        wanted=(Wanted(3),),
    ),
    Workload(
        "batch_predict",
        "`predict_proba` of 500,000 rows by a tree of 100,000",
        "batch_predict",
        TWO,
        make=partial(higgs_like, 600_000),
        n_test=500_000,
        wanted=(Wanted(2),),
    ),
    Workload(
        "cover_path",
        "the cost-complexity path of the fully grown Covertype tree, without growing it",
        "pruning_path",
        TWO,
        make=partial(covertype, 481_012),
        wanted=(Wanted(10),),
    ),
    Workload(
        "cover_error_pruning",
        "error-based pruning of the fully grown Covertype tree with subtree raising, beside growth",
        "error_pruning",
        ("treewright", "growing the tree"),
        make=partial(covertype, 481_012),
        wanted=(Wanted(1, "growing the tree"),),
    ),
    Workload(
        "many_levels",
        "a nominal column with 100,000 levels in 200,000 rows, by each estimator",
        "many_levels",
        ("ID3Classifier", "C45Classifier", "CARTClassifier"),
        make=many_levels,
    ),
    *ENSEMBLES,
)
WORKLOADS = {workload.name: workload for workload in ALL}

# The same job at three sizes: cost should grow as rows x log rows.
SCALING = {"tree_10k": 10_000, "tree_100k": 100_000, "tree_1m": 1_000_000}
