"""The compiled passes of linear models over their rows."""

from treewright._kernels._native import EpochSettings, LinearLoss, LinearRows

__all__ = ["EpochSettings", "LinearLoss", "LinearRows"]
