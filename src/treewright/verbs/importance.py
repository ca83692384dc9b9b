"""`treewright.importance`: the importance of columns, with confidence intervals."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import Floats
from treewright.ensembles.forests.base import Forest
from treewright.ensembles.forests.isolation import IsolationForest
from treewright.errors import DataError, ParameterError, kind_of, nearest
from treewright.estimators.base import Model
from treewright.imports.estimators import Imported
from treewright.intervals import mean_interval
from treewright.plain_text import plain
from treewright.protocols import Predictor, ProbabilityPredictor
from treewright.result import Result, records_of
from treewright.tree.counts import as_shares, column_gains
from treewright.verbs.permutation import Shuffling, shuffled_losses
from treewright.verbs.predictions import check_predicts, has_no_target

METHODS = ("permutation", "gain")


@dataclass(frozen=True, slots=True, repr=False)
class Importance(Result):
    """How much each column matters, in the order of the table; `print` sorts them."""

    names: tuple[str, ...]
    values: Floats
    low: Floats  # ends of the intervals; NaN where there are none
    high: Floats
    method: str  # "permutation" or "gain"
    unit: str  # what the values are, in words
    confidence: float  # of the intervals
    interval_over: str = ""  # the source of variation that the intervals cover

    @property
    def order(self) -> NDArray[np.intp]:
        """Positions of the columns, the most important first."""
        return np.argsort(-self.values, kind="stable")

    def _records(self) -> list[dict[str, Any]]:
        columns = {"column": self.names, "value": self.values, "low": self.low, "high": self.high}
        records = records_of(columns)
        return [records[at] for at in self.order]

    def to_text(self) -> str:
        """The columns and their importance, the most important first."""
        names = [plain(name) for name in self.names]
        width = max(map(len, names), default=0)
        intervals = f"intervals of {100 * self.confidence:g} % over {self.interval_over}"
        lines = [self.unit if np.isnan(self.low).all() else f"{self.unit}, with {intervals}"]
        for at in self.order:
            line = f"{names[at]:<{width}}  {self.values[at]:8.4f}"
            if not np.isnan(self.low[at]):
                line += f"  {self.low[at]:8.4f} .. {self.high[at]:.4f}"
            lines.append(line)
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<Importance by {self.method}: {len(self.names)} columns>"


def importance(
    model: Predictor | ProbabilityPredictor,
    X: Any = None,
    y: Any = None,
    *,
    method: Literal["permutation", "gain"] = "permutation",
    measure: str | None = None,
    n_repeats: int = 10,
    confidence: float = 0.95,
    random_state: Any = 0,
) -> Importance:
    """Compute how important each column is for a fitted model, with confidence intervals.

    "permutation": the loss of the model on the rows of X, preferably held-out rows, when the values
    of a column are shuffled among them. The interval is normal; its variance is that of the mean
    over the rows plus that of the mean over the shuffles, so it covers other rows like these.
    "gain": the column's share of the gain of all splits on the training rows. It favors columns
    with many values. For a forest, the intervals come from the spread between its trees: they cover
    other seeds, not other rows, and more trees make them narrow. Other models have none.

    Parameters
    ----------
    model
        A fitted model that predicts a target; for "permutation" any object with `predict` or
        `predict_proba`, such as a model of scikit-learn, XGBoost or LightGBM.
    X, y
        Rows and their target, for "permutation".
    method
        "permutation" or "gain".
    measure
        The score that is lost: "accuracy" or "log_loss" for classes, "r2" or "absolute_error" for
        numbers; None uses the first. For "permutation".
    n_repeats
        How often each column is shuffled, for "permutation".
    confidence
        Of the intervals.
    random_state
        Seed of the shuffles.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.load_sample("iris")
    >>> model = tw.CARTClassifier(prune=None, max_depth=2).fit(X[::2], y[::2])
    >>> print(tw.importance(model, X[1::2], y[1::2]))
    accuracy lost, with intervals of 95 % over rows and shuffles
    petal length    0.4160    0.3590 .. 0.4730
    petal width     0.2840    0.2032 .. 0.3648
    sepal length    0.0000    0.0000 .. 0.0000
    sepal width     0.0000    0.0000 .. 0.0000
    """
    check_predicts(model, "has no importances")
    if isinstance(model, Model):
        model.state_  # noqa: B018 -- an error before fit
    if method not in METHODS:
        raise ParameterError(f"method is {method!r}", hint=nearest(str(method), METHODS, "methods"))
    if not 0 < confidence < 1:
        raise ParameterError(f"confidence is {confidence!r}", hint="use a number between 0 and 1")
    if isinstance(model, IsolationForest):
        raise ParameterError(
            "an IsolationForest draws columns at random and has no target, so none is important",
            hint="tw.shap_values(forest, X) shows what makes each row an outlier",
        )
    if has_no_target(model):
        raise ParameterError(
            f"{kind_of(model)} has no target, so its columns have no importance",
            hint="tw.distil(model, X) grows a tree that shows which columns separate its groups",
        )
    if method == "gain" and measure is not None:
        raise ParameterError(
            f'measure={measure!r} is for method="permutation"', hint="leave one of them out"
        )
    if method == "gain":
        names, values, error = by_gain(model)
        unit, over = "share of all gain", "other seeds"
    else:
        if X is None or y is None:
            raise DataError(
                "permutation needs both X and y",
                hint='importance(model, X_test, y_test), or method="gain"',
            )
        found = shuffled_losses(model, X, y, Shuffling(measure, n_repeats, random_state))
        values, error, unit = found.means, found.errors, found.unit
        over = "rows and shuffles"
        names = found.names
    low, high = mean_interval(values, error, confidence=confidence)
    if method == "gain":  # shares
        low, high = np.clip(low, 0.0, 1.0), np.clip(high, 0.0, 1.0)
    names = tuple(str(name) for name in names)
    return Importance(names, values, low, high, method, unit, confidence, over)


def by_gain(model: object) -> tuple[Sequence[str], Floats, Floats]:
    """Columns, their shares of the gain and the standard errors; NaN without any."""
    if not isinstance(model, Model) or not hasattr(model, "feature_importances_"):
        raise ParameterError(
            f'method="gain" reads the splits of treewright\'s trees, and {kind_of(model)} has none',
            hint='method="permutation" works with every model',
        )
    names, values = model.schema_.names, np.asarray(model.feature_importances_, dtype=np.float64)
    if isinstance(model, Imported) and not values.any():
        raise ParameterError(
            "the file that the model was imported from does not say what its splits gained",
            hint='method="permutation" works with every model',
        )
    unknown = np.full(len(values), np.nan)
    if not isinstance(model, Forest) or len(model.trees_) < 2:
        return names, values, unknown
    shares = np.stack([as_shares(column_gains(tree)) for tree in model.trees_])
    return names, values, shares.std(axis=0, ddof=1) / np.sqrt(len(shares))
