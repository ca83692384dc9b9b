"""The fitted states of models of many trees: how they predict, and how a file holds them."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import Field, dataclass, field
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from treewright._kernels import StandardArithmetic, portable
from treewright._kernels.learners import mean_isolation_depth
from treewright.arrays import Floats
from treewright.cached import cached_property
from treewright.data.column import NumericColumn
from treewright.data.scanned_table import in_memory
from treewright.data.schema import Schema, with_keys
from treewright.data.table import Table
from treewright.data.target import ClassTarget
from treewright.ensembles.boosting.losses import LINK_NAMES, LINKS, OWN
from treewright.ensembles.forests.predictions import LeafTargets, mean_predictions, vote_shares
from treewright.ensembles.packed import PackedTreeSequence
from treewright.ensembles.summary import unseen_by
from treewright.ensembles.tree_arrays import arrays_of, trees_from
from treewright.errors import ModelFileError, ParameterError
from treewright.estimators.declaration import param
from treewright.estimators.fitted import (
    ABSENT,
    LEARNED,
    Fitted,
    Rows,
    Settings,
    check_kind,
    common_from_parts,
    common_keys,
    kinds_of,
    learned,
    sometimes,
)
from treewright.estimators.params import TOO_LARGE
from treewright.estimators.training import TrainingRows
from treewright.param import SavedFunction
from treewright.persistence.params import value_to_json
from treewright.persistence.values import (
    NUMBER,
    WHOLE,
    WORDS,
    Arrays,
    Kind,
    floats,
    optional,
    word_of,
)
from treewright.tree.layout import UNSEEN_POLICIES
from treewright.tree.tree import Tree

HASH_DIGITS = 32
TREES_LIKE_ONE_ROW = 10  # as many trees take the time of a row in a single tree
CELLS_OF_A_COLUMN = 10_000  # that are hashed, evenly spread: a fit may not wait for more
NUMBERS_AT_ONCE = 2**20  # that are copied to be hashed


def hash_of(rows: TrainingRows, table: Table | None = None) -> str:
    """Hexadecimal digits of the target, the weights and some cells of each column.

    Levels count by their codes, so `table` has the rows as the fitted model's columns take them.
    """
    cells = rows.table if table is None else table
    found = hashlib.sha256(f"{rows.n_rows} {cells.n_columns}".encode())
    if isinstance(rows.target, ClassTarget):
        names = "\0".join(map(str, rows.target.classes.tolist()))
        found.update(names.encode(errors="surrogatepass"))
        found.update(code_bytes(rows.target.codes))
    else:
        add_numbers(found, rows.target.values)
    if rows.weights is not None and (rows.weights != 1.0).any():
        add_numbers(found, rows.weights)
    step = max(1, rows.n_rows // CELLS_OF_A_COLUMN)
    for column in in_memory(cells[::step]).columns:
        if isinstance(column, NumericColumn):
            add_numbers(found, column.values)
        else:
            found.update(code_bytes(column.codes))
    return found.hexdigest()[:HASH_DIGITS]


def code_bytes(codes: NDArray[Any]) -> memoryview:
    return np.ascontiguousarray(codes, dtype="<i4").data


def add_numbers(found: "hashlib._Hash", numbers: NDArray[Any]) -> None:
    """The same for equal numbers: of 0 and -0, of all NaN, of float32 and float64."""
    for begin in range(0, len(numbers), NUMBERS_AT_ONCE):
        with StandardArithmetic():
            values = np.asarray(numbers[begin : begin + NUMBERS_AT_ONCE], dtype="<f8") + 0.0
        values[np.isnan(values)] = np.nan
        found.update(values.data)


PACKED_KEYS = {"form", "have_classes", "unseen", "n_values", "values_are_sums"}
ORDINARY_KEYS = {"form", "have_classes"}
OF_TREES, OF_LEARNED = "trees.", "learned."  # what the names of arrays begin with
MOST_ROWS = 2**32  # that the core can draw from
LARGEST_SUM = np.finfo(np.float64).max / 4  # of the predictions of all trees, and their start


def of_shape(words: str, n_axes: int, dtype: type, is_right: Callable[[Any], bool]) -> Kind:
    """Arrays of a type that pass a test."""

    def is_one(value: Any) -> bool:
        is_array = isinstance(value, np.ndarray) and value.dtype == dtype
        return is_array and value.ndim == n_axes and bool(is_right(value))

    return Kind(words, is_one, is_array=True)


def is_hash(value: Any) -> bool:
    """Whether a value is what `hash_of` gives."""
    is_text = isinstance(value, str) and len(value) == HASH_DIGITS
    return is_text and set(value) <= set("0123456789abcdef")


def added_later(kind: Kind) -> Any:
    """A field that every finished state has: `fit` fills it in last."""
    return field(default="", metadata={"kind": kind})


def since_later(kind: Kind, in_older_files: Any) -> Any:
    """A field that files of earlier versions lack."""
    return field(default=in_older_files, metadata={"kind": kind, "may_lack": True})


def may_lack(one: Field[Any]) -> bool:
    """Whether a file may be without a field."""
    return one.default is ABSENT or "may_lack" in one.metadata


HASH = Kind("a hash of rows", is_hash)
SCORE = Kind("a number", lambda value: type(value) is float)  # NaN for squares of huge numbers
STRENGTH = Kind(
    "a number from 0 on",
    lambda value: type(value) is float and 0 <= value <= TOO_LARGE,
)
DRAWING = word_of("all_rows", "with_replacement", "without_replacement")
LINK = word_of(*LINK_NAMES)
NODES = of_shape("nodes of rows by tree", 2, np.int32, lambda nodes: (nodes >= 0).all())
POSITIONS = of_shape(
    "rising positions", 1, np.int64, lambda rows: (np.diff(rows, prepend=-1) > 0).all()
)


@dataclass(frozen=True, eq=False, kw_only=True)
class FittedEnsemble(Fitted):
    """Many trees."""

    trees_may_have_classes: ClassVar[bool] = False

    trees: Sequence[Tree]

    @property
    def unseen(self) -> str | None:
        return unseen_by(self.trees)

    @property
    def calibration(self) -> str:
        """What keeps probabilities from being too sure of themselves."""
        return "none"

    def threads_for(self, n_rows: int, settings: Settings) -> int:
        return super().threads_for(n_rows * len(self.trees) // TREES_LIKE_ONE_ROW, settings)

    def mean_values(self, X: Any, settings: Settings) -> Floats:
        """(n_rows, n_values): class shares or numbers, averaged over the trees."""
        rows = self.encode(X, settings)
        return mean_predictions(self.trees, rows, self.threads_for(len(rows), settings))

    def to_parts(self) -> tuple[dict[str, Any], Arrays]:
        trees, tree_arrays = trees_to_parts(self.trees)
        values, arrays = {}, {OF_TREES + name: array for name, array in tree_arrays.items()}
        for name, kind in kinds_of(type(self)).items():
            value = getattr(self, name)
            if value is ABSENT:
                continue
            check_kind(f"{name}_", kind, value)
            if isinstance(value, np.ndarray):
                arrays[f"{OF_LEARNED}{name}_"] = value
            else:
                values[f"{name}_"] = value_to_json(value)
        return {**self.common_parts(), LEARNED: values, "trees": trees}, arrays

    @classmethod
    def from_parts(cls, data: object, arrays: Arrays) -> Self:
        entry = with_keys(data, {*common_keys(data), LEARNED, "trees"}, "model")
        common = common_from_parts(entry)
        of_trees, of_learned = with_prefix(arrays, OF_TREES), with_prefix(arrays, OF_LEARNED)
        if len(of_trees) + len(of_learned) != len(arrays):
            raise ModelFileError("model: there are arrays that belong to nothing")
        trees = trees_from_parts(entry["trees"], of_trees, common["schema"], common["classes"])
        has_class_trees = len(trees) > 0 and trees[0].classes is not None
        if has_class_trees and not cls.trees_may_have_classes:
            raise ModelFileError("model: the model and its trees predict different things")
        state = cls(trees=trees, **common, **cls._values_from(entry[LEARNED], of_learned))
        state.check()
        return state

    @classmethod
    def _values_from(cls, data: object, arrays: Arrays) -> dict[str, Any]:
        """The learned fields: those that are always there, and some of the others."""
        if type(data) is not dict:
            raise ModelFileError("learned: not an object with keys")
        kinds = kinds_of(cls)
        for key in (*data, *arrays):
            if key[:-1] not in kinds or key[-1] != "_" or (key in data and key in arrays):
                raise ModelFileError(f"learned: `{key[:50]}` is not known, or occurs twice")
        found = {key: kinds[key[:-1]].from_json(value) for key, value in data.items()} | arrays
        for name, kind in kinds.items():
            key = f"{name}_"
            if key in found:
                check_kind(key, kind, found[key])
            elif not may_lack(cls.__dataclass_fields__[name]):
                raise ModelFileError(f"learned: `{key}` is missing")
        return {key[:-1]: value for key, value in found.items()}

    def check(self) -> None:
        """Raise unless numbers can be added up over the trees; the core checks packed ones."""
        if isinstance(self.trees, PackedTreeSequence):
            return
        largest = LARGEST_SUM / len(self.trees)
        for at, tree in enumerate(self.trees):
            too_large = np.abs(tree.value).max(axis=1) > largest
            if tree.classes is None and too_large.any():
                raise ModelFileError(
                    f"tree {at}: node {int(too_large.argmax())}: value: so large that sums over "
                    "the trees are infinite"
                )


@dataclass(frozen=True, eq=False, kw_only=True)
class FittedForest(FittedEnsemble):
    """Trees, and all by which the rows of each can be drawn again."""

    reading = "treewright.ensembles.reading.ForestReading"

    n_rows: int = learned(WHOLE)  # of the training table, those of weight 0 left out
    seed: int = learned(WHOLE)  # what all draws come from
    n_drawn: int = learned(WHOLE)  # rows drawn for each tree
    drawing: str = learned(DRAWING)  # and how
    # Of the rows that count, where some have weight 0.
    positions: NDArray[np.int64] = sometimes(POSITIONS)
    # By how much leaves are pulled toward their ancestors, in rows.
    shrinkage: float = since_later(STRENGTH, in_older_files=0.0)
    # The trees before that, where `warm_start` may need them; no file holds them.
    unshrunk: Sequence[Tree] | None = None

    @property
    def calibration(self) -> str:
        return "shrinkage" if self.shrinkage > 0 else "none"

    def check(self) -> None:
        super().check()
        if not 1 <= self.n_drawn <= self.n_rows < MOST_ROWS:
            raise ModelFileError("learned: `n_drawn_` rows cannot be drawn from `n_rows_`")
        if self.positions is not ABSENT and len(self.positions) != self.n_rows:
            raise ModelFileError("learned: `positions_` are not as many as `n_rows_`")


VOTING = param(
    "soft",
    'How the trees vote: "soft" averages their probabilities, "hard" counts one vote per tree. It '
    "is used at prediction time, so it can be changed without a new fit.",
    choices=("soft", "hard"),
)


@dataclass(frozen=True, eq=False, kw_only=True)
class FittedClassForest(FittedForest):
    prediction_params = FittedForest.prediction_params | {"voting": VOTING}
    trees_may_have_classes: ClassVar[bool] = True

    oob_decision_function: Floats = sometimes(floats(2, finite=False))
    oob_score: float = sometimes(SCORE)
    rows_hash: str = added_later(HASH)  # by which `report` knows the training rows again

    def predict(self, X: Any, settings: Settings) -> NDArray[Any]:
        return self.class_labels(self.predict_proba(X, settings))

    def predict_proba(self, X: Any, settings: Any) -> Floats:
        if settings.voting == "soft":
            return self.mean_values(X, settings)
        rows = self.encode(X, settings)
        return vote_shares(self.trees, rows, self.threads_for(len(rows), settings))

    def check(self) -> None:
        super().check()
        shares = self.oob_decision_function
        if shares is not ABSENT and shares.shape[1] != self.n_classes:
            raise ModelFileError("learned: out-of-bag predictions are not as many as the classes")


@dataclass(frozen=True, eq=False, kw_only=True)
class FittedNumberForest(FittedForest):
    oob_prediction: Floats = sometimes(floats(1, finite=False))
    oob_score: float = sometimes(SCORE)
    # With `keep_targets`: (n_rows, n_trees), where each training row lies, and its target.
    training_leaves: NDArray[np.int32] = sometimes(NODES)
    training_targets: Floats = sometimes(floats(1))
    training_weights: Floats | None = sometimes(optional(floats(1)))
    rows_hash: str = added_later(HASH)

    def predict(self, X: Any, settings: Settings) -> Floats:
        return self.mean_values(X, settings)[:, 0]

    @cached_property
    def leaf_targets(self) -> LeafTargets:
        """The training targets by leaf."""
        if self.training_leaves is ABSENT:
            raise ParameterError(
                "the forest has not stored its training targets, so it knows no quantiles",
                hint="fit it with keep_targets=True",
            )
        return LeafTargets(self.training_leaves, self.training_targets, self.training_weights)

    def check(self) -> None:
        super().check()
        kept = (self.training_leaves, self.training_targets, self.training_weights)
        if any(value is not ABSENT for value in kept):
            check_kept_targets(self)


@dataclass(frozen=True, eq=False, kw_only=True)
class FittedIsolation(FittedEnsemble):
    """Trees of random splits."""

    reading = "treewright.ensembles.reading.IsolationReading"

    seed: int = learned(WHOLE)
    n_rows: int = learned(WHOLE)
    n_drawn: int = learned(WHOLE)
    drawing: str = learned(DRAWING)
    offset: float = learned(NUMBER)  # rows with a score below this are outliers

    def scores(self, X: Any, settings: Settings) -> Floats:
        """From -1 for the most unusual rows to 0 for the most common ones."""
        rows = self.encode(X, settings)
        threads = self.threads_for(len(rows), settings)
        return isolation_scores(self.trees, rows, self.n_drawn, threads)

    def predict(self, X: Any, settings: Settings) -> NDArray[np.intp]:
        return np.where(self.scores(X, settings) - self.offset < 0, -1, 1)

    def check(self) -> None:
        super().check()
        for at, tree in enumerate(self.trees):
            below = tree.value[:, 0] < 0
            if below.any():
                raise ModelFileError(
                    f"tree {at}: node {int(below.argmax())}: value: a number of splits below 0"
                )
        if not 1 <= self.n_drawn <= self.n_rows < MOST_ROWS:
            raise ModelFileError("learned: `n_drawn_` rows cannot be drawn from `n_rows_`")


@dataclass(frozen=True, eq=False, kw_only=True)
class FittedBoosting(FittedEnsemble):
    """Trees that add up to scores."""

    reading = "treewright.ensembles.reading.BoostingReading"

    n_rows: int = learned(WHOLE)
    start: Floats = learned(floats(1))  # the scores of a model without trees
    seed: int = learned(WHOLE)
    link: str = learned(LINK)  # what scores stand for
    learning_rate: float = learned(NUMBER)  # of the last fit
    # Mean loss after each round, where rows were held back.
    validation_losses: Floats = sometimes(floats(1, finite=False))
    # Where the rounds were chosen: mean loss after each, in steps of the trial.
    cv_losses: Floats = sometimes(floats(1))
    encoded_columns: tuple[str, ...] = sometimes(WORDS)  # where `target_encoding` was used
    # What the parameters of these names came to.
    growth: str = sometimes(word_of("leaf", "level", "symmetric"))
    max_leaf_nodes: int | None = sometimes(optional(WHOLE))
    min_samples_leaf: float = sometimes(NUMBER)
    subsample: float = sometimes(NUMBER)
    max_features_node: float = sometimes(NUMBER)
    rows_hash: str = added_later(HASH)

    @property
    def packed(self) -> PackedTreeSequence:
        assert isinstance(self.trees, PackedTreeSequence)
        return self.trees

    @property
    def calibration(self) -> str:
        if self.cv_losses is not ABSENT:
            return "cross_validation"
        n_rounds = len(self.trees) // len(self.start)
        has_stopped = (
            self.validation_losses is not ABSENT and len(self.validation_losses) > n_rounds
        )
        return "early_stopping" if has_stopped else "none"

    def scores(self, X: Any, settings: Settings) -> Floats:
        """(n_rows, n_outputs): what all trees add up to."""
        rows = self.encode(X, settings)
        scores = np.repeat(self.start[np.newaxis], len(rows), axis=0)
        self.packed.add_values(rows, scores, self.threads_for(len(rows), settings))
        return scores

    def from_scores(self, scores: Floats, loss: Any) -> Floats:
        """(n_rows,) numbers or (n_rows, n_classes) probabilities from (n_rows, n_outputs)."""
        if self.link != OWN:
            return LINKS[self.link](scores)
        if isinstance(loss, SavedFunction):
            raise ParameterError(
                f"what scores stand for was said by the loss `{loss.name}`, which a model "
                "file holds by name only",
                hint="in Python, set the parameter `loss` again",
            )
        as_loss_takes_it = scores[:, 0] if scores.shape[1] == 1 else scores.T
        found = np.asarray(loss.predictions(as_loss_takes_it), dtype=np.float64)
        if self.classes is None:
            return found
        if found.ndim == 1:  # the probability of the second class
            return np.stack([1.0 - found, found], axis=1)
        return np.ascontiguousarray(found.T)

    def predict(self, X: Any, settings: Settings) -> NDArray[Any]:
        found = self.from_scores(self.scores(X, settings), getattr(settings, "loss", None))
        return found if self.classes is None else self.class_labels(found)

    def predict_proba(self, X: Any, settings: Settings) -> Floats:
        return self.from_scores(self.scores(X, settings), getattr(settings, "loss", None))

    def check_settings(self, settings: Settings) -> None:
        if self.link == OWN and not isinstance(getattr(settings, "loss", None), SavedFunction):
            raise ModelFileError("learned: the link `own` needs a custom loss")

    def check(self) -> None:
        super().check()
        n_scores, n_classes = len(self.start), 0 if self.classes is None else len(self.classes)
        is_for = {
            "same": n_classes == 0 and n_scores == 1,
            "exponential": n_classes == 0 and n_scores == 1,
            "logistic": n_classes == 2 and n_scores == 1,
            "softmax": n_classes == n_scores > 0,
            "own": n_scores == max(n_classes, 1) or (n_classes, n_scores) == (2, 1),
        }
        if not is_for[self.link]:
            raise ModelFileError(
                f"learned: {n_scores} scores with the link `{self.link}` fit no such model"
            )
        if len(self.trees) % n_scores:
            raise ModelFileError("model: the trees are not as many for each score")
        if (np.abs(self.start) > LARGEST_SUM).any():
            raise ModelFileError("learned: `start_` is so large that sums with it are infinite")
        if not self.learning_rate > 0:
            raise ModelFileError("learned: `learning_rate_` is not above 0")


def isolation_scores(trees: Sequence[Tree], rows: Rows, n_drawn: int, n_threads: int) -> Floats:
    """-2 ** (-depth / mean depth): the depth is a row's mean over the trees."""
    depths = mean_predictions(trees, rows, n_threads)[:, 0]
    usual = mean_isolation_depth(n_drawn)
    relative = depths / usual if usual > 0 else np.ones(len(depths))
    scores: Floats = -portable.exp2(-relative)
    return scores


