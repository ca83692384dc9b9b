"""A tree as JSON values and back.

The file is meant to be read by other programs too: node kinds and stop reasons are words, every
list under `nodes` has one entry per node, and the lists of a side group say beside each entry which
node owns it. Reading is strict: the set of keys is closed, every type is checked, and the tree must
pass `check_tree`.
"""

from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.data.schema import Schema, with_keys
from treewright.errors import ModelFileError, TreewrightError
from treewright.plain_text import beginning
from treewright.tree.check import check_tree
from treewright.tree.layout import (
    KIND_NAMES,
    NODE_ARRAYS,
    SIDE_GROUPS,
    STOP_REASONS,
    SideGroup,
    owners_of,
)
from treewright.tree.tree import Tree

WORDS = {"kind": KIND_NAMES, "stop_reason": STOP_REASONS}
CLASS_TYPES = (str, bool, int, float)
KEYS = {"schema", "classes", "class_factor", "costs", "unseen", "n_nodes", "nodes"} | {
    group.name for group in SIDE_GROUPS
}
LARGEST_EXACT = 2**53  # integers up to here are floats as well


def tree_to_json(tree: Tree) -> dict[str, Any]:
    """The tree as a dict of lists, strings and numbers."""
    for label in tree.classes or ():
        if type(label) not in CLASS_TYPES:
            raise TreewrightError(
                f"class {label!r} is of type {type(label).__name__}, which a file cannot hold",
                hint="use strings, numbers or booleans as classes",
            )
    nodes: dict[str, Any] = {name: getattr(tree, name).tolist() for name in NODE_ARRAYS}
    for name, words in WORDS.items():
        nodes[name] = [words[number] for number in nodes[name]]
    return {
        "schema": tree.schema.to_json(),
        "classes": None if tree.classes is None else list(tree.classes),
        "class_factor": tree.class_factor.tolist(),
        "costs": None if tree.costs is None else tree.costs.tolist(),
        "unseen": tree.unseen,
        "n_nodes": tree.n_nodes,
        "nodes": nodes,
        **{group.name: _group_to_json(tree, group) for group in SIDE_GROUPS},
    }


def _group_to_json(tree: Tree, group: SideGroup) -> dict[str, Any]:
    owner = owners_of(getattr(tree, group.start))
    entries = {name: getattr(tree, name).tolist() for name in group.arrays}
    return {group.owner: owner.tolist(), **entries}


def tree_from_json(data: object) -> Tree:
    """The tree that `tree_to_json` wrote; anything else is a `ModelFileError`."""
    entry = with_keys(data, KEYS, "tree")
    classes = classes_from(entry["classes"])
    n_values = 1 if classes is None else len(classes)
    arrays = _read_nodes(entry, n_values)
    lengths = {"node": len(arrays["kind"])}
    for group in SIDE_GROUPS:
        lengths[group.name] = _read_group(entry[group.name], group, lengths[group.owner], arrays)
    costs, unseen = entry["costs"], entry["unseen"]
    if type(unseen) is not str:
        raise ModelFileError(f"tree: `unseen` is {unseen!r}")
    tree = Tree.from_arrays(
        arrays,
        schema=Schema.from_json(entry["schema"]),
        classes=classes,
        class_factor=numbers_from(entry["class_factor"], "tree: `class_factor`", np.float64),
        costs=None if costs is None else rows_from(costs, n_values, "tree: `costs`", "row"),
        unseen=unseen,
    )
    check_tree(tree)
    return tree


def classes_from(labels: object) -> tuple[Any, ...] | None:
    """A list of class labels, or None."""
    if labels is None:
        return None
    if type(labels) is not list or not labels:
        raise ModelFileError("tree: `classes` is not a list of classes")
    for label in labels:
        if type(label) not in CLASS_TYPES or label != label or label in (np.inf, -np.inf):
            raise ModelFileError(f"tree: {label!r} among the classes")
    return tuple(labels)


