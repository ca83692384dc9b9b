"""Properties that are computed once and cached.

Up to Python 3.11, `functools.cached_property` holds one lock for all instances while a value is
computed. If the process forks meanwhile, the child has a lock that is never released. This one has
no lock: two threads may both compute the value, and both get the one that was stored first.
"""

from collections.abc import Callable
from typing import Any, Generic, Self, TypeVar, overload

Value = TypeVar("Value")


class cached_property(Generic[Value]):  # noqa: N801 -- read as `property` is
    """A property that is computed on first use, then stored in the instance's `__dict__`.

    It writes past `__setattr__`, so that frozen dataclasses can have one; those with slots cannot.
    """

    def __init__(self, compute: Callable[[Any], Value]) -> None:
        self.compute = compute
        self.name = compute.__name__
        self.__doc__ = compute.__doc__
        self.__module__ = compute.__module__  # where doctest looks for examples

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    @overload
    def __get__(self, instance: None, owner: type) -> Self: ...

    @overload
    def __get__(self, instance: object, owner: type | None = None) -> Value: ...

    def __get__(self, instance: object | None, owner: type | None = None) -> Self | Value:
        if instance is None:
            return self
        value = self.compute(instance)
        if getattr(type(instance), self.name) is not self:
            return value  # called by `super()`: the name is for the value of the subclass
        # Python looks in `__dict__` first from now on: this has no `__set__`.
        kept: Value = vars(instance).setdefault(self.name, value)
        return kept
