"""M5 model trees after Quinlan (1992), as Wang and Witten (1997) rebuilt them."""

from typing import Any

from treewright._kernels.learners import ModelTreeSettings, TermRule
from treewright.arrays import Floats
from treewright.data.target import encode_addable_numbers
from treewright.documents.printed import Printed
from treewright.estimators import params as shared
from treewright.estimators.base import Model
from treewright.estimators.declaration import param, set_by_fit
from treewright.estimators.fitted import frozen
from treewright.estimators.methods import RegressorMethods
from treewright.estimators.rows import check_finite
from treewright.estimators.threads import n_threads
from treewright.estimators.training import TrainingRows
from treewright.model_trees.fitted import SMOOTHING, SMOOTHING_WEIGHT, FittedModelTree
from treewright.model_trees.growth import CRITERIA, TERM_RULES, GrownModels, grow_models
from treewright.model_trees.reading import ModelTreeReading
from treewright.tree.tree import Tree

CELLS_WORTH_THREADS = 50_000  # below this a fit takes less time than threads need to wake


class M5Regressor(RegressorMethods, ModelTreeReading, Model[FittedModelTree]):
    """Model tree (M5'): a regression tree with linear models in its leaves.

    Splits reduce the standard deviation of the target. Every node gets a linear model of the
    columns used by the splits below it; terms that do not help are dropped. Pruning replaces a
    subtree by the model of its node if the subtree is not expected to be better. Smoothing mixes
    the prediction of a leaf with those of the models above it. The defaults compute the same tree
    as Weka's M5P (Quinlan, 1992; Wang and Witten, 1997).

    Attributes
    ----------
    tree_
        The splits as an ordinary `Tree`, which predicts means.

    Notes
    -----
    A missing value is replaced by the mean of its column, or by its most frequent category.
    Categories are ordered by the mean target of their rows; splits and terms separate the upper
    ones from the lower ones. A row of weight 2 counts as two rows.

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

    state_type = FittedModelTree
    encode_target = staticmethod(encode_addable_numbers)

    tree_: Tree = set_by_fit()

    models: bool = param(
        True,
        "Whether leaves have linear models. False predicts means, as an ordinary regression tree.",
    )
    smoothing: bool = SMOOTHING
    smoothing_weight: float = SMOOTHING_WEIGHT
    prune: bool = param(
        True, "Whether to replace a subtree by the model of its node if the subtree is no better."
    )
    penalty: float = param(
        2.0,
        "Penalty on the number of parameters: the expected error of a model with v parameters is "
        "its error on n training rows times (n + penalty v) / (n - v).",
        low=0,
        below=shared.TOO_LARGE,
    )
    criterion: str = param(
        "fifth_root",
        'What a split reduces: the "fifth_root" of the variance, or the "standard_deviation" as '
        "in the papers.",
        choices=("fifth_root", "standard_deviation"),
    )
    terms: str = param(
        "akaike",
        'How to choose the terms of a model, where the smallest terms are dropped first: "akaike" '
        'drops terms while this lowers Akaike\'s information criterion, "adjusted_error" while '
        'the expected error does not grow (as in the papers), "all" keeps every column of the '
        "subtree.",
        choices=("akaike", "adjusted_error", "all"),
    )
    max_depth: int | None = shared.MAX_DEPTH
    min_samples_split: int = param(4, "Minimum weight a node needs to be split.", low=2)
    min_samples_leaf: int = param(2, "Minimum weight on each side of a split.", low=1)
    min_leaf_share: float = param(
        0.2,
        "Each side of a split must have more than this fraction of the node's weight, rounded "
        "down.",
        low=0,
        below=0.5,
    )
    min_deviation: float = param(
        0.05,
        "A node is not split if its standard deviation is below this fraction of that of all rows.",
        low=0,
        high=1,
    )
    handle_unknown: str = shared.HANDLE_UNKNOWN
    categorical_features: Any = shared.CATEGORICAL_FEATURES
    n_jobs: int | None = shared.N_JOBS

    def learn(self, rows: TrainingRows) -> FittedModelTree:
        check_finite(rows.table, type(self).__name__)
        n_cells = rows.n_rows * rows.table.n_columns
        threads = n_threads(self.n_jobs, worth_it=n_cells >= CELLS_WORTH_THREADS)
        grown = grow_models(
            rows, self.growth_settings(), unseen=self.handle_unknown, n_threads=threads
        )
        return FittedModelTree(schema=grown.coding.schema, **values_of(grown))

    def growth_settings(self) -> ModelTreeSettings:
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

    def predict(self, X: Any) -> Floats:
        """The prediction of the linear model for each row."""
        return self.state_.predict(X, self)

    def __str__(self) -> str:
        from treewright.model_trees.as_text import model_text
        from treewright.tree.as_text import MOST_LEVELS

        if not self.__sklearn_is_fitted__():
            return repr(self)
        return model_text(self, max_levels=MOST_LEVELS)

    def worksheet(self, X: Any, y: Any, sample_weight: Any) -> Printed:
        from treewright.model_trees.sheet import model_sheet

        return model_sheet(self, X, y, sample_weight)


def values_of(grown: GrownModels) -> dict[str, Any]:
    """The fields of the state."""
    models, coding = grown.models, grown.coding
    arrays = {
        "fills": coding.fills,
        "rank_starts": coding.rank_starts,
        "level_ranks": coding.level_ranks,
        "intercepts": models.intercepts,
        "term_starts": models.starts,
        "term_columns": models.columns,
        "term_cuts": models.cuts,
        "coefficients": models.coefficients,
        "model_errors": grown.model_errors,
        "subtree_errors": grown.subtree_errors,
        "subtree_parameters": grown.subtree_parameters,
    }
    return {"tree": grown.tree, **{name: frozen(array) for name, array in arrays.items()}}
