"""Properties that are worked out once and kept.

functools' own, up to Python 3.11, holds one lock for all instances while a value is worked out. A
process that forks meanwhile leaves its child with a lock that nobody opens. Here is no lock: two
threads that ask at the same time both work the value out, and both get the one that was kept.
"""

from collections.abc import Callable
from typing import Any, Generic, Self, TypeVar, overload

Value = TypeVar("Value")


class cached_property(Generic[Value]):  # noqa: N801 -- read as `property` is
    """A property that is worked out when first asked for, then kept in the instance's `__dict__`.

    It writes past `__setattr__`, so that frozen dataclasses can have one; those with slots cannot.
    """

    def __init__(self, work_out: Callable[[Any], Value]) -> None:
        self.work_out = work_out
        self.name = work_out.__name__
        self.__doc__ = work_out.__doc__
        self.__module__ = work_out.__module__  # where doctest looks for examples

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    @overload
    def __get__(self, instance: None, owner: type) -> Self: ...

    @overload
    def __get__(self, instance: object, owner: type | None = None) -> Value: ...

    def __get__(self, instance: object | None, owner: type | None = None) -> Self | Value:
        if instance is None:
            return self
        value = self.work_out(instance)
        if getattr(type(instance), self.name) is not self:
            return value  # asked for by `super()`: the name is for what the subclass makes of it
        # Python looks in `__dict__` first from now on: this has no `__set__`.
        kept: Value = vars(instance).setdefault(self.name, value)
        return kept
