"""The compiled growers on bins, and the packed trees that they grow."""

from treewright._kernels._native import (
    BinnedTable,
    Drawing,
    ForestSettings,
    GradientTreeGrower,
    GradientTreeSettings,
    LeafAnswer,
    Loss,
    PackedTrees,
    Renewal,
    TreeGrowth,
    add_out_of_bag,
    draw_rows,
    grow_forest,
    loss_gradients,
)

__all__ = [
    "BinnedTable",
    "Drawing",
    "ForestSettings",
    "GradientTreeGrower",
    "GradientTreeSettings",
    "LeafAnswer",
    "Loss",
    "PackedTrees",
    "Renewal",
    "TreeGrowth",
    "add_out_of_bag",
    "draw_rows",
    "grow_forest",
    "loss_gradients",
]
