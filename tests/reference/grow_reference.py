"""A tree grower that is slow, exact and obviously right.

Written from the documented rules alone; the compiled core is tested against it. Each node
lists every candidate split, measures each from scratch and takes the best; recursion does
the rest. Nothing here is shared with the package.
"""

from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction

from reference.candidates import Candidate, candidates_of
from reference.impurity import fifty_digits, is_pure, scored_weight, total_impurity
from reference.problem import (
    Problem,
    Rows,
    Weight,
    known_and_missing,
    value_of,
    weight_of,
)
from reference.surrogates import RefSurrogate, surrogates_of

STOP = -1  # the node itself predicts a row with the value missing
SPREAD = -2  # it goes to every child, divided

TIE = Decimal("1e-12")  # of the node's total impurity: scores closer than this are equal


@dataclass(frozen=True)
class Verdict:
    """What the rules say about one node."""

    reason: str  # why the node is a leaf; empty when it splits
    winner: Candidate | None = None
    candidates: list[Candidate] = field(default_factory=list)  # all admissible ones
    rivals: list[Candidate] = field(default_factory=list)  # as good as the winner, which is first


@dataclass(frozen=True)
class Division:
    """The rows of each child, and where missing values go from now on."""

    children: list[Rows]
    missing_child: int
    surrogates: list[RefSurrogate] = field(default_factory=list)


@dataclass(frozen=True)
class RefNode:
    """One node of the grown tree; `split` is None at a leaf."""

    kind: str
    value: list[Weight]  # class weights, or the mean or median
    weight: Weight
    n_rows: int
    reason: str = ""
    split: Candidate | None = None
    missing_child: int = STOP
    surrogates: list[RefSurrogate] = field(default_factory=list)
    children: list["RefNode"] = field(default_factory=list)
    is_tied: bool = False
    scores: list[tuple[int, float]] = field(default_factory=list)  # best of each column


def grow(problem: Problem) -> RefNode:
    """The tree of the problem."""
    with fifty_digits():
        return _grow_node(problem, problem.all_rows, 0, frozenset(), None)


def _grow_node(
    problem: Problem, rows: Rows, depth: int, used: frozenset[int], parent: list[Weight] | None
) -> RefNode:
    if not rows:
        return RefNode("leaf", parent, 0, 0, reason="empty")
    value = value_of(problem, rows)
    weight, n_rows = weight_of(rows), len(rows)
    verdict = judge(problem, rows, depth, used)
    if verdict.winner is None:
        return RefNode("leaf", value, weight, n_rows, reason=verdict.reason)
    split = verdict.winner
    division = divide(problem, split, rows, used)
    return RefNode(
        split.kind,
        value,
        weight,
        n_rows,
        split=split,
        missing_child=division.missing_child,
        surrogates=division.surrogates,
        children=[
            _grow_node(problem, child, depth + 1, used | {split.column}, value)
            for child in division.children
        ],
        is_tied=len(verdict.rivals) > 1,
        scores=[(c.column, float(c.score)) for c in verdict.candidates],
    )


# Whether and how a node splits.


def judge(problem: Problem, rows: Rows, depth: int, used: frozenset[int]) -> Verdict:
    """Stop rules first, then the best candidate by the tie rule. Call with fifty digits."""
    settings = problem.settings
    if is_pure(problem, rows):
        return Verdict("pure")
    if settings.max_depth is not None and depth >= settings.max_depth:
        return Verdict("max_depth")
    size = problem.size_of(rows)
    if size < max(settings.min_samples_split, 2 * settings.min_samples_leaf):
        return Verdict("min_samples_split")
    columns = [
        candidates_of(problem, column, rows)
        for column in settings.column_order or range(len(problem.columns))
        if not (settings.use_once and column in used)
    ]
    columns = [candidates for candidates in columns if candidates]
    if not columns:
        return Verdict("no candidate")
    return _choose(problem, rows, columns)


