"""tw.exercise: a worksheet with blanks, from any table."""

from collections.abc import Collection, Iterator, Mapping
from itertools import islice, takewhile
from numbers import Integral
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from treewright.arrays import distinct
from treewright.data.column import NumericColumn
from treewright.data.report import column_report
from treewright.data.samples import ALIASES, NAMES, load_sample, read_sample
from treewright.data.sources import table_from
from treewright.data.sources.from_files import read_table
from treewright.data.table import Table, cell_text
from treewright.documents.page import Block, Heading, Note, Paragraph, Run, SheetTable
from treewright.errors import DataError, ParameterError, UnknownColumnError
from treewright.estimators.threads import generator_from
from treewright.plain_text import plain
from treewright.single_trees.base import TreeEstimator
from treewright.single_trees.cart import CARTClassifier, CARTRegressor
from treewright.single_trees.id3 import ID3Classifier
from treewright.tree.conditions import condition_text
from treewright.tree.layout import LEAF
from treewright.tree.short_thresholds import with_thresholds_shown
from treewright.tree.tree import Tree
from treewright.verbs.worksheet import worksheet
from treewright.worksheets.exercise import Exercise, ExercisePlan, Section
from treewright.worksheets.framing import CHOICE
from treewright.worksheets.sheet import Worksheet
from treewright.worksheets.work import NodeWork

MOST_ROWS, MOST_COLUMNS = 30, 12  # of a table that is printed with the exercise
MOST_CLASSES = 20  # of whole numbers; more of them are numbers to predict
MOST_DECIMALS = 6


def exercise(
    table: Any,
    target: str | None = None,
    *,
    seed: Any = 0,
    model: TreeEstimator | None = None,
    n_blanks: int = 10,
    max_nodes: int = 3,
    decimals: int = 3,
    keep_ids: bool = False,
) -> Exercise:
    """Create a worksheet with blanks to fill in, with its solution and automatic grading.

    Parameters
    ----------
    table
        The name of a sample, the path of a file, or a table of any kind with its target.
    target
        The column to predict; None for that of a sample.
    seed
        Random seed of the blanks; the same seed makes the same exercise.
    model
        The tree estimator whose calculation is practiced. None uses ID3 for nominal columns,
        otherwise CART.
    n_blanks
        Maximum number of blanks. Up to a third ask for a column or a class, the others for numbers.
    max_nodes
        Maximum number of inner nodes to compute; those with the most rows are used.
    decimals
        Decimals of the numbers, 2 to 6.
    keep_ids
        Whether to keep columns that look like ids: nominal columns with more categories than half
        of at least 10 rows, and row numbers. Otherwise they are left out, with a note.

    Examples
    --------
    >>> import treewright as tw
    >>> sheet = tw.exercise("tennis", "play", seed=1)
    >>> sheet
    <Exercise: 10 blanks>
    >>> sheet.mark(sheet.answers)
    <Marking: 10 of 10 points>
    """
    _check_whole("n_blanks", n_blanks, 1)
    _check_whole("max_nodes", max_nodes, 1)
    _check_whole("decimals", decimals, 2, MOST_DECIMALS)
    random = generator_from(seed, "seed")
    X, y, target = read_whole(table, target)
    ids = {} if keep_ids else column_report(X).id_like
    X = without_ids(X, ids)
    model = default_model(X, y) if model is None else clone(checked_model(model))
    model.fit(X, y)
    sheet = worksheet(model, X, y)
    nodes = nodes_to_compute(sheet, model.tree_, max_nodes)
    plan = ExercisePlan(
        title=f"Exercise: {type(model).__name__} predicts {target}",
        front=(task(model, target, decimals), *given_table(X, y, target), *left_out(ids)),
        sections=tuple(sections(sheet, with_thresholds_shown(model.tree_), nodes, decimals)),
        columns=model.tree_.schema.names,
        classes=tuple(map(str, model.tree_.classes or ())),
        decimals=decimals,
    )
    return plan.make(int(n_blanks), random)


def checked_model(model: object) -> TreeEstimator:
    """The model, if it is a tree estimator."""
    if isinstance(model, TreeEstimator):
        return model
    kind = f"class {model.__name__}" if isinstance(model, type) else type(model).__name__
    raise ParameterError(
        f"a {kind} has no worksheet",
        hint="give a tree estimator, such as tw.C45Classifier()",
    )


def _check_whole(name: str, value: Any, least: int, most: int | None = None) -> None:
    is_whole = isinstance(value, Integral) and not isinstance(value, bool)
    if not is_whole or value < least or (most is not None and value > most):
        limit = f"from {least} on" if most is None else f"from {least} to {most}"
        raise ParameterError(f"{name} is {value!r}", hint=f"use a whole number {limit}")


def read_whole(table: Any, target: str | None) -> tuple[Table, NDArray[Any], str]:
    """The features, the target values, and the name of the target."""
    if isinstance(table, str) and table in (*NAMES, *ALIASES):
        return read_sample_whole(table, target)
    source = "the table"
    if isinstance(table, str | Path):
        source = Path(table).name
        if not Path(table).exists():
            raise DataError(
                f"`{table}` is neither a sample nor a file",
                hint=f"samples are: {', '.join(NAMES)}",
            )
        whole = read_table(table)
    else:
        whole = table_from(table)
    if target is None:
        raise DataError("target= is missing", hint=f"columns are: {', '.join(whole.names)}")
    if target not in whole.names:
        raise UnknownColumnError.among(target, whole.names, source=source)
    return *whole.split_target(target), target


