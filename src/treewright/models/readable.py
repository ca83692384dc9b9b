"""How a fitted model shows itself: as text, as a picture, by the reasons of one answer."""

from abc import abstractmethod
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from treewright.plain_text import plain
from treewright.tree.as_text import export_text
from treewright.tree.column_gains import as_shares, column_gains
from treewright.tree.tree import Tree

if TYPE_CHECKING:
    from treewright.explanations.explanation import Explanation
    from treewright.pictures.picture import Picture


class ReadableModel:
    """What a fitted tree tells people."""

    n_features_in_: int
    notes_: tuple[str, ...]

    @abstractmethod
    def _fitted_tree(self) -> Tree:
        """The tree; an error before `fit`."""

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """Each column's share of the impurity that all splits take away; zeros without splits."""
        return as_shares(column_gains(self._fitted_tree()))

    def export_text(
        self,
        *,
        max_depth: int | None = None,
        decimals: int | None = None,
        show_weights: bool = True,
    ) -> str:
        """The tree as indented lines, after the notes on what was done to the data.

        Below `max_depth` nothing is shown; `decimals` rounds thresholds and means.
        """
        text = export_text(
            self._fitted_tree(), max_depth=max_depth, decimals=decimals, show_weights=show_weights
        )
        return "\n".join([*(f"# {plain(note)}" for note in self.notes_), text])

    def explain(
        self,
        row: Any,
        X: Any = None,
        y: Any = None,
        *,
        immutable: Collection[str] | str = (),
        directions: Mapping[str, str] | None = None,
        wanted: Any = None,
        tolerance: float | None = None,
        n_neighbours: int = 3,
    ) -> "Explanation":
        """Why one row gets its answer, and what would change it.

        Parameters
        ----------
        row
            One row: a dict, a list of values, a row of a data frame, or a table of one row.
        X, y
            Training rows, for the nearest of them and for the spread of the columns.
        immutable
            Names of columns that the smallest change leaves alone.
        directions
            Column name -> "up" or "down": the only way that a change may go.
        wanted
            The class that the change is to lead to; of numbers "up", "down" or a pair such as
            (100, 200) or (100, None). None takes any other answer.
        tolerance
            Of numbers: those no further apart count as the same answer; None takes the standard
            deviation of the tree's answers.
        n_neighbours
            How many of the nearest training rows are shown.
        """
        from treewright.explanations.request import Request
        from treewright.models.explaining import explain

        ways = {} if directions is None else directions
        request = Request(immutable, ways, wanted, tolerance, n_neighbours)
        return explain(self, row, request, X=X, y=y)  # type: ignore[arg-type]  # it is a TreeEstimator

    def draw(self, **options: Any) -> "Picture":
        """A picture of the tree; the options are those of `treewright.draw`."""
        from treewright.models.drawing import draw

        return draw(self, **options)  # type: ignore[arg-type]
