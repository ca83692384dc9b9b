"""Pruned trees of other sizes than the one that `treewright train` chose."""

from typing import TYPE_CHECKING, Annotated, Any

from treewright.cli.fitted_models import has_rules, is_ensemble, is_other_model
from treewright.cli.groups import flag
from treewright.errors import ParameterError

if TYPE_CHECKING:
    from treewright.cli.learning import LearningRows
    from treewright.verbs.size_ladder import SizeLadder

LeavesOption = Annotated[
    int | None,
    flag("Use the best pruned tree with at most this many leaves.", "INTEGER", "--leaves", min=1),
]

READABLE = ("ReadableTreeClassifier", "ReadableTreeRegressor")  # grown with so many leaves
LARGE = 20  # leaves: of a larger tree, people ask for a smaller one
MOST_CELLS = 1_000_000  # of a table whose ten folds are grown just for the ladder


def with_leaves(fitted: Any, rows: "LearningRows", leaves: int | None) -> Any:
    """The model, or with `--leaves` its best pruned version with at most that many leaves."""
    if leaves is None or type(fitted).__name__ in READABLE:
        return fitted
    if not is_single_tree(fitted):
        raise ParameterError(
            f"--leaves is for single trees, and this model is a {type(fitted).__name__}",
            hint="use --model cart, or --max-leaf-nodes where the model has it",
        )
    return ladder_of(fitted, rows).of_leaves(leaves, rows.table).name_target(rows.target)


def other_sizes(fitted: Any, rows: "LearningRows") -> "SizeLadder | None":
    """Smaller and larger versions of the tree; None where there is no choice."""
    if not is_single_tree(fitted) or not is_worth_it(fitted, rows):
        return None
    ladder = ladder_of(fitted, rows)
    return ladder if len(ladder.rungs) > 1 else None


def sizes_text(ladder: "SizeLadder | None") -> str:
    """The ladder of sizes under a heading."""
    if ladder is None:
        return ""
    return f"Other sizes by 10-fold cross-validation (choose one with --leaves N):\n{ladder}"


def is_single_tree(model: object) -> bool:
    """Whether a model is one tree that can be pruned and grown again."""
    from treewright.single_trees.growing import grow_by_settings

    if is_ensemble(model) or is_other_model(model) or has_rules(model):
        return False
    algorithm = getattr(model, "algorithm", None)
    return algorithm is not None and algorithm.grow is grow_by_settings


def is_worth_it(model: Any, rows: "LearningRows") -> bool:
    """Whether the ladder is known already, or the tree is large and its folds grow quickly."""
    report = model.pruning_
    if report is not None and report.path is not None and report.path.held_out is not None:
        return True
    n_cells = rows.table.n_rows * rows.table.n_columns
    return model.get_n_leaves() > LARGE and n_cells <= MOST_CELLS


def ladder_of(fitted: Any, rows: "LearningRows") -> "SizeLadder":
    from treewright.verbs.size_ladder import size_ladder

    return size_ladder(fitted, rows.table, rows.y, rows.weights)
