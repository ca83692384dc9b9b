"""Print fitted models on the terminal."""

from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeGuard

from treewright.cli.output import Output
from treewright.errors import ParameterError
from treewright.plain_text import plain

if TYPE_CHECKING:
    from treewright.ensembles.base import Ensemble
    from treewright.estimators.base import Model
    from treewright.single_trees.base import TreeEstimator
    from treewright.tree.tree import Tree

MOST_VALUES = 1000  # of an array that is printed as JSON


def is_other_model(model: object) -> TypeGuard["Model[Any]"]:
    """Whether a model is neither a tree nor made of trees."""
    from treewright.estimators.reading import OtherModel

    return isinstance(model, OtherModel)


def plain_value(value: Any) -> Any:
    """A learned value as JSON; None for large values and trees."""
    import numpy as np

    if isinstance(value, np.ndarray):
        return plain_value(value.tolist()) if value.size <= MOST_VALUES else None
    if isinstance(value, list | tuple):
        return [plain_value(one) for one in value]
    if isinstance(value, float):
        return value if isfinite(value) else None
    return value if isinstance(value, bool | int | str) else None


def check_flags_of_trees(model: object, given: dict[str, object]) -> None:
    """Raise if a flag for trees is given for another model."""
    for name, value in given.items():
        if value:
            raise ParameterError(
                f"--{name} is for trees, and this model is a {type(model).__name__}",
                hint="leave it out",
            )


def check_not_other_model(model: object, path: Path) -> None:
    """Raise for a model that is no tree, where trees are needed."""
    if hasattr(model, "equation") and hasattr(model, "get_n_leaves"):
        raise ParameterError(
            f"`{path}` holds a model tree, and this command needs a tree whose leaves predict"
            " constants",
            hint="--no-prune, --min-samples-leaf and --penalty of `treewright train --model m5` "
            f"change its size; `treewright distil {path} TABLE` approximates it by a plain tree",
        )
    if is_other_model(model):
        raise ParameterError(
            f"`{path}` holds a {type(model).__name__}, and this command is for trees",
            hint=f"`treewright distil {path} TABLE` grows a tree that approximates it",
        )


def is_ensemble(model: object) -> TypeGuard["Ensemble[Any]"]:
    """Whether a model has many trees."""
    return hasattr(model, "trees_")


def ensemble_text(model: "Ensemble[Any]") -> str:
    """How large an ensemble is, in words: `100 trees, 4,321 leaves`."""
    from treewright.ensembles.summary import trees_text

    return trees_text(model)


MOST_LINES = 40  # of a tree that `train` prints: a screen, with the lines around it
OF_PROOF = ("proven", "errors", "lower_bound", "gap", "n_searched")


def print_tree(model: "Model[Any] | Tree", output: Output, *, max_depth: int | None = None) -> None:
    """Print a tree as lines, or a summary of another model."""
    from treewright.ensembles.summary import summary_text
    from treewright.tree.as_text import export_text
    from treewright.tree.tree import Tree

    if is_ensemble(model):
        output.data(summary_text(model))
    elif is_other_model(model):
        output.data(model.summary())
    elif isinstance(model, Tree):
        output.data(export_text(model, max_depth=max_depth))
        explain_counts(model, output)
    else:
        output.data(model.export_text(max_depth=max_depth) + proof_text(model))
        explain_counts(model.tree_, output)


def explain_counts(tree: Any, output: Output) -> None:
    """Print what the numbers after a prediction mean."""
    from treewright.tree.as_text import counts_explained

    if explained := counts_explained(tree):
        output.note(explained)


