"""Whether the code is watched while it runs, which takes memory and time.

TREEWRIGHT_WATCHED names what watches: sanitizers (`make asan`) or counters (`make coverage`).
"""

import functools
import os
from collections.abc import Callable

IS_WATCHED = bool(os.environ.get("TREEWRIGHT_WATCHED"))
SLOWER = 20 if IS_WATCHED else 1  # than unwatched, at most: what tests that measure time allow for


def best_of_three(test: Callable[..., None]) -> Callable[..., None]:
    """A test of time passes if one of three runs does: a busy machine is slower, never faster."""

    @functools.wraps(test)
    def run(*args: object, **kwargs: object) -> None:
        for _ in range(2):
            try:
                return test(*args, **kwargs)
            except AssertionError:
                pass
        return test(*args, **kwargs)

    return run
