"""What functions need of a model: what it can do, not which class it is.

Type checkers compare these with models of treewright, of other packages, and with your own. They
work with `isinstance` too: `isinstance(tw.load(path), Classifier)`.
"""

import os
from typing import Any, Protocol, runtime_checkable

from numpy.typing import NDArray

from treewright.arrays import Floats


@runtime_checkable
class Predictor(Protocol):
    """Predicts a class or a number for each row."""

    def predict(self, X: Any, /) -> Any: ...


@runtime_checkable
class ProbabilityPredictor(Protocol):
    """Predicts the probability of each class for each row."""

    def predict_proba(self, X: Any, /) -> Any: ...


@runtime_checkable
class Estimator(Predictor, Protocol):
    """Can be fitted and has parameters, as scikit-learn defines it; fitted or not."""

    def fit(self, X: Any, y: Any, /) -> Any: ...

    def get_params(self) -> dict[str, Any]: ...


@runtime_checkable
class FittedModel(Protocol):
    """A fitted model of treewright, such as `tw.load` returns."""

    def predict(self, X: Any) -> NDArray[Any]: ...

    def save(self, path: str | os.PathLike[str]) -> None: ...


@runtime_checkable
class Classifier(FittedModel, Protocol):
    """A fitted classifier of treewright."""

    def predict_proba(self, X: Any) -> Floats: ...
