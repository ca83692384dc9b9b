"""What a list of texts is read as, in one format."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import Floats
from treewright.data.formats import Format


@dataclass(frozen=True, slots=True)
class Reading:
    """The values of texts that are read as numbers, dates or times."""

    format: Format
    values: Floats  # NaN where a text does not fit the format
    words: str  # what the texts are, and how that is known
    unit: str = ""  # of dates and times, as of a numeric column
    doubt: str = ""  # another reading that fits as well
    ways: tuple[str, ...] = ()  # the kinds that would settle the doubt
    is_settled: bool = True  # False: the doubt is about the value of nearly every text

    @property
    def fits(self) -> NDArray[np.bool_]:
        return ~np.isnan(self.values)
