"""The candidate splits of a node, with the numbers of a worksheet.

The compiled search finds the best split of every column; what is said about a split is computed by
the functions of `treewright.worksheets`, from sums that run in the same order.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from math import isfinite
from typing import Any

import numpy as np

from treewright._kernels.learners import GivenSplit
from treewright.arrays import Floats
from treewright.errors import DataError, ParameterError, UnknownColumnError, listed
from treewright.growth.actions import Split, code_of
from treewright.induction.growth import HeldNode, HeldTable
from treewright.plain_text import number_text, plain
from treewright.tree.as_text import MOST_LEVELS
from treewright.tree.conditions import level_condition, level_text
from treewright.tree.layout import KIND_NAMES
from treewright.worksheets.calculate import judged
from treewright.worksheets.candidates import (
    Detail,
    Division,
    candidate,
    sides_of,
    worked_out,
)
from treewright.worksheets.class_scoring import ClassScorer
from treewright.worksheets.number_partitions import interval_conditions, threshold_conditions
from treewright.worksheets.number_scoring import SquaresScorer
from treewright.worksheets.partitions import OWN_SIDE
from treewright.worksheets.place import Place
from treewright.worksheets.scoring import WEIGHT, Codes, Sides, ValuesHere
from treewright.worksheets.stored import ranked
from treewright.worksheets.training import Training
from treewright.worksheets.work import CandidateWork

NO_CODES: Codes = np.zeros(0, dtype=np.intp)
NOTHING_CHOSEN = -1


@dataclass(frozen=True, slots=True)
class Candidate(CandidateWork):
    """A split of a node by one column, with the numbers that a worksheet shows.

    `gain`, `split_information` and `score` are those of `treewright.worksheet`, and so are the
    `branches`. `refused` says why the settings would not choose the split; "" if they could.
    How many splits were tried, and the best of these, are left to the worksheet.
    """

    split: Split | None = None  # the action that makes it; None if the column cannot split

    @property
    def condition(self) -> str:
        """The condition of the first branch; "" if the column cannot split."""
        return self.branches[0].condition if self.branches else ""

    def __repr__(self) -> str:
        if not self.kind:
            return f"<Candidate {self.column}: {self.refused}>"
        rows = " + ".join(f"{branch.n_rows:,}" for branch in self.branches)
        refused = f", refused: {self.refused}" if self.refused else ""
        condition = self.condition
        if self.split is not None and self.split.categories:
            condition = level_condition(plain(self.column), self.split.categories, MOST_LEVELS)
        return f"<Candidate {condition}: gain {self.gain:.6g}, {rows} rows{refused}>"


def candidates_of(
    place: Place, held: HeldTable, node: HeldNode, number: int, used: Sequence[int]
) -> tuple[Candidate, ...]:
    """The best split of every column at a node, the best first; `number` is the node's id."""
    found = [
        _found(place, feature, best, held.scale, number)
        for feature, best in enumerate(held.best_splits(node))
    ]
    found = [replace(one, refused="used above") if one.feature in used else one for one in found]
    found, _, _ = judged(place, found)
    return tuple(found[feature] for feature in ranked(found, NOTHING_CHOSEN))


def as_candidate(work: CandidateWork, split: Split | None) -> Candidate:
    own = {field.name: getattr(work, field.name) for field in fields(CandidateWork)}
    own |= {"tried": (), "levels": (), "n_tried": 0, "n_allowed": 0}
    return Candidate(**own, split=split)


def _found(
    place: Place, feature: int, best: dict[str, Any], scale: float, number: int
) -> Candidate:
    """What the compiled search found for one column."""
    if not best["found"]:
        here = place.values(feature)
        return as_candidate(candidate(place, feature, here, None, Detail.SCORE), None)
    split = _as_split(place.training, feature, best, number)
    missing = best["missing_side"]
    if missing == best["n_children"]:
        missing = OWN_SIDE
    codes = (best["level_code"], best["level_child"])
    division = Division(
        KIND_NAMES[best["kind"]],
        NO_CODES,
        _conditions(place.training, feature, split, best["n_children"], *codes),
        split.threshold,
        missing,
    )
    if isinstance(place.scorer, ClassScorer):
        sides = _class_sides(place.scorer, best, scale)
    elif isinstance(place.scorer, SquaresScorer):
        sides = _number_sides(place.scorer, best, scale)
    else:
        here = place.values(feature)
        division = replace(division, side_of_value=_sides(place.training, feature, split, here))
        sides = sides_of(place, here, division)
    return as_candidate(worked_out(place, feature, division, sides, best["n_cuts"]), split)


def _as_split(training: Training, feature: int, best: dict[str, Any], number: int) -> Split:
    spec = training.spec(feature)
    match KIND_NAMES[best["kind"]]:
        case "threshold":
            return Split(node=number, column=spec.name, threshold=best["threshold"])
        case "intervals":
            return Split(node=number, column=spec.name, cuts=tuple(best["cuts"]))
        case "branches":
            return Split(node=number, column=spec.name)
    listed = zip(best["level_code"], best["level_child"], strict=True)
    first = tuple(spec.levels[code] for code, child in listed if child == 0)
    return Split(node=number, column=spec.name, categories=first)


def _conditions(  # noqa: PLR0913 -- a split, and its categories by branch
    training: Training,
    feature: int,
    split: Split,
    n_children: int,
    level_code: Sequence[int],
    level_child: Sequence[int],
) -> tuple[str, ...]:
    if split.threshold is not None:
        return threshold_conditions(training, feature, split.threshold)
    if split.cuts:
        return interval_conditions(training, feature, split.cuts)
    spec = training.spec(feature)
    levels: list[list[Any]] = [[] for _ in range(n_children)]
    for code, child in zip(level_code, level_child, strict=True):
        levels[child].append(spec.levels[code])
    return tuple(level_condition(plain(spec.name), tuple(own)) for own in levels)


