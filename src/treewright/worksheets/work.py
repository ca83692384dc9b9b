"""What a worksheet contains: the numbers behind each node, unrounded."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import nan
from typing import Any

from treewright.pruning.report import Cut
from treewright.worksheets.stability import NodeStability


@dataclass(frozen=True, slots=True)
class Group:
    """The rows of a node, or of one branch of a split."""

    condition: str  # of the branch; "" at the root
    n_rows: int
    weight: float
    counts: tuple[float, ...]  # weight of each class; () for regression
    mean: float  # NaN for classes
    impurity: float  # per unit of weight
    median: float = nan  # NaN unless the criterion is the absolute error


@dataclass(frozen=True, slots=True)
class Tried:
    """One threshold or set of categories of a column, with its gain."""

    condition: str
    gain: float  # per unit of the node's weight, before any correction
    is_allowed: bool  # enough rows on each side
    n_first: int = 0  # the set is the first `n_first` of the ordered `levels`; 0: it is not


@dataclass(frozen=True, slots=True)
class CandidateWork:
    """The best split of one column at one node, step by step."""

    column: str
    feature: int
    kind: str = ""  # "branches", "threshold", "subset", "intervals", "oblique"; "": no split
    branches: tuple[Group, ...] = ()  # as the gain counts them
    threshold: float | None = None
    missing_weight: float = nan  # of the rows whose value is missing
    known_share: float = nan  # of the node's weight that the gain counts
    before: float = nan  # impurity of the rows that the gain counts
    remainder: float = nan  # weighted impurity of the branches
    correction: float = 0.0  # penalty for the number of thresholds (C4.5)
    gain: float = nan  # known share x (before - remainder) - correction
    split_information: float = nan  # entropy of the branch sizes; missing rows are one more branch
    score: float = nan  # what columns are compared by
    tried: tuple[Tried, ...] = ()  # the best thresholds or sets, in order
    refused: str = ""  # why the column cannot be chosen; "" if it can
    n_tried: int = 0  # thresholds or sets
    n_allowed: int = 0  # of these, with enough rows on each side
    levels: tuple[Group, ...] = ()  # the categories in the order that was cut, if there is one
    missing_joins: int = -1  # the branch that the gain counts missing rows in; -1: none


@dataclass(frozen=True, slots=True)
class Estimate:
    """A pruning method's estimate for a node or one of its branches."""

    condition: str  # of the branch; "" for the node itself
    weight: float  # of the rows, as the method counts them (N); NaN if it counts none
    errors: float  # of these, wrong if the node were a leaf (E); NaN if it counts none
    as_leaf: float  # the estimate as a leaf
    estimate: float  # the estimate as it is: of a branch, after pruning below it


@dataclass(frozen=True, slots=True)
class PruningWork:
    """What pruning compared at one node."""

    method: str
    measure: str  # what the estimates are, such as "estimated errors"
    options: Mapping[str, Any]
    became: str  # "leaf", "branch", or "subtree" if the split was kept
    leaf: Estimate  # the node as a leaf
    as_subtree: float
    branches: tuple[Estimate, ...] = ()  # they and `at_node` add up to `as_subtree`; () if unknown
    at_node: float = nan  # what the split itself adds: bits of MDL, rows that stop there
    as_branch: float = nan  # of the largest branch in its place; NaN if not tried
    raised: tuple[Estimate, ...] = ()  # the branches of the branch that replaced it
    raised_at_node: float = nan  # what its split adds; plus `raised` this is `as_branch`
    rows_came: bool = False  # decided before raising above brought other rows here


@dataclass(frozen=True, slots=True)
class NodeWork:
    """The calculation at one node."""

    node: int
    path: tuple[str, ...]  # conditions from the root
    group: Group
    prediction: Any
    candidates: tuple[CandidateWork, ...] = ()  # in column order; () if none was tried
    chosen: CandidateWork | None = None  # None at a leaf
    runner_up: CandidateWork | None = None
    margin: float = nan  # chosen score less the next; NaN without a runner-up
    ties: tuple[str, ...] = ()  # columns as good as the chosen one
    average_gain: float | None = None  # that a candidate has to reach (C4.5), less 0.001
    stop_reason: str = ""  # "" if the node splits
    cut: Cut | None = None  # what pruning compared here
    is_raised: bool = False  # pruning put the split here: growth chose it with other rows
    ranked: tuple[int, ...] = ()  # the features of the candidates, the best first
    averaged: tuple[str, ...] = ()  # columns that enter the average gain (C4.5)
    pruning: PruningWork | None = None  # the estimates that pruning compared here
    stability: NodeStability | None = None  # of the choice on resampled rows, if requested
