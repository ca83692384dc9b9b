"""The measures that models are judged by, declared once: names, titles, ranges."""

from dataclasses import dataclass

from treewright.errors import ParameterError, nearest

INFINITY = float("inf")


@dataclass(frozen=True, slots=True)
class Measure:
    """One number that says how good answers are."""

    name: str
    title: str
    low: float
    high: float
    less_is_better: bool = False


CLASS_MEASURES = (
    Measure("accuracy", "accuracy", 0.0, 1.0),
    Measure("balanced_accuracy", "balanced accuracy", 0.0, 1.0),
    Measure("kappa", "kappa", -1.0, 1.0),
    Measure("cost", "cost", -INFINITY, INFINITY, less_is_better=True),
    Measure("log_loss", "log loss", 0.0, INFINITY, less_is_better=True),
    Measure("brier", "Brier score", 0.0, 2.0, less_is_better=True),
    Measure("auc", "AUC", 0.0, 1.0),
)
NUMBER_MEASURES = (
    Measure("mae", "mean absolute error", 0.0, INFINITY, less_is_better=True),
    Measure("rmse", "root mean squared error", 0.0, INFINITY, less_is_better=True),
    Measure("r2", "R²", -INFINITY, 1.0),
)
MEASURES = {measure.name: measure for measure in (*CLASS_MEASURES, *NUMBER_MEASURES)}
ERRORS = frozenset(name for name, measure in MEASURES.items() if measure.less_is_better)
TITLES = {name: measure.title for name, measure in MEASURES.items()}


def checked_measure(name: str | None, *, of_classes: bool, with_costs: bool = False) -> str:
    """The measure that decides: the one named, else accuracy, or for numbers the RMSE.

    >>> checked_measure(None, of_classes=True)
    'accuracy'
    """
    if name is None:
        return "accuracy" if of_classes else "rmse"
    known = [one.name for one in (CLASS_MEASURES if of_classes else NUMBER_MEASURES)]
    if name == "cost" and of_classes and not with_costs:
        raise ParameterError("the measure `cost` needs prices", hint="give costs=")
    if name not in known:
        raise ParameterError(
            f"no measure `{name}` here", hint=nearest(str(name), known, "measures")
        )
    return name