def _class_sides(scorer: ClassScorer, best: dict[str, Any], scale: float) -> Sides:
    lines = np.array([*best["sides"], best["left_out"], best["missing"]])
    n_rows, by_class = lines[:, 0], lines[:, 1:] * scale
    sums = scorer.sums_of_counts(n_rows, by_class)
    return scorer.sides_of_sums(sums[:-1], float(sums[-1, WEIGHT]))


def _number_sides(scorer: SquaresScorer, best: dict[str, Any], scale: float) -> Sides:
    factors = np.array([1.0, scale, 1.0, scale])

    def group(line: Floats) -> Any:
        return scorer.group_of_line(line * factors)

    left_out = best["left_out"]
    whole = group(best["counted"]) if left_out[0] else scorer.node
    groups = [group(line) for line in best["sides"]]
    weights = (float(line[1] * scale) for line in (left_out, best["missing"]))
    return Sides(groups, whole, *weights)


# ---------------------------------------------------------------- a split that somebody asks for


def tried_split(
    place: Place, held: HeldTable, node: HeldNode, split: Split, used: Sequence[int]
) -> Candidate:
    """What a split gives that need not be the best one of its column."""
    given = given_split(place.training, split)
    try:
        best = held.measure(node, given)
    except ValueError as error:
        raise empty_branch(place, split, str(error)) from None
    feature = place.training.table.names.index(split.column)
    found = _found(place, feature, best, held.scale, split.node)
    found = replace(found, split=split, refused=_why_refused(place, found, best, used))
    # C4.5's average is one over all columns: candidates() compares with it.
    if found.refused or place.training.settings.average_gain_filter:
        return found
    return judged(place, [found])[0][0]


def _why_refused(place: Place, found: Candidate, best: dict[str, Any], used: Sequence[int]) -> str:
    if found.feature in used:
        return "used above"
    groups = found.branches
    if found.kind != "branches":  # missing rows on a side of their own may be few
        groups = groups[: best["n_children"]]
    sums = np.array([[one.n_rows, one.weight, one.mean] for one in groups])
    are_large = place.limits(found.feature, found.missing_weight).are_large(sums)
    enough = are_large.sum() >= 2 if found.kind == "branches" else are_large.all()
    return "" if enough else "too few rows in a branch"


def given_split(training: Training, split: Split) -> GivenSplit:
    """The split for the compiled grower."""
    names = training.table.names
    if split.column not in names:
        raise UnknownColumnError.among(split.column, names, source="the table")
    feature = names.index(split.column)
    kind = kind_of_split(training, feature, split)
    spec = training.spec(feature)
    at = (split.threshold,) if split.threshold is not None else split.cuts
    if not all(map(isfinite, at)) or list(at) != sorted(set(at)):
        raise ParameterError(
            f"`{split.column}` cannot be compared with {list(at)}",
            hint="give finite numbers in rising order",
        )
    return GivenSplit(
        feature,
        KIND_NAMES.index(kind),
        0.0 if split.threshold is None else split.threshold,
        [code_of(spec, category) for category in split.categories],
        list(split.cuts),
    )


def kind_of_split(training: Training, feature: int, split: Split) -> str:
    """What kind of split an action asks for; an error if the column cannot be split like that."""
    if training.is_nominal(feature):
        if split.threshold is not None or split.cuts:
            raise ParameterError(
                f"`{split.column}` has categories, so it cannot be compared with a number",
                hint=f"write `{split.column} = ...`, `{split.column} in {{...}}` or "
                f"`{split.column}`",
            )
        return "subset" if split.categories else "branches"
    if split.categories or (split.threshold is None and not split.cuts):
        raise ParameterError(
            f"`{split.column}` has numbers: a split needs a threshold",
            hint=f"write `{split.column} <= 5`",
        )
    return "intervals" if split.cuts else "threshold"


def _sides(training: Training, feature: int, split: Split, here: ValuesHere) -> Codes:
    """The side of each value at a node; of two sets of categories, the first has the lowest."""
    kind = kind_of_split(training, feature, split)
    if split.threshold is not None:
        return (here.numbers > split.threshold).astype(np.intp)
    if kind == "intervals":
        return np.searchsorted(np.array(split.cuts), here.numbers, side="left")
    if kind == "branches":
        return np.arange(here.n_values)
    spec = training.spec(feature)
    first = [code_of(spec, category) for category in split.categories]
    sides = np.where(np.isin(here.numbers, first), 0, 1)
    return 1 - sides if len(sides) and sides[0] == 1 else sides


def empty_branch(place: Place, split: Split, problem: str) -> DataError:
    """The error for a split that leaves a branch without rows."""
    name, training = split.column, place.training
    feature = training.table.names.index(name)
    here = place.values(feature)
    if here.n_values == 0:
        return DataError(f"all values of `{name}` are missing at node {split.node}")
    if here.n_values == 1:
        return DataError(
            f"`{name}` has one value at node {split.node}, so it cannot split it",
            hint="try another column: candidates() lists them all",
        )
    if len(np.unique(_sides(training, feature, split, here))) > len(split.cuts or (0,)):
        return DataError(f"node {split.node} cannot be split by `{name}` like this: {problem}")
    if training.is_nominal(feature):
        levels = [level_text(training.spec(feature).levels[int(code)]) for code in here.numbers]
        hint = listed(levels, "its categories there")
    else:
        hint = f"its values there are {number_text(here.numbers[0])} to "
        hint += number_text(here.numbers[-1])
    return DataError(
        f"splitting node {split.node} by `{name}` like this leaves a branch without rows",
        hint=hint,
    )
