"""Real tables, as every library gets them: a frame, a target, which columns are nominal."""

import json
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.model_selection import KFold, StratifiedKFold

from benchmarks.quality.unseen import UNSEEN, shipped_table
from benchmarks.tables import real_table

N_FOLDS = 5
MOST_ROWS = 10_000  # larger tables are sampled once

# The defaults were chosen by looking at these.
CHOSEN_BY = [
    "tips",
    "zoo",
    "iris",
    "wine",
    "monks_2",
    "balance_scale",
    "breast_cancer_ljubljana",
    "auto_mpg",
    "vote",
    "colic",
    "eucalyptus",
    "titanic",
    "credit_g",
    "insurance",
    "ames_housing",
    "winequality_red",
    "car",
    "digits",
    "hypothyroid",
    "abalone",
    "spambase",
    "california_housing",
    "diamonds",
    "adult",
    "pol",
    "letter",
]
# These were run when the defaults were settled.
REPORTED = [
    "ram_price",
    "audiology",
    "monks_1",
    "monks_3",
    "diabetes_progression",
    "arrhythmia",
    "boston_housing",
    "breast_cancer_wdbc",
    "soybean",
    "breast_cancer_wisconsin",
    "anneal_orig",
    "tic_tac_toe",
    "airlines_2k",
    "kr_vs_kp",
    "winequality_white",
    "mushroom",
    "cpu_act",
    "nursery",
    "higgs_11k",
    "bike_sharing_hour",
    "credit_default_24k",
    "poker_hand_train",
    "bank_marketing",
    "shuttle",
]
# For single trees: numbers alone, which ID3 has to discretize first.
TREE_TABLES = ["iris", "wine", "letter"]


@dataclass(frozen=True, slots=True)
class Problem:
    """One table to be learned from."""

    name: str
    X: pd.DataFrame  # numbers as float64, words as `category`; missing values are NaN
    y: NDArray[Any]  # codes of classes, or numbers
    n_classes: int  # 0: the target is a number

    @property
    def words(self) -> list[str]:
        return [name for name in self.X if isinstance(self.X[name].dtype, pd.CategoricalDtype)]

    def folds(self, seed: int = 0) -> list[tuple[NDArray[np.intp], NDArray[np.intp]]]:
        """The same folds for every library."""
        kind = StratifiedKFold if self.n_classes else KFold
        return list(kind(N_FOLDS, shuffle=True, random_state=seed).split(self.X, self.y))

    def sampled(self, n_rows: int = MOST_ROWS) -> "Problem":
        """The problem with at most so many rows, always the same ones."""
        if len(self.y) <= n_rows:
            return self
        some = np.sort(np.random.default_rng(0).permutation(len(self.y))[:n_rows])
        return Problem(self.name, self.X.iloc[some], self.y[some], self.n_classes)


def problem(name: str) -> Problem:
    """Read one of the tables."""
    if name in UNSEEN:
        return shipped_problem(name)
    about = json.loads(real_table("schema.json").read_text(encoding="utf-8"))[name]
    frame = pd.read_csv(
        real_table(about["file"]),
        keep_default_na=False,
        na_values=[""],
        dtype={column: str for column, kind in about["columns"].items() if kind != "numeric"},
    )
    target = frame.pop(about["target"])
    columns = {  # plain names: some libraries refuse brackets in them
        f"x{place}": values.astype("category" if about["columns"][column] != "numeric" else float)
        for place, (column, values) in enumerate(frame.items())
    }
    if about["task"] == "regression":
        return Problem(name, pd.DataFrame(columns), target.to_numpy(float), 0)
    levels, codes = np.unique(target.to_numpy(str), return_inverse=True)
    return Problem(name, pd.DataFrame(columns), codes, len(levels))


def shipped_problem(name: str) -> Problem:
    """A table that a package ships, with plain names too."""
    frame, target, is_class = shipped_table(name)
    X = frame.set_axis([f"x{place}" for place in range(frame.shape[1])], axis=1)
    if not is_class:
        return Problem(name, X, target.to_numpy(float), 0)
    levels, codes = np.unique(target.to_numpy(str), return_inverse=True)
    return Problem(name, X, codes, len(levels))
