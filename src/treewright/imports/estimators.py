"""Estimators around imported models: they predict and explain, and cannot be fitted."""

from typing import Any, ClassVar, NoReturn

from treewright.arrays import Floats
from treewright.data.target import encode_classes, encode_numbers
from treewright.ensembles.base import Ensemble
from treewright.errors import ParameterError
from treewright.estimators import params as shared
from treewright.estimators.base import Model
from treewright.estimators.declaration import param, set_by_fit
from treewright.estimators.methods import ClassifierMethods, RegressorMethods
from treewright.estimators.training import TrainingRows
from treewright.imports.fitted import (
    FittedImported,
    FittedImportedModelTree,
    FittedImportedTree,
    ImportReport,
)
from treewright.imports.reading import ImportedModelReading, ImportedReading
from treewright.induction.settings import GrowthSettings
from treewright.single_trees.base import TreeClassifierMixin, TreeEstimator, TreeRegressorMixin
from treewright.single_trees.growing import Algorithm, growth_settings
from treewright.tree.tree import Tree


class Imported:
    """A mixin: `fit` is refused, because the training of another library cannot be repeated."""

    handle_unknown: str = shared.HANDLE_UNKNOWN
    categorical_features: Any = shared.CATEGORICAL_FEATURES
    n_jobs: int | None = shared.N_JOBS

    import_report_: ImportReport = set_by_fit()

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> NoReturn:
        """Raises: an imported model predicts and is not trained again."""
        raise ParameterError(
            f"{type(self).__name__} comes from another library and cannot be fitted",
            hint="tw.evaluate_fitted scores it as it is, tw.distil approximates it; to train, use "
            "an estimator of treewright",
        )


class ImportedTrees(Imported, ImportedReading, Ensemble[FittedImported]):
    """Many trees of another library."""

    state_type: ClassVar[Any] = FittedImported

    def is_fit_of(self, X: Any, y: Any, sample_weight: Any = None) -> bool:
        """Whether these are the training rows, which an imported model does not know."""
        return False


class ImportedClassifier(ClassifierMethods, ImportedTrees):
    """Forest or boosted trees of another library that predict classes.

    `treewright.import_model` makes it. It predicts as the original does; `fit` is refused.

    Attributes
    ----------
    trees_
        The trees; each is a `Tree`.
    classes_
        Class labels, in the column order of `predict_proba`.
    import_report_
        Where the model comes from, and what was compared with the original.
    feature_importances_
        Each column's share of the total gain of all splits.
    """

    costs: Any = shared.COSTS_AT_PREDICTION

    encode_target = staticmethod(encode_classes)


class ImportedRegressor(RegressorMethods, ImportedTrees):
    """Forest or boosted trees of another library that predict numbers.

    `treewright.import_model` makes it. It predicts as the original does; `fit` is refused.

    Attributes
    ----------
    trees_
        The trees; each is a `Tree`.
    import_report_
        Where the model comes from, and what was compared with the original.
    feature_importances_
        Each column's share of the total gain of all splits.
    """

    encode_target = staticmethod(encode_numbers)


def shown_settings(model: Any, rows: TrainingRows) -> GrowthSettings:
    """Settings for the worksheet of stored counts."""
    return growth_settings(model, rows, criterion=model.criterion, missing="learned")


class ImportedTree(Imported, TreeEstimator):
    """One tree of another library."""

    state_type: ClassVar[Any] = FittedImportedTree
    algorithm = Algorithm(shown_settings)


class ImportedTreeClassifier(TreeClassifierMixin, ImportedTree):
    """One classification tree of another library.

    `treewright.import_model` makes it. It predicts as the original does; `fit` is refused.

    Attributes
    ----------
    tree_
        The `Tree`.
    classes_
        Class labels, in the column order of `predict_proba`.
    import_report_
        Where the model comes from, and what was compared with the original.
    """

    costs: Any = shared.COSTS_AT_PREDICTION
    criterion: str = param(
        "gini", "The measure by which splits were chosen.", choices=("gini", "entropy")
    )


class ImportedTreeRegressor(TreeRegressorMixin, ImportedTree):
    """One regression tree of another library.

    `treewright.import_model` makes it. It predicts as the original does; `fit` is refused.

    Attributes
    ----------
    tree_
        The `Tree`.
    import_report_
        Where the model comes from, and what was compared with the original.
    """

    criterion: str = param(
        "squared_error", "The measure by which splits were chosen.", choices=("squared_error",)
    )


class ImportedModelTreeRegressor(
    Imported, RegressorMethods, ImportedModelReading, Model[FittedImportedModelTree]
):
    """One model tree of another library, with an equation in each leaf.

    `treewright.import_model` makes it. It predicts as the original does; `fit` is refused.

    Attributes
    ----------
    tree_
        The splits as an ordinary `Tree`.
    import_report_
        Where the model comes from, and what was compared with the original.
    """

    state_type: ClassVar[Any] = FittedImportedModelTree
    encode_target = staticmethod(encode_numbers)

    tree_: Tree = set_by_fit()

    def predict(self, X: Any) -> Floats:
        """The prediction of the equation for each row."""
        return self.state_.predict(X, self)

    def __str__(self) -> str:
        return self.export_text() if self.__sklearn_is_fitted__() else repr(self)
