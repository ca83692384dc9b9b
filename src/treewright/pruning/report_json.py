"""A pruning report as JSON values, as a model file keeps it; reading is strict."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.data.schema_json import with_keys
from treewright.errors import ModelFileError
from treewright.pruning.methods import METHODS
from treewright.pruning.report import PruningReport
from treewright.tree.tree import Tree

KEYS = {"method", "options", "measure", "n_leaves_before", "cuts"}
COUNTS = ("node", "was", "n_leaves")
ESTIMATES = ("as_leaf", "as_subtree", "as_branch")
DECIDED = ("decided_weight", "decided_errors")  # only where a subtree was raised
LARGEST = 2**31 - 1


def report_to_json(report: PruningReport) -> dict[str, Any]:
    """The report without its trees; an estimate that was not made is null."""
    cuts: dict[str, list[Any]] = {name: getattr(report, name).tolist() for name in COUNTS}
    cuts["became"] = ["branch" if raised else "leaf" for raised in report.raised.tolist()]
    for name in ESTIMATES:
        estimates = getattr(report, name).tolist()
        cuts[name] = [None if math.isnan(estimate) else estimate for estimate in estimates]
    cuts |= {name: getattr(report, name).tolist() for name in DECIDED if has_moved_rows(report)}
    return {
        "method": report.method,
        "options": dict(report.options),
        "measure": report.measure,
        "n_leaves_before": report.n_leaves_before,
        "cuts": cuts,
    }


def has_moved_rows(report: PruningReport) -> bool:
    """Whether the report tells by which rows each cut was decided."""
    return report.decided_weight is not None and report.decided_errors is not None


def report_from_json(data: object, tree: Tree) -> PruningReport:
    """The report that `report_to_json` wrote, on the pruned tree that it belongs to."""
    entry = with_keys(data, KEYS, "pruning")
    _check_method(entry)
    cuts = _equally_long(entry["cuts"])
    node = _counts(cuts, "node")
    raised = np.array([became == "branch" for became in cuts["became"]], dtype=np.bool_)
    if (np.diff(node) <= 0).any() or (node >= tree.n_nodes).any():
        raise ModelFileError("pruning, cuts: `node` does not rise within the tree")
    if not tree.is_leaf[node[~raised]].all():
        raise ModelFileError("pruning, cuts: a node that became a leaf is none in the tree")
    (n_leaves_before,) = _counts({"n_leaves_before": [entry["n_leaves_before"]]}, "n_leaves_before")
    return PruningReport(
        method=entry["method"],
        options=entry["options"],
        measure=entry["measure"],
        tree=tree,
        before=None,
        n_leaves_before=int(n_leaves_before),
        node=node.astype(np.int32),
        was=_counts(cuts, "was").astype(np.int32),
        raised=raised,
        as_leaf=_estimates(cuts, "as_leaf"),
        as_subtree=_estimates(cuts, "as_subtree"),
        as_branch=_estimates(cuts, "as_branch"),
        n_leaves=_counts(cuts, "n_leaves"),
        decided_weight=_decided(cuts, "decided_weight"),
        decided_errors=_decided(cuts, "decided_errors"),
    )


def _check_method(entry: dict[str, Any]) -> None:
    method, options = entry["method"], entry["options"]
    if type(method) is not str or method not in METHODS:
        raise ModelFileError(f"pruning: `method` is {str(method)[:50]!r}, which is not known")
    if type(entry["measure"]) is not str:
        raise ModelFileError("pruning: `measure` is not a string")
    known = {option.name for option in METHODS[method].options}
    if type(options) is not dict or not known >= set(options):
        raise ModelFileError(f"pruning: `options` are not those of {method}")
    if not all(map(_is_option, options.values())):
        raise ModelFileError("pruning: an option is not a number, a string or a list of numbers")


def _equally_long(data: object) -> dict[str, Any]:
    """The columns of the cuts: lists of one length."""
    keys = {*COUNTS, "became", *ESTIMATES}
    if type(data) is dict and "branch" in _list_of(data, "became") and set(DECIDED) <= set(data):
        keys |= set(DECIDED)
    cuts = with_keys(data, keys, "pruning, cuts")
    n_cuts = len(cuts["node"]) if type(cuts["node"]) is list else -1
    for name, column in cuts.items():
        if type(column) is not list or len(column) != n_cuts:
            raise ModelFileError(f"pruning, cuts: `{name}` is not a list as long as the others")
    if not set(map(type, cuts["became"])) <= {str} or not set(cuts["became"]) <= {"leaf", "branch"}:
        raise ModelFileError("pruning, cuts: `became` has an entry that is not leaf or branch")
    return cuts


def _counts(cuts: dict[str, Any], name: str) -> NDArray[np.int64]:
    if not all(type(count) is int and 0 <= count <= LARGEST for count in cuts[name]):
        raise ModelFileError(f"pruning: `{name}` is not a count")
    return np.array(cuts[name], dtype=np.int64)


def _estimates(cuts: dict[str, Any], name: str) -> NDArray[np.float64]:
    if not set(map(type, cuts[name])) <= {float, type(None)}:
        raise ModelFileError(f"pruning, cuts: `{name}` has an entry that is not a number or null")
    estimates = np.array(cuts[name], dtype=np.float64)  # None becomes NaN
    if np.isinf(estimates).any():
        raise ModelFileError(f"pruning, cuts: `{name}` has a number too large for a float")
    return estimates


def _list_of(data: dict[str, Any], name: str) -> list[Any]:
    found = data.get(name)
    return found if type(found) is list else []


def _decided(cuts: dict[str, Any], name: str) -> NDArray[np.float64] | None:
    if name not in cuts:
        return None
    decided = _estimates(cuts, name)
    if not (decided >= 0).all():
        raise ModelFileError(f"pruning, cuts: `{name}` has an entry that is not 0 or more")
    return decided


def _is_option(value: object) -> bool:
    if type(value) is list:
        return all(type(item) in (int, float) and math.isfinite(item) for item in value)
    if type(value) is float:
        return math.isfinite(value)
    return value is None or type(value) in (bool, int, str)
