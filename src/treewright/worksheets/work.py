"""What a worksheet holds: the numbers behind each node, unrounded."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import nan
from typing import Any

from treewright.pruning.report import Cut
from treewright.worksheets.stability import NodeStability


@dataclass(frozen=True, slots=True)
class Group:
    """Rows that belong together: a node, or one branch of a split."""

    condition: str  # what leads here; "" at the root
    n_rows: int
    weight: float
    counts: tuple[float, ...]  # weight of each class; () where numbers are predicted
    mean: float  # NaN where classes are predicted
    impurity: float  # per unit of weight
    median: float = nan  # NaN unless distances from it are measured


@dataclass(frozen=True, slots=True)
class Tried:
    """One threshold or level set of a column, and what it would gain."""

    condition: str
    gain: float  # per unit of the node's weight, before any correction
    is_allowed: bool  # enough rows on each side
    n_first: int = 0  # it parts the first so many of the column's `levels` from the others; 0: none


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
    n_tried: int = 0  # thresholds or level sets that there were
    n_allowed: int = 0  # of these, with enough rows on each side
    levels: tuple[Group, ...] = ()  # in the order that was cut, where levels have one such order
    missing_joins: int = -1  # the branch that the gain counts missing rows in; -1: none


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a pruning method expects of a node, or of one branch of it."""

    condition: str  # of the branch; "" for the node itself
    weight: float  # of the rows as the method counts them (N); NaN where it counts none
    errors: float  # among these, of the answer as a leaf (E); NaN where it counts none
    as_leaf: float  # the estimate as a leaf
    estimate: float  # the estimate as it stands: of a branch, after what was cut below it


@dataclass(frozen=True, slots=True)
class PruningWork:
    """What pruning compared at one node."""

    method: str
    measure: str  # what the estimates are, such as "estimated errors"
    options: Mapping[str, Any]
    became: str  # "leaf", "branch", or "subtree" where the split was kept
    leaf: Estimate  # the node as a leaf
    branches: tuple[Estimate, ...]  # their estimates add up to `as_subtree`; () where unknown
    at_node: float  # what the split itself adds: bits of MDL, rows that stop there
    as_subtree: float
    as_branch: float  # of the largest branch in its place; NaN where that was not tried
    raised: tuple[Estimate, ...] = ()  # the branches of the branch that took its place
    raised_at_node: float = nan  # what its split adds; with `raised` this makes `as_branch`
    rows_came: bool = False  # decided before raising further up brought other rows here


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
    ranked: tuple[int, ...] = ()  # the features of the candidates, the best first
    averaged: tuple[str, ...] = ()  # columns that the average gain is taken of (C4.5)
    pruning: PruningWork | None = None  # the estimates that pruning compared here, cut or kept
    stability: NodeStability | None = None  # of the choice on rows drawn anew, if asked for
