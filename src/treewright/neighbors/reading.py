"""What a fitted model of nearest neighbors offers: its size and explanations."""

from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from treewright.arrays import Floats
from treewright.estimators.reading import OtherModel, Readable
from treewright.estimators.rows import changed_row
from treewright.neighbors.fitted import FittedNeighbors

if TYPE_CHECKING:
    from treewright.neighbors.explanation import RowNeighbors


class NeighborsReading(OtherModel, Readable[FittedNeighbors]):
    """A mixin: training rows, the nearest of which predict."""

    n_neighbors: int
    weights: str

    classes_: NDArray[Any]  # of a classifier
    rows_: Floats
    targets_: NDArray[Any]
    distance_: str

    @property
    def n_samples_fit_(self) -> int:
        """Number of training rows in the model."""
        return self.state_.n_rows

    def checked_state(self) -> FittedNeighbors:
        """The state; what it reads of the settings is allowed."""
        return self.state_

    def explain(self, row: Any, **changes: Any) -> "RowNeighbors":
        """The neighbors that predict one row: their values, distances and weights.

        The row is a dict, a list of values, a row of a data frame, or a table of one row. `changes`
        are other values for some of its columns, by name: what would be predicted then?
        """
        from treewright.neighbors.explanation import RowNeighbors

        return RowNeighbors.of(self, changed_row(row, self.schema_, changes))

    def summary(self) -> str:
        """Number of training rows, and the distance."""
        state = self.state_
        weights = "equal weights" if self.weights == "uniform" else "weights by distance"
        return (
            f"{type(self).__name__}: the {self.n_neighbors} nearest of {state.n_rows} rows, "
            f"{weights}; distance {state.distance} of {state.n_features_in} columns"
        )
