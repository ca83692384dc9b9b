"""What an imported model of many trees offers: size, importances, Shapley values."""

from typing import Any

import numpy as np

from treewright._kernels.learners import LeafPrediction
from treewright.arrays import Floats
from treewright.ensembles.packed import PackedTreeSequence
from treewright.ensembles.reading import EnsembleReading, mean_of_row
from treewright.errors import ExportError, ParameterError
from treewright.explanations.tree_sum import OneRow, Rows, TreeSum, own_predictions
from treewright.exports.sums.program import SumProgram
from treewright.imports.fitted import FittedImported, ImportReport
from treewright.tree.counts import as_shares
from treewright.tree.tree import Tree


class ImportedReading(EnsembleReading[FittedImported]):
    """A mixin: trees whose values are added up, or whose class shares are averaged."""

    import_report_: ImportReport

    def raw_scores(self, X: Any) -> Floats:
        """(n_rows, n_outputs): what the trees add up to, before it becomes a probability.

        XGBoost calls these margins, LightGBM raw scores.
        """
        state = self.state_
        if state.averages_shares:
            raise ParameterError(
                "the trees average probabilities, so there are no scores", hint="use predict_proba"
            )
        return state.scores(X, self)

    def tree_sum(self, *, has_missing: bool = True) -> TreeSum:
        """What Shapley values are shares of: scores, or averaged probabilities."""
        state = self.state_
        if state.averages_shares:
            assert state.classes is not None
            names, n = tuple(state.classes.tolist()), len(state.trees)
            row = mean_of_row(state.trees)
            start = np.zeros(len(names))

            def shares(tree: Tree) -> Floats:
                return own_predictions(tree) / n

            return TreeSum(
                state.schema, state.trees, names, "probability", start, shares, one_row=row
            )
        # As the link takes them: of two classes, these are log-odds.
        factor = state.link_scale / state.divisor
        start = np.asarray(state.start * factor, dtype=np.float64)
        labels: tuple[Any, ...] = ("score",)
        if state.classes is not None:
            labels = tuple(state.classes.tolist())[-len(start) :]

        def values(tree: Tree) -> Floats:
            return tree.value * factor

        return TreeSum(
            state.schema,
            state.trees,
            labels,
            "score",
            start,
            values,
            takes_turns=len(start) > 1,
            one_row=row_of(state),
        )

    def sum_program(self) -> SumProgram:
        """Scores, to which every tree adds in turn, or means of class shares."""
        state = self.state_
        if reason := why_not_exported(state):
            raise ExportError(reason, hint="export one of its trees: trees_[0] is the first")
        shares = state.averages_shares
        assert not shares or state.classes is not None
        n_classes = 0 if state.classes is None else len(state.classes)
        return SumProgram(
            state.schema,
            state.trees,
            np.zeros(n_classes) if shares else np.asarray(state.start, dtype=np.float64),
            "same" if shares else state.link,
            own_predictions,
            divisor=float(len(state.trees)) if shares else state.divisor,
            classes=None if state.classes is None else tuple(state.classes.tolist()),
            costs=state.costs,
            unseen=state.unseen or "missing",
            title=type(self).__name__,
            scale=state.link_scale,
            in_float32=state.in_float32,
            own_link=None if shares else lambda scores: of_rows(state.from_scores(scores)),
        )

    @property
    def feature_importances_(self) -> Floats:
        """Each column's share of the total gain of all splits."""
        if self.state_.averages_shares:
            return super().feature_importances_
        total = np.zeros(self.state_.n_features_in)
        for gains in self._gains():
            total += gains
        return as_shares(total)


def of_rows(predictions: Floats) -> Floats:
    """(n_rows, n_values), also of numbers."""
    return predictions if predictions.ndim == 2 else predictions[:, np.newaxis]


def why_not_exported(state: FittedImported) -> str:
    """What an export of the whole model cannot express; "" if it can."""
    if state.link == "log_one_plus_exp":
        return f"the link `{state.link}` of this objective cannot be exported"
    if any(spec.comparison.zero_is_missing for spec in state.schema.columns):
        return "columns where zero is missing cannot be exported"
    return ""


def row_of(state: FittedImported) -> OneRow | None:
    """How one row is explained if the trees are packed."""
    trees, n_outputs, factor = state.trees, len(state.start), state.link_scale / state.divisor
    if not isinstance(trees, PackedTreeSequence):
        return None

    def one_row(row: Rows, output: int, n_threads: int) -> tuple[float, Floats] | None:
        assert isinstance(trees, PackedTreeSequence)
        found = trees.explain_row(row, LeafPrediction.value, (output, n_outputs), n_threads)
        return None if found is None else (found[0] * factor, found[1] * factor)

    return one_row
