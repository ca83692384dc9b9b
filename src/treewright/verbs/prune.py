"""tw.prune: a fitted model becomes one with a smaller tree."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Any, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from treewright.data.table import Table
from treewright.data.target import ClassTarget
from treewright.data.weights import check_weights
from treewright.errors import DataError, ParameterError, kind_of
from treewright.estimators.class_costs import row_factors
from treewright.estimators.training import TrainingRows, given_rows, warn_user
from treewright.imports.estimators import Imported
from treewright.protocols import FittedModel
from treewright.pruning.cost_complexity_path import CostComplexityPath, PathRule, path_of
from treewright.pruning.cross_validation import cross_validated, folds_for
from treewright.pruning.method import Method
from treewright.pruning.methods import METHODS, PruningName, method_named, prune_tree
from treewright.pruning.report import PruningReport
from treewright.pruning.row_loss import PruningRows
from treewright.single_trees.base import TreeEstimator
from treewright.single_trees.growing import pruning_plan, rows_to_regrow
from treewright.tree.tree import Tree

Model = TypeVar("Model", bound=FittedModel)

MOST_NAMED = 8  # classes in an error


def prune(
    model: Model,
    method: PruningName,
    X: Any = None,
    y: Any = None,
    sample_weight: Any = None,
    **options: Any,
) -> Model:
    """Return a new model with a pruned tree, and a report of every cut in `pruning_`.

    Parameters
    ----------
    model
        A fitted estimator; it is not changed.
    method
        "reduced_error", "error_based", "pessimistic", "minimum_error", "mdl", "cost_complexity" or
        "critical_value". docs/pruning.md has the rules.
    X, y, sample_weight
        The rows, or a `scan` as X, for methods that need them: validation rows for
        "reduced_error", the training rows for subtree raising and cross-validation. Other methods
        ignore them, so that one loop can try every method.
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
        is_many = hasattr(model, "trees_")
        raise ParameterError(
            f"{kind_of(model)} is many trees, and only a single tree can be pruned"
            if is_many
            else f"only a fitted tree estimator can be pruned, not {kind_of(model)}",
            hint=what_to_prune(model),
        )
    tree = model.state_.tree
    found = method_named(method)
    asked = tuple(options)
    options = {**model.algorithm.settled_options(model, found.name), **options}
    found.refuse_idle(asked, found.checked(options))
    rows = None
    needs = found.needs(found.checked(options))
    if needs != "validation rows" and not tree.weight[0] > 0:
        raise ParameterError(
            "the nodes of the tree have no counts of training rows to prune by",
            hint='tw.prune(model, "reduced_error", X, y) needs none',
        )
    if found.name == "cost_complexity" and needs == "training rows":
        refuse_to_regrow(model, hint="give alpha=, which needs no folds")
    X, y, sample_weight = given_rows(X, y, sample_weight)
    if needs != "nothing" and (X is not None or y is not None or sample_weight is not None):
        rows = pruning_rows(model, X, y, sample_weight)
        if needs == "training rows":
            warn_of_other_rows(tree, rows)
    pruned = prune_tree(tree, found, rows, options)
    return model.with_tree(pruned.tree, pruned.report)


def refuse_to_regrow(model: TreeEstimator, hint: str) -> None:
    """Raise for a tree of another library: copies would grow by other rules."""
    if isinstance(model, Imported):
        raise ParameterError(
            "cross-validation grows the tree again, and how another library grew it is not known",
            hint=hint,
        )


def what_to_prune(model: object) -> str:
    """A hint for objects that cannot be pruned."""
    if hasattr(model, "trees_"):
        return "tw.distil(model, X) approximates many trees by one"
    if isinstance(model, Tree):
        return "give the model that holds the tree, such as tw.prune(model, method)"
    if hasattr(model, "steps"):
        return "prune the last step of the pipeline, with rows transformed by the steps before it"
    return "tw.prune(model, method), with a fitted model of treewright"


def warn_of_other_rows(tree: Tree, rows: PruningRows) -> None:
    """Warn if rows cannot be the training rows, for a method that needs these."""
    n_fitted = int(tree.n_rows[0])
    if len(rows.weights) != n_fitted:
        warn_user(
            f"the model was fitted to {n_fitted} rows, {len(rows.weights)} are given to prune by: "
            "this method needs the training rows"
        )


def pruning_rows(model: TreeEstimator, X: Any, y: Any, sample_weight: Any) -> PruningRows:
    """The user's rows in the form for pruning."""
    if X is None or y is None:
        raise DataError("pruning by rows needs both X and y", hint="prune(model, method, X, y)")
    rows = encoded_rows(model, X, y, sample_weight)
    check_rows(rows)
    return rows_to_regrow(model, rows)


def encoded_rows(model: TreeEstimator, X: Any, y: Any, sample_weight: Any) -> TrainingRows:
    """The user's rows as the model's tree knows them; rows of weight 0 are left out."""
    table = model.encode_rows(X)
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
    rows = TrainingRows(table, target, None if (weights == 1).all() else weights)
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
        unknown = labels[code]
        if unknown in code_of:
            continue
        row = int(np.argmax((target.codes == code) & (weights > 0)))
        names = [str(label) for label in known[:MOST_NAMED].tolist()]
        near = get_close_matches(str(unknown), map(str, known.tolist()), n=1)
        raise DataError(
            f"target `{target.name}`, row {row}: the model does not know the class {unknown!r}",
            hint=f"did you mean `{near[0]}`?"
            if near
            else f"its classes are: {', '.join(names)}{', ...' if len(known) > len(names) else ''}",
        )
    new_codes = np.array([code_of.get(label, 0) for label in labels], dtype=np.int32)
    return replace(target, codes=new_codes[target.codes], classes=known)


