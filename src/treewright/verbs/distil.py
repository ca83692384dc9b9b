"""`treewright.distil`: one readable tree, or rules, that approximate another model."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.data.formats import PLAIN, in_format
from treewright.data.schema import Schema
from treewright.data.sources import table_from
from treewright.ensembles.base import Ensemble
from treewright.errors import DataError, ParameterError
from treewright.estimators.params import check_setting_names
from treewright.estimators.threads import generator_from
from treewright.protocols import Predictor, ProbabilityPredictor
from treewright.result import Record, Result
from treewright.single_trees.cart import CARTClassifier, CARTRegressor
from treewright.single_trees.rule_set import RuleSet
from treewright.verbs.predictions import (
    check_predicts,
    is_own,
    predictions_of,
    predicts_classes,
    rows_for,
)
from treewright.verbs.rules import rules

LEAST_ROWS = 4


@dataclass(frozen=True, slots=True, repr=False)
class Distilled(Result):
    """A small model that approximates a large one, and its fidelity."""

    model: CARTClassifier | CARTRegressor  # fitted to the predictions of the large one
    rules: RuleSet | None  # the same as rules, if asked for
    fidelity: float  # on held-out rows: the share of equal classes, or R squared of the numbers
    measure: str  # which of the two
    n_rows: int  # that the small model was fitted to
    n_held_out: int  # that its fidelity was measured on
    of: str = "ensemble"  # name of the large model

    def _facts(self) -> Record:
        return {
            "of": self.of,
            "measure": self.measure,
            "fidelity": self.fidelity,
            "n_rows": self.n_rows,
            "n_held_out": self.n_held_out,
            "n_leaves": self.model.get_n_leaves(),
            "rules": rules(self.model) if self.rules is None else self.rules,
        }

    def to_text(self) -> str:
        """The fidelity, then the small tree or its rules."""
        measured = f"{self.measure} with the {self.of} on {self.n_held_out:,} held-out rows"
        shown = self.model.export_text() if self.rules is None else str(self.rules)
        return f"{measured}: {self.fidelity:.3f}\n{shown}"

    def __repr__(self) -> str:
        leaves = self.model.get_n_leaves()
        return f"<Distilled: {leaves} leaves, {self.measure} {self.fidelity:.3f}>"


def distil(
    model: Predictor | ProbabilityPredictor,
    X: Any,
    *,
    max_leaf_nodes: int | None = 16,
    as_rules: bool = False,
    held_out: float = 0.25,
    random_state: Any = 0,
    **settings: Any,
) -> Distilled:
    """Grow one readable tree that approximates another model.

    The model predicts the rows of X, and a CART tree is grown on these predictions. Some rows are
    held out to compare the two: by the share of rows with the same class, or by the R squared of
    the tree's numbers for those of the model. No target is needed, so any table with the same
    columns works: with more rows, the tree comes closer to the model.

    Parameters
    ----------
    model
        A fitted model: a forest, boosted trees, neighbors, clusters, or any object with `predict`
        or `predict_proba`, such as a model of scikit-learn, XGBoost or LightGBM. Its predictions
        are treated as classes if it has `classes_` or `predict_proba`, or if they are not floats.
    X
        Rows for the model to predict, in the form that its `predict` takes.
    max_leaf_nodes
        Maximum number of leaves; None for no limit.
    as_rules
        Whether to return the tree as rules as well.
    held_out
        The share of the rows held out to measure fidelity.
    random_state
        Random seed for choosing these rows.
    **settings
        Further settings of `CARTClassifier` or `CARTRegressor`.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.load_sample("iris")
    >>> forest = tw.RandomForestClassifier().fit(X, y)
    >>> small = tw.distil(forest, X, max_leaf_nodes=3)
    >>> small.model.get_n_leaves(), small.measure, small.fidelity > 0.8
    (3, 'agreement', True)
    """
    check_predicts(model, "cannot be distilled")
    table = table_from(X)
    predictions = predictions_of(model, X if is_own(model) else rows_for(model, X))
    fitted_to, kept_back = parted(len(table), held_out, random_state)
    is_classifier = predicts_classes(model, predictions)
    kind = CARTClassifier if is_classifier else CARTRegressor
    nominal = getattr(model, "categorical_features", "from_dtype")
    given: dict[str, Any] = {
        "max_leaf_nodes": max_leaf_nodes,
        "categorical_features": nominal,
        "prune": None,
    } | settings
    check_setting_names(settings, kind.params, kind.__name__)
    schema = None if is_classifier else getattr(model, "schema_", None)
    form = schema.target_format if isinstance(schema, Schema) else PLAIN
    small = kind(**given).fit(table[fitted_to], in_format(predictions[fitted_to], form))
    own = small.predict(table[kept_back])
    if is_classifier:
        fidelity, measure = float(np.mean(own == predictions[kept_back])), "agreement"
    else:
        fidelity, measure = r_squared(predictions[kept_back], own), "R squared"
    found = rules(small) if as_rules else None
    of = "ensemble" if isinstance(model, Ensemble) else type(model).__name__
    return Distilled(small, found, fidelity, measure, len(fitted_to), len(kept_back), of)


def parted(
    n_rows: int, held_out: float, random_state: Any
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Rows to fit to, and rows to measure on, each in order."""
    if not 0 < held_out < 1:
        raise ParameterError(f"held_out is {held_out!r}", hint="use a share between 0 and 1")
    if n_rows < LEAST_ROWS:
        raise DataError(f"X has {n_rows} rows", hint=f"give at least {LEAST_ROWS}")
    drawn = generator_from(random_state).permutation(n_rows)
    n_kept = min(max(round(held_out * n_rows), 1), n_rows - 2)
    return np.sort(drawn[n_kept:]), np.sort(drawn[:n_kept])


def r_squared(numbers: NDArray[np.float64], predicted: NDArray[np.float64]) -> float:
    """R squared of predictions; 1 if all numbers are equal and predicted exactly."""
    left = float(((numbers - predicted) ** 2).sum())
    total = float(((numbers - numbers.mean()) ** 2).sum())
    return 1.0 - left / total if total > 0 else float(left == 0)
