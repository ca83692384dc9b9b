"""tw.evaluate: evaluate a model by cross-validation, hold-out, groups or time."""

import reprlib
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier
from sklearn.utils.validation import check_is_fitted

from treewright.arrays import Floats
from treewright.data.target import encode_classes, encode_numbers
from treewright.data.weights import check_weights
from treewright.errors import DataError, ParameterError, kind_of
from treewright.estimators.base import Model
from treewright.estimators.class_costs import cost_table
from treewright.estimators.training import given_rows, warn_user
from treewright.evaluation.cautions import evaluation_warnings, warn_of, with_target_name
from treewright.evaluation.cv_and_scoring import (
    GivenSplits,
    Scorer,
    protocol_of,
    scorers_of,
    with_scores,
)
from treewright.evaluation.evaluation import Evaluation
from treewright.evaluation.judging import (
    NO_SCORERS,
    Progress,
    judge_fitted,
    judged_splits,
    later,
)
from treewright.evaluation.protocol import Protocol as Protocol
from treewright.evaluation.rows import (
    EvaluationRows,
    check_has_target,
    rows_for,
    takes_tables,
)
from treewright.evaluation.scores import checked_measure
from treewright.evaluation.splits import Plan, Split
from treewright.imports.estimators import Imported
from treewright.protocols import Estimator, Predictor, ProbabilityPredictor
from treewright.single_trees.rule_set import RuleSet
from treewright.verbs.predictions import (
    check_predicts,
    instead_of,
    n_rows_of,
    predictions_of,
    predicts_classes,
    probabilities_of,
)
from treewright.verbs.predictions import rows_for as as_rows
from treewright.verbs.prune import later_pruning

MOST_NAMED = 8  # classes that a hint counts up
Key = TypeVar("Key")


