"""The trees of an ensemble, packed: each is unpacked when somebody looks at it."""

from collections.abc import Sequence
from typing import Any, overload

from numpy.typing import NDArray

from treewright._kernels.histogram import PackedTrees
from treewright.data.schema import Schema
from treewright.tree.tree import Tree


class PackedTreeSequence(Sequence[Tree]):
    """Trees that were grown on bins, as ordinary ones."""

    def __init__(
        self, packed: PackedTrees, schema: Schema, classes: NDArray[Any] | None, unseen: str
    ) -> None:
        self.packed = packed
        self.schema = schema
        self.classes = classes
        self.unseen = unseen

    def __len__(self) -> int:
        return self.packed.n_trees

    @overload
    def __getitem__(self, at: int) -> Tree: ...
    @overload
    def __getitem__(self, at: slice) -> "list[Tree]": ...
    def __getitem__(self, at: int | slice) -> "Tree | list[Tree]":
        if isinstance(at, slice):
            return [self[i] for i in range(*at.indices(len(self)))]
        if not -len(self) <= at < len(self):
            raise IndexError(f"tree {at} of {len(self)}")
        arrays = self.packed.tree(at % len(self))
        return Tree.from_arrays(
            arrays, schema=self.schema, classes=self.classes, unseen=self.unseen
        )
