"""tw.compare: several models on the same splits, with tests of their differences."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from numbers import Real
from typing import Any

from treewright.errors import ParameterError
from treewright.evaluation.evaluate import evaluated_each, judged_by
from treewright.evaluation.evaluation import Evaluation
from treewright.evaluation.judging import Progress
from treewright.evaluation.protocol import Protocol
from treewright.evaluation.resampled import Comparison, compared
from treewright.evaluation.rows import rows_for
from treewright.evaluation.scores import ERRORS, TITLES
from treewright.plain_text import aligned, plain, score_text, with_spread
from treewright.protocols import Estimator
from treewright.result import Record, Result

CLEAR = 0.05  # p-values below it are called clear
MOST_SIDE_BY_SIDE = 5  # models; more stand one below the other


def lines_of_models(comparison: "ModelComparison") -> list[str]:
    """A table of all measures; models stand side by side while they fit."""
    known = {name for found in comparison.evaluations.values() for name in found.scores}
    measures = [name for name in TITLES if name in known]
    kinds = {found.by_rules for found in comparison.evaluations.values()}
    size = "leaves or rules" if len(kinds) == 2 else "rules" if kinds == {True} else "leaves"
    head = ["", *(TITLES[name] for name in measures), size]
    lines = [
        [plain(name), *cells_of(found, measures)] for name, found in comparison.evaluations.items()
    ]
    if len(lines) <= MOST_SIDE_BY_SIDE:
        head, *lines = [list(line) for line in zip(head, *lines, strict=True)]
    return aligned([head, *(line for line in lines if any(line[1:]))])


def cells_of(found: Evaluation, measures: Sequence[str]) -> list[str]:
    """Means and deviations; blank where a model has no such measure."""
    cells = [
        with_spread(found.mean(one), found.deviation(one)) if one in found.scores else ""
        for one in measures
    ]
    leaves = found.mean_leaves
    return [*cells, "" if leaves != leaves else f"{leaves:.1f}"]


def lines_of_pairs(comparison: "ModelComparison") -> list[str]:
    """Every pair with its test and the three probabilities."""
    rope = next(iter(comparison.pairs.values())).rope
    head = ["first", "second", "difference", "p", "first better", f"within {rope:g}"]
    rows = [
        [*map(plain, names), signed(pair.difference), *chances(pair)]
        for names, pair in comparison.pairs.items()
    ]
    return aligned([[*head, "second better"], *rows])


def chances(pair: Comparison) -> list[str]:
    """The p-value and probabilities of the test; empty for a single split."""
    if pair.p_value != pair.p_value:
        return ["", "", "", ""]
    shares = (pair.first_better, pair.equal, pair.second_better)
    p = "<0.0001" if pair.p_value < 0.0001 else f"{pair.p_value:.4f}"
    return [p, *(f"{share:.1%}" for share in shares)]


def signed(difference: float) -> str:
    """A difference with its sign; one that rounds to nothing has none that matters.

    >>> signed(0.0123), signed(-1e-9)
    ('+0.0123', '+0.0000')
    """
    rounded = float(score_text(difference)) + 0.0
    return ("+" if rounded >= 0 else "") + score_text(rounded)


def verdict(comparison: "ModelComparison") -> list[str]:
    """The best model, and which of the others are clearly worse."""
    best = comparison.best
    worse: list[str] = []
    close: list[str] = []
    for names, pair in comparison.pairs.items():
        if best in names:
            other = plain(names[names[0] == best])
            (worse if pair.p_value < CLEAR else close).append(other)
    mean = score_text(comparison.evaluations[best].mean(comparison.measure))
    parts = [f"best {TITLES[comparison.measure]}: {plain(best)} ({mean})"]
    if worse:
        parts.append(f"clearly worse (p < {CLEAR:g}): {', '.join(worse)}")
    if close and comparison.evaluations[best].n_splits == 1:
        parts.append(f"one split cannot show whether these are worse: {', '.join(close)}")
    elif close:
        parts.append(f"too close to call: {', '.join(close)}")
    return parts


Models = Mapping[str, Estimator] | Sequence[Estimator]


@dataclass(frozen=True, slots=True, eq=False)
class ModelComparison(Result):
    """Evaluations by the name of the model, and every pair compared by one measure.

    Differences are first less second, turned round for errors: positive favors the first.
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

    def _facts(self) -> Record:
        return {
            "measure": self.measure,
            "best": self.best,
            "models": self.evaluations,
            "pairs": [
                {"first": first, "second": second, **pair.tested}
                for (first, second), pair in self.pairs.items()
            ],
        }

    def _records(self) -> list[dict[str, Any]]:
        return [
            {"model": name, "measure": measure, **found.summary(measure)}
            for name, found in self.evaluations.items()
            for measure in found.scores
        ]

    def to_text(self) -> str:
        """Measures of each model, then a test of each difference."""
        any_one = next(iter(self.evaluations.values()))
        lines = [f"{any_one.scheme}, {any_one.rows.n_rows} rows", "", *lines_of_models(self)]
        if self.pairs:
            title = TITLES[self.measure]
            lines += ["", f"{title}: positive differences favor the first", ""]
            lines += [*lines_of_pairs(self), "", *verdict(self)]
        return "\n".join(lines)


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
    """Compare several models on the same splits.

    Each pair gets the corrected resampled t-test (Nadeau and Bengio) and the probabilities of the
    Bayesian correlated t-test (Corani and Benavoli): the first better, the second better, or no
    difference that matters.

    Parameters
    ----------
    models
        Name -> model, or models alone.
    measure
        The measure for comparing pairs; default accuracy, or root mean squared error for numbers.
    rope
        Region of practical equivalence: smaller differences of the measure do not matter.
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
    >>> models = {"cart": tw.CARTClassifier(prune=None), "c45": tw.C45Classifier()}
    >>> found = tw.compare(models, X, y, measure="log_loss")
    >>> found.best
    'c45'
    """
    if not isinstance(rope, Real) or not rope >= 0:
        raise ParameterError(f"rope={rope!r} is not allowed", hint="use a number from 0 on")
    by_name = named(models)
    rows = rows_for(list(by_name.values()), X, y, sample_weight)
    protocol = Protocol(folds, repeats, hold_out, groups, times, stratified, random_state)
    measure, prices = judged_by(measure, by_name.values(), costs, rows)
    evaluations = evaluated_each(
        by_name, rows, protocol, costs=prices, n_jobs=n_jobs, progress=progress
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