def _choose(problem: Problem, rows: Rows, columns: list[list[Candidate]]) -> Verdict:
    settings = problem.settings
    everything = [candidate for column in columns for candidate in column]
    tolerance = TIE * total_impurity(problem, rows)
    best_cuts = [_best_of_column(problem, column, tolerance) for column in columns]
    eligible = best_cuts
    if settings.average_gain_filter:
        eligible = _at_least_average(problem, rows, best_cuts)
    if settings.min_gain is not None:
        least = Fraction(settings.min_gain) * scored_weight(problem, rows)
        least_gain = Decimal(least.numerator) / Decimal(least.denominator) + tolerance
        eligible = [candidate for candidate in eligible if candidate.gain > least_gain]
    if not eligible:
        return Verdict("min_gain", candidates=everything)
    if settings.column_order is not None:
        return Verdict("", eligible[0], everything, [eligible[0]])
    score_tolerance = TIE if settings.criterion == "gain_ratio" else tolerance
    winner = _first_best(eligible, score_tolerance)
    rivals = [c for c in eligible if c is not winner and c.score >= winner.score - score_tolerance]
    within = columns[best_cuts.index(winner)]
    if _compares_levels_by_ratio(problem, winner):
        rivals += [c for c in within if c is not winner and c.score >= winner.score - TIE]
    else:
        rivals += [c for c in within if c is not winner and c.gain >= winner.gain - tolerance]
    return Verdict("", winner, everything, [winner, *rivals])


def _best_of_column(problem: Problem, column: list[Candidate], tolerance: Decimal) -> Candidate:
    """The largest gain; of single levels against the rest, the largest gain ratio if that counts.

    Where missing values do best is decided by the gain, for each level.
    """
    if not _compares_levels_by_ratio(problem, column[0]):
        return _first_best(column, tolerance, by_gain=True)
    by_level: dict[tuple[tuple[int, int], ...], list[Candidate]] = {}
    for candidate in column:
        by_level.setdefault(tuple(sorted(candidate.level_child.items())), []).append(candidate)
    best = [_first_best(group, tolerance, by_gain=True) for group in by_level.values()]
    return _first_best(best, TIE)


def _compares_levels_by_ratio(problem: Problem, candidate: Candidate) -> bool:
    settings = problem.settings
    is_level = candidate.kind == "subset" and settings.nominal == "one_vs_rest"
    return is_level and settings.criterion == "gain_ratio"


def _first_best(
    candidates: list[Candidate], tolerance: Decimal, *, by_gain: bool = False
) -> Candidate:
    """A later candidate must exceed the best so far by more than the tolerance."""
    best = candidates[0]
    for candidate in candidates[1:]:
        if by_gain:
            is_better = candidate.gain > best.gain + tolerance
        else:
            is_better = candidate.score > best.score + tolerance
        if is_better:
            best = candidate
    return best


def _at_least_average(problem: Problem, rows: Rows, candidates: list[Candidate]) -> list[Candidate]:
    """C4.5: candidates whose gain is at least the average one, less 0.001 for a unit of weight.

    A threshold that does not pay for its own description is no candidate. Columns with very
    many levels stay out of the average, unless all columns of the table are such; where no
    candidate is left to take the average of, there is no split.
    """
    nothing = TIE * total_impurity(problem, rows)
    usable = [c for c in candidates if c.kind != "threshold" or c.gain > nothing]
    counted = [c for c in usable if not _has_many_levels(problem, c.column)]
    if all(_has_many_levels(problem, column) for column in range(len(problem.columns))):
        counted = usable
    if not counted:
        return []
    average = sum((c.gain for c in counted), Decimal(0)) / len(counted)
    slack = Fraction(weight_of(rows)) / 1000
    least = average - Decimal(slack.numerator) / Decimal(slack.denominator)
    return [c for c in usable if c.gain >= least]


def _has_many_levels(problem: Problem, column: int) -> bool:
    of_column = problem.columns[column]
    return of_column.kind == "nominal" and of_column.n_levels * 10 >= 3 * problem.n_rows


# Where the rows go.


