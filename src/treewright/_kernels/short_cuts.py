"""Short cuts of the core: faster ways to the same result, each of which can be left out.

The environment variable `TREEWRIGHT_PLAIN` names those to leave out (`bit_bundles,threads`), or
says `all`. It is read once, when the package is imported. With it a surprising result can be
checked against the plain way; tests do so for every short cut and every kind of model.
"""

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from treewright._kernels import _native
from treewright.errors import ParameterError

ENVIRONMENT = "TREEWRIGHT_PLAIN"
NAMES: tuple[str, ...] = _native.short_cut_names()


def leave_out(names: Iterable[str]) -> int:
    """Take the plain way for these from now on; returns what was left out before, as bits."""
    chosen = set(names)
    unknown = sorted(chosen.difference(NAMES))
    if unknown:
        raise ParameterError(
            f"no short cut is called `{unknown[0]}`",
            hint=f"{ENVIRONMENT} names some of {', '.join(NAMES)}, or says all",
        )
    return _native.leave_out_short_cuts(sum(1 << NAMES.index(name) for name in chosen))


def met() -> set[str]:
    """Those that data came to since this was asked last, taken or left out."""
    bits = _native.short_cuts_met()
    return {name for at, name in enumerate(NAMES) if bits >> at & 1}


def leave_out_as_the_environment_says() -> None:
    """What `TREEWRIGHT_PLAIN` names is left out."""
    names = [name.strip() for name in os.environ.get(ENVIRONMENT, "").split(",") if name.strip()]
    leave_out(NAMES if names == ["all"] else names)


@contextmanager
def left_out(*names: str) -> Iterator[None]:
    """The plain way for these, in all threads, and afterwards what held before."""
    before = leave_out(names)
    try:
        yield
    finally:
        _native.leave_out_short_cuts(before)
