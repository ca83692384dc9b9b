"""The table, target and weights that splits are taken from; they are read once."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_outlier_detector, is_regressor
from sklearn.utils import _safe_indexing

from treewright.arrays import Floats
from treewright.data.formats import PLAIN, Format, in_format
from treewright.data.sources import table_from
from treewright.data.table import Table
from treewright.data.target import encode_classes, encode_numbers, own_name
from treewright.data.weights import check_weights
from treewright.errors import DataError, ParameterError, kind_of
from treewright.estimators.base import Model
from treewright.estimators.training import given_rows
from treewright.evaluation.prepared import PreparedModel
from treewright.verbs.predictions import has_no_target, n_rows_of

FOR_CLUSTERS = "tw.silhouette(X, labels) measures how well clusters are separated; "


@dataclass(frozen=True, slots=True, eq=False)
class EvaluationRows:
    """Rows as the models take them, with the target."""

    X: Any
    y: NDArray[Any]  # labels or numbers, one per row
    weights: Floats | None
    classes: NDArray[Any] | None  # None: numbers are predicted
    codes: NDArray[np.intp] | None  # position in `classes` of each row's label
    target_name: str | None = None  # of the column that is predicted
    target_format: Format = PLAIN  # how the table writes it, if it is numeric

    @property
    def n_rows(self) -> int:
        return len(self.y)

    @property
    def weight_of_rows(self) -> Floats:
        return np.ones(self.n_rows) if self.weights is None else self.weights

    def take(self, rows: NDArray[np.intp]) -> Any:
        """Some rows of X."""
        return self.X.take(rows) if isinstance(self.X, Table) else _safe_indexing(self.X, rows)

    def to_learn(
        self, rows: NDArray[np.intp], *, all_classes: bool = False
    ) -> tuple[Any, NDArray[Any], Floats | None]:
        """X, y and weights of some rows.

        With `all_classes`, a class that they lack gets a row of weight 0: then the model
        knows the class, which costs and priors need.
        """
        absent = rows[:0]
        if all_classes and self.codes is not None and self.classes is not None:
            missing = np.setdiff1d(np.arange(len(self.classes)), self.codes[rows])
            absent = np.array([np.argmax(self.codes == code) for code in missing], dtype=np.intp)
        if not len(absent):
            weights = None if self.weights is None else self.weights[rows]
            return self.take(rows), in_format(self.y[rows], self.target_format), weights
        weights = np.concatenate([self.weight_of_rows[rows], np.zeros(len(absent))])
        together = np.concatenate([rows, absent])
        return self.take(together), self.y[together], weights

    def subset(self, rows: NDArray[np.intp]) -> "EvaluationRows":
        """Some of the rows, with the classes of all."""
        return EvaluationRows(
            self.take(rows),
            self.y[rows],
            None if self.weights is None else self.weights[rows],
            self.classes,
            None if self.codes is None else self.codes[rows],
            self.target_name,
            self.target_format,
        )


def rows_for(models: list[Any], X: Any, y: Any, sample_weight: Any = None) -> EvaluationRows:
    """The rows in the form that all of `models` take.

    Trees take a `Table`, which is made once. The levels of its columns are then known in every
    fold, as they are where a file declares them.
    """
    X, y, sample_weight = given_rows(X, y, sample_weight)
    for model in models:
        check_model(model)
    tasks = {is_regressor(model) for model in models}
    if len(tasks) != 1:
        raise ParameterError(
            "some of these models predict classes and some predict numbers",
            hint="compare models of one kind",
        )
    if read_alike(models):
        X = table_from(X, categorical_features=models[0].categorical_features)
    elif isinstance(X, Table | Mapping):
        X = table_from(X).to_pandas()
    n_rows = n_rows_of(X)
    weights = check_weights(sample_weight, n_rows)
    if n_rows < 2:
        raise DataError(f"{n_rows} rows cannot be split", hint="give at least two rows")
    if tasks == {True}:
        numbers = encode_numbers(y, n_rows=n_rows)
        own = own_name(y), numbers.format
        return EvaluationRows(X, numbers.values, weights, None, None, *own)
    target = encode_classes(y, n_rows=n_rows)
    codes = target.codes.astype(np.intp)
    labels = np.asarray(target.classes)
    return EvaluationRows(X, labels[codes], weights, labels, codes, own_name(y))


def read_alike(models: list[Any]) -> bool:
    """Whether one table works for all models: they take tables, and agree on nominal columns."""
    if not all(takes_tables(model) for model in models):
        return False
    nominal = [np.asarray(model.categorical_features, dtype=object) for model in models]
    return all(np.array_equal(nominal[0], other) for other in nominal[1:])


def check_model(model: object) -> None:
    """Raise unless a model can be copied and fitted."""
    if isinstance(model, type):
        raise ParameterError(
            f"{model.__name__} is a class of models", hint=f"give a model: {model.__name__}()"
        )
    if not (hasattr(model, "fit") and hasattr(model, "predict") and hasattr(model, "get_params")):
        raise ParameterError(
            f"{model!r} is not a model with `fit`, `predict` and `get_params`",
            hint="give one such as treewright.C45Classifier()",
        )
    check_has_target(model)


def check_has_target(model: object) -> None:
    """Raise for a model that groups rows or finds outliers: there is no y to compare it with."""
    if has_no_target(model):
        raise ParameterError(
            f"{kind_of(model)} learns without a target, so its output cannot be compared with y",
            hint=("" if is_outlier_detector(model) else FOR_CLUSTERS)
            + "to predict y use a classifier or a regressor",
        )


def needs_all_classes(settings: Mapping[str, Any]) -> bool:
    """Whether some setting names every class, so that none may be absent in training."""
    return any(settings.get(name) is not None for name in ("costs", "priors", "class_weight"))


def takes_tables(model: object) -> bool:
    """Whether a model reads tables with text and missing values."""
    return isinstance(model, Model | PreparedModel)
