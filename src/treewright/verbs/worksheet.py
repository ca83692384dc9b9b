"""tw.worksheet: the calculation behind a fitted tree or boosted model, printed step by step."""

import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, overload

from sklearn.base import clone

from treewright.documents.page import Figure
from treewright.documents.printed import Printed
from treewright.ensembles.base import Ensemble
from treewright.ensembles.boosting.base import BoostedTrees
from treewright.ensembles.boosting.round_work import RoundWorks
from treewright.ensembles.boosting.sheet import RoundSheet
from treewright.ensembles.forests.base import Forest
from treewright.errors import ParameterError, TreewrightError, kind_of
from treewright.estimators.base import Model, OtherModel
from treewright.estimators.training import given_rows
from treewright.imports.estimators import ImportedTrees
from treewright.persistence.model_file import model_bytes
from treewright.pictures.fitting import fitting_figure, fitting_picture
from treewright.preprocessing.base import TableTransformer
from treewright.protocols import FittedModel
from treewright.readable_trees.fitted import FittedReadableTree
from treewright.single_trees.base import TreeEstimator
from treewright.single_trees.c45_rules import C45Rules
from treewright.verbs.fitted_rows import settings_of, training_of
from treewright.verbs.prune import encoded_rows
from treewright.verbs.stability import bootstrap_of
from treewright.worksheets.calculate import Calculation
from treewright.worksheets.page_start import PageStart, data_blocks
from treewright.worksheets.sheet import Worksheet
from treewright.worksheets.split_tables import check_measures
from treewright.worksheets.stored import NOTE, StoredCalculation

MOST_DRAWN = 31  # rules of the picture


def tree_worksheet(
    model: object,
    X: Any = None,
    y: Any = None,
    sample_weight: Any = None,
    *,
    measures: str | Sequence[str] = (),
    stability: int | None = None,
    random_state: Any = 0,
) -> Worksheet:
    """The worksheet of a single tree: from its rows, or from what the model stores."""
    if not isinstance(model, TreeEstimator):
        raise ParameterError(
            f"{kind_of(model)} has no worksheet", hint="give a fitted tree estimator"
        )
    state = model.state_
    further = (measures,) if isinstance(measures, str) else tuple(measures)
    own_notes = state.notes
    if isinstance(state, FittedReadableTree) and state.candidates.others:
        own_notes = (*own_notes, state.candidates.others)
    check_measures(further)
    name = type(model).__name__
    if X is None and y is None and sample_weight is None:
        if stability is not None:
            raise ParameterError("stability= resamples rows", hint="give X and y of the fit too")
        if not state.tree.weight[0] > 0:
            raise ParameterError(
                "the nodes of the tree have no counts of training rows to show",
                hint="explain a row instead, or draw the tree",
            )
        stored = StoredCalculation(state.tree, settings_of(model), state.pruning)
        work = model.rule_work() if isinstance(model, C45Rules) else None
        start = PageStart(picture_of(model), described(model))
        return Worksheet(stored, name, (*own_notes, NOTE), further, rule_work=work, start=start)
    training = training_of(model, X, y, sample_weight)
    calculation = Calculation(state.tree, training, state.pruning)
    notes = (*own_notes, *training.notes)
    bootstrap = None
    if stability is not None:
        bootstrap = bootstrap_of(model, training, calculation.rows, stability, random_state)
    work = None
    if isinstance(model, C45Rules):
        work = model.rule_work(encoded_rows(model, X, y, sample_weight))
    rows = data_blocks(training, state.tree, state.target_name)
    start = PageStart(picture_of(model), described(model), rows)
    return Worksheet(calculation, name, notes, further, bootstrap, work, start)


def picture_of(model: TreeEstimator) -> Callable[[], Figure]:
    """Draws the tree, or the rules, when the page is written."""

    def figure() -> Figure:
        if model.predicts_by_rules:
            return Figure(model.draw(max_nodes=MOST_DRAWN).to_svg(), described(model))
        return fitting_figure(fitting_picture(model.draw), described(model))

    return figure


def described(model: TreeEstimator) -> str:
    return "The rules as a picture" if model.predicts_by_rules else "The tree as a picture"


