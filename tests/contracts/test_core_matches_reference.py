"""The compiled grower against the slow exact one, on thousands of random small tables.

The core's tree is walked from its root. At every node the reference lists all candidates
for the rows that are there, and the core's choice must be the one the rules name; where
scores tie exactly, any of the tied splits of that column may stand.
"""

import math
import os
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference.grow_reference import (
    RefNode,
    divide,
    judge,
    predict_row,
)
from reference.impurity import fifty_digits, scored_weight, total_impurity
from reference.problem import Problem, value_of, weight_of
from reference.random_problems import (
    FAMILIES,
    longer_problem,
    many_levels_problem,
    random_problem,
    wide_problem,
    with_close_values,
    with_extreme_values,
)
from treewright.data.column import NominalColumn, NumericColumn
from treewright.data.table import Table
from treewright.data.target import ClassTarget, NumericTarget
from treewright.induction.growth import grow_tree
from treewright.induction.settings import GrowthSettings
from treewright.tree.layout import KIND_NAMES, STOP_REASONS
from treewright.tree.predict import predict_values

# Seeds per family in a normal run; `python -m benchmarks.reliability.differential` takes thousands.
N_SEEDS = int(os.environ.get("TREEWRIGHT_REFERENCE_SEEDS", "200"))
CHUNK = 50


# The problem in the words of the package.


def table_of(problem: Problem) -> Table:
    columns = []
    for at, column in enumerate(problem.columns):
        name = f"c{at}"
        if column.kind == "numeric":
            values = [np.nan if value is None else value for value in column.values]
            columns.append(NumericColumn(name, np.array(values)))
        else:
            codes = [-1 if value is None else value for value in column.values]
            levels = tuple(f"level {code}" for code in range(column.n_levels))
            ordered = column.kind == "ordered"
            codes = np.array(codes, dtype=np.int32)
            columns.append(NominalColumn(name, codes, levels, ordered, declared=True))
    return Table(columns, len(problem.target))


def target_of(problem: Problem) -> ClassTarget | NumericTarget:
    if problem.n_classes:
        codes = np.array(problem.target, dtype=np.int32)
        return ClassTarget(codes, np.arange(problem.n_classes))
    return NumericTarget(np.array(problem.target, dtype=np.float64))


def weights_of(problem: Problem) -> np.ndarray | None:
    if set(problem.weights) == {1}:
        return None
    return np.array([float(weight) for weight in problem.weights])


def settings_of(problem: Problem) -> GrowthSettings:
    given = problem.settings
    same_names = (
        "criterion nominal numeric missing max_depth min_samples_split min_samples_leaf "
        "min_weight_fraction_leaf min_gain use_once column_order limits_by_weight "
        "weights_are_counts average_gain_filter mdl_correction data_value_thresholds j48_gaps"
    )
    values = {name: getattr(given, name) for name in same_names.split()}
    return GrowthSettings(
        **values,
        max_surrogates=given.max_surrogates if given.missing == "surrogate" else 0,
        costs=None if given.costs is None else np.array(given.costs),
        class_factor=None if given.class_factor is None else np.array(given.class_factor),
    )


def core_tree(problem: Problem, n_threads: int = 1):
    return grow_tree(
        table_of(problem), target_of(problem), weights_of(problem), settings_of(problem), n_threads
    )


# Walking the core's tree beside the reference.


