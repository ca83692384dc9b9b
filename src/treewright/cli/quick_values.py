"""Flags are read without pydantic, which typer loads for them and which takes a tenth of a second.

Most values need no library: a text, a path, a whole number within its limits. Whatever is not
obviously right goes to typer, which reads it or words the error.
"""

import re
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import typer.core

UNSURE = object()
WHOLE = re.compile(r"-?[0-9]{1,18}")
DECIMAL = re.compile(r"-?[0-9]{1,17}(\.[0-9]{1,17})?(e-?[0-9]{1,2})?")
# What may be asked of a path; typer looks into it.
OF_PATHS = ("exists", "readable", "writable", "resolve_path", "allow_dash", "path_type")


def read_values_quickly() -> None:
    """Read flags without pydantic, in this process, if this release of typer allows it."""
    build = getattr(typer.core, "build_runtime_param", None)
    if build is not None and not isinstance(build, QuickBuilder):
        vars(typer.core)["build_runtime_param"] = QuickBuilder(build)


class QuickBuilder:
    """In the place of typer's function: makes the reader of one flag."""

    def __init__(self, build: Any) -> None:
        self.build = build

    def __call__(self, descriptor: Any) -> "QuickReader":
        return QuickReader(self.build, descriptor)


class QuickReader:
    """Reads the values of one flag."""

    def __init__(self, build: Any, descriptor: Any) -> None:
        self.build, self.descriptor = build, descriptor

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        """The value in the type of the flag; typer's own reader decides in case of doubt."""
        if value is None:
            return () if param.multiple or param.nargs == -1 else None
        found = read(value, self.descriptor.annotation, self.descriptor.parameter_info)
        if found is UNSURE:
            return self.build(self.descriptor).coerce(value, param=param, ctx=ctx)
        return found


def read(value: Any, kind: Any, limits: Any) -> Any:
    """The value if it is obvious, or UNSURE."""
    if get_origin(kind) is list:
        if not isinstance(value, list | tuple):
            return UNSURE
        found = [read(one, get_args(kind)[0], limits) for one in value]
        return UNSURE if UNSURE in found else found
    if limits.parser is not None or not isinstance(value, str):
        return value if type(value) is kind is not list else UNSURE
    if get_origin(kind) is Literal:
        return value if value in get_args(kind) else UNSURE
    if kind is str:
        return value
    if kind is Path:
        is_plain = not any(getattr(limits, name, None) for name in OF_PATHS if name != "readable")
        return Path(value) if is_plain else UNSURE
    if kind is int and WHOLE.fullmatch(value):
        return within(int(value), limits)
    if kind is float and DECIMAL.fullmatch(value):
        return within(float(value), limits)
    return UNSURE


def within(number: float, limits: Any) -> Any:
    """The number if it lies between its limits, or UNSURE."""
    is_low = limits.min is not None and number < limits.min
    is_high = limits.max is not None and number > limits.max
    return UNSURE if is_low or is_high else number
