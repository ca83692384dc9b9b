"""What pruning did: every cut with the estimates that were compared.

A report belongs to one pruned tree. Cuts are parallel arrays, since a large tree has many thousand
of them; `report.cuts` shows them as objects. A cut inside a larger one is not listed: the larger
one swallowed it.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.pruning.risk import sums_over_leaves
from treewright.tree.layout import read_only
from treewright.tree.leaf_counts import textbook_leaves
from treewright.tree.rebuild import below, make_leaves
from treewright.tree.tree import Tree

Float64Array = NDArray[np.float64]


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
class PruningReport:
    """The cuts of one pruning, top down.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.load_sample("iris")
    >>> report = tw.prune(tw.CARTClassifier().fit(X, y), "pessimistic").pruning_
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
    as_leaf: Float64Array
    as_subtree: Float64Array
    as_branch: Float64Array
    n_leaves: NDArray[np.int64]

    # Where a subtree was raised: the weight of the rows that each cut was decided by, and the
    # errors of a leaf among them. Raising a branch further up may have brought other rows since.
    # None where no row moved, and in model files from before these were kept.
    decided_weight: Float64Array | None = None
    decided_errors: Float64Array | None = None

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

    def to_json(self) -> dict[str, Any]:
        """The report as JSON values, without its trees."""
        from treewright.pruning.report_json import report_to_json

        return report_to_json(self)

    @classmethod
    def from_json(cls, data: object, tree: Tree) -> "PruningReport":
        """The report on `tree` that `to_json` wrote; anything odd is a `ModelFileError`."""
        from treewright.pruning.report_json import report_from_json

        return report_from_json(data, tree)

    def __len__(self) -> int:
        return self.n_cuts

    def __iter__(self) -> Iterator[Cut]:
        return iter(self.cuts)

    def __str__(self) -> str:
        from treewright.pruning.report_text import report_text

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
    as_leaf: Float64Array
    as_subtree: Float64Array


def cut_to_leaves(tree: Tree, cut: NDArray[np.bool_], grounds: Grounds) -> Pruned:
    """The tree with the nodes of `cut` (a mask) as leaves, and the report of it."""
    cut = cut & ~tree.is_leaf
    pruned = make_leaves(tree, cut, "pruned") if cut.any() else tree
    gone = below(tree, cut)
    was = np.flatnonzero(cut & ~gone).astype(np.int32)
    new_number = np.cumsum(~gone, dtype=np.int32) - np.int32(1)
    leaves = textbook_leaves(tree).astype(np.float64)
    n_leaves = sums_over_leaves(tree, leaves, np.zeros(tree.n_nodes))
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
        n_leaves=n_leaves[was].astype(np.int64),
    )
    return Pruned(pruned, report)
