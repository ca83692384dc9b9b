"""What can be read from a fitted model, with or without scikit-learn.

`Readable` is what an estimator and a model from a file have in common: the frozen state, and the
settings. A family adds the methods of its models (`single_trees/reading.py`). Its estimators are
that and scikit-learn's interface; `reader_of` is that and the content of a model file, which loads
in a fraction of the time.
"""

from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from numpy.typing import NDArray

from treewright.arrays import Floats
from treewright.errors import ParameterError
from treewright.estimators.fitted import ABSENT, Fitted, Rows
from treewright.persistence.model_file import SavedModel
from treewright.registry import named

if TYPE_CHECKING:
    from treewright.documents.printed import Printed

State = TypeVar("State", bound=Fitted)


class Readable(Generic[State]):
    """A fitted state and its settings, whatever class they are in."""

    state_type: ClassVar[type[Fitted]]

    # Parameters, or constants of estimators that do not offer them.
    categorical_features: Any
    handle_unknown: str
    n_jobs: int | None

    _state: State
    schema_: Any
    notes_: tuple[str, ...]
    target_name_: str | None  # of the column that is predicted; None where y had no name

    @property
    def state_(self) -> State:
        """All that `fit` learned, as one frozen value."""
        return self._state

    @property
    def model_name(self) -> str:
        """The name of the class, for messages."""
        return type(self).__name__

    def encode_rows(self, X: Any, state: State | None = None) -> Rows:
        """The rows of X as the model knows its columns; a fitting float array as it is."""
        return (state or self.state_).encode(X, self)

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Attributes that end in "_" are fields of the state."""
            if name[-1] == "_" and name[0] != "_":
                state = self.__dict__.get("_state")
                if state is None and name[:-1] in self.state_type.__dataclass_fields__:
                    return self.state_  # raises
                value = ABSENT if state is None else state.attribute(name)
                if value is not ABSENT:
                    return value
            return object.__getattribute__(self, name)  # raises the usual error


class OtherModel:
    """A mixin for models that are neither a tree nor many trees."""

    def explain(self, row: Any, **changes: Any) -> "Printed":
        """The calculation of the prediction for one row."""
        raise ParameterError(
            f"{type(self).__name__} has no explanation of one row",
            hint="summary() describes the fitted model",
        )

    def worksheet(self, X: Any, y: Any, sample_weight: Any) -> "Printed":
        """The calculation behind the fit, from the training rows if needed."""
        raise ParameterError(
            f"{type(self).__name__} has no worksheet", hint="summary() describes the fitted model"
        )


class Reader(Readable[Any]):
    """A model from a file: it predicts, and its state and settings are attributes."""

    def __init__(self, saved: SavedModel) -> None:
        settings = dict(vars(saved.settings))
        del settings["model_name"]  # the class has that name
        vars(self).update(settings, _state=saved.state)

    def predict(self, X: Any) -> NDArray[Any]:
        """The prediction for each row of X."""
        found: NDArray[Any] = self.state_.predict(X, self)
        return found


class ClassReader(Reader):
    """A classifier from a file."""

    def predict_proba(self, X: Any) -> Floats:
        """The probability of each class, in the order of `classes_`."""
        found: Floats = self.state_.predict_proba(X, self)
        return found


def reader_of(saved: SavedModel) -> Any:
    """A saved model with the methods of its family, in a class named like the estimator."""
    state: Fitted = saved.state
    own = (named(state.reading),) if state.reading else ()
    base = Reader if state.classes is None else ClassReader
    kind = type(saved.model_name, (*own, base), {"state_type": type(state)})
    return kind(saved)
