"""Flags that several commands share, declared once as the fields of a dataclass.

A command takes the whole group as one argument; on the command line every field is a flag.
"""

import inspect
from collections.abc import Callable, Sequence
from dataclasses import MISSING, fields, is_dataclass
from typing import Any, get_type_hints

import typer

Command = Callable[..., Any]


def flag(text: str, *words: str, **limits: Any) -> Any:
    """A flag for `Annotated`: its help, what stands for its value, names other than the argument's.

    `flag("Column to predict.", "COLUMN", "--target", "-t")`
    """
    names = [word for word in words if word.startswith("-")]
    metavar = next((word for word in words if word not in names), None)
    return typer.Option(*names, help=text, metavar=metavar, **limits)


def out_flag(text: str) -> Any:
    return flag(text, "FILE", "--out", "-o")


def target_flag(text: str) -> Any:
    return flag(text, "COLUMN", "--target", "-t")


def with_groups(command: Command) -> Command:
    """`command` with the fields of its dataclass arguments as flags of their own."""
    own = inspect.signature(command).parameters
    hints = get_type_hints(command, include_extras=True)
    groups = {name: hints[name] for name in own if is_dataclass(hints[name])}
    flags = {name: flags_of(group) for name, group in groups.items()}

    def run(**values: Any) -> Any:
        for name, group in groups.items():
            values[name] = group(**{each.name: values.pop(each.name) for each in flags[name]})
        return command(**values)

    every: list[inspect.Parameter] = []
    for name, parameter in own.items():
        every += flags.get(name) or [parameter.replace(annotation=hints[name])]
    return called_with(every, run, command)


def called_with(parameters: Sequence[inspect.Parameter], run: Command, command: Command) -> Command:
    """`run` as typer sees it: with these parameters, and the help of `command`."""
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    run.__doc__ = command.__doc__
    return run


def flags_of(group: Any) -> list[inspect.Parameter]:
    """The annotated fields of a group as keyword arguments."""
    hints = get_type_hints(group, include_extras=True)
    return [
        inspect.Parameter(
            field.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=inspect.Parameter.empty if field.default is MISSING else field.default,
            annotation=hints[field.name],
        )
        for field in fields(group)
        if hasattr(hints[field.name], "__metadata__")
    ]
