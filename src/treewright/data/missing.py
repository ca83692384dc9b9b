"""What counts as a missing value among Python objects."""

from typing import Any

import numpy as np
from numpy.typing import NDArray


def objects_without_mask(array: Any) -> NDArray[Any]:
    """A masked array as objects, None where it is masked."""
    objects = np.array(array.data, dtype=object)
    objects[np.ma.getmaskarray(array)] = None
    return objects


def is_missing_value(value: Any) -> bool:
    """Whether `value` is None, NaN, NaT, pandas' NA or NumPy's masked."""
    if value is None or value is np.ma.masked:
        return True
    if isinstance(value, (float, np.floating)):
        return bool(value != value)
    if isinstance(value, (np.datetime64, np.timedelta64)):
        return bool(np.isnat(value))
    # pandas' own marks, told by name: this layer does not import pandas.
    return type(value).__name__ in ("NAType", "NaTType")
