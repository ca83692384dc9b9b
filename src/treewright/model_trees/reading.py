"""What a fitted model tree offers: its text, picture, rules and explanations."""

from typing import TYPE_CHECKING, Any

import numpy as np

from treewright.errors import ParameterError
from treewright.estimators.one_tree import OneTreeReading
from treewright.estimators.reading import OtherModel
from treewright.estimators.rows import changed_row
from treewright.model_trees.fitted import FittedModelTree, smoothing_rows
from treewright.model_trees.node_models import Equation

if TYPE_CHECKING:
    from treewright.documents.printed import Printed
    from treewright.exports.sums.program import SumProgram
    from treewright.model_trees.rules import ModelRules
    from treewright.pictures.picture import Picture


class ModelTreeReading(OtherModel, OneTreeReading[FittedModelTree]):
    """A mixin: a tree with an equation in every leaf."""

    has_errors = True  # whether the errors of the equations on the training rows are known

    def equation(self, node: int = 0, *, smoothed: bool = True) -> Equation:
        """The equation by which a node predicts; `smoothed=False` gives its own model alone."""
        state = self.state_
        if isinstance(node, bool) or node not in range(state.tree.n_nodes):
            raise ParameterError(
                f"node {node!r} of a tree with {state.tree.n_nodes} nodes",
                hint=f"the nodes are numbered from 0 to {state.tree.n_nodes - 1}",
            )
        return state.models.smoothed(
            state.tree, int(node), self.smoothing_rows() if smoothed else 0.0
        )

    def export_text(self, *, decimals: int | None = None) -> str:
        """The tree as indented lines, then the equation of each leaf; all categories are named."""
        from treewright.model_trees.as_text import model_text

        return model_text(self, decimals)

    def summary(self) -> str:
        """The tree and its equations; of a large one the beginning."""
        from treewright.model_trees.as_text import summary_text

        return summary_text(self)

    def rules(self) -> "ModelRules":
        """One rule for each leaf: conditions, then the equation."""
        from treewright.model_trees.rules import ModelRules

        return ModelRules.of(self)

    def explain(self, row: Any, **changes: Any) -> "Printed":
        """The calculation of one prediction: the path, the equation and the smoothing.

        The row is a dict, a list of values, a row of a data frame, or a table of one row. `changes`
        are other values for some of its columns, by name: what would be predicted then?
        """
        from treewright.model_trees.row_work import row_work

        return row_work(self, changed_row(row, self.schema_, changes))

    def draw(self, **options: Any) -> "Picture":
        """A picture of the tree, each leaf with the number of its model.

        The options are those of `treewright.draw`.
        """
        from treewright.model_trees.as_text import draw_models

        return draw_models(self, **options)

    def sum_program(self) -> "SumProgram":
        """A tree whose leaves have the coefficients of their equations, for exports."""
        from treewright.exports.sums.program import LinearTerm, SumProgram

        state = self.state_
        coding = state.coding
        terms, numbers = state.models.coefficients_of(state.tree, self.smoothing_rows())

        def term_of(column: int, cut: int) -> LinearTerm:
            fill, ranks = float(coding.fills[column]), coding.ranks(column)
            if not cut:
                return LinearTerm(column, fill)
            flags = [ranks[int(fill)] >= cut, *(ranks >= cut)]
            return LinearTerm(column, fill, "".join("1" if flag else "0" for flag in flags))

        return SumProgram(
            state.schema,
            (state.tree,),
            np.zeros(numbers.shape[1]),
            "linear" if terms else "same",
            lambda _: numbers,
            unseen=state.tree.unseen,
            title=type(self).__name__,
            terms=tuple(term_of(*term) for term in terms),
            needs_finite=True,
        )

    def smoothing_rows(self) -> float:
        """How many rows the model above counts for; 0 without smoothing."""
        return smoothing_rows(self)
