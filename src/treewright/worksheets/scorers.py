"""The measures by the name of their criterion."""

from treewright.worksheets.class_scoring import (
    ChiSquareScorer,
    ClassScorer,
    EntropyScorer,
    GiniScorer,
)
from treewright.worksheets.number_scoring import DistanceScorer, PoissonScorer, SquaresScorer
from treewright.worksheets.scoring import Scorer
from treewright.worksheets.training import Share, Training

SCORERS: dict[str, type[Scorer]] = {
    "information_gain": EntropyScorer,
    "entropy": EntropyScorer,
    "gain_ratio": EntropyScorer,
    "gini": GiniScorer,
    "cost_gini": GiniScorer,
    "chi2": ChiSquareScorer,
    "squared_error": SquaresScorer,
    "poisson": PoissonScorer,
    "absolute_error": DistanceScorer,
}


def scorer_for(training: Training, share: Share) -> Scorer:
    """The measure that the tree was grown by, for the rows of one node."""
    criterion = training.settings.criterion
    kind = SCORERS[criterion] if isinstance(criterion, str) else ClassScorer
    return kind(training, share)