def divide(
    problem: Problem, split: Candidate, rows: Rows, used: frozenset[int] = frozenset()
) -> Division:
    """The rows of each child once the missing ones have gone their way."""
    _, missing = known_and_missing(problem, split.column, rows)
    children = [list(group) for group in split.groups]
    empty_child = _shared_empty_child(problem, split)
    policy = problem.settings.missing
    if policy == "fractional":
        return Division([*_spread(children, missing), *empty_child], SPREAD)
    if policy == "stop":
        return Division([*children, *empty_child], STOP)
    if policy == "branch" and missing:
        children = [*children, *empty_child, missing]
        return Division(children, len(children) - 1)
    if policy == "surrogate":
        return _divide_by_surrogates(problem, split, rows, used)
    to = _heaviest(children)
    if policy == "learned" and split.missing_child is not None:
        to = split.missing_child
    children[to] += missing
    return Division([*children, *empty_child], to)


def _divide_by_surrogates(
    problem: Problem, split: Candidate, rows: Rows, used: frozenset[int]
) -> Division:
    """Rows follow the first surrogate they know, or the heavier side; between equals they stop."""
    _, missing = known_and_missing(problem, split.column, rows)
    children = [list(group) for group in split.groups]
    empty_child = _shared_empty_child(problem, split)
    surrogates = []
    if len(children) + len(empty_child) == 2:
        barred = used if problem.settings.use_once else frozenset()
        surrogates = surrogates_of(problem, split, rows, barred)
    otherwise = _heaviest_or_stop(children)
    for row, weight in missing:
        child = _stand_in_child(problem, surrogates, row, otherwise)
        if child != STOP:
            children[child].append((row, weight))
    # Later rows follow the side that is heavier in the end.
    return Division([*children, *empty_child], _heaviest_or_stop(children), surrogates)


def _shared_empty_child(problem: Problem, split: Candidate) -> list[Rows]:
    """One more child for all levels without rows, where there are such."""
    n_levels = problem.columns[split.column].n_levels
    return [[]] if split.kind == "branches" and len(split.groups) < n_levels else []


def _heaviest_or_stop(children: list[Rows]) -> int:
    weights = [weight_of(child) for child in children]
    return STOP if weights.count(max(weights)) > 1 else _heaviest(children)


def _heaviest(children: list[Rows]) -> int:
    weights = [weight_of(child) for child in children]
    return weights.index(max(weights))


def _spread(children: list[Rows], missing: Rows) -> list[Rows]:
    total = weight_of([pair for child in children for pair in child])
    shares = [Fraction(weight_of(child)) / total for child in children]
    return [
        child + [(row, weight * share) for row, weight in missing]
        for child, share in zip(children, shares, strict=True)
    ]


def _stand_in_child(
    problem: Problem, surrogates: list[RefSurrogate], row: int, otherwise: int
) -> int:
    for surrogate in surrogates:
        child = surrogate.child_of(problem.columns[surrogate.column].values[row])
        if child is not None:
            return child
    return otherwise


# Predictions.


def predict_row(problem: Problem, node: RefNode, values: list[float | int | None]) -> list[float]:
    """Class shares, or the mean, for one row of new values."""
    if node.split is None:
        return _prediction(problem, node)
    split, value = node.split, values[node.split.column]
    child = _child_of(split, value)
    if child is None:
        child = next(
            (c for s in node.surrogates if (c := s.child_of(values[s.column])) is not None),
            node.missing_child,
        )
    if child == STOP:
        return _prediction(problem, node)
    if child != SPREAD:
        return predict_row(problem, node.children[child], values)
    total = sum(c.weight for c in node.children)
    predictions = [
        [float(c.weight / Fraction(total)) * a for a in predict_row(problem, c, values)]
        for c in node.children
        if c.weight > 0
    ]
    return [sum(parts) for parts in zip(*predictions, strict=True)]


def _child_of(split: Candidate, value: float | int | None) -> int | None:
    """The child for a value; None when it is missing, or a level that a subset does not list."""
    if value is None:
        return None
    if split.kind == "threshold":
        return int(value > split.threshold)
    if split.kind == "intervals":
        return sum(value > cut for cut in split.cuts)
    if split.kind == "branches":
        return split.level_child.get(value, len(split.level_child))
    return split.level_child.get(value)


def _prediction(problem: Problem, node: RefNode) -> list[float]:
    if not problem.n_classes:
        return [float(node.value[0])]
    factors = problem.settings.class_factor or [1.0] * problem.n_classes
    weights = [float(v) * factor for v, factor in zip(node.value, factors, strict=True)]
    return [weight / sum(weights) for weight in weights]
