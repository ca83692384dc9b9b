"""The compiled grower of model trees."""

from treewright._kernels._native import (
    ModelTreeCriterion,
    ModelTreeSettings,
    TermRule,
    grow_model_tree,
)

__all__ = ["ModelTreeCriterion", "ModelTreeSettings", "TermRule", "grow_model_tree"]
