"""What the worksheet of a forest shows, from the forest and its training rows."""

from dataclasses import replace
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright._kernels.learners import draw_rows
from treewright.arrays import Floats
from treewright.data.target import ClassTarget
from treewright.ensembles.forests.drawn_columns import DrawnTree
from treewright.ensembles.forests.growth import drawn
from treewright.ensembles.forests.predictions import votes_of
from treewright.ensembles.forests.settings import drawing_learned, exact_settings, forest_settings
from treewright.ensembles.forests.sheet import MOST_ROWS, ForestSheet, ForestVote, ForestWork
from treewright.ensembles.forests.shrinkage import PRIOR
from treewright.ensembles.packed import PackedTreeSequence
from treewright.errors import DataError, ParameterError
from treewright.estimators.fitted import ABSENT
from treewright.estimators.training import TrainingRows
from treewright.tree.layout import read_only
from treewright.tree.predict import predict_leaves, predict_values
from treewright.tree.shrinkage import shrunk
from treewright.tree.tree import Tree
from treewright.worksheets.calculate import Calculation
from treewright.worksheets.place import Place
from treewright.worksheets.training import CLOSE, Training, check_agreement


def forest_sheet(model: Any, X: Any, y: Any, sample_weight: Any, tree: int) -> ForestSheet:
    """One tree of a fitted forest, and the vote."""
    state = model.state_
    n_trees = len(state.trees)
    if X is None or y is None:
        raise ParameterError(
            "the worksheet of a forest needs the training rows", hint="give X and y of the fit"
        )
    if not isinstance(tree, Integral) or isinstance(tree, bool) or not 0 <= tree < n_trees:
        raise ParameterError(
            f"there is no tree {tree!r}: the forest has {n_trees}",
            hint=f"use numbers from 0 to {n_trees - 1}",
        )
    number = int(tree)
    rows = model.training_rows(X, y, sample_weight)
    if rows.n_rows != state.n_rows:
        raise DataError(
            f"the forest was fitted to {state.n_rows} rows, but {rows.n_rows} are given",
            hint="give X, y and sample_weight of the fit",
        )
    drawing = drawing_learned(state.seed, state.drawing, state.n_drawn)
    times = np.asarray(draw_rows(drawing, number, rows.n_rows)).astype(np.int64)
    settings = forest_settings(model, rows, state.seed, 0)
    calculation = columns = None
    if isinstance(state.trees, PackedTreeSequence):
        own = drawn(rows, drawing, number)
        member = state.trees[number]
        if state.shrinkage:
            member = counted_again(member, own, state.shrinkage)
        training = training_of(model, rows, own, member)
        check_agreement(member, 0, Place(training, training.all_rows).group(""))
        found = DrawnTree(state.trees, number, member, own, settings).drawn_again()
        if found is not None:
            columns = found.columns
            member = replace(member, stop_reason=read_only(found.stop_reasons))
            calculation = Calculation(member, training, drawn=columns)
    return ForestSheet(
        ForestWork(
            name=type(model).__name__,
            n_trees=n_trees,
            number=number,
            tree=state.trees[number],
            times=times,
            positions=positions_of(state),
            drawing=state.drawing,
            shrinkage=state.shrinkage,
            n_columns_drawn=int(settings.max_features),
            calculation=calculation,
            columns=columns,
            vote=vote_of(model, rows, drawing),
        )
    )


def counted_again(tree: Tree, rows: TrainingRows, strength: float) -> Tree:
    """The tree with the class weights or means of its own rows: those before shrinkage."""
    weights = np.ones(rows.n_rows) if rows.weights is None else rows.weights
    target = rows.target
    own = target.codes if isinstance(target, ClassTarget) else np.zeros(rows.n_rows, dtype=np.intp)
    amounts = weights if isinstance(target, ClassTarget) else weights * target.values
    sums = np.zeros(tree.value.shape)
    nodes = predict_leaves(tree, tree.schema.encode(rows.table, "missing")).astype(np.intp)
    np.add.at(sums, (nodes, own), amounts)
    for node in range(tree.n_nodes - 1, 0, -1):  # children come after their parents
        sums[tree.parent[node]] += sums[node]
    if not isinstance(target, ClassTarget):
        sums /= tree.weight[:, np.newaxis]
    found = replace(tree, value=read_only(sums))
    again = shrunk(found, strength, PRIOR).value[tree.is_leaf]
    if not np.allclose(
        again, tree.value[tree.is_leaf], rtol=CLOSE, atol=CLOSE * np.abs(again).max()
    ):
        raise DataError(
            "these are not the rows that the model was fitted to: shrinkage gives other leaves",
            hint="give the X, y and sample_weight of fit, rows and columns as they were",
        )
    return found


def positions_of(state: Any) -> NDArray[Any]:
    """The rows that count, in the table given to `fit`."""
    found: NDArray[Any] = np.arange(state.n_rows) if state.positions is ABSENT else state.positions
    return found


def training_of(model: Any, rows: TrainingRows, own: TrainingRows, tree: Tree) -> Training:
    """The rows that were drawn for a tree, as its worksheet reads them."""
    target = own.target
    return Training(
        table=own.table,
        codes=target.codes if isinstance(target, ClassTarget) else None,
        values=None if isinstance(target, ClassTarget) else target.values,
        n_classes=0 if tree.classes is None else len(tree.classes),
        weights=np.ones(own.n_rows) if own.weights is None else own.weights,
        settings=exact_settings(model, rows),
        schema=tree.schema,
    )


def vote_of(model: Any, rows: TrainingRows, drawing: Any) -> ForestVote:
    """The predictions of all trees for some rows, spread evenly over the table."""
    state = model.state_
    n_shown = min(rows.n_rows, MOST_ROWS)
    shown = np.linspace(0, rows.n_rows - 1, n_shown).round().astype(np.intp)
    some = rows.table[shown]
    by_votes = getattr(model, "voting", "soft") == "hard"
    predictions = np.stack([of_tree(tree, some, by_votes=by_votes) for tree in state.trees], axis=1)
    times = np.stack(
        [
            np.asarray(draw_rows(drawing, number, rows.n_rows))[shown]
            for number in range(len(state.trees))
        ],
        axis=1,
    )
    target = rows.target
    if isinstance(target, ClassTarget):
        mean, classes = model.predict_proba(some), tuple(state.classes.tolist())
        truth = [classes[code] for code in target.codes[shown].tolist()]
    else:
        mean, classes = model.predict(some)[:, np.newaxis], ()
        truth = target.values[shown].tolist()
    predicted = model.predict(some).tolist()
    return ForestVote(
        classes=classes,
        rows=tuple(positions_of(state)[shown].tolist()),
        predictions=predictions,
        mean=mean,
        predicted=tuple(predicted),
        truth=tuple(truth),
        times=times,
        by_votes=by_votes,
    )


def of_tree(tree: Tree, rows: Any, *, by_votes: bool) -> Floats:
    """(n_rows, n_values): the class shares or the number of one tree; its vote if it votes."""
    found: NDArray[Any] = votes_of(tree, rows) if by_votes else predict_values(tree, rows)
    return found
