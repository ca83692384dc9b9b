"""What the concept learners share: examples of two classes, hypotheses, predictions."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.concepts.agreement import Codes, Mask, conflict_among
from treewright.concepts.language import Cuts, Language
from treewright.concepts.reading import ConceptReading, State
from treewright.data.column import NumericColumn
from treewright.data.mdl import mdl_cuts
from treewright.data.schema import Schema
from treewright.data.target import encode_classes
from treewright.errors import DataError, ParameterError, nearest
from treewright.estimators import params as shared
from treewright.estimators.base import Model
from treewright.estimators.declaration import param, set_by_fit
from treewright.estimators.methods import ClassifierMethods
from treewright.estimators.training import TrainingRows, class_target
from treewright.preprocessing.discretizer import BY_VALUES

# Names of a positive class.
POSITIVE_WORDS = ("+", "yes", "y", "true", "t", "positive", "pos", "1")


@dataclass(frozen=True, slots=True)
class Examples:
    """Rows of category codes, and which of them are positive."""

    schema: Schema
    language: Language
    classes: NDArray[Any]
    positive: int  # the code of the positive class
    rows: Codes
    is_positive: Mask
    positions: NDArray[np.intp]  # of these rows among those of `fit`


def is_label(value: object) -> bool:
    """Whether a value can be a class of a target."""
    return isinstance(value, str | int | bool) or hasattr(value, "item")


class ConceptLearner(ClassifierMethods, ConceptReading[State], Model[State]):
    """A classifier that learns one concept: a conjunction of values."""

    encode_target = staticmethod(encode_classes)
    keeps_empty_classes = True  # a concept has two classes, even if only one has rows

    positive: Any = param(
        None,
        "The positive class. None uses the class named yes, true, positive, 1 or +, otherwise the "
        "last of the sorted classes.",
        type=str,
        optional=True,
        accepts=is_label,
        accepts_text="a class of the target",
    )
    discretize: str | None = shared.DISCRETIZE.but(default=None)
    n_bins: int = shared.N_BINS
    handle_unknown: str = shared.MISSING_OR_ERROR
    categorical_features: Any = shared.CATEGORICAL_FEATURES

    classes_: NDArray[Any] = set_by_fit()
    specific_: Codes = set_by_fit()
    positive_code_: int = set_by_fit()
    cuts_: Cuts = set_by_fit()
    n_positive_: int = set_by_fit()
    n_negative_: int = set_by_fit()

    def examples_of(self, rows: TrainingRows) -> Examples:
        """The training rows as examples."""
        target = class_target(rows)
        if target.n_classes > 2:
            shown = ", ".join(map(str, target.classes[:5].tolist()))
            raise DataError(
                "Only binary classification is supported. The type of the target is multiclass: "
                f"`{target.name}` has {target.n_classes} classes ({shown})",
                hint="a concept has rows that belong to it and rows that do not: make a target of "
                f"two classes ({target.classes.tolist()[0]!r} and the rest), or use a tree",
            )
        positive = positive_class(self.positive, target.classes)
        cuts: Cuts = tuple(self._cuts_of(column, rows) for column in rows.table.columns)
        cut = {
            column.name: own
            for column, own in zip(rows.table.columns, cuts, strict=True)
            if own is not None
        }
        schema = Schema.of(rows.table).with_cuts(cut, rows.table)
        language = Language.of(schema, cuts)
        positions = np.arange(rows.n_rows) if rows.positions is None else rows.positions
        return Examples(
            schema,
            language,
            target.classes,
            positive,
            language.codes(rows.table),
            target.codes == positive,
            positions,
        )

    def _cuts_of(self, column: Any, rows: TrainingRows) -> tuple[float, ...] | None:
        if not isinstance(column, NumericColumn):
            return None
        if self.discretize is None:
            raise DataError(
                f"column `{column.name}` is numeric, and hypotheses ask for one of few values",
                hint='discretize="mdl" cuts it into intervals, as Discretizer does before another '
                "step of a pipeline; categorical_features takes its values as levels",
            )
        if self.discretize == "mdl":
            cuts = mdl_cuts(column.values, class_target(rows).codes, rows.weights)
        else:
            cuts = BY_VALUES[self.discretize](column.values, rows.weights, int(self.n_bins))
        return tuple(cuts.tolist())

    def common_values(self, examples: Examples, specific: Codes) -> dict[str, Any]:
        """The fields of the state that both learners have."""
        n_positive = int(np.count_nonzero(examples.is_positive))
        return {
            "schema": examples.schema,
            "classes": examples.classes,
            "specific": specific,
            "positive_code": examples.positive,
            "cuts": examples.language.cuts,
            "n_positive": n_positive,
            "n_negative": len(examples.rows) - n_positive,
        }

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """(n_rows, n_classes): the share of the hypotheses that take a row for each class."""
        return self.state_.predict_proba(X, self)

    def predict(self, X: Any) -> NDArray[Any]:
        """The class that most hypotheses take each row for; of equal shares the first class."""
        return self.state_.predict(X, self)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = self.discretize is not None  # arrays hold numbers
        tags.classifier_tags.multi_class = False
        tags.classifier_tags.poor_score = True
        return tags


def positive_class(wanted: Any, classes: NDArray[Any]) -> int:
    """The code of the class whose rows are positive."""
    words = [str(label) for label in classes.tolist()]
    if wanted is None:
        known = [at for at, word in enumerate(words) if word.lower() in POSITIVE_WORDS]
        return known[0] if len(known) == 1 else len(words) - 1
    if str(wanted) in words:
        return words.index(str(wanted))
    raise ParameterError(
        f"positive={wanted!r} is no class of the target",
        hint=nearest(str(wanted), words, "classes"),
    )


def why_empty(examples: Examples, end: int, word: str = "row") -> str:
    """Positive rows whose least generalization covers a negative row, in words.

    Rows are numbered from 0 as in `fit`; with `word` "example" from 1 among those used.
    """
    so_far = slice(0, end + 1)
    found = conflict_among(examples.rows[so_far], examples.is_positive[so_far])

    def number(at: int) -> str:
        return str(int(examples.positions[at]) if word == "row" else at + 1)

    *first, last = map(number, found.positives)
    some = f"{', '.join(first)} and {last}" if first else last
    plural, verb = ("s", "need") if first else ("", "needs")
    return (
        f"the positive {word}{plural} {some} {verb} at least "
        f"{examples.language.text(found.least.tolist())}, which covers the negative {word} "
        f"{number(found.negative)} too"
    )
