"""M5 model trees after Quinlan (1992), as Wang and Witten (1997) rebuilt them."""

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from treewright._kernels.model_trees import ModelTreeSettings, TermRule
from treewright.data.table import Table
from treewright.data.target import encode_addable_numbers
from treewright.documents.printed import Printed
from treewright.errors import ModelFileError, ParameterError
from treewright.model_trees.coding import Coding
from treewright.model_trees.equation import Equation
from treewright.model_trees.growth import CRITERIA, TERM_RULES, GrownModels, grow_models
from treewright.model_trees.node_models import NodeModels
from treewright.model_trees.params import M5_PARAMS
from treewright.models.class_answers import RegressorMethods
from treewright.models.finite_rows import check_finite
from treewright.models.learned_estimator import Learned, LearnedPredictor, frozen
from treewright.models.learned_kinds import TREE, Kind, floats, ints
from treewright.models.threads import n_threads
from treewright.models.training import TrainingRows
from treewright.tree.column_gains import as_shares, column_gains
from treewright.tree.predict import predict_leaves
from treewright.tree.tree import Tree

if TYPE_CHECKING:
    from treewright.model_trees.rules import ModelRules
    from treewright.pictures.picture import Picture

Float64Array = NDArray[np.float64]

CELLS_WORTH_THREADS = 50_000  # below this a fit takes less time than threads need to wake