def print_folded(model: "TreeEstimator", output: Output) -> None:
    """Print the tree as lines; small branches are folded, long sets of categories shortened."""
    from treewright.tree.as_text import MOST_LEVELS, folded_text

    predicting, trained = model.state_.shrunk_tree, model.tree_
    text = folded_text(predicting, MOST_LINES, max_levels=MOST_LEVELS, trained=trained)
    if text.endswith(" leaves") or " leaves\n" in text:
        output.note(
            f"the tree has {model.tree_.n_leaves:,} leaves; branches with few rows are folded"
            " (`treewright show` prints all)"
        )
    if " more}" in text:
        output.note(
            f"sets of more than {MOST_LEVELS} categories are shortened (`treewright show`: all)"
        )
    notes = [f"# {plain(note)}" for note in model.notes_]
    output.data("\n".join([*notes, text]) + proof_text(model))
    explain_counts(model.tree_, output)


def proof_text(model: "Model[Any]") -> str:
    """What an optimal tree search proved, in addition to its notes; "" without a search."""
    proof = getattr(model, "proof_", None)
    lines = [] if proof is None else str(proof).splitlines()
    more = [line for line in lines if line not in model.notes_]
    return "\n".join(["\n", *more]) if more else ""


def print_top_of_tree(model: "Model[Any]", output: Output) -> None:
    """The whole tree if it fits on a screen, otherwise folded, and a note."""
    if is_ensemble(model) or is_other_model(model):
        print_tree(model, output)
        return
    tree = model.tree_
    if tree.n_leaves == 1:
        output.note(f"{why_one_leaf(model)}: one prediction for all rows")
    if has_rules(model):
        print_tree(model, output)
        return
    print_folded(model, output)


def why_one_leaf(model: "Model[Any]") -> str:
    """Why a tree is a single leaf: it did not grow, or it was pruned."""
    report = model.pruning_
    if report is None or report.n_cuts == 0:
        return "no split was good enough, so the tree is a single leaf"
    return f"pruning cut the tree from {report.n_leaves_before:,} leaves to one"


def has_rules(model: object) -> bool:
    """Whether the model predicts by rules that were made from its tree."""
    return hasattr(model, "rules_")


def size_of(model: "Model[Any]") -> str:
    """How large a model is, in words."""
    if is_ensemble(model):
        return ensemble_text(model)
    if has_rules(model):
        n_rules = len(model.rules_)
        return "1 rule" if n_rules == 1 else f"{n_rules:,} rules"
    from treewright.tree.counts import leaves_text

    return f"{leaves_text(model.tree_)}{pruned_from(model)}, depth {model.tree_.depth}"


def pruned_from(model: object) -> str:
    """The size of the grown tree, if cost-complexity pruning cut it."""
    report = getattr(model, "pruning_", None)
    if report is None or report.path is None or report.n_cuts == 0:
        return ""
    return f" (pruned from {report.n_leaves_before:,})"


def summary_of(model: "Model[Any] | Tree") -> dict[str, object]:
    """Facts about a fitted model, for JSON."""
    from treewright.ensembles.summary import importances, n_bytes_of, n_nodes_of
    from treewright.estimators.fitted import kinds_of

    tree = getattr(model, "tree_", model)
    classes = getattr(model, "classes_", getattr(tree, "classes", None))
    if classes is not None:
        classes = [label.item() if hasattr(label, "item") else label for label in classes]
    names = (model.schema_ if hasattr(model, "schema_") else tree.schema).names
    facts: dict[str, object] = {
        "model": type(model).__name__,
        "classes": classes,
        "columns": list(names),
    }
    if is_ensemble(model):
        return facts | {
            "n_trees": len(model.trees_),
            "n_leaves": model.get_n_leaves(),
            "n_nodes": n_nodes_of(model.trees_),
            "n_bytes": n_bytes_of(model.trees_),
            "importances": importances(model),
        }
    if is_other_model(model):
        learned = {
            f"{name}_": value
            for name in kinds_of(type(model.state_))
            if (value := plain_value(getattr(model.state_, name))) is not None
        }
        return facts | {"summary": model.summary(), "learned": learned}
    facts |= {"n_rows": int(tree.n_rows[0])}
    facts |= {name: getattr(tree, name) for name in ("n_leaves", "n_nodes", "depth")}
    if (proof := getattr(model, "proof_", None)) is not None:
        facts["proof"] = {name: getattr(proof, name) for name in OF_PROOF}
    return facts