def evaluate(
    model: Estimator | Predictor | ProbabilityPredictor,
    X: Any,
    y: Any = None,
    sample_weight: Any = None,
    *,
    folds: Any = 10,
    repeats: int = 1,
    hold_out: float | None = None,
    groups: Any = None,
    times: Any = None,
    stratified: bool = True,
    costs: Any = None,
    random_state: Any = 0,
    cv: Any = None,
    scoring: Any = None,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> Evaluation:
    """Evaluate a model on held-out rows.

    Each split fits a fresh copy, including all preprocessing. The same arguments give the same
    splits and scores for any number of threads. `verdict` compares the model with guessing; leaks
    (a column that predicts the target by itself, duplicate rows, dates in shuffled folds) are
    raised as Python warnings and kept in `warnings`.

    Parameters
    ----------
    model
        A classifier or regressor, fitted or not: any estimator with the scikit-learn interface.
        Copies of a model that `treewright.prune` pruned are pruned in the same way. A model that
        cannot be fitted again (an imported one, or any object with only `predict` or
        `predict_proba`) is scored as it is, so give rows that it was not trained on.
    X, y, sample_weight
        The rows, or a `scan` as X. Weights are used in training and in every score.
    folds
        The number of folds, or the fold of each row as an integer (one line for each repeat); rows
        with a negative fold are only used for training.
    repeats
        How often the cross-validation is repeated; 10 x 10 folds are `folds=10, repeats=10`.
    hold_out
        A share of the rows to hold out, instead of folds.
    groups
        One value per row: rows of a group stay in the same fold.
    times
        One value per row: the model is trained on earlier rows and tested on later ones.
    stratified
        Whether each fold gets the same class proportions.
    costs
        costs[i][j]: the cost of predicting class j for a row of class i (sorted classes); adds the
        measure "cost". None uses the costs of the model.
    random_state
        Seed of the splits; None or a NumPy generator draws one.
    cv
        As in scikit-learn, instead of folds: a number of folds, a splitter such as
        `RepeatedKFold()`, or pairs of training and test rows.
    scoring
        Scores that come first: a measure by name, or as in scikit-learn the name of a scorer
        ("f1_macro"), a scorer, a list or a dict of them.
    n_jobs
        Splits to run in parallel; None uses all cores.
    progress
        Called with (splits done, splits in all).

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.load_sample("iris")
    >>> result = tw.evaluate(tw.CARTClassifier(prune=None), X, y, folds=10, repeats=2)
    >>> print(result.scheme)
    stratified 10-fold cross-validation, repeated 2 times
    >>> found = result.interval("accuracy")
    >>> round(found.mean, 3), round(found.low, 3), round(found.high, 3)
    (0.93, 0.877, 0.983)
    """
    if is_fixed(model):
        given = {"repeats": repeats != 1, "hold_out": hold_out is not None}
        given |= {"groups": groups is not None, "times": times is not None, "cv": cv is not None}
        refuse_splits(model, {"folds": not np.array_equal(folds, 10), **given})
        return evaluate_fitted(model, X, y, sample_weight, costs=costs, scoring=scoring)
    estimator: Any = model  # otherwise `rows_for` says what is missing
    rows = rows_for([estimator], X, y, sample_weight)
    protocol = Protocol(folds, repeats, hold_out, groups, times, stratified, random_state)
    prices = prices_of([estimator], costs, rows)
    scorers = scorers_of(
        scoring, of_classes=rows.classes is not None, with_costs=prices is not None
    )
    splits = protocol_of(cv, protocol)
    found = evaluated(
        estimator, rows, splits, costs=prices, scorers=scorers, n_jobs=n_jobs, progress=progress
    )
    warnings = evaluation_warnings(X, with_target_name(model, rows), splits)
    return replace(found, warnings=warn_of(warnings))


def is_fixed(model: object) -> bool:
    """Whether a model predicts and cannot be copied and fitted."""
    if isinstance(model, type) or not (
        hasattr(model, "predict") or hasattr(model, "predict_proba")
    ):
        return False  # no model: an error says so
    return isinstance(model, Imported | RuleSet) or not (
        hasattr(model, "fit") and hasattr(model, "get_params")
    )


def refuse_splits(model: object, is_given: Mapping[str, bool]) -> None:
    """Raise if an argument says how to split rows, where nothing is fitted."""
    for name, given in is_given.items():
        if given:
            raise ParameterError(
                f"{kind_of(model)} cannot be fitted again, so `{name}` has nothing to split",
                hint="leave it out: the model is scored as it is",
            )


def evaluated(
    model: Estimator,
    rows: EvaluationRows,
    protocol: Protocol | GivenSplits,
    *,
    name: str = "",
    costs: Any = None,
    scorers: Mapping[str, Scorer | None] = NO_SCORERS,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> Evaluation:
    """A model on rows that are read already."""
    plan = protocol.plan(rows)
    prices = checked_costs(costs, rows)
    judgments = judged_splits(
        model, rows, plan, costs=prices, scorers=scorers, n_jobs=n_jobs, progress=progress
    )
    classes = None if rows.classes is None else tuple(rows.classes.tolist())
    return Evaluation(
        name or type(model).__name__,
        protocol.in_words(plan, of_classes=classes is not None),
        classes,
        tuple(judgments),
        plan,
        rows,
        prices,
        type(model).__name__,
        pruned_in_splits(model),
    )


def evaluated_each(
    models: Mapping[Key, Estimator],
    rows: EvaluationRows,
    protocol: Protocol,
    *,
    costs: Floats | None,
    n_jobs: int | None,
    progress: Progress | None,
) -> dict[Key, Evaluation]:
    """Several models on the same splits, by name; of a name of several parts the last is shown."""
    n_splits = len(protocol.plan(rows))
    found: dict[Key, Evaluation] = {}
    for name, model in models.items():
        found[name] = evaluated(
            model,
            rows,
            protocol,
            name=name[-1] if isinstance(name, tuple) else str(name),
            costs=costs,
            n_jobs=n_jobs,
            progress=later(progress, len(found) * n_splits, len(models) * n_splits),
        )
    return found


def pruned_in_splits(model: object) -> str:
    """The method by which `tw.prune` pruned the model and prunes its copies; "" for none."""
    pruning = later_pruning(model)
    if pruning is None:
        return ""
    if pruning.can_be_repeated:
        return str(pruning)
    warn_user(
        f"the model was pruned by {pruning} with separate rows; the copies evaluated here "
        "are not pruned (evaluate_fitted tests the model itself on new rows)"
    )
    return ""


def judged_by(
    measure: str | None, models: Iterable[Estimator], costs: Any, rows: EvaluationRows
) -> tuple[str, Floats | None]:
    """The measure to use, and the costs that it may need."""
    prices = prices_of(models, costs, rows)
    of_classes = rows.classes is not None
    return checked_measure(measure, of_classes=of_classes, with_costs=prices is not None), prices


def prices_of(models: Iterable[Estimator], costs: Any, rows: EvaluationRows) -> Floats | None:
    """The given costs, otherwise those of the models if they agree."""
    if costs is None and rows.classes is not None:
        own = [getattr(model, "costs", None) for model in models if takes_tables(model)]
        known = [prices for one in own if (prices := checked_costs(one, rows)) is not None]
        if known and all(np.array_equal(known[0], one) for one in known[1:]):
            costs = known[0]
    return checked_costs(costs, rows)


def checked_costs(costs: Any, rows: EvaluationRows) -> Floats | None:
    """A cost for each pair of classes."""
    if costs is None:
        return None
    if rows.classes is None:
        raise ParameterError("costs are for classes, and numbers are predicted here")
    n_classes = len(rows.classes)
    if isinstance(costs, Mapping):
        return cost_table(costs, rows.classes)
    try:
        prices = np.asarray(costs, dtype=np.float64)
    except (TypeError, ValueError):
        prices = np.full(0, np.nan)
    if prices.shape != (n_classes, n_classes) or not np.isfinite(prices).all():
        raise ParameterError(
            f"costs={reprlib.repr(costs)} is not a matrix of {n_classes} x {n_classes} numbers",
            hint="costs[i][j] is the cost of predicting class j for class i, in the order "
            f"{', '.join(map(str, rows.classes[:MOST_NAMED]))}"
            + (", ..." if n_classes > MOST_NAMED else ""),
        )
    return prices


def evaluate_fitted(
    model: Predictor | ProbabilityPredictor,
    X: Any,
    y: Any = None,
    sample_weight: Any = None,
    *,
    costs: Any = None,
    scoring: Any = None,
) -> Evaluation:
    """Evaluate a fitted model on new rows; nothing is fitted.

    Rows of classes that the model does not know count as wrong.

    Parameters
    ----------
    model
        A fitted model, or any object with `predict` or `predict_proba`. Without `classes_`, the
        columns of `predict_proba` are the classes 0, 1, ...; without `predict_proba`, predictions
        that are floats are numbers, and all others are classes.
    X, y, sample_weight
        The rows, in the form that the model takes.
    costs, scoring
        As in `treewright.evaluate`.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.load_sample("iris")
    >>> model = tw.CARTClassifier(prune=None, max_depth=2).fit(X[:100:2], y[:100:2])
    >>> tw.evaluate_fitted(model, X[1:100:2], y[1:100:2]).mean("accuracy")
    1.0
    """
    check_predicts(model, "cannot be evaluated")
    X, y, sample_weight = given_rows(X, y, sample_weight)
    check_has_target(model)
    if hasattr(model, "__sklearn_tags__"):
        check_is_fitted(model)
    X = as_rows(model, X)
    n_rows = n_rows_of(X)
    weights = check_weights(sample_weight, n_rows)
    if predicts_numbers(model, X):
        rows = EvaluationRows(X, numbers_of(model, y, n_rows), weights, None, None)
    else:
        target = encode_classes(y, n_rows=n_rows)
        known = known_classes(model, X)
        seen = np.asarray(target.classes)
        if kind_of_labels(known) != kind_of_labels(seen):
            raise DataError(
                f"the model's classes are {known.dtype.name}, those of y {seen.dtype.name}",
                hint="give labels of the same type as in training",
            )
        labels = labels_of_both(known, seen)
        codes = np.searchsorted(labels, seen[target.codes])
        rows = EvaluationRows(X, labels[codes], weights, labels, codes)
    everything = np.arange(n_rows)
    split = Split(0, 0, everything[:0], everything)
    prices = checked_costs(own_costs(model, rows) if costs is None else costs, rows)
    scorers = scorers_of(
        scoring, of_classes=rows.classes is not None, with_costs=prices is not None
    )
    judged = judge_fitted(model, rows, split, costs=prices)
    if scorers:
        measures = with_scores(judged.measures, scorers, model, rows, split)
        judged = replace(judged, measures=measures)
    classes = None if rows.classes is None else tuple(rows.classes.tolist())
    name = type(model).__name__
    plan = Plan(np.zeros(n_rows, dtype=np.int32))
    return Evaluation(name, "the model as it is", classes, (judged,), plan, rows, prices, name)


def predicts_numbers(model: Any, X: Any) -> bool:
    """Whether a fitted model predicts numbers; if it does not say so, its predictions do."""
    if is_classifier_by_name(model):
        return False
    if isinstance(model, Model) or hasattr(model, "__sklearn_tags__"):
        return True
    return not predicts_classes(model, predictions_of(model, X))


def is_classifier_by_name(model: object) -> bool:
    if isinstance(model, RuleSet):
        return model.classes_ is not None
    is_tagged = hasattr(model, "__sklearn_tags__") and is_classifier(model)
    return is_tagged or hasattr(model, "predict_proba")


def numbers_of(model: object, y: Any, n_rows: int) -> Floats:
    """The target of a model that predicts numbers, with a warning if it looks like classes."""
    try:
        numbers: Floats = encode_numbers(y, n_rows=n_rows).values
    except DataError as error:
        if isinstance(model, Model):
            raise
        raise DataError(
            f"{kind_of(model)} predicts numbers: {error.args[0]}",
            hint=instead_of(model)
            or "to predict classes, `predict` has to return them; or add `predict_proba`",
        ) from None
    if instead_of(model) and len(np.unique(numbers)) == 2:
        warn_user(
            f"{kind_of(model)} predicts numbers, and y has two values: if these are classes, "
            f"{instead_of(model)}"
        )
    return numbers


def known_classes(model: Any, X: Any) -> NDArray[Any]:
    """The classes of a fitted classifier of any package."""
    if getattr(model, "classes_", None) is not None:
        return np.asarray(model.classes_)
    if hasattr(model, "predict_proba"):
        return np.arange(probabilities_of(model, X).shape[1])
    return np.unique(predictions_of(model, X))


def kind_of_labels(labels: NDArray[Any]) -> str:
    """Whether labels are text or numbers, whatever the type of their array."""
    if labels.dtype.kind == "O":
        return "text" if any(isinstance(label, str) for label in labels) else "number"
    return "text" if labels.dtype.kind in "UT" else "number"


def labels_of_both(known: NDArray[Any], seen: NDArray[Any]) -> NDArray[Any]:
    """The classes of a model and of rows, sorted; as the model has them, where that is possible."""
    labels = np.union1d(known, seen)
    if known.dtype.kind in "iu" and labels.dtype.kind == "f":
        as_known = labels.astype(known.dtype)
        return as_known if np.array_equal(as_known, labels) else labels
    return labels


def own_costs(model: Any, rows: EvaluationRows) -> Any:
    """The model's own costs, unless there are rows of unknown classes."""
    costs = getattr(model, "costs", None) if isinstance(model, Model) else None
    if costs is None or rows.classes is None or len(rows.classes) != len(model.classes_):
        return None
    return costs
