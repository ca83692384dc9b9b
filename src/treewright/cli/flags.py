"""Command-line flags from parameter declarations: `max_depth` becomes `--max-depth`.

A flag that is not given is not handed on, so each estimator keeps its own default. What is given
is checked by the declaration, so the command line and Python say the same of a wrong value.
"""

import inspect
import json
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Annotated, Any

import typer

from treewright.errors import ParameterError

if TYPE_CHECKING:
    from treewright.models.params import Param

Command = Callable[..., Any]
MAX_METAVAR = 32


def with_param_flags(command: Command, params: Iterable["Param"]) -> Command:
    """`command` with one more flag for each parameter; it gets those given as `settings`."""
    by_name = {param.name: param for param in params}

    def run(**values: Any) -> Any:
        given = {name: values.pop(name) for name in by_name}
        settings = {
            name: as_value(by_name[name], text) for name, text in given.items() if text is not None
        }
        return command(**values, settings=settings)

    own = [p for p in inspect.signature(command).parameters.values() if p.name != "settings"]
    every = [*own, *(as_flag(param) for param in by_name.values())]
    run.__signature__ = inspect.Signature(every)  # type: ignore[attr-defined]
    run.__annotations__ = {p.name: p.annotation for p in every}
    run.__doc__ = command.__doc__
    return run


def as_flag(param: "Param") -> inspect.Parameter:
    """The flag of one parameter. All but switches arrive as text."""
    name = param.name.replace("_", "-")
    is_switch = param.type is bool
    option = typer.Option(
        f"--{name}/--no-{name}" if is_switch else f"--{name}",
        help=help_text(param),
        metavar=None if is_switch else metavar(param),
        show_default=False,
    )
    kind: Any = bool | None if is_switch else str | None
    return inspect.Parameter(
        param.name,
        inspect.Parameter.KEYWORD_ONLY,
        default=None,
        annotation=Annotated[kind, option],
    )


def help_text(param: "Param") -> str:
    """The summary as a sentence, and the choices if they are too many to stand by the flag."""
    text = param.summary[:1].upper() + param.summary[1:] + "."
    return f"{text} One of: {', '.join(param.choices)}." if has_many_choices(param) else text


def metavar(param: "Param") -> str:
    """What may stand after the flag: `INTEGER|none`, `gini|entropy`."""
    choices = ["NAME"] if has_many_choices(param) else param.choices
    words = {int: ["INTEGER"], float: ["NUMBER"], object: ["JSON"]}.get(param.type, [])
    none = ["none"] if param.optional else []
    return "|".join([*choices, *words, *none])


def has_many_choices(param: "Param") -> bool:
    return len("|".join(param.choices)) > MAX_METAVAR


def as_value(param: "Param", given: object) -> object:
    """The value that a flag stands for, or the error that Python would raise."""
    value = read_value(param, given) if isinstance(given, str) else given
    param.check(value)
    return value


def read_value(param: "Param", text: str) -> object:
    if text in param.choices:
        return text
    if param.optional and text.lower() == "none":
        return None
    if param.type in (int, float):
        return read_number(text)
    if param.type is object:
        try:
            return json.loads(text)
        except json.JSONDecodeError as error:
            raise ParameterError(
                f"{param.name}={text!r} is not JSON: {error.msg.lower()}",
                hint=f"use {param.allowed}",
            ) from None
    return text


def read_number(text: str) -> object:
    """A number if `text` is one; otherwise the text itself, for the declaration to refuse."""
    for read in (int, float):
        try:
            return read(text)
        except ValueError:
            continue
    return text
