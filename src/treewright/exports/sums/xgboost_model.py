"""XGBoost's JSON model: what XGBoost and every program that reads its files can run.

XGBoost compares float32 numbers (`value < bound`) and adds up float32. Bounds are chosen so that
every float32 row goes the same way as in the model. Levels are given as their positions.
"""

import json
from dataclasses import replace
from typing import Any

import numpy as np

from treewright.arrays import Floats
from treewright.data.column import NumericColumn
from treewright.data.table import Table
from treewright.errors import ExportError
from treewright.exports.program import Predictions
from treewright.exports.sums.coded_rows import (
    both_classes,
    coded_rows,
    refuses_categories,
    rows_that_stray,
)
from treewright.exports.sums.program import SumProgram, check_plain_trees, refuse_equations
from treewright.optional import optional_module

VERSION = [2, 1, 0]  # the first that has everything used here
NO_PARENT = 2**31 - 1
OBJECTIVES = {
    "same": {"name": "reg:squarederror", "reg_loss_param": {"scale_pos_weight": "1"}},
    "exponential": {
        "name": "count:poisson",
        "poisson_regression_param": {"max_delta_step": "0.699999988"},
    },
    "logistic": {"name": "binary:logistic", "reg_loss_param": {"scale_pos_weight": "1"}},
    "softmax": {"name": "multi:softprob", "softmax_multiclass_param": {}},
    "step": {"name": "binary:hinge"},
}
NEUTRAL = {"exponential": "1E0", "logistic": "5E-1"}  # base scores that add nothing; others 0

Record = dict[str, Any]


def write(program: SumProgram) -> str:
    """The text of a model file.

    Columns have their names, and levels are numbers: their positions among those of the column. The
    first trees are single leaves, which hold the start. A forest of classes predicts its
    probabilities as several targets.
    """
    check(program)
    trees = [leaf_tree(value, program) for value in program.start.tolist()]
    groups = list(range(program.n_scores))
    for at, tree in enumerate(one_by_one(program)):
        trees.append(tree)
        groups.append(at % program.n_scores)
    is_softmax = program.link == "softmax"
    objective = json.loads(json.dumps(OBJECTIVES[program.link]))
    if is_softmax:
        objective["softmax_multiclass_param"] = {"num_class": str(program.n_scores)}
    kinds = ["float" if spec.is_numeric else "c" for spec in program.columns]
    for at, tree in enumerate(trees):
        tree["id"] = at
    booster = {
        "gbtree_model_param": {"num_parallel_tree": "1", "num_trees": str(len(trees))},
        "iteration_indptr": list(range(0, len(trees) + 1, program.n_scores)),
        "tree_info": groups,
        "trees": trees,
    }
    learner = {
        "attributes": {"title": program.title, "written_by": "Treewright"},
        "feature_names": names_of(program),
        "feature_types": kinds,
        "gradient_booster": {"model": booster, "name": "gbtree"},
        "learner_model_param": {
            "base_score": NEUTRAL.get(program.link, "0E0"),
            "boost_from_average": "0",
            "num_class": str(program.n_scores if is_softmax else 0),
            "num_feature": str(len(program.columns)),
            "num_target": str(1 if is_softmax else program.n_scores),
        },
        "objective": objective,
    }
    return json.dumps({"learner": learner, "version": VERSION}, ensure_ascii=False)


def check(program: SumProgram) -> None:
    """Raise if float32 and XGBoost's own objectives cannot say what the model predicts."""
    refuse_equations(program, "XGBoost")
    check_plain_trees(program)
    if program.link == "isolation":
        raise ExportError("XGBoost has no objective for the scores of an isolation forest")
    if program.link not in OBJECTIVES:
        raise ExportError(f"XGBoost has no objective with the link `{program.link}`")
    if refuses_categories(program):
        raise ExportError(
            "XGBoost takes numbers for categories, and refuses none",
            hint='train with handle_unknown="missing"',
        )
    asked: dict[int, set[float]] = {}
    tables = program.tables
    for question, number in zip(tables.question, tables.number, strict=True):
        if question >= 0 and not question & 2:
            asked.setdefault(question >> 2, set()).add(number)
    for place, cuts in asked.items():
        if len({bound_of(cut) for cut in cuts}) < len(cuts):
            name = program.columns[program.used_columns[place]].name
            raise ExportError(
                f"two thresholds of column `{name}` are the same number in float32, which XGBoost "
                "compares",
                hint="export to another format",
            )


def bound_of(cut: float) -> float:
    """The least float32 above a cut: `value < bound` is `value <= cut` for every float32."""
    with np.errstate(over="ignore"):
        nearest = np.float32(cut)
    while float(nearest) <= cut and np.isfinite(nearest):
        nearest = np.nextafter(nearest, np.float32(np.inf))
    below = np.nextafter(nearest, np.float32(-np.inf))
    return float(nearest) if float(below) <= cut else float(below)


def names_of(program: SumProgram) -> list[str]:
    """Names without the characters that XGBoost does not allow."""
    forbidden = str.maketrans("[]<", "()_")
    names = [spec.name.translate(forbidden) or "column" for spec in program.columns]
    return names if len(set(names)) == len(names) else [f"column {at}" for at in range(len(names))]


def leaf_tree(value: float, program: SumProgram) -> Record:
    """A tree that adds a number to one score, before the division."""
    number = float(np.float32(value / program.divisor * program.scale))
    return {
        **arrays_of([-1], [-1], [NO_PARENT], [0], [number], [0]),
        **categories_of([]),
        "tree_param": param_of(program, 1),
    }


