"""Warnings that point at the user's own line."""

import sys
import warnings
from pathlib import Path

from treewright.plain_text import without_steering

PACKAGE = str(Path(__file__).parents[1])


def warn_user(message: str) -> None:
    """Warn as from the line of the user's that called into the package."""
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(PACKAGE):
        level, frame = level + 1, frame.f_back
    warnings.warn(without_steering(message), UserWarning, stacklevel=level)
