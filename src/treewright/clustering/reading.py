"""What a fitted clustering offers: its centers and explanations."""

from typing import TYPE_CHECKING, Any

from treewright.clustering.fitted import FittedClusters
from treewright.estimators.reading import OtherModel, Readable
from treewright.estimators.rows import changed_row

if TYPE_CHECKING:
    from treewright.clustering.centers import NearestCenter


class ClusterReading(OtherModel, Readable[FittedClusters]):
    """A mixin: rows in clusters around centers."""

    @property
    def converged_(self) -> bool:
        """Whether the algorithm converged: no row changed its cluster in the last iteration."""
        return bool(self.state_.moves[-1] == 0)

    def summary(self) -> str:
        """Sizes and centers of the clusters."""
        from treewright.clustering.centers import summary_text

        return summary_text(self)

    def explain(self, row: Any, **changes: Any) -> "NearestCenter":
        """The nearest center of a row, and the contribution of each column to the distance.

        The row is a dict, a list of values, a row of a data frame, or a table of one row. `changes`
        are other values for some of its columns, by name: what would be predicted then?
        """
        from treewright.clustering.centers import nearest_center

        return nearest_center(self, changed_row(row, self.schema_, changes))