def _read_nodes(entry: dict[str, Any], n_values: int) -> dict[str, NDArray[Any]]:
    nodes = with_keys(entry["nodes"], set(NODE_ARRAYS), "nodes")
    n_nodes = entry["n_nodes"]
    arrays: dict[str, NDArray[Any]] = {}
    for name, dtype in NODE_ARRAYS.items():
        where = f"nodes: `{name}`"
        if name == "value":
            arrays[name] = rows_from(nodes[name], n_values, where)
        elif name in WORDS:
            arrays[name] = _words(nodes[name], WORDS[name], where)
        else:
            arrays[name] = numbers_from(nodes[name], where, dtype)
        if type(n_nodes) is not int or len(arrays[name]) != n_nodes:
            raise ModelFileError(f"{where} has {len(arrays[name])} entries, not {n_nodes!r}")
    return arrays


def _read_group(
    data: object, group: SideGroup, n_owners: int, arrays: dict[str, NDArray[Any]]
) -> int:
    """Put the arrays of a side group beside the others; the number of its entries."""
    entry = with_keys(data, {group.owner, *group.arrays}, group.name)
    owner = numbers_from(entry[group.owner], f"{group.name}: `{group.owner}`", np.int64)
    wrong = (owner < 0) | (owner >= n_owners)
    wrong[1:] |= owner[1:] < owner[:-1]
    if wrong.any():
        at = int(wrong.argmax())
        raise ModelFileError(f"{group.name}: entry {at} belongs to {group.owner} {owner[at]}")
    arrays[group.start] = np.searchsorted(owner, np.arange(n_owners + 1)).astype(np.int64)
    for name, dtype in group.arrays.items():
        where = f"{group.name}: `{name}`"
        arrays[name] = numbers_from(entry[name], where, dtype, group.owner, owner)
        if len(arrays[name]) != len(owner):
            raise ModelFileError(f"{where} has {len(arrays[name])} entries, not {len(owner)}")
    return len(owner)


def _listed(data: object, where: str) -> list[Any]:
    if type(data) is not list:
        raise ModelFileError(f"{where} is not a list")
    return data


def numbers_from(
    data: object,
    where: str,
    dtype: type[np.generic],
    owner_name: str = "node",
    owner: NDArray[np.int64] | None = None,
) -> NDArray[Any]:
    """A list of integers, or of finite floats, as an array."""
    numbers = _listed(data, where)
    is_float = dtype is np.float64
    allowed = {float, int} if is_float else {int}
    info: Any = None if is_float else np.iinfo(dtype)
    limits = (-LARGEST_EXACT, LARGEST_EXACT) if is_float else (int(info.min), int(info.max))
    types = set(map(type, numbers))
    if types <= {float} and is_float:
        array = np.array(numbers, dtype=np.float64)
        if np.isfinite(array).all():
            return array
    elif types <= {int} and numbers and limits[0] <= min(numbers) and max(numbers) <= limits[1]:
        return np.array(numbers, dtype=dtype)
    for at, number in enumerate(numbers):
        sound = type(number) in allowed and (
            np.isfinite(number) if type(number) is float else limits[0] <= number <= limits[1]
        )
        if not sound:
            place = at if owner is None or at >= len(owner) else int(owner[at])
            raise ModelFileError(f"{where} is {shown(number)} at {owner_name} {place}")
    return np.array(numbers, dtype=dtype)


def shown(value: object) -> str:
    """A value short enough for a message; a file may hold numbers of any length."""
    if type(value) is int and abs(value) >= 10**30:
        return "a number beyond all limits"
    text = repr(value) if isinstance(value, (str, int, float, bool)) else type(value).__name__
    return beginning(text, 60)


def rows_from(
    data: object, width: int, where: str, owner_name: str = "node"
) -> NDArray[np.float64]:
    """A list of equally long lists of floats as a matrix."""
    rows = _listed(data, where)
    for at, row in enumerate(rows):
        if type(row) is not list or len(row) != width:
            raise ModelFileError(f"{where} has not {width} numbers at {owner_name} {at}")
    flat = list(chain.from_iterable(rows))
    owner = np.repeat(np.arange(len(rows)), width)
    return numbers_from(flat, where, np.float64, owner_name, owner).reshape(len(rows), width)


def _words(data: object, words: tuple[str, ...], where: str) -> NDArray[np.uint8]:
    number_of = {word: number for number, word in enumerate(words)}
    listed = _listed(data, where)
    for at, word in enumerate(listed):
        if type(word) is not str or word not in number_of:
            raise ModelFileError(f"{where} is {shown(word)} at node {at}")
    return np.array([number_of[word] for word in listed], dtype=np.uint8)
