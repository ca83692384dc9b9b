"""Method: a pruning method with its options and the rows it needs."""

import math
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from treewright.errors import ParameterError, nearest
from treewright.param import Param

if TYPE_CHECKING:
    from treewright.pruning.report import Pruned


Needs = Literal["nothing", "training rows", "validation rows"]
Options = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Method:
    """A pruning method with its options and the rows it needs."""

    name: str
    summary: str
    options: tuple[Param, ...] = ()
    needs: Callable[[Options], Needs] = lambda _: "nothing"  # which rows it needs
    idle: Callable[[Options], Mapping[str, str]] = lambda _: {}  # options without effect, and why
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
