"""Figures that teach what trees do; each is a `Picture` with its numbers in `data`."""

from treewright.figures.growth import growth
from treewright.figures.partition import partition

__all__ = ["growth", "partition"]
