"""How ordered rules were found: what each step of C4.5rules saw and decided."""

from dataclasses import dataclass

from treewright._kernels.row_sets import Words
from treewright.arrays import Floats
from treewright.rulesets.ordered_rules import OrderedRules
from treewright.rulesets.row_masks import Part, RowMasks

NO_CONDITION = "no condition is left"
DUPLICATE = "the same as the rule of node {}"
OUTNUMBERED = "another class is more frequent among the rows it covers"


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """A rule that may enter the list: its parts, its class, the rows it covers."""

    parts: tuple[Part, ...]
    prediction: int
    covers: Words
    weight: float
    error: float


@dataclass(frozen=True, slots=True, eq=False)
class PathRule:
    """The path to one leaf, and the rule that it became."""

    node: int
    prediction: int
    parts: tuple[Part, ...]  # of the path
    rule: Candidate | None  # None: it was left out
    left_out: str = ""  # why


@dataclass(frozen=True, slots=True)
class Change:
    """A rule that was dropped from the subset of its class, or added again."""

    rule: int  # its position among the candidates of the class
    is_added: bool
    saved: float  # bits


@dataclass(frozen=True, slots=True, eq=False)
class Selection:
    """The subset of one class's candidates that describes the class in few bits."""

    prediction: int
    rules: tuple[Candidate, ...]
    rule_bits: Floats  # the length of each rule
    bits: float  # of the whole description, with all rules
    changes: tuple[Change, ...]
    kept: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Turn:
    """One place in the order of the classes: those that were waiting for it, and the one taken."""

    predictions: tuple[int, ...]
    covered: tuple[float, ...]  # weight that the rules of each class cover, of the rows left
    wrong: tuple[float, ...]  # weight of other classes in it: false positives
    taken: int


@dataclass(frozen=True, slots=True, eq=False)
class Removal:
    """A rule without which the list makes fewer errors."""

    rule: Candidate
    saved: float  # weight of errors


@dataclass(frozen=True, slots=True, eq=False)
class RuleLearning:
    """All steps from the paths of a tree to the list."""

    masks: RowMasks
    paths: tuple[PathRule, ...]
    selections: tuple[Selection, ...]  # by class; none if the rules were only sorted
    turns: tuple[Turn, ...]
    removals: tuple[Removal, ...]
    listed: tuple[Candidate, ...]  # in order
    rules: OrderedRules | None  # None: not finished