@overload
def worksheet(
    model: TreeEstimator | Ensemble[Any],
    X: Any = None,
    y: Any = None,
    sample_weight: Any = None,
    *,
    measures: str | Sequence[str] = (),
    stability: int | None = None,
    random_state: Any = 0,
    tree: int | None = None,
) -> Worksheet: ...
@overload
def worksheet(
    model: Model[Any],
    X: Any = None,
    y: Any = None,
    sample_weight: Any = None,
) -> Printed: ...
@overload
def worksheet(
    model: FittedModel,
    X: Any = None,
    y: Any = None,
    sample_weight: Any = None,
    *,
    measures: str | Sequence[str] = (),
    stability: int | None = None,
    random_state: Any = 0,
    tree: int | None = None,
) -> Worksheet | Printed: ...
def worksheet(
    model: Model[Any] | FittedModel,
    X: Any = None,
    y: Any = None,
    sample_weight: Any = None,
    *,
    measures: str | Sequence[str] = (),
    stability: int | None = None,
    random_state: Any = 0,
    tree: int | None = None,
) -> Worksheet | Printed:
    """Show the complete calculation behind a fitted model: nodes, rounds, distances, steps.

    Parameters
    ----------
    model
        A fitted tree estimator: every node is shown. For boosted trees, every round is shown: the
        predictions, the residuals, the tree and the new predictions. A forest shows one of its
        trees, with the rows and columns drawn for it, and the vote. Other models show their
        distances, steps or hypotheses, a `Discretizer` its cuts, an `Imputer` its fills.
    X, y, sample_weight
        The training rows, or a `scan` of them as X: every number is computed from these. Without
        them, the worksheet of a tree shows what the model stores for each node.
    measures
        For trees: one or more measures to show beside the model's own: "information_gain",
        "gain_ratio", "gini_gain", "chi_square".
    stability
        For trees: the number of resamples of each node, such as 200, to show how often its split is
        chosen again; None for none. `treewright.stability` computes only these.
    random_state
        Seed of the resamples.
    tree
        For forests: the tree to show, counted from 0; by default the first.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.load_sample("tennis")
    >>> sheet = tw.worksheet(tw.ID3Classifier().fit(X, y), X, y)
    >>> root = sheet.nodes[0]
    >>> root.chosen.column, round(root.chosen.gain, 4), round(root.margin, 4)
    ('outlook', 0.2467, 0.0949)
    """
    if tree is not None and not isinstance(model, Forest):
        raise ParameterError(
            f"tree= is for forests, and this is {kind_of(model)}", hint="leave it out"
        )
    X, y, sample_weight = given_rows(X, y, sample_weight)
    has_own_sheet = isinstance(model, OtherModel | TableTransformer | BoostedTrees | Forest)
    if has_own_sheet and (measures or stability):
        name = "measures" if measures else "stability"
        raise ParameterError(
            f"{name} is for single trees: {type(model).__name__} does not choose splits like this",
            hint="leave it out",
        )
    if isinstance(model, OtherModel | TableTransformer):
        own: Printed = model.worksheet(X, y, sample_weight)
        return own
    if isinstance(model, BoostedTrees):
        return round_sheet(model, X, y, sample_weight)
    if isinstance(model, Forest):
        return model.worksheet(X, y, sample_weight, tree=0 if tree is None else tree)
    if isinstance(model, ImportedTrees):
        raise ParameterError(
            f"{kind_of(model)} has no worksheet: how another library chose the splits is not known",
            hint="explain a row instead, or look at one of its trees",
        )
    if isinstance(model, Ensemble):
        raise ParameterError(
            f"{kind_of(model)} has no worksheet: its splits are drawn at random",
            hint="give a tree estimator, a forest that predicts, or boosted trees",
        )
    return tree_worksheet(
        model,
        X,
        y,
        sample_weight,
        measures=measures,
        stability=stability,
        random_state=random_state,
    )


def round_sheet(model: BoostedTrees, X: Any, y: Any, sample_weight: Any) -> RoundSheet:
    """The rounds of a boosted model with the rows that it was fitted to."""
    if X is None or y is None:
        raise ParameterError(
            "the worksheet of a boosted model needs the training rows",
            hint="give X and y of the fit",
        )
    return RoundSheet(RoundWorks(model, model.training_rows(X, y, sample_weight)))


def is_fit_of(model: Model[Any], X: Any, y: Any, sample_weight: Any = None) -> bool:
    """Whether fitting these rows with the settings of `model` gives exactly the same model.

    A model with a random seed is never recognized.
    """
    twin = clone(model)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            twin.fit(X, y, sample_weight=sample_weight)
        except TreewrightError:
            return False
    state = replace(twin.state_, target_name=model.state_.target_name)
    return model_bytes(twin.with_state(state)) == model_bytes(model)
