"""Two trees of the same rows told differently, compared node by node; ties may fall otherwise."""

from collections.abc import Sequence
from dataclasses import dataclass

import pytest

from reference.grow_reference import RefNode, grow
from reference.problem import Problem
from treewright.tree.layout import LEAF
from treewright.tree.tree import Tree

NEAR = {"rel": 1e-9, "abs": 1e-9}


@dataclass
class SideBySide:
    """A tree, and the tree of the same rows with columns or levels in another order.

    `columns[at]` is the place in `one` of column `at` of `other`; `levels[at][code]` is the code
    in `other` of a level of column `at` of `one`.
    """

    problem: Problem
    one: Tree
    other: Tree
    columns: Sequence[int]
    levels: Sequence[Sequence[int]]
    n_ties: int = 0  # nodes where the two took different splits that are equally good

    def assert_same(self) -> None:
        """Both trees are the same, in each branch down to where exact arithmetic finds a tie."""
        self.compare(0, 0, ())

    def compare(self, node: int, partner: int, path: tuple[int, ...]) -> None:
        one, other = self.one, self.other
        about = f"node {node} of {self.problem}"
        assert one.n_rows[node] == other.n_rows[partner], about
        for name in ("value", "weight", "impurity"):
            found, there = getattr(one, name)[node], getattr(other, name)[partner]
            assert found == pytest.approx(there, **NEAR), f"{name}, {about}"
        assert (one.kind[node] == LEAF) == (other.kind[partner] == LEAF), about
        if one.kind[node] == LEAF:
            return
        is_as_good = [
            getattr(one, name)[node] == pytest.approx(getattr(other, name)[partner], **NEAR)
            for name in ("gain", "score")
        ]
        children = self.partners(node, partner)
        if children is None or not all(is_as_good):
            self.n_ties += 1
            assert any(is_as_good), about
            assert is_tied(grow(self.problem), path), about
            return
        for child, there in enumerate(children):
            firsts = int(one.first_child[node]), int(other.first_child[partner])
            self.compare(firsts[0] + child, firsts[1] + there, (*path, child))

    def partners(self, node: int, partner: int) -> list[int] | None:
        """For each child of a node the one of the other that has its rows; None if they differ."""
        one, other = self.one, self.other
        column = int(one.feature[node])
        if (one.kind[node], column) != (other.kind[partner], self.columns[other.feature[partner]]):
            return None
        if one.threshold[node] != other.threshold[partner]:
            return None
        if cuts_of(one, node) != cuts_of(other, partner):
            return None
        to = self.levels[column]
        here, there = child_of_level(one, node), child_of_level(other, partner)
        pairs = {(child, there.get(to[code])) for code, child in here.items()}
        partner_of = {child: child for child in range(int(one.n_children[node]))} | dict(pairs)
        missing = int(one.missing_child[node])
        is_same = (
            len(here) == len(there)
            and len(pairs) == len(set(here.values()))
            and set(partner_of.values()) == set(range(int(other.n_children[partner])))
            and partner_of.get(missing, missing) == other.missing_child[partner]
        )
        return list(partner_of.values()) if is_same else None


def is_tied(root: RefNode, path: tuple[int, ...]) -> bool:
    """Whether the node at the end of the path is tied, or one before it: then the rows may differ.

    Of two level sets that tie, the reference and the tree need not take the same.
    """
    node, found = root, root.is_tied
    for child in path:
        if found:
            break
        node = node.children[child]
        found = node.is_tied
    return found


def cuts_of(tree: Tree, node: int) -> list[float]:
    return tree.cut[tree.cut_start[node] : tree.cut_start[node + 1]].tolist()


def child_of_level(tree: Tree, node: int) -> dict[int, int]:
    entries = slice(tree.level_start[node], tree.level_start[node + 1])
    return dict(
        zip(tree.level_code[entries].tolist(), tree.level_child[entries].tolist(), strict=True)
    )