class M5Regressor(RegressorMethods, LearnedPredictor):
    """A tree whose leaves answer by linear equations: M5 as rebuilt by Wang and Witten.

    Splits reduce the deviation of the target; every node gets a linear model of the columns that
    the splits below it ask for, less the terms that do not pay; pruning puts a node's model in the
    place of a subtree that is not expected to do better; smoothing mixes the answer of a leaf with
    those of the models above it. With the defaults this is M5' as Weka's M5P computes it.

    Parameters
    ----------
    models
        False answers by means: a regression tree.
    smoothing
        Whether the models above a leaf take part in its answer.
    smoothing_weight
        The answer p of a node of n rows becomes (n p + k q) / (n + k) on the way up, q being what
        the node above says; this is k.
    prune
        Whether a node's model takes the place of a subtree that is no better.
    penalty
        The error of a model with v parameters on its n rows is expected to be
        (n + penalty v) / (n - v) times as large on new ones.
    criterion
        What a split reduces: the "fifth_root" of the variance, or the "standard_deviation" as in
        the papers.
    terms
        How the terms of a model are chosen, smallest first: "akaike" drops while that lowers
        Akaike's criterion, "adjusted_error" while the expected error does not grow (as in the
        papers), "all" keeps every column that the subtree asks for.
    max_depth
        Most splits from the root to a leaf; None for no limit.
    min_samples_split
        A node of less weight is a leaf.
    min_samples_leaf
        Least weight on each side of a split.
    min_leaf_share
        Each side of a split has more than this share of the node's weight, rounded down.
    min_deviation
        A node is a leaf if its standard deviation is below this share of that of all rows.
    unseen
        What a level does that training never met: as "missing", to the "majority", or an "error".
    categorical_features
        Columns to take as nominal whatever their type: names, positions or a mask.
    n_jobs
        Threads: None uses as many as are worth it, -1 all cores. The tree is always the same.

    Attributes
    ----------
    tree_
        The splits, an ordinary `Tree`; its own answers are means.

    Notes
    -----
    A missing value counts as the mean of its column or as its most frequent level. Levels are put
    in the order of the mean target of their rows; splits and terms ask for the upper ones. Weights
    count as rows: a row of weight 2 is the row twice.

    Examples
    --------
    >>> import treewright as tw
    >>> size = [1.0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]
    >>> price = [10.0, 12, 14, 16, 18, 20, 60, 65, 70, 75, 80, 85]
    >>> model = tw.M5Regressor(smoothing=False).fit({"size": size}, price)
    >>> print(model)
    size <= 6.5: model 1 (6)
    size > 6.5: model 2 (6)
    <BLANKLINE>
    model 1: y = 8 + 2 size
    model 2: y = 25 + 5 size
    >>> model.predict({"size": [3.0, 20.0]})
    array([ 14., 125.])
    """

    params = M5_PARAMS
    learns: ClassVar[dict[str, Kind]] = {
        "tree_": TREE,
        "fills_": floats(1),
        "rank_starts_": ints(1),
        "level_ranks_": ints(1),
        "intercepts_": floats(1),
        "term_starts_": ints(1),
        "term_columns_": ints(1),
        "term_cuts_": ints(1),
        "coefficients_": floats(1),
        "model_errors_": floats(1),
        "subtree_errors_": floats(1),
        "subtree_parameters_": ints(1),
    }
    _encode_target = staticmethod(encode_addable_numbers)

    # Set by fit; beside the tree, what equations are made of.
    tree_: Tree
    fills_: Float64Array
    rank_starts_: NDArray[np.int64]
    level_ranks_: NDArray[np.int64]
    intercepts_: Float64Array
    term_starts_: NDArray[np.int64]
    term_columns_: NDArray[np.int64]
    term_cuts_: NDArray[np.int64]
    coefficients_: Float64Array
    model_errors_: Float64Array
    subtree_errors_: Float64Array
    subtree_parameters_: NDArray[np.int64]

    def __init__(
        self,
        *,
        models: bool = True,
        smoothing: bool = True,
        smoothing_weight: float = 15.0,
        prune: bool = True,
        penalty: float = 2.0,
        criterion: str = "fifth_root",
        terms: str = "akaike",
        max_depth: int | None = None,
        min_samples_split: int = 4,
        min_samples_leaf: int = 2,
        min_leaf_share: float = 0.2,
        min_deviation: float = 0.05,
        unseen: str = "missing",
        categorical_features: Any = "from_dtype",
        n_jobs: int | None = None,
    ) -> None:
        self.models = models
        self.smoothing = smoothing
        self.smoothing_weight = smoothing_weight
        self.prune = prune
        self.penalty = penalty
        self.criterion = criterion
        self.terms = terms
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_leaf_share = min_leaf_share
        self.min_deviation = min_deviation
        self.unseen = unseen
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs

    def _learn(self, rows: TrainingRows) -> Learned:
        check_finite(rows.table, type(self).__name__)
        n_cells = rows.n_rows * rows.table.n_columns
        threads = n_threads(self.n_jobs, worth_it=n_cells >= CELLS_WORTH_THREADS)
        grown = grow_models(rows, self._settings(), unseen=self.unseen, n_threads=threads)
        return Learned(grown.coding.schema, values_of(grown))

    def _encoded(self, X: Any) -> NDArray[Any] | Table:
        rows = super()._encoded(X)
        check_finite(rows, type(self).__name__, self.schema_.names)
        return rows

    def _settings(self) -> ModelTreeSettings:
        """The parameters as the compiled grower takes them."""
        settings = ModelTreeSettings()
        settings.criterion = CRITERIA[self.criterion]
        settings.terms = TERM_RULES[self.terms] if self.models else TermRule.none
        settings.min_split = float(self.min_samples_split)
        settings.min_leaf = float(self.min_samples_leaf)
        settings.min_share = float(self.min_leaf_share)
        settings.min_deviation = float(self.min_deviation)
        if self.max_depth is not None:
            settings.max_depth = min(int(self.max_depth), 2**62)
        settings.penalty = float(self.penalty)
        settings.prune = bool(self.prune)
        return settings

    def predict(self, X: Any) -> Float64Array:
        """What the equation of the leaf of each row says."""
        rows = self._encoded(X)
        leaves = predict_leaves(self.tree_, rows, self._n_predict_threads(len(rows)))
        return self._models().answers(self.tree_, self._coding(), rows, leaves, self._k())

    def apply(self, X: Any) -> NDArray[np.int32]:
        """The leaf of each row."""
        rows = self._encoded(X)
        return predict_leaves(self.tree_, rows, self._n_predict_threads(len(rows)))

    def path_of(self, X: Any, row: int = 0) -> tuple[int, ...]:
        """The nodes that one row of X passes, from the root to its leaf."""
        return self.tree_.path_of(self._encoded(X), row)

    def equation(self, node: int = 0, *, smoothed: bool = True) -> Equation:
        """The equation that a node answers by; unless smoothed, its own model alone."""
        self._check_is_fitted()
        if isinstance(node, bool) or node not in range(self.tree_.n_nodes):
            raise ParameterError(
                f"node {node!r} of a tree with {self.tree_.n_nodes} nodes",
                hint="apply(X) gives the leaves of rows",
            )
        return self._models().smoothed(self.tree_, int(node), self._k() if smoothed else 0.0)

    def get_depth(self) -> int:
        """Splits on the longest path from the root to a leaf."""
        self._check_is_fitted()
        return self.tree_.depth

    def get_n_leaves(self) -> int:
        """Leaves, each with an equation."""
        self._check_is_fitted()
        return self.tree_.n_leaves

    @property
    def feature_importances_(self) -> Float64Array:
        """Each column's share of the variance that all splits take away; zeros without splits."""
        self._check_is_fitted()
        return as_shares(column_gains(self.tree_))

    def export_text(self, *, decimals: int | None = None) -> str:
        """The tree as indented lines, then the equation of each leaf; every level is named."""
        from treewright.model_trees.as_text import model_text

        self._check_is_fitted()
        return model_text(self, decimals)

    def summary(self) -> str:
        """The tree and its equations; of a large one the beginning."""
        from treewright.model_trees.as_text import summary_text

        self._check_is_fitted()
        return summary_text(self)

    def __str__(self) -> str:
        from treewright.model_trees.as_text import model_text
        from treewright.tree.as_text import MOST_LEVELS

        if not self.__sklearn_is_fitted__():
            return repr(self)
        return model_text(self, max_levels=MOST_LEVELS)

    def rules(self) -> "ModelRules":
        """One rule for each leaf: conditions, then the equation."""
        from treewright.model_trees.rules import ModelRules

        self._check_is_fitted()
        return ModelRules.of(self)

    def explain(self, row: Any) -> Printed:
        """How the answer for one row comes about: its path, its equation, the smoothing.

        The row is a dict, a list of values, a row of a data frame, or a table of one row.
        """
        from treewright.model_trees.row_work import row_work

        self._check_is_fitted()
        return row_work(self, row)

    def _worksheet(self, X: Any, y: Any, sample_weight: Any) -> Printed:
        from treewright.model_trees.sheet import model_sheet

        self._check_is_fitted()
        return model_sheet(self, X, y, sample_weight)

    def draw(self, **options: Any) -> "Picture":
        """A picture of the tree, each leaf with the number of its model.

        The options are those of `treewright.draw`.
        """
        from treewright.model_trees.drawing import draw_models

        self._check_is_fitted()
        return draw_models(self, **options)

    def _coding(self) -> Coding:
        return Coding(self.schema_, self.fills_, self.rank_starts_, self.level_ranks_)

    def _models(self) -> NodeModels:
        return NodeModels(
            self.intercepts_,
            self.term_starts_,
            self.term_columns_,
            self.term_cuts_,
            self.coefficients_,
        )

    def _k(self) -> float:
        """How many rows the model above counts for; 0 without smoothing."""
        return float(self.smoothing_weight) if self.smoothing else 0.0

    def _unseen_policy(self) -> str:
        return self.tree_.unseen

    def _target_word(self) -> str:
        """What the equations call the target."""
        return self.target_name_ or "y"

    def _check_learned(self) -> None:
        coding = self._coding()
        coding.check()
        if self.tree_.is_classifier or self.tree_.schema.to_json() != self.schema_.to_json():
            raise ModelFileError("learned: the tree is not one of these columns")
        if not np.isin(self.tree_.n_children, (0, 2)).all() or (self.tree_.weight <= 0).any():
            raise ModelFileError("learned: a node without rows, or not with two children")
        self._models().check(self.tree_, coding)
        for name in ("model_errors_", "subtree_errors_", "subtree_parameters_"):
            if len(getattr(self, name)) != self.tree_.n_nodes:
                raise ModelFileError(f"learned: `{name}` is not one number for each node")
        if self.subtree_parameters_.min() < 0:
            raise ModelFileError("learned: a number in `subtree_parameters_` is below 0")


def values_of(grown: GrownModels) -> dict[str, Any]:
    """What was grown, by the names of the estimator's attributes."""
    models, coding = grown.models, grown.coding
    arrays = {
        "fills_": coding.fills,
        "rank_starts_": coding.rank_starts,
        "level_ranks_": coding.level_ranks,
        "intercepts_": models.intercepts,
        "term_starts_": models.starts,
        "term_columns_": models.columns,
        "term_cuts_": models.cuts,
        "coefficients_": models.coefficients,
        "model_errors_": grown.model_errors,
        "subtree_errors_": grown.subtree_errors,
        "subtree_parameters_": grown.subtree_parameters,
    }
    return {"tree_": grown.tree, **{name: frozen(array) for name, array in arrays.items()}}
