"""Packages that only some uses need: import them where used, or say what to install."""

from importlib import import_module
from types import ModuleType

from treewright.errors import MissingExtraError


def optional_module(name: str, *, extra: str, purpose: str) -> ModuleType:
    """The module `name`, or an error that names the extra which brings it."""
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        raise MissingExtraError(
            f"{purpose} needs the package `{name.partition('.')[0]}`",
            hint=f"pip install 'treewright[{extra}]'",
        ) from error
