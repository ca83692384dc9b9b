"""What the file of an ensemble holds: parameters, fitted state and trees, checked when read.

As with the files of single trees nothing in a file is executed, and what comes out could have been
written here.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from numpy.typing import NDArray

from treewright.data.schema import Schema
from treewright.data.schema_json import with_keys
from treewright.ensembles.base import EnsembleEstimator, EnsembleState
from treewright.ensembles.boosting.links import OWN
from treewright.ensembles.files.learned import learned_from, learned_to_json
from treewright.ensembles.files.learned_checks import check_learned
from treewright.ensembles.files.tree_arrays import arrays_of, trees_from
from treewright.ensembles.packed import PackedTreeSequence
from treewright.errors import ModelFileError
from treewright.models.container import Container, container_bytes, read_container
from treewright.models.learned_file import COMMON_KEYS, common_from_json, common_to_json
from treewright.models.params import SavedFunction
from treewright.models.state_json import params_from_json, params_to_json
from treewright.tree.kinds import UNSEEN_POLICIES
from treewright.tree.tree import Tree

Arrays = dict[str, NDArray[Any]]


@dataclass(frozen=True, slots=True)
class Home:
    """Where an estimator lives, and what its trees answer."""

    module: str
    trees_have_classes: bool = False


FORESTS, BOOSTING = "treewright.ensembles.forests", "treewright.ensembles.boosting"

# Estimators that a file may hold.
HOMES = {
    "RandomForestClassifier": Home(f"{FORESTS}.random_forest", trees_have_classes=True),
    "RandomForestRegressor": Home(f"{FORESTS}.random_forest"),
    "ExtraTreesClassifier": Home(f"{FORESTS}.extra_trees", trees_have_classes=True),
    "ExtraTreesRegressor": Home(f"{FORESTS}.extra_trees"),
    "IsolationForest": Home(f"{FORESTS}.isolation"),
    "BoostedTreesClassifier": Home(f"{BOOSTING}.boosted_trees"),
    "BoostedTreesRegressor": Home(f"{BOOSTING}.boosted_trees"),
}
STATE_KEYS = {*COMMON_KEYS, "learned", "trees"}
PACKED_KEYS = {"form", "have_classes", "unseen", "n_values", "values_are_sums"}
ORDINARY_KEYS = {"form", "have_classes"}
TREES, LEARNED = "trees.", "learned."  # what the names of arrays begin with


def ensemble_bytes(model: EnsembleEstimator) -> bytes:
    """The content of the file of a fitted ensemble."""
    kind = type(model)
    home = HOMES.get(kind.__name__)
    if home is None or home.module != kind.__module__:
        raise ModelFileError(
            f"a model file cannot hold a {kind.__module__}.{kind.__qualname__}",
            hint=f"it can hold {', '.join(HOMES)}",
        )
    entry, arrays = state_parts(model._state())
    params = params_to_json(model)
    return container_bytes({"estimator": kind.__name__, "params": params, **entry}, arrays)


def ensemble_from_bytes(content: bytes) -> EnsembleEstimator:
    """The ensemble in the content of a file."""
    return ensemble_from(read_container(content))


def ensemble_from(found: Container) -> EnsembleEstimator:
    """The ensemble that a container holds."""
    entry = with_keys(found.model, {"estimator", "params", *STATE_KEYS}, "model")
    name = entry["estimator"]
    if type(name) is not str or name not in HOMES:
        raise ModelFileError(f"model: `estimator` is {str(name)[:50]!r}, which is not known")
    kind: type[EnsembleEstimator] = getattr(import_module(HOMES[name].module), name)
    model = kind(**params_from_json(entry["params"], kind))
    state = state_from({key: entry[key] for key in STATE_KEYS}, found.arrays, kind.learns)
    answers_classes = hasattr(kind, "predict_proba")
    has_class_trees = len(state.trees) > 0 and state.trees[0].classes is not None
    if (state.classes is not None) != answers_classes or (
        has_class_trees and not HOMES[name].trees_have_classes
    ):
        raise ModelFileError(f"model: {name} and its trees predict different things")
    if state.learned.get("link_") == OWN and not isinstance(
        model.get_params()["loss"], SavedFunction
    ):
        raise ModelFileError("learned: the link `own` is that of a loss of the user's own")
    model._take_on(state)
    return model


def fitted_bytes(state: EnsembleState) -> bytes:
    """A fitted state alone, for pickles, which keep parameters as they are."""
    return container_bytes(*state_parts(state))


def read_fitted_bytes(content: bytes, learns: Sequence[str]) -> EnsembleState:
    """The state that `fitted_bytes` wrote."""
    found: Container = read_container(content)
    return state_from(found.model, found.arrays, learns)


def state_parts(state: EnsembleState) -> tuple[dict[str, Any], Arrays]:
    """A fitted state as JSON values and arrays."""
    learned, learned_arrays = learned_to_json(state.learned)
    trees, tree_arrays = trees_to_parts(state.trees)
    common = common_to_json(state.schema, state.classes, state.notes, state.target_name)
    entry = {**common, "learned": learned, "trees": trees}
    arrays = {TREES + name: array for name, array in tree_arrays.items()}
    return entry, arrays | {LEARNED + name: array for name, array in learned_arrays.items()}


def state_from(data: object, arrays: Arrays, learns: Sequence[str]) -> EnsembleState:
    """The fitted state that `state_parts` gave."""
    entry = with_keys(data, STATE_KEYS, "model")
    schema, classes, notes, target = common_from_json(entry)
    of_trees, of_learned = with_prefix(arrays, TREES), with_prefix(arrays, LEARNED)
    if len(of_trees) + len(of_learned) != len(arrays):
        raise ModelFileError("model: there are arrays that belong to nothing")
    trees = trees_from_parts(entry["trees"], of_trees, schema, classes)
    learned = learned_from(entry["learned"], of_learned, learns)
    state = EnsembleState(trees, schema, classes, notes, target, learned)
    check_learned(state)
    return state


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