def check_kept_targets(state: FittedNumberForest) -> None:
    """Raise unless every training row lies in a leaf of every tree and has a target."""
    leaves, targets = state.training_leaves, state.training_targets
    weights = state.training_weights
    if leaves is ABSENT or targets is ABSENT or leaves.shape != (len(targets), len(state.trees)):
        raise ModelFileError("learned: leaves and targets of the training rows do not fit")
    weights = None if weights is ABSENT else weights
    if weights is not None and (weights.shape != targets.shape or (weights <= 0).any()):
        raise ModelFileError("learned: weights and targets of the training rows do not fit")
    for at, tree in enumerate(state.trees):
        nodes = leaves[:, at]
        if (nodes >= tree.n_nodes).any() or (np.asarray(tree.feature)[nodes] >= 0).any():
            raise ModelFileError("learned: a training row lies in no leaf")


def with_prefix(arrays: Mapping[str, NDArray[Any]], prefix: str) -> Arrays:
    """The arrays whose names begin so, by the rest of their names."""
    return {
        name.removeprefix(prefix): array
        for name, array in arrays.items()
        if name.startswith(prefix)
    }


def trees_to_parts(trees: Sequence[Tree]) -> tuple[dict[str, Any], Arrays]:
    """Packed trees as they are, others as the arrays of ordinary trees."""
    if isinstance(trees, PackedTreeSequence):
        entry = {
            "form": "packed",
            "have_classes": trees.classes is not None,
            "unseen": trees.unseen,
            "n_values": trees.packed.n_values,
            "values_are_sums": trees.packed.values_are_sums,
        }
        return entry, trees.arrays()
    return {"form": "ordinary", "have_classes": trees[0].classes is not None}, arrays_of(trees)


