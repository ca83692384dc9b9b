"""`score` reads targets and weights by the rules of `fit`: nothing is ignored silently."""

import numpy as np
import pytest

import treewright as tw
from small_tables import numbers
from torture.models import for_every

X, Y = numbers(90)
WEIGHTS = np.arange(90) % 4 + 1.0
MASKED = np.ma.array(WEIGHTS, mask=np.arange(90) < 30)


def target_of(kind):
    return Y if kind.is_classifier else Y * 2.0 + X[:, 0]


for_every_judged = for_every(lambda kind: kind.has_target)


@for_every_judged
@pytest.mark.parametrize(
    "weights", [MASKED, WEIGHTS + 1j, WEIGHTS.astype(str)], ids=["masked", "complex", "text"]
)
def test_weights_that_are_no_numbers_are_refused(kind, weights):
    y = target_of(kind)
    with pytest.raises(tw.DataError, match="sample_weight"):
        kind().fit(X, y).score(X, y, sample_weight=weights)


@for_every_judged
def test_a_masked_target_is_refused(kind):
    y = target_of(kind)
    with pytest.raises(tw.DataError, match=r"missing|mask"):
        kind().fit(X, y).score(X, np.ma.array(y, mask=MASKED.mask))


@for_every_judged
def test_objects_are_labels(kind):
    y = target_of(kind).astype(object)
    model = kind().fit(X, y)
    assert model.score(X, y, sample_weight=WEIGHTS) == model.score(X, target_of(kind), WEIGHTS)


@pytest.mark.parametrize(
    "costs",
    [np.array([[0, 1 + 5j], [1, 0]]), np.ma.array([[0, 9], [1, 0]], mask=[[0, 1], [0, 0]])],
    ids=["complex", "masked"],
)
def test_costs_that_are_no_numbers_are_refused(costs):
    with pytest.raises(tw.ParameterError, match="costs"):
        tw.CARTClassifier(prune=None, costs=costs).fit(X, Y)
