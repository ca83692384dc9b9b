"""The only door to compiled code: callers import kernels from here, never from `_native`."""

from treewright._kernels.predictor import Predictor

__all__ = ["Predictor"]
