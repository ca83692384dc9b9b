"""tw.compare: several models on the same splits, with tests of their differences."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from numbers import Real
from typing import Any

from treewright.data.leaks import TableWarning
from treewright.errors import ParameterError
from treewright.evaluation.cautions import evaluation_warnings, warn_of
from treewright.evaluation.evaluate import evaluated_each, judged_by
from treewright.evaluation.evaluation import Evaluation
from treewright.evaluation.judging import Progress
from treewright.evaluation.protocol import Protocol
from treewright.evaluation.resampled import Comparison, compared
from treewright.evaluation.rows import rows_for
from treewright.evaluation.scores import ERRORS, TITLES
from treewright.evaluation.verdict import SizedScores, Verdict, smaller_and_as_good
from treewright.plain_text import aligned, plain, score_text, with_spread
from treewright.protocols import Estimator
from treewright.result import Record, Result

CLEAR = 0.05  # p-values below it are called clear
BEHIND = ("behind", "p", "worse")  # columns of the comparison with the best
# Measures with a column of their own, so that a line fits; `to_frame()` has them all.
COLUMNS = ("accuracy", "balanced_accuracy", "cost", "log_loss", "auc", "mae", "rmse", "r2")
SHORT = {"balanced_accuracy": "balanced", "mae": "MAE", "rmse": "RMSE"}  # above a column


def lines_of_models(comparison: "ModelComparison") -> list[str]:
    """One line for each model, the best first: its measures, and how far it is behind the best."""
    known = {name for found in comparison.evaluations.values() for name in found.scores}
    others = [name for name in COLUMNS if name in known and name != comparison.measure]
    kinds = {found.by_rules for found in comparison.evaluations.values()}
    size = "leaves or rules" if len(kinds) == 2 else "rules" if kinds == {True} else "leaves"
    head = [
        "",
        TITLES[comparison.measure],
        *BEHIND,
        *(SHORT.get(name, TITLES[name]) for name in others),
        size,
    ]
    lines = [
        [
            plain(name),
            with_spread(found.mean(comparison.measure), found.deviation(comparison.measure)),
            *behind_best(comparison, name),
            *(score_text(found.mean(one)) if one in found.scores else "" for one in others),
            "" if found.mean_leaves != found.mean_leaves else f"{found.mean_leaves:,.1f}",
        ]
        for name, found in ranked(comparison).items()
    ]
    shown = [at for at in range(len(head)) if any(line[at] for line in lines)]
    return aligned([[line[at] for at in shown] for line in (head, *lines)])


def ranked(comparison: "ModelComparison") -> dict[str, Evaluation]:
    """The evaluations, the best first; equal ones as they were given."""
    sign = 1 if comparison.measure in ERRORS else -1
    evaluations = comparison.evaluations
    names = sorted(evaluations, key=lambda name: sign * evaluations[name].mean(comparison.measure))
    return {name: evaluations[name] for name in names}


def behind_best(comparison: "ModelComparison", name: str) -> list[str]:
    """How far a model is behind the best, the p-value, and the probability that it is worse."""
    best = comparison.best
    if name == best:
        return ["", "", ""]
    is_first = (best, name) in comparison.pairs
    pair = comparison.pairs[(best, name) if is_first else (name, best)]
    behind = score_text(abs(pair.difference))
    if pair.p_value != pair.p_value:  # a single split
        return [behind, "", ""]
    p = "<0.001" if pair.p_value < 0.001 else f"{pair.p_value:.3f}"
    return [behind, p, f"{pair.first_better if is_first else pair.second_better:.0%}"]


def legend(comparison: "ModelComparison") -> str:
    """What the columns of the table mean."""
    pair = next(iter(comparison.pairs.values()))
    if pair.p_value != pair.p_value:
        return "behind: difference from the best"
    return (
        "behind: difference from the best; p: corrected resampled t-test; "
        f"worse: probability of being worse by more than {pair.rope:g}"
    )


def smallest(comparison: "ModelComparison") -> list[str]:
    """The model with fewest leaves of those that are not clearly worse; none if it is the best."""
    best = comparison.best
    close = {best} | {
        name
        for pair, found in comparison.pairs.items()
        if best in pair and not found.p_value < CLEAR
        for name in pair
    }
    sizes = {name: comparison.evaluations[name].mean_leaves for name in close}
    sized = {name: size for name, size in sizes.items() if size == size}
    if comparison.evaluations[best].n_splits == 1 or len(sized) < 2:
        return []
    name = min(sized, key=lambda one: (sized[one], one != best))
    if name == best:
        return []
    what = "rules" if comparison.evaluations[name].by_rules else "leaves"
    return [f"the smallest of these: {plain(name)} ({sized[name]:,.1f} {what})"]


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
    return [*parts, *filter(None, [comparison.on_size])]


ENSEMBLES = ("Forest", "Boosted", "ExtraTrees")


def sized(name: str, found: Evaluation, measure: str) -> SizedScores:
    """A model with its scores and its leaves."""
    noun = "ensemble" if any(word in found.kind for word in ENSEMBLES) else "tree"
    return SizedScores(name, found.mean_leaves, found.of(measure), noun)


Models = Mapping[str, Estimator] | Sequence[Estimator]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ModelComparison(Result):
    """Evaluations by the name of the model, and every pair compared by one measure.

    Differences are first less second, turned round for errors: positive favors the first.
    """

    measure: str
    evaluations: Mapping[str, Evaluation]
    pairs: Mapping[tuple[str, str], Comparison]
    warnings: tuple[TableWarning, ...] = ()  # leaks that make the scores too good

    @property
    def best(self) -> str:
        """The model with the best mean."""
        sign = -1 if self.measure in ERRORS else 1
        return max(
            self.evaluations, key=lambda name: sign * self.evaluations[name].mean(self.measure)
        )

    @property
    def verdict(self) -> Verdict:
        """Whether the best model is better than guessing."""
        return self.evaluations[self.best].verdict_by(self.measure)

    @property
    def on_size(self) -> str:
        """A sentence about a much smaller tree that is as good as the best model, or ""."""
        best = self.evaluations[self.best]
        others = [
            sized(name, found, self.measure)
            for name, found in self.evaluations.items()
            if name != self.best and not found.by_rules and self.measure in found.scores
        ]
        if best.n_splits < 2 or best.by_rules:
            return ""
        return smaller_and_as_good(
            sized(self.best, best, self.measure), others, self.measure, best.test_share
        )

    def _facts(self) -> Record:
        return {
            "measure": self.measure,
            "best": self.best,
            "verdict": self.verdict,
            "warnings": self.warnings,
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
        """A line for each model, the best first, then the conclusions; `pairs` has all tests."""
        any_one = next(iter(self.evaluations.values()))
        lines = [f"{any_one.scheme}, {any_one.rows.n_rows} rows", "", *lines_of_models(self)]
        if self.pairs:
            lines += [legend(self), "", *verdict(self), *smallest(self)]
        else:
            lines.append("")
        return "\n".join([*lines, f"{plain(self.best)}: {self.verdict.words}"])

    def __repr__(self) -> str:
        mean = score_text(self.evaluations[self.best].mean(self.measure))
        best = f"best {TITLES[self.measure]}: {self.best} ({mean})"
        return f"<ModelComparison: {len(self.evaluations)} models, {best}, {self.verdict.words}>"


def compare(
    models: Models,
    X: Any,
    y: Any = None,
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
    warnings = warn_of(evaluation_warnings(X, rows, protocol))
    return ModelComparison(measure, evaluations, pairs, warnings)


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