def trees_from_parts(
    data: object, arrays: Arrays, schema: Schema, classes: NDArray[Any] | None
) -> Sequence[Tree]:
    """The trees that `trees_to_parts` gave."""
    is_packed = type(data) is dict and data.get("form") == "packed"
    entry = with_keys(data, PACKED_KEYS if is_packed else ORDINARY_KEYS, "trees")
    have_classes = entry["have_classes"]
    if type(have_classes) is not bool or (have_classes and classes is None):
        raise ModelFileError("trees: `have_classes` does not fit the model")
    if is_packed:
        return packed_from(entry, arrays, schema, classes if have_classes else None)
    if entry["form"] != "ordinary":
        raise ModelFileError("trees: the form is not known")
    labels = tuple(classes.tolist()) if have_classes and classes is not None else None
    return trees_from(arrays, schema, labels)


def packed_from(
    entry: Mapping[str, Any], arrays: Arrays, schema: Schema, classes: NDArray[Any] | None
) -> PackedTreeSequence:
    """Trees on bins whose arrays can be walked, over the columns of `schema`."""
    n_values, are_sums, unseen = entry["n_values"], entry["values_are_sums"], entry["unseen"]
    if n_values != (1 if classes is None else len(classes)) or type(n_values) is not int:
        raise ModelFileError("trees: `n_values` does not fit the classes")
    if are_sums is not (classes is not None):
        raise ModelFileError("trees: `values_are_sums` does not fit the classes")
    if type(unseen) is not str or unseen not in UNSEEN_POLICIES:
        raise ModelFileError("trees: `unseen` is not known")
    try:
        return PackedTreeSequence.from_arrays(arrays, schema, classes, unseen)
    except ValueError as error:
        raise ModelFileError(f"trees: {error}") from None
