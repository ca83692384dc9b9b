"""Numbers and labels as plain values that JSON can hold."""

from typing import Any

import numpy as np


def plain_number(number: float) -> float | None:
    """A float; None for what JSON has no number for.

    >>> plain_number(np.float64(0.5)), plain_number(float("nan"))
    (0.5, None)
    """
    return float(number) if np.isfinite(number) else None


def plain_label(label: Any) -> Any:
    """A label without NumPy's wrapping."""
    return label.item() if isinstance(label, np.generic) else label
