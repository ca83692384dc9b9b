"""Every estimator in several settings, fitted anew: the bytes must be those that are checked in.

    python tests/golden/refits.py              compares, and says what differs
    python tests/golden/refits.py id3 kmeans   compares these
    python tests/golden/refits.py --write      writes refits.json anew, after a change that is meant

The tables are made from whole numbers, so that only Treewright's own arithmetic is between them and
the bytes: any processor must give the same. A digest is kept of each model file and of what the
model predicts. Needs NumPy and treewright alone, so that an emulated machine can run it.
"""

import argparse
import hashlib
import json
import sys
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import treewright as tw
from treewright import registry
from treewright.verbs.load import model_bytes

FILE = Path(__file__).with_name("refits.json")
METHODS = (
    "predict",
    "predict_proba",
    "predict_log_proba",
    "decision_function",
    "score_samples",
    "transform",
    "apply",
)
Columns = dict[str, Any]


class Draws:
    """Whole numbers from a linear congruential generator: no library has a part in them."""

    def __init__(self, seed: int) -> None:
        self.state = seed

    def below(self, limit: int) -> int:
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % 2**64
        return (self.state >> 33) % limit

    def many(self, n: int, limit: int) -> list[int]:
        return [self.below(limit) for _ in range(n)]


@dataclass(frozen=True)
class Table:
    """Columns, and whole numbers that targets are made of."""

    columns: Columns
    score: list[int]

    def target(self, n_classes: int) -> Any:
        """Tenths of the score, or classes of about the same size."""
        if n_classes == 0:
            return np.array(self.score) / 10
        ordered = sorted(self.score)
        cuts = [ordered[len(ordered) * at // n_classes] for at in range(1, n_classes)]
        names = ("low", "mid", "high", "top")
        return np.array([names[sum(score >= cut for cut in cuts)] for score in self.score])

    def first(self, n_rows: int) -> Any:
        return {name: values[:n_rows] for name, values in self.columns.items()}


def mixed(n_rows: int = 300) -> Table:
    """Categories, numbers and flags, some missing."""
    draw = Draws(3)
    color = [("red", "green", "blue")[at] for at in draw.many(n_rows, 3)]
    size, count = draw.many(n_rows, 2000), draw.many(n_rows, 9)
    flag, noise = draw.many(n_rows, 2), draw.many(n_rows, 400)
    score = [
        (400 if color[at] == "red" else 0) + size[at] + 60 * count[at] + noise[at] + 100 * flag[at]
        for at in range(n_rows)
    ]
    is_missing = [draw.below(10) == 0 for _ in range(2 * n_rows)]
    columns = {
        "color": [None if is_missing[at] else color[at] for at in range(n_rows)],
        "size": np.where(is_missing[n_rows:], np.nan, np.array(size) / 7 - 100),
        "count": np.array(count, dtype=np.float64),
        "flag": np.array(flag, dtype=bool),
    }
    return Table(columns, score)


def numbers(n_rows: int = 1500) -> Table:
    """Six columns of numbers of several sizes; the score is a slanted, bent surface."""
    draw = Draws(7)
    raw = [draw.many(n_rows, 4096) for _ in range(6)]
    score = [
        raw[0][at] + 2 * raw[1][at] - raw[2][at] * raw[3][at] // 4096 + draw.below(900) + 5000
        for at in range(n_rows)
    ]
    divisors = (3.0, 10.0, 0.7, 1e4, 49.0, 6.0)
    columns = {f"x{at}": np.array(raw[at]) / divisor - 100 for at, divisor in enumerate(divisors)}
    return Table(columns, score)


def words(n_rows: int = 60) -> Table:
    """Categories alone, as in textbooks; nothing is missing."""
    draw = Draws(11)
    sky = [("sunny", "rainy", "cloudy")[at] for at in draw.many(n_rows, 3)]
    wind = [("weak", "strong")[at] for at in draw.many(n_rows, 2)]
    score = [2 * (one == "sunny") + (other == "weak") for one, other in zip(sky, wind, strict=True)]
    return Table({"sky": sky, "wind": wind}, score)


def many_categories(n_rows: int = 900) -> Table:
    """More categories than fit into a byte, most of them rare, and a day."""
    draw = Draws(5)
    code, day = draw.many(n_rows, 300), draw.many(n_rows, 500)
    columns = {
        "code": [f"c{one}" for one in code],
        "day": np.array(day).astype("datetime64[D]"),
    }
    score = [50 * (code[at] % 3) + day[at] // 4 + draw.below(40) for at in range(n_rows)]
    return Table(columns, score)


TABLES = {
    "mixed": mixed,
    "numbers": numbers,
    "words": words,
    "many_categories": many_categories,
}


@dataclass(frozen=True)
class Refit:
    """One fit: of what, to what."""

    estimator: str
    table: str = "mixed"
    n_classes: int = 3  # 0: numbers are predicted
    params: dict[str, Any] = field(default_factory=dict)
    weighted: bool = False

    def digests(self) -> dict[str, str]:
        """Of the model file, and of every prediction for the first rows."""
        table = TABLES[self.table]()
        target = table.target(self.n_classes)
        weights = np.array([(at * 7) % 5 / 4 + 0.3 for at in range(len(target))])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = getattr(tw, self.estimator)(**self.params)
            if self.weighted:
                model.fit(table.columns, target, sample_weight=weights)
            else:
                model.fit(table.columns, target)
            found = {"model": hashlib.sha256(model_bytes(model)).hexdigest()}
            rows = table.first(200)
            for method in METHODS:
                if (ask := getattr(model, method, None)) is not None:
                    found[method] = digest(ask(rows))
        return found


def digest(predictions: Any) -> str:
    """SHA-256 of predictions, bit for bit."""
    if isinstance(predictions, dict):
        text = "".join(name + digest(column) for name, column in predictions.items())
        return hashlib.sha256(text.encode()).hexdigest()
    array = np.asarray(predictions)
    if array.dtype.kind == "f":  # any NaN is as good as another
        content = np.where(np.isnan(array), np.nan, array).astype("<f8").tobytes()
    else:
        content = repr(array.tolist()).encode()
    return hashlib.sha256(repr(array.shape).encode() + content).hexdigest()


COSTS = [[0.0, 1.0, 4.0], [2.0, 0.0, 1.0], [8.0, 2.0, 0.0]]
FEW = {"n_estimators": 4}
BOOSTED = {"n_estimators": 12, "max_leaf_nodes": 8}
LOSSES = ("absolute_error", "huber", "quantile", "poisson", "gamma", "tweedie")


def trees() -> Iterator[tuple[str, Refit]]:
    yield "id3", Refit("ID3Classifier")
    yield "id3_words", Refit("ID3Classifier", "words", 2)
    yield "id3_equal_frequency", Refit("ID3Classifier", params={"discretize": "equal_frequency"})
    yield (
        "id3_gain_ratio",
        Refit("ID3Classifier", params={"criterion": "gain_ratio"}, weighted=True),
    )
    yield "id3_pruned", Refit("ID3Classifier", params={"prune": "pessimistic"})
    yield "c45", Refit("C45Classifier")
    yield "c45_numbers", Refit("C45Classifier", "numbers", 4, weighted=True)
    yield "c45_many_categories", Refit("C45Classifier", "many_categories", 2)
    yield "c45_laplace", Refit("C45Classifier", params={"laplace": True, "prune": None})
    yield "c45_subsets", Refit("C45Classifier", params={"nominal": "subset", "confidence": 0.1})
    yield "c45_rules", Refit("C45Rules")
    yield "c45_rules_weighted", Refit("C45Rules", weighted=True)
    yield "c45_rules_simple", Refit("C45Rules", "words", 2, {"simple": True})
    yield "cart", Refit("CARTClassifier")
    yield "cart_numbers", Refit("CARTClassifier", "numbers", 2)
    yield "cart_entropy", Refit("CARTClassifier", params={"criterion": "entropy", "prune": None})
    yield "cart_costs", Refit("CARTClassifier", params={"costs": COSTS, "criterion": "cost_gini"})
    yield "cart_priors", Refit("CARTClassifier", params={"priors": [0.2, 0.3, 0.5]}, weighted=True)
    yield "cart_regressor", Refit("CARTRegressor", n_classes=0)
    yield "cart_regressor_weighted", Refit("CARTRegressor", "numbers", 0, weighted=True)
    yield (
        "cart_regressor_absolute",
        Refit("CARTRegressor", n_classes=0, params={"criterion": "absolute_error", "max_depth": 4}),
    )
    yield "cart_regressor_pruned", Refit("CARTRegressor", "numbers", 0, {"cp": 0.01})
    yield "tree", Refit("TreeClassifier")
    yield "tree_entropy", Refit("TreeClassifier", "numbers", 3, {"criterion": "entropy"})
    yield "tree_chi2", Refit("TreeClassifier", params={"criterion": "chi2", "significance": 0.05})
    yield "tree_intervals", Refit("TreeClassifier", params={"numeric": "intervals"})
    yield (
        "tree_fractional",
        Refit("TreeClassifier", params={"missing": "fractional"}, weighted=True),
    )
    yield "tree_error_confidence", Refit("TreeClassifier", params={"error_confidence": 0.2})
    for method in ("mdl", "error_based", "reduced_error", "pessimistic", "minimum_error"):
        yield f"tree_pruned_{method}", Refit("TreeClassifier", params={"prune": method})
    yield "tree_regressor", Refit("TreeRegressor", n_classes=0, params={"max_depth": 5})
    yield (
        "tree_regressor_poisson",
        Refit("TreeRegressor", "numbers", 0, {"criterion": "poisson", "max_depth": 5}),
    )
    yield (
        "cart_regressor_poisson_cv",
        Refit("CARTRegressor", n_classes=0, params={"criterion": "poisson", "prune": "cv"}),
    )
    yield "m5", Refit("M5Regressor", n_classes=0)
    yield "m5_numbers", Refit("M5Regressor", "numbers", 0, weighted=True)
    yield "m5_not_smoothed", Refit("M5Regressor", "numbers", 0, {"smoothing": False})
    yield "m5_categories", Refit("M5Regressor", "many_categories", 0)
    yield "m5_all_terms", Refit("M5Regressor", "numbers", 0, {"terms": "all", "prune": False})
    yield "oblique", Refit("ObliqueTreeClassifier", "numbers", 2, {"max_depth": 4})
    yield "oblique_mixed", Refit("ObliqueTreeClassifier", params={"prune": None, "max_depth": 4})
    yield (
        "oblique_entropy",
        Refit("ObliqueTreeClassifier", params={"criterion": "entropy"}, weighted=True),
    )
    yield "optimal", Refit("OptimalTreeClassifier", params={"max_depth": 2})
    yield "optimal_words", Refit("OptimalTreeClassifier", "words", 2)
    yield (
        "optimal_weighted",
        Refit("OptimalTreeClassifier", params={"max_depth": 2, "penalty": 0.01}, weighted=True),
    )

    for kind, n_classes in (("Classifier", 3), ("Regressor", 0)):
        name = f"ReadableTree{kind}"
        small = {"max_leaf_nodes": 4, "distil": False}
        yield f"readable_{kind.lower()}", Refit(name, n_classes=n_classes, params=small)
        yield (
            f"readable_{kind.lower()}_weighted",
            Refit(name, "numbers", n_classes, small, weighted=True),
        )


def ensembles() -> Iterator[tuple[str, Refit]]:
    for kind in ("RandomForest", "ExtraTrees"):
        name = kind.lower()
        yield name, Refit(f"{kind}Classifier", params=FEW)
        yield (
            f"{name}_entropy",
            Refit(f"{kind}Classifier", "numbers", 3, {"criterion": "entropy", **FEW}),
        )
        yield (
            f"{name}_log2",
            Refit(f"{kind}Classifier", "numbers", 2, {"max_features": "log2", **FEW}),
        )
        yield f"{name}_categories", Refit(f"{kind}Classifier", "many_categories", 2, FEW)
        yield f"{name}_weighted", Refit(f"{kind}Classifier", params=FEW, weighted=True)
        yield f"{name}_regressor", Refit(f"{kind}Regressor", n_classes=0, params=FEW)
        yield (
            f"{name}_regressor_weighted",
            Refit(f"{kind}Regressor", "numbers", 0, FEW, weighted=True),
        )
    yield "randomforest_exact", Refit("RandomForestClassifier", params={"splits": "exact", **FEW})
    yield (
        "randomforest_oob",
        Refit("RandomForestClassifier", params={"n_estimators": 9, "oob_score": True}),
    )
    yield (
        "randomforest_quantiles",
        Refit("RandomForestRegressor", n_classes=0, params={"keep_targets": True, **FEW}),
    )
    yield "isolation", Refit("IsolationForest", params={"n_estimators": 9})
    yield (
        "isolation_numbers",
        Refit("IsolationForest", "numbers", params={"contamination": 0.1, **FEW}),
    )
    yield "isolation_weighted", Refit("IsolationForest", params=FEW, weighted=True)
    boosted = "BoostedTreesClassifier"
    yield "boosted", Refit(boosted, params=BOOSTED)
    yield "boosted_two", Refit(boosted, n_classes=2, params=BOOSTED, weighted=True)
    yield "boosted_numbers", Refit(boosted, "numbers", 4, BOOSTED)
    yield "boosted_categories", Refit(boosted, "many_categories", 2, BOOSTED)
    in_nodes = BOOSTED | {"target_encoding": False}
    yield "boosted_categories_in_nodes", Refit(boosted, "many_categories", 2, in_nodes)
    yield "boosted_subsample", Refit(boosted, "numbers", 2, {"subsample": 0.5, **BOOSTED})
    yield "boosted_dropped", Refit(boosted, n_classes=2, params={"drop_rate": 0.5, **BOOSTED})
    yield (
        "boosted_symmetric",
        Refit(boosted, "numbers", 2, {"growth": "symmetric", "n_estimators": 6, "max_depth": 4}),
    )
    yield (
        "boosted_level",
        Refit(boosted, "numbers", 3, {"growth": "level", "n_estimators": 6, "max_depth": 4}),
    )
    yield (
        "boosted_stopped_early",
        Refit(
            boosted,
            n_classes=2,
            params={**BOOSTED, "validation_fraction": 0.25, "n_iter_no_change": 2},
        ),
    )
    boosted = "BoostedTreesRegressor"
    yield "boosted_regressor", Refit(boosted, n_classes=0, params=BOOSTED)
    yield "boosted_regressor_weighted", Refit(boosted, "numbers", 0, BOOSTED, weighted=True)
    yield (
        "boosted_monotone",
        Refit(boosted, n_classes=0, params={"monotonic_cst": {"size": 1}, **BOOSTED}),
    )
    for loss in LOSSES:
        yield f"boosted_{loss}", Refit(boosted, "numbers", 0, {"loss": loss, **BOOSTED})


def others() -> Iterator[tuple[str, Refit]]:
    for weights in ("uniform", "distance"):
        yield f"neighbors_{weights}", Refit("KNeighborsClassifier", params={"weights": weights})
        yield (
            f"neighbors_{weights}_numbers",
            Refit("KNeighborsRegressor", "numbers", 0, {"weights": weights}),
        )
    yield "neighbors_regressor", Refit("KNeighborsRegressor", n_classes=0, weighted=True)
    yield (
        "neighbors_gower",
        Refit("KNeighborsClassifier", params={"metric": "gower", "smooth": 1.0}),
    )
    yield (
        "neighbors_euclidean",
        Refit("KNeighborsClassifier", "numbers", 2, {"metric": "euclidean", "scale": "standard"}),
    )
    yield "kmeans", Refit("KMeans", "numbers", params={"n_clusters": 5})
    yield "kmeans_scaled", Refit("KMeans", "numbers", params={"scale": "standard"}, weighted=True)
    yield "kprototypes", Refit("KPrototypes", params={"n_clusters": 3})
    yield "kprototypes_words", Refit("KPrototypes", "words", params={"n_clusters": 2, "gamma": 0.5})
    yield "candidate_elimination", Refit("CandidateElimination", "words", 2)
    yield (
        "candidate_elimination_cut",
        Refit("CandidateElimination", n_classes=2, params={"discretize": "equal_width"}),
    )
    yield "find_s", Refit("FindS", "words", 2)
    yield "find_s_cut", Refit("FindS", n_classes=2, params={"discretize": "mdl"})
    linear = "GradientDescentRegressor"
    yield "linear", Refit(linear, n_classes=0)
    yield "linear_numbers", Refit(linear, "numbers", 0, weighted=True)
    yield "linear_categories", Refit(linear, "many_categories", 0, {"max_iter": 50})
    yield "linear_lasso", Refit(linear, "numbers", 0, {"l1": 0.1})
    yield "linear_equations", Refit(linear, n_classes=0, params={"solver": "normal_equations"})
    yield (
        "linear_equations_categories",
        Refit(linear, "many_categories", 0, {"solver": "normal_equations"}),
    )
    yield "linear_stochastic", Refit(linear, "numbers", 0, {"method": "stochastic", "max_iter": 9})
    yield (
        "linear_not_standardized",
        Refit(linear, "numbers", 0, {"standardize": False, "max_iter": 99}),
    )
    logistic = "GradientDescentClassifier"
    yield "logistic", Refit(logistic, n_classes=2)
    yield "logistic_three", Refit(logistic, weighted=True)
    yield "logistic_numbers", Refit(logistic, "numbers", 4, {"max_iter": 200})
    yield "logistic_newton", Refit(logistic, "numbers", 2, {"solver": "newton"})
    yield "logistic_newton_three", Refit(logistic, params={"solver": "newton"})
    yield (
        "logistic_mini_batch",
        Refit(logistic, "numbers", 3, {"method": "mini_batch", "max_iter": 9}),
    )
    for strategy in ("mdl", "equal_width", "equal_frequency"):
        yield (
            f"discretizer_{strategy}",
            Refit("Discretizer", "numbers", params={"strategy": strategy}),
        )
    yield "imputer", Refit("Imputer")
    yield "imputer_median", Refit("Imputer", params={"strategy": "median", "add_indicator": True})


REFITS = dict([*trees(), *ensembles(), *others()])


def every_digest(names: list[str]) -> Iterator[tuple[str, dict[str, str]]]:
    for name in names:
        yield name, REFITS[name].digests()


def differing(found: dict[str, str], expected: dict[str, str]) -> list[str]:
    """What is not as expected: the model file, or predictions by method."""
    names = [*found, *(name for name in expected if name not in found)]
    return [name for name in names if found.get(name) != expected.get(name)]


def not_covered() -> list[str]:
    """Estimators with fewer than two refits."""
    names = [refit.estimator for refit in REFITS.values()]
    return [name for name in registry.ESTIMATORS if names.count(name) < 2]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="write refits.json anew")
    parser.add_argument("names", nargs="*", help="of refits to compare; all if none is given")
    asked = parser.parse_args()
    if asked.write:
        text = json.dumps(dict(every_digest(list(REFITS))), indent=1)
        FILE.write_text(text + "\n", encoding="utf-8")
        print(f"{len(REFITS)} refits in {FILE.name}")
        return 0
    expected = json.loads(FILE.read_text(encoding="utf-8"))
    names, n_other = asked.names or list(REFITS), 0
    for name, found in every_digest(names):
        if differs := differing(found, expected.get(name, {})):
            n_other += 1
            print(f"{name}: other bytes of {', '.join(differs)}", flush=True)
    print(f"{len(names) - n_other} of {len(names)} refits have the bytes of {FILE.name}")
    return int(n_other > 0)


if __name__ == "__main__":
    sys.exit(main())