def check_rows(rows: TrainingRows) -> None:
    """Raise for rows that are useless for pruning."""
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
                f"knows {target.n_classes} classes: by these rows a single leaf is best",
                hint="prune by rows of several classes",
            )


OF_FOLDS = "folds"  # of cost-complexity pruning: listed only if they chose alpha


@dataclass(frozen=True, slots=True)
class LaterPruning:
    """A pruning that is not part of the settings of a model."""

    method: Method
    options: Mapping[str, Any]  # those that `tw.prune` would be given

    @property
    def needs(self) -> str:
        return self.method.needs(self.method.checked(self.options))

    @property
    def can_be_repeated(self) -> bool:
        """Whether the training rows are enough to repeat it; validation rows are not at hand."""
        return self.needs != "validation rows"

    def of(self, fitted: TreeEstimator, X: Any, y: Any, sample_weight: Any) -> TreeEstimator:
        """A model that was fitted to these rows, pruned in the same way."""
        rows = None
        if self.needs == "training rows":
            rows = rows_to_regrow(fitted, encoded_rows(fitted, X, y, sample_weight))
        pruned = prune_tree(fitted.tree_, self.method, rows, self.options)
        return fitted.with_tree(pruned.tree, pruned.report)

    def __str__(self) -> str:
        return self.method.name


def later_pruning(model: object) -> LaterPruning | None:
    """What `tw.prune` did to a model; None if all its pruning is in its settings.

    >>> import treewright as tw
    >>> X, y = tw.load_sample("iris")
    >>> model = tw.C45Classifier().fit(X, y)
    >>> later_pruning(model) is None
    True
    >>> str(later_pruning(tw.prune(model, "pessimistic")))
    'pessimistic'
    """
    report = getattr(model, "pruning_", None)
    if not isinstance(model, TreeEstimator) or report is None:
        return None
    plan = pruning_plan(model)
    if plan is not None and plan.method.name == report.method and is_as_asked(plan.options, report):
        return None
    options = dict(report.options)
    if OF_FOLDS in options:  # then alpha was chosen by them
        del options["alpha"]
    return LaterPruning(method_named(report.method), options)


def is_as_asked(asked: Mapping[str, Any], report: PruningReport) -> bool:
    """Whether a pruning used the given options; folds may be fewer on few rows."""
    found = {"risk"}  # where None is asked for
    if OF_FOLDS in report.options or report.n_cuts == 0:
        found.add("alpha")
    return all(
        asked[name] == used or (asked[name] is None and name in found)
        for name, used in report.options.items()
        if name != OF_FOLDS
    )


def cost_complexity_path(
    model: TreeEstimator,
    X: Any = None,
    y: Any = None,
    sample_weight: Any = None,
    *,
    risk: Literal["impurity", "error"] = "impurity",
    folds: Any = 10,
    random_state: int | None = 0,
) -> CostComplexityPath:
    """The nested subtrees of a fitted model, from the whole tree to its root.

    Parameters
    ----------
    model
        A fitted estimator, preferably not pruned.
    X, y, sample_weight
        The training rows. If given, the path includes the cross-validated risk of each subtree.
    risk
        The risk of a subtree, to which the penalty for its leaves is added: "impurity", the growth
        criterion, as in scikit-learn's `cost_complexity_pruning_path`, or "error", the cost of
        wrong predictions, as in the cp table of R's rpart.
    folds
        The number of folds, or the fold of each row.
    random_state
        Seed of the folds.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.load_sample("iris")
    >>> model = tw.CARTClassifier(prune=None).fit(X, y)
    >>> path = tw.cost_complexity_path(model, X, y, risk="error")
    >>> print(path)
    6 subtrees by error
          cp       alpha  splits  leaves  relative risk  held out       +-
    0.500000    0.333333       0       1        1.00000   1.01000  0.05744
    0.440000    0.293333       1       2        0.50000   0.51000  0.05802
    0.020000   0.0133333       2       3        0.06000   0.09000  0.02909
    0.010000  0.00666667       3       4        0.04000   0.08000  0.02752
    0.005000  0.00333333       6       7        0.01000   0.07000  0.02583
    0.000000           0       8       9        0.00000   0.08000  0.02752
    >>> path.tree_at(path.held_out.simplest()).n_leaves
    3
    """
    if not isinstance(model, TreeEstimator):
        raise ParameterError(
            f"only a fitted tree estimator has a pruning path, not a {type(model).__name__}"
        )
    if model.predicts_by_rules:
        raise ParameterError(
            f"{type(model).__name__} predicts by rules, not by a tree that could be pruned"
        )
    tree = model.state_.tree
    method = METHODS["cost_complexity"]
    method.checked({"risk": risk, "folds": folds, "random_state": random_state})
    cp = getattr(model, "cp", None) if risk == "error" else None
    rule = PathRule(risk, None if cp is None else float(cp))
    path = path_of(tree, rule)
    if X is None and y is None and sample_weight is None:
        return path
    refuse_to_regrow(model, hint="leave X and y out")
    rows = pruning_rows(model, X, y, sample_weight)
    fold_of_row = folds_for(rows, folds, np.random.default_rng(random_state))
    return cross_validated(path, rule, rows, fold_of_row)