class Walk:
    """One comparison of a tree with the rules."""

    def __init__(self, tree, problem: Problem) -> None:
        self.tree, self.problem = tree, problem

    def check(self) -> RefNode:
        """The core's tree as reference nodes, every choice of it checked."""
        with fifty_digits():
            return self.node(0, self.problem.all_rows, 0, frozenset(), None)

    def node(self, node: int, rows, depth: int, used: frozenset[int], parent_value) -> RefNode:
        tree, problem = self.tree, self.problem
        kind = KIND_NAMES[tree.kind[node]]
        reason = STOP_REASONS[tree.stop_reason[node]]
        self.same(node, "number of rows", int(tree.n_rows[node]), len(rows))
        self.near(node, "weight", tree.weight[node], float(weight_of(rows)))
        if not rows:
            self.same(node, "kind of an empty node", (kind, reason), ("leaf", "empty"))
            self.near(node, "value", tree.value[node], [float(v) for v in parent_value])
            return RefNode("leaf", parent_value, 0, 0)
        value = self.value(node, rows)
        verdict = judge(problem, rows, depth, used)
        if verdict.winner is None or kind == "leaf":
            expected = "a leaf" if verdict.winner is None else f"{verdict.winner}"
            assert (kind == "leaf") == (verdict.winner is None), self.message(
                node, f"is {self.describe(node)}, expected {expected} ({verdict.reason})"
            )
            return RefNode("leaf", value, weight_of(rows), len(rows), reason=reason)
        split = self.chosen(node, verdict)
        if problem.settings.criterion != "chi2":
            scale = float(total_impurity(problem, rows))
            gain = tree.gain[node] * float(scored_weight(problem, rows))
            # Costs need not be a distance, so a split can lose; the tree then says 0.
            expected = max(float(split.gain), 0.0)
            assert gain == pytest.approx(expected, abs=1e-9 * max(scale, 1)), self.message(
                node, f"gain {gain}, expected {expected}"
            )
        division = divide(problem, split, rows, used)
        self.same(node, "missing child", int(tree.missing_child[node]), division.missing_child)
        self.same(node, "number of children", int(tree.n_children[node]), len(division.children))
        self.surrogates(node, rows, division.surrogates)
        first = int(tree.first_child[node])
        return RefNode(
            kind,
            value,
            weight_of(rows),
            len(rows),
            split=split,
            missing_child=division.missing_child,
            surrogates=division.surrogates,
            children=[
                self.node(first + at, child, depth + 1, used | {split.column}, value)
                for at, child in enumerate(division.children)
            ],
        )

    def value(self, node: int, rows):
        """The node's value, checked; any median will do where half of the weight is a tie."""
        found, expected = self.tree.value[node], value_of(self.problem, rows)
        if self.problem.settings.criterion != "absolute_error":
            self.near(node, "value", found, [float(v) for v in expected])
            return expected
        errors = [
            float(sum(w * abs(Fraction(self.problem.target[row]) - center) for row, w in rows))
            for center in (Fraction(float(found[0])), expected[0])
        ]
        self.near(node, "absolute error of the value", *errors)
        return [Fraction(float(found[0]))]

    def chosen(self, node: int, verdict):
        """The candidate that the core took, which must be the winner or tie with it."""
        matching = [c for c in verdict.rivals if self.is_at(node, c)]
        if not matching:
            known = [c for c in verdict.candidates if self.is_at(node, c)]
            pytest.fail(
                self.message(
                    node,
                    f"split {self.describe(node)} scores "
                    f"{[(float(c.score), float(c.gain)) for c in known]}, expected "
                    f"{verdict.winner} with {float(verdict.winner.score)}",
                )
            )
        winner = verdict.winner
        # Two level sets of one column may tie; columns and thresholds have an order.
        if winner.kind != "subset":
            assert self.is_at(node, winner), self.message(
                node, f"tie: split {self.describe(node)}, expected {winner}"
            )
        else:
            self.same(node, "column of a tie", int(self.tree.feature[node]), winner.column)
        return matching[0]

    def is_at(self, node: int, candidate) -> bool:
        tree = self.tree
        if (int(tree.feature[node]), KIND_NAMES[tree.kind[node]]) != (
            candidate.column,
            candidate.kind,
        ):
            return False
        if (
            candidate.missing_child is not None
            and int(tree.missing_child[node]) != candidate.missing_child
        ):
            return False
        known = [pair for group in candidate.groups for pair in group]
        if candidate.kind == "threshold":
            stored = float(tree.threshold[node])
            return self.is_same_cut(candidate.column, known, stored, candidate.threshold)
        if candidate.kind == "intervals":
            cuts = tree.cut[tree.cut_start[node] : tree.cut_start[node + 1]].tolist()
            return len(cuts) == len(candidate.cuts) and all(
                self.is_same_cut(candidate.column, known, found, expected)
                for found, expected in zip(cuts, candidate.cuts, strict=True)
            )
        return self.level_children(node) == candidate.level_child

    def is_same_cut(self, column: int, rows, found: float, expected: float) -> bool:
        """Equal; where infinities are values, any finite number that divides the rows alike."""
        values = self.problem.columns[column].values
        here = [values[row] for row, _ in rows if values[row] is not None]
        if found == expected or not any(map(math.isinf, here)):
            return found == expected
        return math.isfinite(found) and all((v <= found) == (v <= expected) for v in here)

    def level_children(self, node: int) -> dict[int, int]:
        entries = slice(self.tree.level_start[node], self.tree.level_start[node + 1])
        codes, children = self.tree.level_code[entries], self.tree.level_child[entries]
        return dict(zip(codes.tolist(), children.tolist(), strict=True))

    def surrogates(self, node: int, rows, expected) -> None:
        tree = self.tree
        found = range(int(tree.surrogate_start[node]), int(tree.surrogate_start[node + 1]))
        self.same(
            node,
            "surrogate columns",
            [int(tree.surrogate_feature[at]) for at in found],
            [surrogate.column for surrogate in expected],
        )
        for at, surrogate in zip(found, expected, strict=True):
            agreement = float(surrogate.agreement)
            self.near(node, "agreement", tree.surrogate_agreement[at], agreement)
            if surrogate.level_child is None:
                stored = float(tree.surrogate_threshold[at])
                assert self.is_same_cut(surrogate.column, rows, stored, surrogate.threshold), (
                    self.message(node, f"surrogate at {stored}, expected {surrogate}")
                )
                flip = bool(tree.surrogate_flip[at])
                self.same(node, "surrogate direction", flip, surrogate.is_flipped)
            else:
                entries = slice(tree.surrogate_level_start[at], tree.surrogate_level_start[at + 1])
                codes = tree.surrogate_level_code[entries].tolist()
                children = tree.surrogate_level_child[entries].tolist()
                stored = dict(zip(codes, children, strict=True))
                self.same(node, "surrogate levels", stored, surrogate.level_child)

    def same(self, node: int, what: str, found, expected) -> None:
        assert found == expected, self.message(node, f"{what} {found}, expected {expected}")

    def near(self, node: int, what: str, found, expected) -> None:
        assert found == pytest.approx(expected, rel=1e-9, abs=1e-9), self.message(
            node, f"{what} {found}, expected {expected}"
        )

    def describe(self, node: int) -> str:
        tree = self.tree
        kind = KIND_NAMES[tree.kind[node]]
        if kind == "leaf":
            return f"a leaf ({STOP_REASONS[tree.stop_reason[node]]})"
        detail = self.level_children(node) or float(tree.threshold[node])
        return f"{kind} of column {tree.feature[node]} at {detail}"

    def message(self, node: int, text: str) -> str:
        return f"node {node}: {text}\n{self.problem}"


