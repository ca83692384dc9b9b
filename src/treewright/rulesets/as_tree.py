"""Ordered rules as a tree that predicts every row as the rules do.

The first rule that may still match asks its next question. A row that passes comes nearer to that
rule; a row that fails, or has no value, goes on to the rules after it. Conditions that are
already decided are not tested again. So the tree predicts what the list predicts, and exports,
sufficient reasons and smallest changes can use it. It knows nothing of training rows.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from math import inf, lcm

import numpy as np

from treewright.arrays import Floats
from treewright.data.schema import Schema
from treewright.errors import ExportError
from treewright.rulesets.ordered_rules import OrderedRules
from treewright.rulesets.row_masks import Part, parts_of
from treewright.tree.drafting import Draft, drafted_arrays
from treewright.tree.layout import SUBSET, THRESHOLD
from treewright.tree.predictions import class_shares
from treewright.tree.tree import Tree

MAX_NODES = 20_000
DENOMINATOR = 10**6  # of class shares that are counts of rows

Waiting = tuple[tuple[int, tuple[Part, ...]], ...]  # rules that may match, with open questions


@dataclass(frozen=True, slots=True)
class Known:
    """What a column may still hold: numbers with low < number <= high, or some categories."""

    low: float = -inf
    high: float = inf
    codes: frozenset[int] | None = None  # None for numbers
    missing: bool = True  # whether it may be missing, or a category that training has not seen


@dataclass(slots=True, eq=False)
class Open:
    """A node that is not written yet."""

    draft: Draft
    waiting: Waiting
    known: dict[int, Known]


def tree_of_rules(rules: OrderedRules, max_nodes: int = MAX_NODES) -> Tree:
    """The tree of an ordered list of rules; a list whose tree would be too large is an error."""
    values = [weights_of(shares) for shares in rules.shares]
    root = empty_draft()
    waiting = tuple((at, tuple(parts_of(own))) for at, own in enumerate(rules.conditions))
    opened, n_nodes = [Open(root, until_certain(waiting), {})], 1
    while opened:
        place = opened.pop()
        if not place.waiting or not place.waiting[0][1]:
            place.draft.value = values[place.waiting[0][0] if place.waiting else -1]
            continue
        n_nodes += 2
        if n_nodes > max_nodes:
            raise ExportError(
                f"as one tree, the {len(rules):,} rules have more than {max_nodes:,} nodes",
                hint="make fewer rules: use a smaller confidence=, a larger min_samples_leaf=, or "
                "prune=True",
            )
        opened += divided(place, rules.schema)
    for draft in reversed(list(all_drafts(root))):
        if draft.children:
            draft.value = np.sum([child.value for child in draft.children], axis=0)
    return Tree.from_arrays(
        drafted_arrays(root),
        schema=rules.schema,
        classes=rules.classes,
        unseen=rules.unseen,
        costs=rules.costs,
    )


def empty_draft() -> Draft:
    return Draft(value=np.zeros(0), weight=0.0, n_rows=0)


def all_drafts(root: Draft) -> Iterator[Draft]:
    """All nodes, parents first."""
    stack = [root]
    while stack:
        draft = stack.pop()
        yield draft
        stack += draft.children


def divided(place: Open, schema: Schema) -> tuple[Open, Open]:
    """Make a node ask a question of its first rule; what is left to ask below it."""
    part = best_question(place.waiting)
    spec = schema.columns[part.feature]
    codes = None if spec.is_numeric else frozenset(range(len(spec.levels)))
    known = place.known.get(part.feature, Known(codes=codes))
    draft = place.draft
    draft.feature = part.feature
    draft.children = [empty_draft(), empty_draft()]
    passing = 0
    if part.levels is not None:
        assert codes is not None
        draft.kind = SUBSET
        draft.level_code = sorted(codes)
        draft.level_child = [0 if code in part.levels else 1 for code in draft.level_code]
    else:
        draft.kind = THRESHOLD
        passing = 0 if part.high is not None else 1
        bound = part.high if part.low is None else part.low
        assert bound is not None
        draft.threshold = bound
    draft.missing_child = 1 - passing
    below = []
    for child, fact in zip((passing, 1 - passing), after(part, known), strict=True):
        facts = {**place.known, part.feature: fact}
        still = settled(place.waiting, part.feature, fact)
        below.append(Open(draft.children[child], still, facts))
    return below[0], below[1]


def best_question(waiting: Waiting) -> Part:
    """The question of the first rule that settles most of the others; the first of equals."""
    (_, parts), *others = waiting

    def n_settled(part: Part) -> int:
        same = sum(part in own for _, own in others)
        return 2 * same + sum(any(one.feature == part.feature for one in own) for _, own in others)

    return max(parts, key=n_settled)


def after(part: Part, known: Known) -> tuple[Known, Known]:
    """What a column may hold once a row has passed a question, and once it has not."""
    if known.codes is not None:
        passing = frozenset(code for code in known.codes if passes(part, code))
        return (
            replace(known, codes=passing, missing=False),
            replace(known, codes=known.codes - passing),
        )
    if part.high is not None:
        return (
            replace(known, high=min(known.high, part.high), missing=False),
            replace(known, low=max(known.low, part.high)),
        )
    assert part.low is not None
    return (
        replace(known, low=max(known.low, part.low), missing=False),
        replace(known, high=min(known.high, part.low)),
    )


def passes(part: Part, code: int) -> bool:
    """Whether a category passes."""
    if part.levels is not None:
        return code in part.levels
    return (part.low is None or code > part.low) and (part.high is None or code <= part.high)


def settled(waiting: Waiting, feature: int, known: Known) -> Waiting:
    """The rules that may still match, without the questions that are settled by now."""
    left: list[tuple[int, tuple[Part, ...]]] = []
    for rule, parts in waiting:
        predictions = [verdict(part, known) if part.feature == feature else None for part in parts]
        if False in predictions:
            continue
        pairs = zip(parts, predictions, strict=True)
        left.append((rule, tuple(part for part, prediction in pairs if prediction is None)))
    return until_certain(tuple(left))


def until_certain(waiting: Waiting) -> Waiting:
    """The rules up to the first that matches for certain."""
    for at, (_, parts) in enumerate(waiting):
        if not parts:
            return waiting[: at + 1]
    return waiting


def verdict(part: Part, known: Known) -> bool | None:
    """Whether all that a column may hold passes, or nothing; None if it depends."""
    if known.codes is not None:
        n_passing = sum(passes(part, code) for code in known.codes)
        is_all, is_none = n_passing == len(known.codes), n_passing == 0
    elif part.high is not None:
        is_all, is_none = known.high <= part.high, known.low >= part.high
    else:
        assert part.low is not None
        is_all, is_none = known.low >= part.low, known.high <= part.low
    if is_none or (known.codes is None and known.low >= known.high):
        return False
    return True if is_all and not known.missing else None


def weights_of(shares: Floats) -> Floats:
    """Class weights whose shares are these, to the last bit if there are such weights.

    A tree divides weights by their sum. Shares that came from counts of rows come out the same if
    the weights are the counts.
    """
    denominators = [Fraction(one).limit_denominator(DENOMINATOR).denominator for one in shares]
    counts = lcm(*denominators)
    tried = [shares] if counts > DENOMINATOR else [np.rint(shares * counts), shares]
    tried += [shares * factor for factor in range(3, 65, 2)]
    factors = np.ones(len(shares))
    for weights in tried:
        if weights.any() and np.array_equal(class_shares(weights[np.newaxis], factors)[0], shares):
            return np.asarray(weights, dtype=np.float64)
    return shares
