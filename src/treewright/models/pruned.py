"""tw.prune: a fitted model becomes one with a smaller tree."""

from dataclasses import replace
from difflib import get_close_matches
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from treewright.data.table import Table
from treewright.data.target import ClassTarget
from treewright.data.weights import check_weights
from treewright.errors import DataError, ParameterError
from treewright.estimators.training import TrainingRows, warn_user
from treewright.models.base import TreeEstimator
from treewright.models.class_costs import row_factors
from treewright.models.growing import rows_to_regrow
from treewright.pruning.methods import method_named, prune_tree
from treewright.pruning.row_loss import PruningRows
from treewright.tree.tree import Tree

Model = TypeVar("Model", bound=TreeEstimator)

MOST_NAMED = 8  # classes in an error


def prune(
    model: Model,
    method: str,
    X: Any = None,
    y: Any = None,
    sample_weight: Any = None,
    **options: Any,
) -> Model:
    """A new model with a smaller tree, and a report of every cut in `pruning_`.

    Parameters
    ----------
    model
        A fitted estimator; it stays as it is.
    method
        "reduced_error", "error_based", "pessimistic", "minimum_error", "mdl", "cost_complexity" or
        "critical_value". docs/pruning.md has the rules.
    X, y, sample_weight
        The rows to prune by, for the methods that need some: for "reduced_error" rows that the
        model was not fitted to, for subtree raising and cross-validation those it was fitted to.
        Other methods ignore them, so that one loop can try every method.
    options
        The options of the method, by name.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.load_sample("weekend")
    >>> model = tw.ID3Classifier().fit(X, y)
    >>> smaller = tw.prune(model, "pessimistic")
    >>> model.get_n_leaves(), smaller.get_n_leaves()
    (7, 1)
    >>> print(smaller.pruning_)
    pessimistic: 7 leaves became 1 by 1 cut
    options: standard_errors=1, order='top_down'
    compared: corrected errors
    leaves  as leaf  as subtree  became  at
         7      4.5         3.5  leaf    root
    """
    if not isinstance(model, TreeEstimator):
        raise ParameterError(
            f"only a fitted tree estimator can be pruned, not a {type(model).__name__}",
            hint=what_to_prune(model),
        )
    tree = model.state_.tree
    found = method_named(method)
    asked = tuple(options)
    options = {**model.algorithm.settled_options(model, found.name), **options}
    found.refuse_idle(asked, found.checked(options))
    rows = None
    needs = found.needs(found.checked(options))
    if needs != "nothing" and (X is not None or y is not None or sample_weight is not None):
        rows = pruning_rows(model, X, y, sample_weight)
        if needs == "training rows":
            warn_of_other_rows(tree, rows)
    pruned = prune_tree(tree, found, rows, options)
    return model.with_tree(pruned.tree, pruned.report)


def what_to_prune(model: object) -> str:
    """What somebody who asked to prune something else may have meant."""
    if isinstance(model, Tree):
        return "give the model that holds the tree, such as tw.prune(model, method)"
    if hasattr(model, "steps"):
        return "prune the last step of the pipeline, by rows that the steps before it have made"
    return "tw.prune(model, method), with a fitted model of treewright"


def warn_of_other_rows(tree: Tree, rows: PruningRows) -> None:
    """Rows that cannot be those of the fit, for a method that counts these again."""
    n_fitted = int(tree.n_rows[0])
    if len(rows.weights) != n_fitted:
        warn_user(
            f"the model was fitted to {n_fitted} rows, {len(rows.weights)} are given to prune by: "
            "this method is meant for the rows of the fit"
        )


def pruning_rows(model: TreeEstimator, X: Any, y: Any, sample_weight: Any) -> PruningRows:
    """The user's rows as pruning takes them."""
    if X is None or y is None:
        raise DataError("pruning by rows needs both X and y", hint="prune(model, method, X, y)")
    rows = encoded_rows(model, X, y, sample_weight)
    check_rows(rows)
    return rows_to_regrow(model, rows)


def encoded_rows(model: TreeEstimator, X: Any, y: Any, sample_weight: Any) -> TrainingRows:
    """The user's rows as the model's tree knows them; rows of weight 0 are left out."""
    table = model._encoded(X)
    if isinstance(table, np.ndarray):
        table = Table.of_matrix(table, model.schema_.names if model.schema_.has_names else None)
    target = type(model).encode_target(y, n_rows=table.n_rows)
    weights = check_weights(sample_weight, table.n_rows)
    weights = np.ones(table.n_rows) if weights is None else weights
    if isinstance(target, ClassTarget):
        class_weight = getattr(model, "class_weight", None)
        if class_weight is not None:
            weights = weights * row_factors(class_weight, target.codes, target.classes, weights)
        target = in_known_classes(target, model.state_.classes, weights)
    rows = TrainingRows(table, target, weights)
    return rows if weights.all() else rows.take(np.flatnonzero(weights))


def in_known_classes(
    target: ClassTarget, known: NDArray[Any] | None, weights: NDArray[np.float64]
) -> ClassTarget:
    """The target in the classes of a model, which must have those of all rows with weight."""
    assert known is not None
    code_of = {label: code for code, label in enumerate(known.tolist())}
    labels = target.classes.tolist()
    has_weight = np.bincount(target.codes[weights > 0], minlength=len(labels)) > 0
    for code in np.flatnonzero(has_weight):
        stranger = labels[code]
        if stranger in code_of:
            continue
        row = int(np.argmax((target.codes == code) & (weights > 0)))
        names = [str(label) for label in known[:MOST_NAMED].tolist()]
        near = get_close_matches(str(stranger), map(str, known.tolist()), n=1)
        raise DataError(
            f"target `{target.name}`, row {row}: the model does not know the class {stranger!r}",
            hint=f"did you mean `{near[0]}`?"
            if near
            else f"its classes are: {', '.join(names)}{', ...' if len(known) > len(names) else ''}",
        )
    new_codes = np.array([code_of.get(label, 0) for label in labels], dtype=np.int32)
    return replace(target, codes=new_codes[target.codes], classes=known)


def check_rows(rows: TrainingRows) -> None:
    """Refuse rows that can tell nothing about a tree."""
    if rows.n_rows == 0:
        raise DataError(
            "every pruning row has weight 0", hint="give at least one row a weight above 0"
        )
    target = rows.target
    if isinstance(target, ClassTarget) and target.n_classes > 1:
        first = int(target.codes[0])
        if (target.codes == first).all():
            raise DataError(
                f"all {rows.n_rows} pruning rows are of class `{target.classes[first]}`, the model "
                f"knows {target.n_classes} classes: by these rows a single leaf is right",
                hint="prune by rows of several classes",
            )
