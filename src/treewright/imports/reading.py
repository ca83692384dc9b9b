"""What an imported model offers: size, importances, Shapley values; equations of leaves."""

from typing import Any, NoReturn

import numpy as np

from treewright._kernels.learners import LeafPrediction
from treewright.arrays import Floats
from treewright.ensembles.packed import PackedTreeSequence
from treewright.ensembles.reading import EnsembleReading, mean_of_row
from treewright.errors import ExportError, ParameterError, kind_of
from treewright.explanations.tree_sum import OneRow, Rows, TreeSum, own_predictions
from treewright.exports.sums.program import SumProgram
from treewright.imports.fitted import FittedImported, ImportReport
from treewright.model_trees.node_models import Equation
from treewright.model_trees.reading import ModelTreeReading
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


class ImportedModelReading(ModelTreeReading):
    """A mixin: a tree of another library with an equation in every leaf."""

    has_errors = False

    def smoothing_rows(self) -> float:
        """0: the equations are printed with what smoothing adds."""
        return 0.0

    def equation(self, node: int = 0, *, smoothed: bool = True) -> Equation:
        """The equation of a leaf; those of other nodes are not printed."""
        equation = super().equation(node)
        if self.tree_.n_children[node]:
            raise ParameterError(
                f"node {node} has no equation: the text has those of the leaves",
                hint="`apply(X)` gives the leaf of each row",
            )
        return equation

    def sum_program(self) -> SumProgram:
        """A tree whose leaves have the coefficients of their equations, for exports."""
        if not self.state_.is_filled:  # type: ignore[attr-defined]
            raise ExportError(
                "what replaces missing values is not known",
                hint="import the text with its training rows, `X=` or --table",
            )
        return super().sum_program()

    def worksheet(self, X: Any, y: Any, sample_weight: Any) -> NoReturn:
        """Raises: how another library chose the splits is not known."""
        raise ParameterError(
            f"{kind_of(self)} has no worksheet: how another library chose the splits is not known",
            hint="explain a row instead",
        )


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
