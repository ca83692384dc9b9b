"""Method: a pruning method with its options and the rows it needs."""

import math
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import Floats
from treewright.errors import ParameterError, nearest
from treewright.param import Param
from treewright.pruning.bottom_up import Rule, decide_bottom_up, leaf_is_no_worse
from treewright.tree.tree import Tree

if TYPE_CHECKING:
    from treewright.pruning.report import Pruned


Needs = Literal["nothing", "training rows", "validation rows"]
Options = Mapping[str, Any]


def nothing(options: Options) -> Needs:
    """A method that prunes by the training counts that the tree holds."""
    return "nothing"


def none_idle(options: Options) -> Mapping[str, str]:
    """A method in which every option always has an effect."""
    return {}


@dataclass(frozen=True, slots=True)
class Method:
    """A pruning method with its options and the rows it needs."""

    name: str
    summary: str
    options: tuple[Param, ...] = ()
    needs: Callable[[Options], Needs] = nothing  # which rows it needs, given its options
    idle: Callable[[Options], Mapping[str, str]] = none_idle  # options without effect, and why
    without_rows: str = ""  # the option, if any, with which it needs none
    prunes_numbers: bool = False  # whether it prunes regression trees too

    @property
    def function(self) -> "Callable[..., Pruned]":
        module = import_module(f"treewright.pruning.{self.name}")
        found: Callable[..., Pruned] = getattr(module, self.name)
        return found

    def checked(self, given: Options) -> dict[str, Any]:
        """All options, the given ones and the defaults of the others; or an error."""
        declared = {option.name: option for option in self.options}
        for name in given:
            if name not in declared:
                raise ParameterError(
                    f"pruning method `{self.name}` has no option `{name}`",
                    hint=nearest(str(name).lower(), declared, "options"),
                )
        values: dict[str, Any] = {}
        for name, option in declared.items():
            value = given.get(name, option.default)
            if name in given:
                option.check(value)
                if isinstance(value, float) and math.isinf(value):
                    raise ParameterError(
                        f"{name}={value} is not allowed", hint="use a finite number"
                    )
            values[name] = value.item() if isinstance(value, np.generic) else value
        return values

    def refuse_idle(self, asked: Collection[str], values: Options) -> None:
        """Raises an error if a given option has no effect with the other values."""
        for name, reason in self.idle(values).items():
            if name in asked:
                raise ParameterError(
                    f"pruning method `{self.name}`: `{name}` has no effect {reason}",
                    hint="leave one of the two out",
                )


@dataclass(frozen=True, slots=True, eq=False)
class Judgment:
    """One entry per node."""

    as_leaf: Floats
    at_inner: Floats  # what a split adds to its branches, and rows that stop there
    as_subtree: Floats
    worth: Floats  # what the node adds to the subtree above it
    cut: NDArray[np.bool_]


def judged_bottom_up(
    tree: Tree, as_leaf: Floats, at_inner: Floats, rule: Rule = leaf_is_no_worse
) -> Judgment:
    """The judgment of a method that decides every inner node, children first."""
    decided = decide_bottom_up(tree, as_leaf, at_inner, rule)
    worth = np.where(decided.cut, as_leaf, decided.as_subtree)
    return Judgment(as_leaf, at_inner, decided.as_subtree, worth, decided.cut)