def one_by_one(program: SumProgram) -> list[Record]:
    """Each tree, or one for each class if its leaves have several numbers."""
    tables = program.tables
    trees = []
    for first, end in tables.spans():
        n_each = program.n_scores if tables.leaves else 1
        trees += [tree_record(program, first, end, score) for score in range(n_each)]
    return trees


def tree_record(program: SumProgram, first: int, end: int, score: int) -> Record:
    tables = program.tables
    n_nodes = end - first
    left, right, parents = [-1] * n_nodes, [-1] * n_nodes, [NO_PARENT] * n_nodes
    columns, bounds, default_left = [0] * n_nodes, [0.0] * n_nodes, [0] * n_nodes
    sets: list[tuple[int, list[int]]] = []
    for at in range(n_nodes):
        node = first + at
        question, number, child = tables.question[node], tables.number[node], tables.child[node]
        if question < 0:
            value = tables.leaves[child + score] if tables.leaves else number
            bounds[at] = float(np.float32(value / program.divisor * program.scale))
            continue
        left[at], right[at] = child - first, child - first + 1
        parents[left[at]] = parents[right[at]] = at
        columns[at] = program.used_columns[question >> 2]
        default_left[at] = 1 - (question & 1)
        if question & 2:
            sides = tables.sides[int(number)][1:]
            right_codes = [code for code, side in enumerate(sides) if side == "1"]
            sets.append((at, right_codes or [len(sides)]))  # a set has a member, if no level's
        else:
            bounds[at] = bound_of(number)
    kinds = [0] * n_nodes
    for at, _ in sets:
        kinds[at] = 1
    return {
        **arrays_of(left, right, parents, columns, bounds, default_left),
        "split_type": kinds,
        **categories_of(sets),
        "tree_param": param_of(program, n_nodes),
    }


def arrays_of(  # noqa: PLR0913 -- the columns of a table
    left: list[int],
    right: list[int],
    parents: list[int],
    columns: list[int],
    bounds: list[float],
    default_left: list[int],
) -> Record:
    nothing = [0.0] * len(left)
    return {
        "base_weights": nothing,
        "default_left": default_left,
        "left_children": left,
        "loss_changes": nothing,
        "parents": parents,
        "right_children": right,
        "split_conditions": [largest_finite(bound) for bound in bounds],
        "split_indices": columns,
        "split_type": [0] * len(left),
        "sum_hessian": nothing,
    }


def largest_finite(bound: float) -> float:
    """JSON has no infinity; a number that float32 reads as one has."""
    return 1e39 if bound == np.inf else bound


def categories_of(sets: list[tuple[int, list[int]]]) -> Record:
    """The positions of levels that go right, node by node."""
    starts: list[int] = []
    codes: list[int] = []
    for _, own in sets:
        starts.append(len(codes))
        codes += own
    return {
        "categories": codes,
        "categories_nodes": [node for node, _ in sets],
        "categories_segments": starts,
        "categories_sizes": [len(own) for _, own in sets],
    }


def param_of(program: SumProgram, n_nodes: int) -> Record:
    return {
        "num_deleted": "0",
        "num_feature": str(len(program.columns)),
        "num_nodes": str(n_nodes),
        "size_leaf_vector": "1",
    }


# ---------------------------------------------------------------------------- running


def storable(rows: Table) -> Table:
    """The rows with numbers that float32 holds, and no infinities, which XGBoost refuses."""
    columns = [in_float32(one) if isinstance(one, NumericColumn) else one for one in rows.columns]
    return Table(columns, len(rows), has_names=rows.has_names)


def in_float32(column: NumericColumn) -> NumericColumn:
    largest = float(np.finfo(np.float32).max)
    values = np.clip(column.values, -largest, largest).astype(np.float32)
    return replace(column, values=values.astype(np.float64))


def run(code: str, program: SumProgram, rows: Table) -> Predictions:
    """What XGBoost predicts; a row that ends at another leaf than in the model is an error."""
    xgboost = optional_module("xgboost", extra="xgboost", purpose="running an XGBoost model")
    booster = xgboost.Booster(model_file=bytearray(code.encode("utf-8")))
    given = xgboost.DMatrix(
        coded_rows(program, rows).astype(np.float32),
        feature_names=booster.feature_names,
        feature_types=booster.feature_types,
        enable_categorical=True,
    )
    ends = booster.predict(given, pred_leaf=True).reshape(len(rows), -1)[:, program.n_scores :]
    each = program.n_scores if program.tables.leaves else 1
    errors = rows_that_stray(program, rows, ends[:, ::each])
    found = booster.predict(given).reshape(len(rows), -1).astype(np.float64)
    values = both_classes(found) if program.link in ("logistic", "step") else found
    return Predictions(None, values, tolerance=tolerance(program, values), errors=errors)


def tolerance(program: SumProgram, values: Floats) -> float:
    """How far float32 sums may be from the model's."""
    tables = program.tables
    own = zip(tables.question, tables.number, strict=True)
    numbers = np.abs(tables.leaves or [number for question, number in own if question < 0])
    n_trees = len(program.trees) / (1 if tables.leaves else program.n_scores)
    largest = np.abs(program.start).max() + n_trees * numbers.max(initial=0.0)
    of_scores = float(2.0**-22 * (n_trees + 2) * largest / program.divisor * program.scale)
    size = float(np.nanmax(np.abs(values), initial=1.0)) if program.link == "exponential" else 1.0
    return of_scores * size
