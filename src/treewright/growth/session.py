"""GrowthSession: a tree that a person grows node by node, with undo and a history."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from numbers import Integral
from typing import Any, Self

import numpy as np
from sklearn.base import clone

from treewright.data.schema import Schema
from treewright.data.target import ClassTarget, own_name
from treewright.errors import ParameterError, kind_of, listed
from treewright.estimators.training import TrainingRows
from treewright.growth.actions import (
    Action,
    Prune,
    Regrow,
    Split,
    action_from,
    as_dict,
    read_split,
)
from treewright.growth.candidates import (
    Candidate,
    candidates_of,
    empty_branch,
    given_split,
    tried_split,
)
from treewright.induction.growth import HeldNode, HeldTable
from treewright.induction.settings import GrowthSettings
from treewright.single_trees.base import TreeEstimator
from treewright.single_trees.fitted import FittedTree
from treewright.single_trees.growing import TreeModel, grows_by_settings
from treewright.tree.as_text import (
    MOST_LEVELS,
    MOST_LINES,
    branches_below,
    indent,
    prediction_text,
)
from treewright.tree.layout import LEAF
from treewright.tree.node import Node
from treewright.tree.rebuild import below, graft, make_leaves
from treewright.tree.short_thresholds import with_short_thresholds
from treewright.tree.tree import Tree
from treewright.worksheets.node_rows import divided
from treewright.worksheets.place import Place
from treewright.worksheets.training import Share, Training

# Settings of a fit that would change a tree after it has grown, or hold rows back from it.
AFTER_GROWTH = ("prune", "prune_options", "validation_fraction")


@dataclass(frozen=True, slots=True, eq=False)
class State:
    """The tree after some actions; `ids` are those of its nodes, in their order."""

    tree: Tree
    ids: tuple[int, ...]
    action: Action | None = None  # that led here; None at the start


class GrowthSession:
    """Grow a tree by hand: list the candidates of a node, split, prune, regrow, undo.

    The table stays sorted in memory, so that a question about a node takes milliseconds. Every
    number is that of `treewright.worksheet`.

    Parameters
    ----------
    X, y, sample_weight
        The training rows, as for `fit`.
    model
        A tree estimator: `CARTClassifier`, `CARTRegressor`, `C45Classifier`, `ID3Classifier`,
        `TreeClassifier` or `TreeRegressor`. Its settings say how splits are measured, where missing
        values go, and when `regrow` stops. Pruning and early stopping are left to you.

    Notes
    -----
    A node is named by its id. The root is 0; every other node gets the next free number when it is
    made. Ids do not change when the tree does, and none is ever used for two nodes: after `undo`, a
    different action makes nodes with new numbers. `redo` brings the old ones back.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.load_sample("iris")
    >>> session = tw.GrowthSession(X, y, tw.CARTClassifier())
    >>> session.candidates(0)[0]
    <Candidate petal length <= 2.45: gain 0.333333, 50 + 100 rows>
    >>> session.split(0, "petal width <= 0.8", reason="easy to measure")
    (1, 2)
    >>> session.split(2, session.candidates(2)[0])
    (3, 4)
    >>> print(session)
    [0] 150 rows
    |   [1] petal width <= 0.8: setosa (50)
    |   [2] petal width > 0.8
    |   |   [3] petal width <= 1.75: versicolor (54/5)
    |   |   [4] petal width > 1.75: virginica (46/1)
    >>> session.undo()
    >>> session.model().score(X, y)
    0.6666666666666666
    """

    def __init__(self, X: Any, y: Any, model: TreeEstimator, sample_weight: Any = None) -> None:
        check_model(model)
        model.check_params()
        self._model = model
        self._prepare(model.training_rows(X, y, sample_weight), own_name(y))

    def _prepare(self, rows: TrainingRows, target_name: str | None) -> None:
        """Sort the table, and start from the root."""
        quiet = clone(self._model)
        quiet.set_params(**{name: None for name in AFTER_GROWTH if hasattr(quiet, name)})

        def start(
            model: TreeModel, rows: TrainingRows, settings: GrowthSettings, threads: int
        ) -> Tree:
            self._held = HeldTable(rows.table, rows.target, rows.weights, settings, threads)
            self._training = training_from(rows, settings, self._held.schema)
            everything = self._training.all_rows
            self._shares: dict[int, Share] = {0: everything}
            return self._held.leaf(self._at(everything))

        state = quiet.learn(rows, start)
        self._fitted: FittedTree = replace(state, target_name=target_name)
        self._states = [State(state.tree, (0,))]
        self._position = 0
        self._next_id = 1
        self._places: dict[int, Place] = {}
        self._candidates: dict[int, tuple[Candidate, ...]] = {}
        self._shown: dict[int, Tree] = {}  # by position
        for feature in range(rows.table.n_columns):
            self._training.coded(feature)

    # ---------------------------------------------------------------- what there is

    @property
    def tree(self) -> Tree:
        """The tree so far, an ordinary frozen `Tree`."""
        if self._position not in self._shown:
            tree = self._state.tree
            if self._fitted.schema is self._fitted.tree.schema:  # not cut in advance
                tree = with_short_thresholds(tree, self._training.table)
            self._shown = {self._position: tree}
        return self._shown[self._position]

    @property
    def ids(self) -> tuple[int, ...]:
        """The id of each node of `tree`, in the order of its nodes."""
        return self._state.ids

    @property
    def leaves(self) -> tuple[int, ...]:
        """The ids of the leaves."""
        return tuple(np.array(self.ids)[self._state.tree.is_leaf].tolist())

    @property
    def history(self) -> tuple[Action, ...]:
        """The actions that made the tree, the first one first; undone ones are not among them."""
        return tuple(state.action for state in self._states[1 : self._position + 1] if state.action)

    def node(self, node: int) -> Node:
        """A node of the tree by its id: its rows, prediction, split and neighbors."""
        return self.tree.node(self._index(node))

    def rows(self, node: int) -> np.ndarray[Any, np.dtype[np.intp]]:
        """The training rows that reach a node, in rising order.

        Rows are counted as in X without those of weight 0.
        """
        return np.sort(self._share(node).rows)

    # ---------------------------------------------------------------- what could be

    def candidates(self, node: int = 0, top: int | None = None) -> list[Candidate]:
        """The best split of every column at a node, the best first.

        Splits that the settings would refuse come last, with the reason in `refused`.

        Parameters
        ----------
        node
            The id of a node. It may have been split already.
        top
            Only so many; by default one for each column.
        """
        self._index(node)
        if node not in self._candidates:
            place, used = self._place(node), self._used(node)
            at = self._at(place.share)
            self._candidates[node] = candidates_of(place, self._held, at, node, used)
        return list(self._candidates[node][:top])

    def try_split(self, node: int, condition: Any) -> Candidate:
        """What splitting a node by a condition would give; the tree stays as it is.

        Parameters
        ----------
        node
            The id of a node.
        condition
            `"age <= 30"`, `"color in {red, blue}"`, `"color = red"`; a column of categories alone
            for one branch each; `("age", 30.0)`, `("age", [20, 40])` for several cuts,
            `("color", {"red", "blue"})`; a `Candidate`; or a `Split`.

        Examples
        --------
        >>> import treewright as tw
        >>> X, y = tw.load_sample("tennis")
        >>> session = tw.GrowthSession(X, y, tw.ID3Classifier())
        >>> tried = session.try_split(0, "humidity")
        >>> round(tried.gain, 3), [branch.counts for branch in tried.branches]
        (0.152, [(4.0, 3.0), (1.0, 6.0)])
        """
        split = self._asked(node, condition)
        place = self._place(node)
        return tried_split(place, self._held, self._at(place.share), split, self._used(node))

    # ---------------------------------------------------------------- actions

    def split(
        self, node: int, condition: Any, *, reason: str = "", author: str = ""
    ) -> tuple[int, ...]:
        """Split a node, whatever was below it; returns the ids of its children.

        Parameters
        ----------
        node
            The id of a node.
        condition
            As for `try_split`.
        reason, author
            Any text, for the history.
        """
        split = self._asked(node, condition)
        self.apply(replace(split, reason=reason, author=author, first_id=None))
        tree, index = self._state.tree, self._index(node)
        first = int(tree.first_child[index])
        return self.ids[first : first + int(tree.n_children[index])]

    def prune(self, node: int, *, reason: str = "", author: str = "") -> None:
        """Make a node a leaf, and remove what is below it."""
        self.apply(Prune(node=node, reason=reason, author=author))

    def regrow(
        self, node: int = 0, *, max_depth: int | None = None, reason: str = "", author: str = ""
    ) -> None:
        """Grow again from a node by the settings of the model, without pruning.

        Parameters
        ----------
        node
            The id of a node; what is below it is replaced.
        max_depth
            The most levels to grow below the node. Limits of the model on the number of leaves or
            splits count those below the node.
        """
        self.apply(Regrow(node=node, max_depth=max_depth, reason=reason, author=author))

    def apply(self, action: Action) -> None:
        """Do what an action says. Actions that were undone cannot be redone afterwards."""
        index = self._index(action.node)
        state = self._state
        if isinstance(action, Prune):
            self._push(self._pruned(state, index, action))
            return
        share = self._share(action.node)
        order = np.argsort(share.rows, kind="stable")  # as growth has them
        share = Share(share.rows[order], share.weights[order])
        at = self._at(share, self._path(index), self._used(action.node))
        if isinstance(action, Split):
            given = given_split(self._training, action)
            try:
                branch = self._held.split(at, given)
            except ValueError as error:
                raise empty_branch(self._place(action.node), action, str(error)) from None
        else:
            branch = self._held.grow(at, levels_of(action))
        first = self._next_id if action.first_id is None else action.first_id
        if first < self._next_id and action.first_id is not None:
            raise ParameterError(
                f"first_id={first} is not free", hint=f"the next free id is {self._next_id}"
            )
        tree, origin = graft(state.tree, index, branch)
        n_before = state.tree.n_nodes
        ids = tuple(
            state.ids[at] if at < n_before else first + at - n_before - 1 for at in origin.tolist()
        )
        self._next_id = first + branch.n_nodes - 1
        self._push(State(tree, ids, replace(action, first_id=first)))

    def undo(self) -> None:
        """Take the last action back."""
        if self._position == 0:
            raise ParameterError("nothing to undo: the tree is as it was at the start")
        self._position -= 1

    def redo(self) -> None:
        """Do again what `undo` took back."""
        if self._position == len(self._states) - 1:
            raise ParameterError(
                "nothing to redo", hint="redo follows undo; a new action ends what can be redone"
            )
        self._position += 1

    # ---------------------------------------------------------------- history and model

    def history_dicts(self) -> list[dict[str, Any]]:
        """The history as plain values, for JSON."""
        return [as_dict(action) for action in self.history]

    def replay(self, history: Iterable[Action | Mapping[str, Any]]) -> Self:
        """Apply the actions of another session on the same table, or of a file; returns `self`.

        Examples
        --------
        >>> import treewright as tw
        >>> X, y = tw.load_sample("iris")
        >>> first = tw.GrowthSession(X, y, tw.CARTClassifier())
        >>> first.regrow(max_depth=2)
        >>> second = tw.GrowthSession(X, y, tw.CARTClassifier()).replay(first.history_dicts())
        >>> second.tree.same_as(first.tree), second.ids == first.ids
        (True, True)
        """
        for action in history:
            self.apply(action_from(dict(action)) if isinstance(action, Mapping) else action)
        return self

    def model(self) -> TreeEstimator:
        """The tree so far as a fitted estimator: it predicts, prints, draws, saves, exports."""
        tree = self.tree
        is_own = self._fitted.schema is self._fitted.tree.schema
        schema = tree.schema if is_own else self._fitted.schema
        return self._model.with_state(replace(self._fitted, tree=tree, schema=schema))

    def to_text(self) -> str:
        """The tree as text, with the ids of the nodes."""
        return "\n".join(self._lines())

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        n_rows, n_columns = self._training.table.n_rows, self._training.table.n_columns
        return (
            f"<GrowthSession: {type(self._model).__name__} on {n_rows:,} rows x {n_columns:,} "
            f"columns, {len(self.leaves):,} leaves, {len(self.history):,} actions>"
        )

    # ---------------------------------------------------------------- nodes

    @property
    def _state(self) -> State:
        return self._states[self._position]

    def _push(self, state: State) -> None:
        del self._states[self._position + 1 :]
        self._shown.pop(self._position + 1, None)
        self._states.append(state)
        self._position += 1

    def _pruned(self, state: State, index: int, action: Prune) -> State:
        tree = state.tree
        if tree.is_leaf[index]:
            raise ParameterError(
                f"node {action.node} is a leaf already", hint="prune a node that is split"
            )
        cut = np.arange(tree.n_nodes) == index
        kept = np.flatnonzero(~below(tree, cut))
        ids = tuple(state.ids[at] for at in kept.tolist())
        return State(make_leaves(tree, cut, "by hand"), ids, action)

    def _index(self, node: int) -> int:
        """The place of a node in the tree."""
        if not isinstance(node, Integral) or isinstance(node, bool):
            raise ParameterError(
                f"{node!r} is not a node", hint="give the id of a node, an integer"
            )
        if node not in self.ids:
            raise ParameterError(
                f"no node {node} in the tree", hint=listed([str(one) for one in self.ids], "ids")
            )
        return self.ids.index(int(node))

    def _path(self, index: int) -> tuple[int, ...]:
        """The numbers of the children on the way from the root."""
        tree = self._state.tree
        above = tree.path_to(index)
        return tuple(child - int(tree.first_child[parent]) for parent, child in pairwise(above))

    def _used(self, node: int) -> tuple[int, ...]:
        """The columns that must not split a node, because they are used above it."""
        if not self._training.settings.use_once:
            return ()
        tree = self._state.tree
        return tuple(tree.feature[list(tree.path_to(self._index(node))[:-1])].tolist())

    def _share(self, node: int) -> Share:
        """The rows of a node, with the part of their weight that is there."""
        tree = self._state.tree
        above = tree.path_to(self._index(node))
        for parent, child in pairwise(above):
            if self.ids[child] not in self._shares:
                first = int(tree.first_child[parent])
                parts = divided(tree, self._training, parent, self._shares[self.ids[parent]])
                self._shares |= {self.ids[first + at]: part for at, part in enumerate(parts)}
        return self._shares[node]

    def _place(self, node: int) -> Place:
        if node not in self._places:
            share = self._share(node)
            if share.n_rows == 0:
                raise ParameterError(f"no training row reaches node {node}, so nothing splits it")
            self._places[node] = Place(self._training, share)
        return self._places[node]

    def _at(self, share: Share, path: tuple[int, ...] = (), used: tuple[int, ...] = ()) -> HeldNode:
        rows = np.ascontiguousarray(share.rows, dtype=np.int64)
        own = self._training.weights[rows]
        weights = None if np.array_equal(share.weights, own) else share.weights
        return HeldNode(rows, weights, path, used)

    # ---------------------------------------------------------------- splits

    def _asked(self, node: int, condition: Any) -> Split:
        """What a person asks for, as an action on this node."""
        self._index(node)
        if isinstance(condition, Candidate):
            if condition.split is None:
                raise ParameterError(
                    f"`{condition.column}` cannot split node {node}: {condition.refused}",
                    hint="try another candidate",
                )
            condition = condition.split
        if isinstance(condition, Split):
            return replace(condition, node=node)
        return read_split(self._held.schema, node, condition)

    # ---------------------------------------------------------------- text

    def _lines(self) -> list[str]:
        tree, ids = self.tree, self.ids
        n_rows = f"[0] {tree.n_rows[0]:,} rows"
        lines = [n_rows + (prediction_text(tree, 0) if tree.kind[0] == LEAF else "")]
        waiting = branches_below(tree, 0, 1, None, MOST_LEVELS)
        while waiting:
            node, depth, condition = waiting.pop()
            line = f"{indent(depth)}[{ids[node]}] {condition}"
            if tree.kind[node] == LEAF:
                line += prediction_text(tree, node)
            else:
                waiting += branches_below(tree, node, depth + 1, None, MOST_LEVELS)
            lines.append(line)
            if len(lines) == MOST_LINES and waiting:
                return [*lines, f"... {len(self.leaves):,} leaves in all"]
        return lines


def check_model(model: object) -> None:
    """Raise unless the model is a tree that grows split by split."""
    if not isinstance(model, TreeEstimator) or model.predicts_by_rules:
        raise ParameterError(
            f"{kind_of(model)} cannot be grown by hand",
            hint="give an estimator of one tree, such as CARTClassifier() or C45Classifier()",
        )
    if not grows_by_settings(model):
        raise ParameterError(
            f"{kind_of(model)} does not choose one split after the other",
            hint="give CARTClassifier(), C45Classifier(), ID3Classifier(), TreeClassifier() or a "
            "regressor",
        )


def training_from(rows: TrainingRows, settings: GrowthSettings, schema: Schema) -> Training:
    """The training rows as worksheets read them."""
    target = rows.target
    return Training(
        table=rows.table,
        codes=target.codes if isinstance(target, ClassTarget) else None,
        values=None if isinstance(target, ClassTarget) else target.values,
        n_classes=target.n_classes if isinstance(target, ClassTarget) else 0,
        weights=np.ones(rows.n_rows) if rows.weights is None else rows.weights,
        settings=settings,
        schema=schema,
    )


def levels_of(action: Regrow) -> int | None:
    """The most levels that an action grows."""
    depth = action.max_depth
    if depth is None:
        return None
    if not isinstance(depth, Integral) or isinstance(depth, bool) or depth < 1:
        raise ParameterError(
            f"max_depth={depth!r} is not allowed", hint="use an integer of at least 1"
        )
    return int(depth)
