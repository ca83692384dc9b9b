"""tw.compare: several models on the same splits, and what the differences are worth."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from numbers import Real
from typing import Any

from treewright.errors import ParameterError
from treewright.evaluation.as_json import plain_number
from treewright.evaluation.evaluate import evaluated, judged_by
from treewright.evaluation.evaluation import Evaluation
from treewright.evaluation.measure import ERRORS
from treewright.evaluation.protocol import Protocol
from treewright.evaluation.resampled import Comparison, compared
from treewright.evaluation.rows import rows_for
from treewright.evaluation.side_by_side import Progress

Models = Mapping[str, Any] | Sequence[Any]


@dataclass(frozen=True, slots=True, eq=False)
class ModelComparison:
    """Evaluations by the name of the model, and every pair compared by one measure.

    Differences are first less second, turned round for errors: positive favours the first.
    """

    measure: str
    evaluations: Mapping[str, Evaluation]
    pairs: Mapping[tuple[str, str], Comparison]

    @property
    def best(self) -> str:
        """The model with the best mean."""
        sign = -1 if self.measure in ERRORS else 1
        return max(
            self.evaluations, key=lambda name: sign * self.evaluations[name].mean(self.measure)
        )

    def to_dict(self) -> dict[str, Any]:
        """The facts as plain values for JSON."""
        return {
            "measure": self.measure,
            "best": self.best,
            "models": {name: found.to_dict() for name, found in self.evaluations.items()},
            "pairs": [
                {
                    "first": first,
                    "second": second,
                    "difference": plain_number(pair.difference),
                    "deviation": plain_number(pair.deviation),
                    "t": plain_number(pair.t),
                    "p_value": plain_number(pair.p_value),
                    "first_better": plain_number(pair.first_better),
                    "equal": plain_number(pair.equal),
                    "second_better": plain_number(pair.second_better),
                    "rope": pair.rope,
                }
                for (first, second), pair in self.pairs.items()
            ],
        }

    def __str__(self) -> str:
        from treewright.evaluation.comparison_text import comparison_text

        return comparison_text(self)


def compare(
    models: Models,
    X: Any,
    y: Any,
    sample_weight: Any = None,
    *,
    measure: str | None = None,
    rope: float = 0.01,
    folds: Any = 10,
    repeats: int = 1,
    hold_out: float | None = None,
    groups: Any = None,
    times: Any = None,
    stratified: bool = True,
    costs: Any = None,
    random_state: Any = 0,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> ModelComparison:
    """Judge several models on the same splits.

    Each pair gets the corrected resampled t-test (Nadeau and Bengio) and the probabilities of the
    Bayesian correlated t-test (Corani and Benavoli): the first better, the second better, or no
    difference that matters.

    Parameters
    ----------
    models
        Name -> model, or models alone.
    measure
        What pairs are compared by; None takes accuracy, or for numbers the root mean squared error.
    rope
        Differences up to this, in units of the measure, do not matter.
    costs
        As for `treewright.evaluate`; None takes those of the models, if they agree on them.
    X, y, sample_weight
        As for `treewright.evaluate`.
    folds, repeats, hold_out, groups, times, stratified, random_state, n_jobs, progress
        As for `treewright.evaluate`.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.load_sample("iris")
    >>> models = {"cart": tw.CARTClassifier(), "c45": tw.C45Classifier()}
    >>> found = tw.compare(models, X, y, measure="log_loss")
    >>> found.best
    'c45'
    """
    if not isinstance(rope, Real) or not rope >= 0:
        raise ParameterError(f"rope={rope!r} is not allowed", hint="use a number from 0 on")
    by_name = named(models)
    rows = rows_for(list(by_name.values()), X, y, sample_weight)
    protocol = Protocol(
        folds=folds,
        repeats=repeats,
        hold_out=hold_out,
        groups=groups,
        times=times,
        stratified=stratified,
        random_state=random_state,
    )
    measure, prices = judged_by(measure, by_name.values(), costs, rows)
    evaluations = {}
    for number, (name, model) in enumerate(by_name.items()):
        evaluations[name] = evaluated(
            model,
            rows,
            protocol,
            name=name,
            costs=prices,
            n_jobs=n_jobs,
            progress=part_of(progress, number, len(by_name)),
        )
    pairs = {
        (first, second): difference_of(evaluations[first], evaluations[second], measure, rope)
        for first, second in combinations(evaluations, 2)
    }
    return ModelComparison(measure, evaluations, pairs)


def difference_of(
    first: Evaluation, second: Evaluation, measure: str, rope: float = 0.01
) -> Comparison:
    """Two evaluations on the same splits, compared."""
    sign = -1 if measure in ERRORS else 1
    difference = sign * (first.of(measure) - second.of(measure))
    return compared(measure, difference, first.test_share, rope)


def named(models: Models) -> dict[str, Any]:
    """Models by name; those without one are called by their class, and numbered if need be."""
    if isinstance(models, Mapping):
        by_name = dict(models)
    else:
        by_name = dict(zip(names_for(models), models, strict=True))
    if not by_name:
        raise ParameterError("there is no model to compare", hint="give at least one")
    return by_name


def names_for(models: Iterable[Any]) -> list[str]:
    """Class names, made different by numbers."""
    seen: dict[str, int] = {}
    names = []
    for model in models:
        name = type(model).__name__
        seen[name] = seen.get(name, 0) + 1
        names.append(name if seen[name] == 1 else f"{name} {seen[name]}")
    return names


def part_of(progress: Progress | None, number: int, n_parts: int) -> Progress | None:
    """The progress of one model as part of the whole."""
    if progress is None:
        return None
    whole = progress
    return lambda done, every: whole(number * every + done, n_parts * every)
