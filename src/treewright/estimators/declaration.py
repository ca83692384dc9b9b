"""Parameters of estimators, declared once, in the body of the class.

    class MyTree(TreeEstimator):
        criterion: str = param("gini", "Split criterion.", choices=("gini", "entropy"))
        n_jobs: int | None = shared.N_JOBS

From these lines come the constructor and its signature, `MyTree.params` (which validation, model
files and the command line read), and the section "Parameters" of the docstring. Type checkers
derive the same constructor, because the base is a `dataclass_transform`. Values are stored as given
and checked when `fit` begins.
"""

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from textwrap import TextWrapper
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin

from treewright.param import Param

SIMPLE_TYPES = (bool, int, float, str)
SET_BY_FIT = object()
LATER_SECTION = re.compile(r"^(Attributes|Notes|Examples)\n---", re.MULTILINE)
WRAPPER = TextWrapper(
    width=96,
    initial_indent="    ",
    subsequent_indent="    ",
    break_long_words=False,
    break_on_hyphens=False,
)


def param(default: object, help: str, *, type: type | None = None, **limits: Any) -> Any:
    """A parameter, as a value in the body of an estimator; the limits are those of `Param`.

    The type is the first of bool, int, float and str in the annotation, or else `object`, for a
    structure that `accepts` checks. None is allowed if the annotation allows it.
    """
    return Param("", type or NoneType, default, help, **limits)


def leading_param(declared: Any, *, default: object, kw_only: Literal[False]) -> Any:
    """A parameter that may also be given by position; type checkers read the keywords."""
    return declared.but(default=default, kw_only=kw_only)


def set_by_fit(*, init: Literal[False] = False) -> Any:
    """Marks an annotation as an attribute of fitted estimators, which is no parameter."""
    return SET_BY_FIT


def declare_params(estimator: Any) -> None:
    """Write `params`, the constructor and the docstring of an estimator from its declarations."""
    by_name: dict[str, Param] = {}
    for base in reversed(estimator.__mro__):
        for one in own_declarations(base):
            by_name = with_declaration(by_name, one)
    estimator.params = tuple(by_name.values())
    if "__init__" not in vars(estimator):
        estimator.__init__ = constructor(estimator, estimator.params)
    if estimator.__doc__ and by_name:
        estimator.__doc__ = with_parameters(estimator.__doc__, estimator.params)


def own_declarations(base: Any) -> Sequence[Param]:
    """What the body of a class declares; from then on the class has `own_params` instead."""
    declared: Sequence[Param] | None = vars(base).get("own_params")
    if declared is not None:
        return declared
    found = {
        name: value
        for name, value in vars(base).items()
        if isinstance(value, Param) or value is SET_BY_FIT
    }
    if not found:
        return ()
    declared = [
        complete(one, name, base.__annotations__[name])
        for name, one in found.items()
        if isinstance(one, Param)
    ]
    for name in found:
        delattr(base, name)
    base.own_params = declared
    return declared


def complete(one: Param, name: str, annotation: Any) -> Param:
    """A declaration with its name, and with the type that its annotation names."""
    is_union = get_origin(annotation) in (Union, UnionType)
    parts = get_args(annotation) if is_union else (annotation,)
    named = next((part for part in parts if part in SIMPLE_TYPES), object)
    return replace(
        one,
        name=name,
        type=named if one.type is NoneType else one.type,
        optional=one.optional or NoneType in parts,
        annotation=annotation,
    )


def with_declaration(by_name: Mapping[str, Param], one: Param) -> dict[str, Param]:
    """The declarations and one more: in the place of an inherited one, before another, or last."""
    if one.name in by_name or not one.before:
        return {**by_name, one.name: one}
    at = list(by_name).index(one.before)
    items = list(by_name.items())
    return dict([*items[:at], (one.name, one), *items[at:]])


def constructor(estimator: type, params: Sequence[Param]) -> Callable[..., None]:
    """`__init__` with one argument for each parameter."""
    defaults = {one.name: one.default for one in params}
    itself = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    signature = inspect.Signature([itself, *map(argument, params)], return_annotation=None)

    def construct(self: Any, *args: Any, **given: Any) -> None:
        if args or not given.keys() <= defaults.keys():
            try:
                given = signature.bind(self, *args, **given).arguments
            except TypeError as error:
                raise TypeError(f"{estimator.__name__}.__init__() {error}") from None
            del given["self"]
        vars(self).update(defaults | given)

    construct.__signature__ = signature  # type: ignore[attr-defined]
    construct.__name__ = "__init__"
    construct.__qualname__ = f"{estimator.__qualname__}.__init__"
    construct.__module__ = estimator.__module__
    return construct


def argument(one: Param) -> inspect.Parameter:
    """A parameter in the signature."""
    kinds = inspect.Parameter
    kind = kinds.KEYWORD_ONLY if one.kw_only else kinds.POSITIONAL_OR_KEYWORD
    return inspect.Parameter(one.name, kind, default=one.default, annotation=one.annotation)


def with_parameters(doc: str, params: Sequence[Param]) -> str:
    """A docstring with a section on the parameters, before those on attributes and examples."""
    doc = inspect.cleandoc(doc)
    entries = "\n".join(f"{one.name}\n{WRAPPER.fill(one.help)}" for one in params)
    section = f"Parameters\n----------\n{entries}"
    later = LATER_SECTION.search(doc)
    if later is None:
        return f"{doc}\n\n{section}"
    return f"{doc[: later.start()]}{section}\n\n{doc[later.start() :]}"
