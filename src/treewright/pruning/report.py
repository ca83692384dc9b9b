"""What pruning did: every cut with the estimates that were compared.

A report belongs to one pruned tree. Cuts are parallel arrays, since a large tree has many thousand
of them; `report.cuts` shows them as objects. A cut inside a larger one is not listed: the larger
one swallowed it.
"""

import math
import reprlib
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import Floats
from treewright.data.schema import with_keys
from treewright.errors import ModelFileError
from treewright.plain_text import aligned, number_text, plain, truncated
from treewright.pruning.bottom_up import Judgment
from treewright.pruning.cost_complexity_path import CostComplexityPath
from treewright.pruning.methods import METHODS
from treewright.pruning.risk import sums_over_leaves
from treewright.result import Record, Result
from treewright.tree.counts import textbook_leaves
from treewright.tree.layout import read_only
from treewright.tree.node import Node
from treewright.tree.rebuild import below, make_leaves
from treewright.tree.tree import Tree


@dataclass(frozen=True, slots=True)
class Cut:
    """One subtree that became a leaf, or gave its place to one of its branches."""

    node: int  # in the pruned tree: what the subtree became
    was: int  # in the tree before: the root of the subtree
    became: str  # "leaf" or "branch"
    as_leaf: float  # the estimates compared; NaN where there was none
    as_subtree: float
    as_branch: float
    n_leaves: int  # that the subtree had before


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PruningReport(Result):
    """The cuts of one pruning, top down.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.load_sample("iris")
    >>> report = tw.prune(tw.CARTClassifier(prune=None).fit(X, y), "pessimistic").pruning_
    >>> report.n_leaves_before, report.n_leaves_after
    (9, 4)
    >>> [(cut.as_leaf, cut.as_subtree, cut.became) for cut in report.cuts]
    [(1.5, 1.5, 'leaf'), (1.5, 1.0, 'leaf'), (2.5, 1.5, 'leaf')]
    """

    method: str
    options: Mapping[str, Any]  # those used, defaults included; values as JSON has them
    measure: str  # what the estimates are, such as "estimated errors"
    tree: Tree  # the pruned tree, which `node` counts
    before: Tree | None  # the tree before; None once a model was saved and loaded
    n_leaves_before: int

    node: NDArray[np.int32]  # one entry per cut, ascending; what these are: see `Cut`
    was: NDArray[np.int32]
    raised: NDArray[np.bool_]
    as_leaf: Floats
    as_subtree: Floats
    as_branch: Floats
    n_leaves: NDArray[np.int64]

    # Where a subtree was raised: the weight of the rows that each cut was decided by, and the
    # errors of a leaf among them. Raising a branch further up may have brought other rows since.
    # None where no row moved, and in model files from before these were kept.
    decided_weight: Floats | None = None
    decided_errors: Floats | None = None
    # Of cost-complexity pruning: the subtrees to choose from, with their cross-validated risks if
    # these chose. None for other methods, and once a model was saved and loaded.
    path: CostComplexityPath | None = None

    def __post_init__(self) -> None:
        for name in ("node", "was", "raised", "as_leaf", "as_subtree", "as_branch", "n_leaves"):
            read_only(getattr(self, name))
        for decided in (self.decided_weight, self.decided_errors):
            if decided is not None:
                read_only(decided)

    @property
    def n_leaves_after(self) -> int:
        return self.tree.n_leaves

    @property
    def n_cuts(self) -> int:
        return len(self.node)

    @property
    def cuts(self) -> tuple[Cut, ...]:
        """The cuts, top down."""
        return tuple(self.cut(number) for number in range(self.n_cuts))

    def cut(self, number: int) -> Cut:
        """One cut."""
        return Cut(
            int(self.node[number]),
            int(self.was[number]),
            "branch" if self.raised[number] else "leaf",
            float(self.as_leaf[number]),
            float(self.as_subtree[number]),
            float(self.as_branch[number]),
            int(self.n_leaves[number]),
        )

    def _facts(self) -> Record:
        """The report without its trees; an estimate that was not made is missing."""
        cuts = {name: getattr(self, name) for name in COUNTS}
        cuts["became"] = ["branch" if raised else "leaf" for raised in self.raised.tolist()]
        cuts |= {name: getattr(self, name) for name in ESTIMATES}
        if self.decided_weight is not None and self.decided_errors is not None:
            cuts |= {name: getattr(self, name) for name in DECIDED}
        return {
            "method": self.method,
            "options": self.options,
            "measure": self.measure,
            "n_leaves_before": self.n_leaves_before,
            "cuts": cuts,
        }

    def _records(self) -> list[dict[str, Any]]:
        return [asdict(cut) for cut in self.cuts]

    @classmethod
    def from_dict(cls, data: object, tree: Tree) -> "PruningReport":
        """The report on `tree` that `to_dict` wrote; anything odd is a `ModelFileError`."""
        return report_from_dict(data, tree)

    def __len__(self) -> int:
        return self.n_cuts

    def __iter__(self) -> Iterator[Cut]:
        return iter(self.cuts)

    def to_text(self) -> str:
        """The outcome, the options, and the largest cuts as a table."""
        return report_text(self)

    def __repr__(self) -> str:
        return (
            f"<PruningReport: {self.method}, {self.n_leaves_before} to {self.n_leaves_after} "
            f"leaves, {self.n_cuts} cuts>"
        )