def check_seed(family: str, seed: int) -> None:
    check_problem(random_problem(seed, FAMILIES[family]))


def check_problem(problem: Problem) -> None:
    tree = core_tree(problem)
    reference = Walk(tree, problem).check()
    table = table_of(problem)
    expected = [
        predict_row(problem, reference, [column.values[row] for column in problem.columns])
        for row in range(len(problem.target))
    ]
    found = predict_values(tree, table, 1)
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9, err_msg=str(problem))


@pytest.mark.parametrize("first", range(0, N_SEEDS, CHUNK))
@pytest.mark.parametrize("family", FAMILIES)
def test_trees_are_those_of_the_reference(family, first):
    for seed in range(first, min(first + CHUNK, N_SEEDS)):
        check_seed(family, seed)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("family", FAMILIES)
def test_longer_tables_with_deeper_trees_agree_too(family, seed):
    n_rows = 50 if family == "regression" else 120
    check_problem(longer_problem(seed, FAMILIES[family], n_rows))


@pytest.mark.parametrize("first", range(0, 100, CHUNK))
def test_sets_of_many_levels_are_those_of_the_reference(first):
    for seed in range(first, first + CHUNK):
        check_problem(many_levels_problem(seed))


def can_be_tried(problem: Problem) -> bool:
    """Whether the reference soon ends: it tries every set of levels."""
    tries_sets = problem.settings.nominal == "subset"
    n_levels = [column.n_levels for column in problem.columns if column.kind == "nominal"]
    return len(problem.target) <= 30 and not (tries_sets and max(n_levels, default=0) > 3)


@pytest.mark.parametrize("family", FAMILIES)
def test_any_numbers_levels_and_holes_give_the_tree_of_the_reference(family):
    problems = [wide_problem(seed, FAMILIES[family]) for seed in range(60)]
    for problem in filter(can_be_tried, problems):
        check_problem(problem)


def test_intervals_of_less_than_a_row_follow_the_formula():
    check_problem(wide_problem(801, FAMILIES["intervals"]))


@given(family=st.sampled_from(sorted(FAMILIES)), seed=st.integers(0, 2**32 - 1))
def test_trees_are_those_of_the_reference_for_any_seed(family, seed):
    check_seed(family, seed)


@given(family=st.sampled_from(sorted(FAMILIES)), seed=st.integers(0, 2**32 - 1))
def test_infinities_and_neighboring_floats_are_told_apart_as_by_the_reference(family, seed):
    check_problem(with_extreme_values(random_problem(seed, FAMILIES[family]), seed))


@given(seed=st.integers(0, 2**32 - 1))
def test_c45_leaves_out_cuts_between_close_values_as_the_reference_does(seed):
    check_problem(with_close_values(random_problem(seed, FAMILIES["C4.5"]), seed))


@given(seed=st.integers(0, 2**32 - 1), data=st.data())
def test_a_fixed_order_of_columns_is_kept(seed, data):
    problem = random_problem(seed, FAMILIES["classification"])
    order = tuple(data.draw(st.permutations(range(len(problem.columns)))))
    check_problem(replace(problem, settings=replace(problem.settings, column_order=order)))


@given(family=st.sampled_from(sorted(FAMILIES)), seed=st.integers(0, 2**32 - 1))
def test_three_threads_grow_the_tree_of_one(family, seed):
    problem = random_problem(seed, FAMILIES[family])
    assert core_tree(problem, 1).same_as(core_tree(problem, 3))
