"""Evaluate the model of a report."""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from treewright.data.target import encode_classes, encode_numbers
from treewright.data.weights import check_weights
from treewright.ensembles.base import Ensemble
from treewright.errors import DataError, ParameterError
from treewright.estimators.base import Model as AnyModel
from treewright.estimators.base import OtherModel
from treewright.evaluation.evaluate import evaluate, evaluate_fitted
from treewright.evaluation.evaluation import Evaluation
from treewright.imports.estimators import Imported
from treewright.param import SavedFunction
from treewright.reports.facts import Model, ReportFacts, Rows, Words, is_stopped_early
from treewright.single_trees.base import TreeEstimator
from treewright.verbs.fitted_rows import training_of
from treewright.verbs.prune import later_pruning
from treewright.verbs.worksheet import is_fit_of, worksheet
from treewright.worksheets.node_rows import NodeRows
from treewright.worksheets.place import Place
from treewright.worksheets.training import check_agreement

NODES_COMPARED = 100  # to recognize training rows by the rows that reach each node


@dataclass(frozen=True, slots=True, eq=False)
class Judging:
    """How the model is evaluated, unless it was already."""

    options: Mapping[str, Any]  # of `evaluate`
    found: Evaluation | None = None

    def on(self, model: Model, rows: Rows, *, are_its_own: bool) -> Evaluation:
        """By cross-validation on its training rows; as it is on other rows."""
        if self.found is not None:
            return self.found
        X = rows.table if isinstance(model, AnyModel) else rows.X
        if not are_its_own or not can_be_fitted_again(model):
            return evaluate_fitted(model, X, rows.y, rows.weights)
        if is_stopped_early(model):
            model = without_early_stopping(model)
        return evaluate(model, X, rows.y, rows.weights, **self.options)


def gathered(
    model: Model, rows: Rows, words: Words, judging: Judging, *, fitted_here: bool
) -> ReportFacts:
    """Evaluate the model, and find out whether these are its training rows."""
    sheet, by_settings = None, None
    if not isinstance(model, AnyModel):
        found = judging.on(model, rows, are_its_own=fitted_here)
        return ReportFacts(model, rows, found, fitted_here, None, words)
    if isinstance(model, Ensemble | OtherModel):
        own_rows = rows.table, rows.y, rows.weights
        is_ensemble = isinstance(model, Ensemble)
        is_own = model.is_fit_of(*own_rows) if is_ensemble else is_fit_of(model, *own_rows)
        found = judging.on(model, rows, are_its_own=is_own)
        return ReportFacts(model, rows, found, is_own, None, words)
    if was_fitted_to(model, rows):
        sheet = worksheet(model, rows.table, rows.y, rows.weights)
        by_settings = n_leaves_if_refitted(model, rows)
    found = judging.on(model, rows, are_its_own=sheet is not None)
    return ReportFacts(model, rows, found, sheet is not None, sheet, words, by_settings)


def can_be_fitted_again(model: Model) -> bool:
    """Whether copies can be fitted: a function from a file is only a name."""
    return not isinstance(model, Imported) and not any(
        isinstance(value, SavedFunction) for value in vars(model).values()
    )


def without_early_stopping(model: Model) -> Model:
    """An unfitted copy with the same number of rounds and learning rate, and no early stopping."""
    copy: Model = clone(model).set_params(
        n_estimators=max(model.n_estimators_, 1),
        learning_rate=model.learning_rate_,
        n_iter_no_change=None,
        callbacks=None,
    )
    return copy


def was_fitted_to(model: TreeEstimator, rows: Rows) -> bool:
    """Whether as many rows of each class reach the nodes as did in training."""
    tree = model.tree_
    if tree.n_rows[0] == 0:  # written by hand
        return False
    try:
        training = training_of(model, rows.table, rows.y, rows.weights)
        below = NodeRows(tree, training)
        for node in np.argsort(-tree.weight, kind="stable")[:NODES_COMPARED].tolist():
            share = below.of(node)
            if share.n_rows != tree.n_rows[node]:
                return False
            if share.n_rows:
                check_agreement(tree, node, Place(training, share).group(""))
    except DataError:
        return False
    return True


def n_leaves_if_refitted(model: TreeEstimator, rows: Rows) -> int | None:
    """The leaves of a refitted tree, if they differ: `to_depth` changes only the tree."""
    if not can_be_fitted_again(model):
        return None
    if model.predicts_by_rules or not isinstance(getattr(model, "random_state", 0), Integral):
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        again = clone(model).fit(rows.table, rows.y, rows.weights)
    pruning = later_pruning(model)
    if pruning is not None:
        if not pruning.can_be_repeated:
            return None
        again = pruning.of(again, rows.table, rows.y, rows.weights)
    return None if again.tree_.n_nodes == model.tree_.n_nodes else int(again.tree_.n_leaves)


def check_evaluation(evaluation: Any, model: Model, rows: Rows) -> None:
    """Raise unless it is an evaluation of a model of this class on these rows."""
    if evaluation is None:
        return
    if not isinstance(evaluation, Evaluation):
        raise ParameterError(
            f"evaluation is a {type(evaluation).__name__}",
            hint="give what treewright.evaluate(model, X, y) returns",
        )
    if difference := what_differs(evaluation, model, rows):
        raise DataError(
            f"evaluation is of {difference}", hint="evaluate the model on the rows of the report"
        )


def what_differs(found: Evaluation, model: Model, rows: Rows) -> str:
    """How an evaluation differs from the model and rows; "" if it does not."""
    n_rows, kind = rows.table.n_rows, type(model).__name__
    if found.rows.n_rows != n_rows:
        return f"{found.rows.n_rows} rows, the table has {n_rows}"
    if found.kind not in ("", kind):
        return f"a {found.kind}, the model is a {kind}"
    wanted = target_of(found, rows)
    if wrong := int((found.rows.y != wanted).sum()):
        return f"another target, which differs in {wrong} of {n_rows} rows"
    weights = check_weights(rows.weights, n_rows)
    if not np.array_equal(
        found.rows.weight_of_rows, np.ones(n_rows) if weights is None else weights
    ):
        return "rows of other weights"
    return ""


def target_of(found: Evaluation, rows: Rows) -> NDArray[Any]:
    """The target as an evaluation holds it."""
    if found.classes is None:
        return encode_numbers(rows.y, n_rows=rows.table.n_rows).values
    target = encode_classes(rows.y, n_rows=rows.table.n_rows)
    return np.asarray(target.classes)[target.codes]
