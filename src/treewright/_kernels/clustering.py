"""The compiled rounds of clustering: nearest centres, their middles, and where to start."""

from treewright._kernels._native import Lloyd, Prototypes

__all__ = ["Lloyd", "Prototypes"]
