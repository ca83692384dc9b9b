"""One module a target: `check(data)` takes any bytes and raises only if something is wrong."""

from importlib import import_module
from types import ModuleType

NAMES = ("model_file", "json_values", "csv_table", "arff_table", "command_line")


def target(name: str) -> ModuleType:
    """The module of a target."""
    return import_module(f"fuzz.targets.{name}")
