"""Treelite's own file: a checkpoint that Treelite and the programs built on it load.

Thresholds and leaves are doubles, as in the model. Levels are given as their positions, NaN for one
that was not seen in training.
"""

from types import ModuleType
from typing import Any

import numpy as np

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
from treewright.exports.sums.xgboost_model import tolerance as float32_tolerance
from treewright.optional import optional_module

POSTPROCESSORS = {
    "same": "identity",
    "exponential": "exponential",
    "logistic": "sigmoid",
    "softmax": "softmax",
    "isolation": "exponential_standard_ratio",
    "signed_square": "signed_square",
    "step": "hinge",
    "logistic_each": "multiclass_ova",
}
TOLERANCE = 1e-12  # of `exp`, which is that of the C library
IN_FLOAT32 = {"softmax": 1e-6, "isolation": 1e-6}  # what Treelite computes in float32


def library(purpose: str) -> ModuleType:
    return optional_module("treelite", extra="treelite", purpose=purpose)


def write(program: SumProgram) -> bytes:
    """The bytes of a checkpoint, for `treelite.Model.deserialize_bytes`."""
    model_builder = library("export to Treelite").model_builder
    refuse_equations(program, "Treelite")
    check_plain_trees(program)
    if refuses_categories(program):
        raise ExportError(
            "Treelite takes numbers for categories, and refuses none",
            hint='train with handle_unknown="missing"',
        )
    tables, n_scores = program.tables, program.n_scores
    n_trees = len(program.trees)
    is_binary = program.link in ("logistic", "step")
    is_class = program.classes is not None and n_scores > 1
    task = "kBinaryClf" if is_binary else "kMultiClf" if is_class else "kRegressor"
    task = "kIsolationForest" if program.link == "isolation" else task
    # Treelite divides by the number of trees of a score, and adds the start afterwards.
    n_each = n_trees if tables.leaves else n_trees // n_scores
    is_mean = program.divisor != 1 and program.divisor == n_each and not program.start.any()
    scale = program.scale if is_mean else program.scale / program.divisor
    metadata = model_builder.Metadata(
        num_feature=len(program.columns),
        task_type=task,
        average_tree_output=is_mean,
        num_target=1,
        num_class=[n_scores],
        leaf_vector_shape=(1, n_scores if tables.leaves else 1),
    )
    turns = [at % n_scores for at in range(n_trees)]
    annotation = model_builder.TreeAnnotation(
        num_tree=n_trees,
        target_id=[0] * n_trees,
        class_id=[-1] * n_trees if tables.leaves else turns,
    )
    ratio = {"ratio_c": program.usual_depth} if program.link == "isolation" else {}
    builder = model_builder.ModelBuilder(
        threshold_type="float64",
        leaf_output_type="float64",
        metadata=metadata,
        tree_annotation=annotation,
        postprocessor=model_builder.PostProcessorFunc(POSTPROCESSORS[program.link], **ratio),
        base_scores=(program.start * scale).tolist(),
    )
    for first, end in tables.spans():
        builder.start_tree()
        for node in range(first, end):
            builder.start_node(node - first)
            add_node(builder, program, node, first, scale)
            builder.end_node()
        builder.end_tree()
    content: bytes = builder.commit().serialize_bytes()
    return content


def add_node(builder: Any, program: SumProgram, node: int, first: int, scale: float) -> None:
    tables = program.tables
    question, number, child = tables.question[node], tables.number[node], tables.child[node]
    if question < 0:
        leaves = [one * scale for one in tables.leaves[child : child + program.n_scores]]
        builder.leaf(leaves if tables.leaves else number * scale)
        return
    ways = {
        "default_left": not question & 1,
        "left_child_key": child - first,
        "right_child_key": child - first + 1,
    }
    column = program.used_columns[question >> 2]
    if question & 2:
        sides = tables.sides[int(number)][1:]
        codes = [code for code, side in enumerate(sides) if side == "1"]
        builder.categorical_test(
            column, category_list=codes, category_list_right_child=True, **ways
        )
    else:
        builder.numerical_test(column, number, opname="<=", **ways)


def run(code: bytes, program: SumProgram, rows: Table) -> Predictions:
    """What Treelite's reference implementation predicts.

    A row that ends at another leaf than in the model is an error. Sums are in the order of the
    trees, but the division and `exp` are Treelite's.
    """
    treelite = library("running a Treelite model")
    gtil = treelite.gtil
    model = treelite.Model.deserialize_bytes(code)
    given = np.ascontiguousarray(coded_rows(program, rows))
    ends = gtil.predict_leaf(model, given, nthread=1)
    errors = rows_that_stray(program, rows, ends)
    found = np.asarray(gtil.predict(model, given, nthread=1), dtype=np.float64)
    found = found.reshape(len(rows), -1)
    if program.link == "isolation":
        found = -found
    values = both_classes(found) if program.link in ("logistic", "step") else found
    if program.in_float32:
        allowed = float32_tolerance(program, values)
        return Predictions(None, values, tolerance=allowed, errors=errors)
    tolerance = IN_FLOAT32.get(program.link, TOLERANCE)
    size = float(np.nanmax(np.abs(values), initial=1.0))
    return Predictions(None, values, tolerance=tolerance * size, errors=errors)