@dataclass(frozen=True, slots=True, eq=False)
class Pruned:
    """A tree and how it was pruned."""

    tree: Tree
    report: PruningReport


@dataclass(frozen=True, slots=True, eq=False)
class Grounds:
    """On what grounds a method cut: itself, its options, its estimates for every node."""

    method: str
    options: Mapping[str, Any]
    measure: str
    as_leaf: Floats
    as_subtree: Floats


def cut_as_judged(
    tree: Tree, judged: Judgment, method: str, options: Mapping[str, Any], measure: str
) -> Pruned:
    """The tree with the cuts of a judgment, and the report of it."""
    grounds = Grounds(method, options, measure, judged.as_leaf, judged.as_subtree)
    return cut_to_leaves(tree, judged.cut, grounds)


def cut_to_leaves(tree: Tree, cut: NDArray[np.bool_], grounds: Grounds) -> Pruned:
    """The tree with the nodes of `cut` (a mask) as leaves, and the report of it."""
    cut = cut & ~tree.is_leaf
    pruned = make_leaves(tree, cut, "pruned") if cut.any() else tree
    gone = below(tree, cut)
    was = np.flatnonzero(cut & ~gone).astype(np.int32)
    new_number = np.cumsum(~gone, dtype=np.int32) - np.int32(1)
    report = PruningReport(
        method=grounds.method,
        options=grounds.options,
        measure=grounds.measure,
        tree=pruned,
        before=tree,
        n_leaves_before=tree.n_leaves,
        node=new_number[was],
        was=was,
        raised=np.zeros(len(was), dtype=np.bool_),
        as_leaf=grounds.as_leaf[was],
        as_subtree=grounds.as_subtree[was],
        as_branch=np.full(len(was), np.nan),
        n_leaves=leaves_below(tree)[was],
    )
    return Pruned(pruned, report)


def leaves_below(tree: Tree) -> NDArray[np.int64]:
    """The number of leaves below and at each node."""
    leaves = textbook_leaves(tree).astype(np.float64)
    return sums_over_leaves(tree, leaves, np.zeros(tree.n_nodes)).astype(np.int64)


KEYS = {"method", "options", "measure", "n_leaves_before", "cuts"}
COUNTS = ("node", "was", "n_leaves")
ESTIMATES = ("as_leaf", "as_subtree", "as_branch")
DECIDED = ("decided_weight", "decided_errors")  # only where a subtree was raised
LARGEST = 2**31 - 1


def report_from_dict(data: object, tree: Tree) -> PruningReport:
    """The report that `to_dict` wrote, on the pruned tree that it belongs to."""
    entry = with_keys(data, KEYS, "pruning")
    _check_method(entry)
    cuts = _equally_long(entry["cuts"])
    node = _counts(cuts, "node")
    raised = np.array([became == "branch" for became in cuts["became"]], dtype=np.bool_)
    if (np.diff(node) <= 0).any() or (node >= tree.n_nodes).any():
        raise ModelFileError("pruning, cuts: `node` does not rise within the tree")
    if not tree.is_leaf[node[~raised]].all():
        raise ModelFileError("pruning, cuts: a node that became a leaf is none in the tree")
    (n_leaves_before,) = _counts({"n_leaves_before": [entry["n_leaves_before"]]}, "n_leaves_before")
    return PruningReport(
        method=entry["method"],
        options=entry["options"],
        measure=entry["measure"],
        tree=tree,
        before=None,
        n_leaves_before=int(n_leaves_before),
        node=node.astype(np.int32),
        was=_counts(cuts, "was").astype(np.int32),
        raised=raised,
        as_leaf=_estimates(cuts, "as_leaf"),
        as_subtree=_estimates(cuts, "as_subtree"),
        as_branch=_estimates(cuts, "as_branch"),
        n_leaves=_counts(cuts, "n_leaves"),
        decided_weight=_decided(cuts, "decided_weight"),
        decided_errors=_decided(cuts, "decided_errors"),
    )


def _check_method(entry: dict[str, Any]) -> None:
    method, options = entry["method"], entry["options"]
    if type(method) is not str or method not in METHODS:
        raise ModelFileError(f"pruning: `method` is {str(method)[:50]!r}, which is not known")
    if type(entry["measure"]) is not str:
        raise ModelFileError("pruning: `measure` is not a string")
    known = {option.name for option in METHODS[method].options}
    if type(options) is not dict or not known >= set(options):
        raise ModelFileError(f"pruning: `options` are not those of {method}")
    if not all(map(_is_option, options.values())):
        raise ModelFileError("pruning: an option is not a number, a string or a list of numbers")


