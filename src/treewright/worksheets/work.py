"""What a worksheet holds: the numbers behind each node, unrounded."""

from dataclasses import dataclass
from typing import Any

from treewright.pruning.report import Cut


@dataclass(frozen=True, slots=True)
class Group:
    """Rows that belong together: a node, or one branch of a split."""

    condition: str  # what leads here; "" at the root
    n_rows: int
    weight: float
    counts: tuple[float, ...]  # weight of each class; () where numbers are predicted
    mean: float  # NaN where classes are predicted
    impurity: float  # per unit of weight


@dataclass(frozen=True, slots=True)
class Tried:
    """One threshold or level set of a column, and what it would gain."""

    condition: str
    gain: float  # per unit of the node's weight, before any correction
    is_allowed: bool  # enough rows on each side


@dataclass(frozen=True, slots=True)
class CandidateWork:
    """The best split of one column at one node, step by step."""

    column: str
    feature: int
    kind: str  # "branches", "threshold", "subset" or "intervals"; "" if there is no split
    branches: tuple[Group, ...]  # as the gain sees them
    threshold: float | None
    missing_weight: float  # of rows that do not know the column
    known_share: float  # of the node's weight that the gain sees
    before: float  # impurity of the rows that the gain sees
    remainder: float  # impurity that is left in the branches
    correction: float  # what the choice among thresholds costs (C4.5)
    gain: float  # known share x (before - remainder) - correction
    split_information: float  # bits that name the branch, missing rows being one more
    score: float  # what columns are compared by
    tried: tuple[Tried, ...]  # the best thresholds or level sets, in their order
    refused: str  # why the column cannot be chosen; "" if it can


@dataclass(frozen=True, slots=True)
class NodeWork:
    """The calculation at one node."""

    node: int
    path: tuple[str, ...]  # conditions from the root
    group: Group
    answer: Any
    candidates: tuple[CandidateWork, ...]  # in the order of the columns; () if none was looked at
    chosen: CandidateWork | None  # None at a leaf
    runner_up: CandidateWork | None
    margin: float  # by which the chosen score exceeds the next; NaN without a runner-up
    ties: tuple[str, ...]  # columns as good as the chosen one
    average_gain: float | None  # that a candidate has to reach (C4.5), less 0.001
    stop_reason: str  # "" where the node splits
    cut: Cut | None  # what pruning compared here
    is_raised: bool  # pruning put the split here: growth chose it by other rows
