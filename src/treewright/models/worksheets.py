"""tw.worksheet: the calculation behind a fitted model, printed step by step."""

from collections.abc import Sequence
from typing import Any

from treewright.errors import ParameterError, kind_of
from treewright.models.base import TreeEstimator
from treewright.models.fitted_rows import settings_of, training_of
from treewright.models.stability import bootstrap_of
from treewright.worksheets.calculate import Calculation
from treewright.worksheets.comparison import check_measures
from treewright.worksheets.sheet import Worksheet
from treewright.worksheets.stored import NOTE, StoredCalculation


def worksheet(
    model: TreeEstimator,
    X: Any = None,
    y: Any = None,
    sample_weight: Any = None,
    *,
    measures: str | Sequence[str] = (),
    stability: int | None = None,
    random_state: Any = 0,
) -> Worksheet:
    """The whole calculation behind every node of a fitted tree, as a lecturer writes it.

    Parameters
    ----------
    model
        A fitted tree estimator.
    X, y, sample_weight
        The rows that it was fitted to: every number is worked out from them anew. Without them
        the worksheet has what the model itself keeps of each node.
    measures
        Further measures, or one, to show beside the model's own: "information_gain", "gain_ratio",
        "gini_gain", "chi_square".
    stability
        Resamples of the rows of each node, 200 say, to tell how often its split would be chosen
        again; None for no such figures. `treewright.stability` has them alone.
    random_state
        Seed of the resamples.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.load_sample("tennis")
    >>> sheet = tw.worksheet(tw.ID3Classifier().fit(X, y), X, y)
    >>> root = sheet.nodes[0]
    >>> root.chosen.column, round(root.chosen.gain, 4), round(root.margin, 4)
    ('outlook', 0.2467, 0.0949)
    """
    if not isinstance(model, TreeEstimator):
        raise ParameterError(
            f"{kind_of(model)} has no worksheet", hint="give a fitted tree estimator"
        )
    state = model.state_
    further = (measures,) if isinstance(measures, str) else tuple(measures)
    check_measures(further)
    name = type(model).__name__
    if X is None and y is None and sample_weight is None:
        if stability is not None:
            raise ParameterError("stability= resamples rows", hint="give X and y of the fit too")
        stored = StoredCalculation(state.tree, settings_of(model), state.pruning)
        return Worksheet(stored, name, (*state.notes, NOTE), further)
    training = training_of(model, X, y, sample_weight)
    calculation = Calculation(state.tree, training, state.pruning)
    notes = (*state.notes, *training.notes)
    bootstrap = None
    if stability is not None:
        bootstrap = bootstrap_of(model, training, calculation.rows, stability, random_state)
    return Worksheet(calculation, name, notes, further, bootstrap)
