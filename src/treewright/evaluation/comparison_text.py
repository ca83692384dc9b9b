"""Compared models as tables for a terminal."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from treewright.evaluation.evaluation import Evaluation
from treewright.evaluation.lines import lined_up, shown, with_spread
from treewright.evaluation.measure import TITLES
from treewright.evaluation.resampled import Comparison
from treewright.plain_text import plain

if TYPE_CHECKING:
    from treewright.evaluation.compare import ModelComparison

CLEAR = 0.05  # p-values below it are called clear
MOST_SIDE_BY_SIDE = 5  # models; more stand one below the other


def comparison_text(comparison: "ModelComparison") -> str:
    """Measures of each model, then what each difference is worth."""
    any_one = next(iter(comparison.evaluations.values()))
    lines = [f"{any_one.scheme}, {any_one.rows.n_rows} rows", ""]
    lines += lines_of_models(comparison)
    if comparison.pairs:
        title = TITLES[comparison.measure]
        lines += ["", f"{title}: positive differences favour the first", ""]
        lines += [*lines_of_pairs(comparison), "", *verdict(comparison)]
    return "\n".join(lines)


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
    return lined_up(head, [line for line in lines if any(line[1:])])


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
    return lined_up([*head, "second better"], rows)


def chances(pair: Comparison) -> list[str]:
    """What the test says; nothing where a single split allows none."""
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
    rounded = float(shown(difference)) + 0.0
    return ("+" if rounded >= 0 else "") + shown(rounded)


def verdict(comparison: "ModelComparison") -> list[str]:
    """The best model, and which of the others the splits can tell from it."""
    best = comparison.best
    worse: list[str] = []
    close: list[str] = []
    for names, pair in comparison.pairs.items():
        if best in names:
            other = plain(names[names[0] == best])
            (worse if pair.p_value < CLEAR else close).append(other)
    mean = shown(comparison.evaluations[best].mean(comparison.measure))
    parts = [f"best {TITLES[comparison.measure]}: {plain(best)} ({mean})"]
    if worse:
        parts.append(f"clearly worse (p < {CLEAR:g}): {', '.join(worse)}")
    if close and comparison.evaluations[best].n_splits == 1:
        parts.append(f"one split cannot tell whether these are worse: {', '.join(close)}")
    elif close:
        parts.append(f"too close to call: {', '.join(close)}")
    return parts