def _equally_long(data: object) -> dict[str, Any]:
    """The columns of the cuts: lists of one length."""
    keys = {*COUNTS, "became", *ESTIMATES}
    if type(data) is dict and set(DECIDED) <= set(data):
        became = data.get("became")
        keys |= set(DECIDED) if type(became) is list and "branch" in became else set()
    cuts = with_keys(data, keys, "pruning, cuts")
    n_cuts = len(cuts["node"]) if type(cuts["node"]) is list else -1
    for name, column in cuts.items():
        if type(column) is not list or len(column) != n_cuts:
            raise ModelFileError(f"pruning, cuts: `{name}` is not a list as long as the others")
    if not set(map(type, cuts["became"])) <= {str} or not set(cuts["became"]) <= {"leaf", "branch"}:
        raise ModelFileError("pruning, cuts: `became` has an entry that is not leaf or branch")
    return cuts


def _counts(cuts: dict[str, Any], name: str) -> NDArray[np.int64]:
    if not all(type(count) is int and 0 <= count <= LARGEST for count in cuts[name]):
        raise ModelFileError(f"pruning: `{name}` is not a count")
    return np.array(cuts[name], dtype=np.int64)


def _estimates(cuts: dict[str, Any], name: str) -> NDArray[np.float64]:
    if not set(map(type, cuts[name])) <= {float, type(None)}:
        raise ModelFileError(f"pruning, cuts: `{name}` has an entry that is not a number or null")
    estimates = np.array(cuts[name], dtype=np.float64)  # None becomes NaN
    if np.isinf(estimates).any():
        raise ModelFileError(f"pruning, cuts: `{name}` has a number too large for a float")
    return estimates


def _decided(cuts: dict[str, Any], name: str) -> NDArray[np.float64] | None:
    if name not in cuts:
        return None
    decided = _estimates(cuts, name)
    if not (decided >= 0).all():
        raise ModelFileError(f"pruning, cuts: `{name}` has an entry that is not 0 or more")
    return decided


def _is_option(value: object) -> bool:
    if type(value) is list:
        return all(type(item) in (int, float) and math.isfinite(item) for item in value)
    if type(value) is float:
        return math.isfinite(value)
    return value is None or type(value) in (bool, int, str)


MOST_SHOWN = 20
LONGEST_PATH = 60  # characters


def report_text(report: PruningReport) -> str:
    """The report as a person reads it."""
    lines = [f"{report.method}: {outcome_text(report)}"]
    if report.options:
        options = ", ".join(f"{name}={option_text(v)}" for name, v in report.options.items())
        lines.append(f"options: {options}")
    if report.n_cuts:
        cells = cells_of(report)
        sides = "ll".rjust(len(cells[0]), "r")  # text is left, numbers are right
        lines += [f"compared: {report.measure}", *aligned(cells, sides)]
    if report.n_cuts > MOST_SHOWN:
        lines.append(f"... {report.n_cuts - MOST_SHOWN} smaller cuts")
    return "\n".join(map(plain, lines))


def outcome_text(report: PruningReport) -> str:
    leaves = f"{report.n_leaves_before} {'leaf' if report.n_leaves_before == 1 else 'leaves'}"
    if not report.n_cuts:
        return f"{leaves}, nothing cut"
    cuts = f"{report.n_cuts} cut{'' if report.n_cuts == 1 else 's'}"
    return f"{leaves} became {report.n_leaves_after} by {cuts}"


def cells_of(report: PruningReport) -> list[list[str]]:
    """The head and one line for each cut that is shown."""
    raised = bool(report.raised.any())
    head = ["leaves", "as leaf", "as subtree", *(["as branch"] if raised else []), "became", "at"]
    largest = np.argsort(-report.n_leaves, kind="stable")[:MOST_SHOWN]
    cells = [head]
    for number in largest.tolist():
        cut = report.cut(number)
        estimates = [cut.as_leaf, cut.as_subtree, *([cut.as_branch] if raised else [])]
        texts = ["-" if math.isnan(one) else number_text(one) for one in estimates]
        place = path_text(report.tree.node(cut.node))
        cells.append([str(cut.n_leaves), *texts, cut.became, place])
    return cells


def option_text(value: object) -> str:
    return number_text(value) if isinstance(value, float) else reprlib.repr(value)


def path_text(node: Node) -> str:
    """The conditions from the root to a node; of a long path, the last."""
    conditions: list[str] = []  # upwards
    length = 0
    while (above := node.parent) is not None:
        condition = truncated(node.condition, LONGEST_PATH, "...")
        length += len(condition) + len(" and ")
        if conditions and length > LONGEST_PATH:
            return " and ".join(["...", *reversed(conditions)])
        conditions.append(condition)
        node = above
    return " and ".join(reversed(conditions)) or "root"