def read_sample_whole(name: str, target: str | None) -> tuple[Table, NDArray[Any], str]:
    """A bundled table by the target it comes with."""
    X, y = load_sample(name)
    if y is None:
        raise DataError(f"sample `{name}` has no target", hint="take another sample")
    own = "species" if name == "iris" else read_sample(ALIASES.get(name, name)).names[-1]
    if target not in (None, own):
        raise UnknownColumnError.among(str(target), [own], source=f"the targets of sample `{name}`")
    return X, y, own


def default_model(X: Table, y: NDArray[Any]) -> TreeEstimator:
    """ID3 if all columns are nominal without missing values, otherwise CART."""
    if y.dtype.kind == "f" or (y.dtype.kind in "iu" and len(distinct(y)) > MOST_CLASSES):
        return CARTRegressor(prune=None)
    is_numeric = any(isinstance(column, NumericColumn) for column in X.columns)
    return CARTClassifier(prune=None) if is_numeric else ID3Classifier()


def nodes_to_compute(sheet: Worksheet, tree: Tree, most: int) -> list[int]:
    """The inner nodes with most rows, from the root down; not those that pruning has raised."""
    inner = np.flatnonzero(tree.kind != LEAF)
    by_weight = inner[np.argsort(-tree.weight[inner], kind="stable")].tolist()
    as_grown = (node for node in by_weight if not sheet.nodes[node].is_raised)
    nodes = sorted(islice(as_grown, most))
    if not nodes:
        raise DataError(
            "the tree has no split that growth chose: there is nothing to compute",
            hint="use more rows, or a model with weaker stopping rules and no pruning",
        )
    return nodes


def task(model: TreeEstimator, target: str, decimals: int) -> Block:
    """The instructions."""
    criterion = getattr(model, "criterion", None)
    choice = CHOICE[criterion] if isinstance(criterion, str) else "with the largest gain"
    return Paragraph.of(
        f"A tree is grown that predicts {target}. At each node the column {choice} is chosen. "
        f"Fill in the blanks, numbers to {decimals} decimals. A blank that stands in several "
        "places is the same number everywhere."
    )


def given_table(X: Table, y: NDArray[Any], target: str) -> Iterator[Block]:
    """The rows, if they are few."""
    if X.n_rows > MOST_ROWS or X.n_columns > MOST_COLUMNS:
        yield Note(f"The table has {X.n_rows} rows and {X.n_columns} columns beside {target}.")
        return
    rows = [
        (*(cell_text(column.value(row)) for column in X.columns), cell_text(label))
        for row, label in enumerate(y.tolist())
    ]
    align = "".join("r" if isinstance(column, NumericColumn) else "l" for column in X.columns)
    align += "r" if y.dtype.kind in "iuf" else "l"
    yield SheetTable((*X.names, target), tuple(rows), align, f"The {X.n_rows} rows")


def without_ids(X: Table, ids: Collection[str]) -> Table:
    """The columns without ids, which make useless trees."""
    if len(ids) == X.n_columns:
        raise DataError(
            f"all columns look like ids: {', '.join(ids)}",
            hint="keep_ids=True keeps them",
        )
    return X.drop([*ids])


def left_out(ids: Mapping[str, str]) -> Iterator[Block]:
    """Why some columns are left out."""
    for name, reason in ids.items():
        yield Note(f"Column {plain(name)} is left out because it looks like an id: {reason}.")


def sections(sheet: Worksheet, tree: Tree, nodes: list[int], decimals: int) -> Iterator[Section]:
    """The worksheet node by node."""
    for node in nodes:
        work = sheet.nodes[node]
        page = sheet.document(steps=[node], decimals=decimals)
        chosen = "" if work.chosen is None else work.chosen.column
        choice = Run(plain(chosen), "strong")
        (start,) = [at for at, block in enumerate(page.blocks) if is_title_of_node(block)]
        end = next(
            at
            for at, block in enumerate(page.blocks)
            if isinstance(block, Paragraph) and choice in block.runs
        )
        yield Section(
            node=node,
            before=page.blocks[start:end],
            chosen=chosen,
            ties=work.ties,
            is_revealed=is_revealed(work, tree, nodes),
            after=tuple(takewhile(is_sentence, page.blocks[end + 1 :])),
            leaves=tuple(leaves_below(tree, node)),
        )


def is_revealed(work: NodeWork, tree: Tree, nodes: list[int]) -> bool:
    """Whether a later heading gives the choice away, or the gains do not decide it."""
    assert work.chosen is not None
    rivals = [found.score for found in work.candidates if not found.refused]
    is_best = work.chosen.score == max(rivals) or bool(work.ties)
    return not is_best or any(work.node in tree.path_to(other)[:-1] for other in nodes)


def is_title_of_node(block: Block) -> bool:
    return isinstance(block, Heading) and block.level == 2


def is_sentence(block: Block) -> bool:
    return isinstance(block, Paragraph)


def leaves_below(tree: Tree, node: int) -> Iterator[tuple[str, str]]:
    """Condition and class of the branches of a node that are leaves with rows."""
    if tree.classes is None:
        return
    first = int(tree.first_child[node])
    for number in range(int(tree.n_children[node])):
        child = first + number
        if tree.kind[child] == LEAF and tree.n_rows[child] > 0:
            yield condition_text(tree, node, number), str(tree.classes[tree.node_class[child]])
