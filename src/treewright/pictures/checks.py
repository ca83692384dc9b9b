"""Checks of what the user gives to a figure or a picture."""

from treewright.errors import ParameterError, kind_of


def check_type(value: object, wanted: type, noun: str, call: str) -> None:
    """Raise unless the value is what a function such as `tw.elbow(X)` returns."""
    if not isinstance(value, wanted):
        raise ParameterError(f"{kind_of(value)} is not {noun}", hint=f"give {call}")


def is_whole(value: object, low: int, high: float = float("inf")) -> bool:
    """Whether the value is an integer in a range."""
    return isinstance(value, int) and not isinstance(value, bool) and low <= value <= high


def check_whole(name: str, value: object, low: int = 1) -> None:
    """Raise unless a setting is an integer of at least `low`."""
    if not is_whole(value, low):
        raise ParameterError(f"{name} is {value!r}", hint=f"use a whole number from {low} on")
