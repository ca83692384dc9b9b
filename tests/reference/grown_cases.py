"""Models grown on the random tables, with the reference's view of them; families of them."""

import os
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache

import numpy as np
import pytest

import treewright as tw
from examples import share_of_examples
from reference.cost_complexity_reference import altered_factors
from reference.problem import Problem
from reference.prunable import prunable
from reference.pruning_problems import (
    Case,
    c45_case,
    classification_case,
    regression_case,
    table_of,
    validation_rows,
)
from reference.pruning_units import Prices

# Seeds per test; the comparison with the reference numbers its own, without an end.
N_SEEDS = int(os.environ.get("TREEWRIGHT_PRUNING_SEEDS", share_of_examples(16)))
CHUNK = 12

CASES = {
    "plain": lambda seed: classification_case(seed, altered=False),
    "costs and priors": classification_case,
    "C4.5": c45_case,
    "numbers": regression_case,
}

in_chunks = pytest.mark.parametrize("first", range(0, N_SEEDS, CHUNK))
for_every_family = pytest.mark.parametrize("family", CASES)
for_every_classifier = pytest.mark.parametrize("family", [f for f in CASES if f != "numbers"])


class Grown:
    """A case with its fitted model, and the same tree as nested objects."""

    def __init__(self, case: Case) -> None:
        self.case, self.problem = case, case.problem
        self.model = case.model.fit(*case.rows)
        self.root = prunable(self.model.tree_, self.problem)
        if self.problem.n_classes:
            self.prices = Prices.of(self.problem, case.priors, case.costs)

    def prune(self, method: str, *rows, **options):
        return tw.prune(self.model, method, *rows, **options)

    @property
    def scored_problem(self) -> Problem:
        """The problem with the class weights that growth saw."""
        if not self.problem.n_classes:
            return self.problem
        factors = altered_factors(self.problem, self.prices)
        settings = replace(self.problem.settings, class_factor=factors)
        return replace(self.problem, settings=settings)


@lru_cache(maxsize=1000)
def grown_model(family: str, seed: int) -> Grown:
    return Grown(CASES[family](seed))


def grown_models(family: str, first: int) -> Iterator[Grown]:
    """The models of one chunk of seeds."""
    return (grown_model(family, seed) for seed in range(first, min(first + CHUNK, N_SEEDS)))


def validation_of(grown: Grown, seed: int):
    """Rows that growth has not seen: as a problem, and as X, y, weights."""
    validation = validation_rows(grown.case, seed)
    weights = np.array([float(weight) for weight in validation.weights])
    table = table_of(validation.columns, len(validation.target))
    return validation, (table, np.array(validation.target), weights)
