"""The only door to compiled code: callers import kernels from here, never from `_native`."""

from treewright._kernels._native import StandardArithmetic
from treewright._kernels.predictor import Predictor
from treewright._kernels.short_cuts import leave_out_as_the_environment_says

__all__ = ["Predictor", "StandardArithmetic"]

leave_out_as_the_environment_says()
