"""A node before its columns are compared: its rows, its answer, what pruning made of it."""

from math import nan

from treewright.pruning.report import PruningReport
from treewright.tree.kinds import STOP_REASONS
from treewright.tree.tree import Tree
from treewright.worksheets.pruning_work import PruningWorks
from treewright.worksheets.work import Group, NodeWork


class BareWorks:
    """What is said of the nodes of a tree wherever their numbers come from."""

    def __init__(self, tree: Tree, pruning: PruningReport | None) -> None:
        self.tree = tree
        self.pruning = None if pruning is None else PruningWorks(pruning)

    def path(self, index: int) -> tuple[str, ...]:
        """The conditions from the root to a node."""
        return tuple(node.condition for node in self.tree.node(index).path[1:])

    def of(self, index: int, path: tuple[str, ...], group: Group) -> NodeWork:
        """The node with its rows, and no column compared."""
        pruning = self.pruning
        return NodeWork(
            node=index,
            path=path,
            group=group,
            answer=self.tree.node(index).answer,
            candidates=(),
            chosen=None,
            runner_up=None,
            margin=nan,
            ties=(),
            average_gain=None,
            stop_reason=STOP_REASONS[self.tree.stop_reason[index]],
            cut=None if pruning is None else pruning.cuts.get(index),
            is_raised=pruning is not None and pruning.is_raised(index),
            pruning=None if pruning is None else pruning.at(index),
        )
