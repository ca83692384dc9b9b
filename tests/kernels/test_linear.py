"""The passes of linear models against NumPy, on columns written out level by level."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reference import descent_reference as reference
from treewright._kernels.learners import EpochSettings, LinearLoss, LinearRows

LOSSES = ("squared_error", "logistic", "multinomial")
for_every_loss = pytest.mark.parametrize("loss", LOSSES)


class RandomRows:
    """Rows for the kernels, and the same written out."""

    def __init__(self, seed: int, loss: str, n_rows: int = 50, n_numbers: int = 3) -> None:
        generator = np.random.default_rng(seed)
        plain = generator.normal(size=(n_rows, n_numbers))
        n_levels = generator.integers(1, 4, size=generator.integers(0, 3)).tolist()
        codes = np.column_stack(
            [np.zeros((n_rows, 0), int), *(generator.integers(0, n, n_rows) for n in n_levels)]
        )
        starts = np.cumsum([0, *n_levels])
        weights = generator.integers(1, 4, n_rows)
        self.Z = reference.one_hot(plain, codes, n_levels)
        self.shares = weights / weights.sum()
        numbers = np.zeros((n_rows, -(-(1 + n_numbers) // 4) * 4))
        numbers[:, : 1 + n_numbers] = self.Z[:, : 1 + n_numbers]
        slots = (codes + starts[:-1]).astype(np.int32)
        self.rows = LinearRows(numbers, 1 + n_numbers, slots, int(starts[-1]), self.shares)
        self.n_outputs = 3 if loss == "multinomial" else 1
        n_classes = {"squared_error": 0, "logistic": 2, "multinomial": 3}[loss]
        self.y = generator.normal(size=n_rows)
        if n_classes:
            self.y = generator.integers(0, n_classes, n_rows).astype(float)
        self.loss = getattr(LinearLoss, loss)
        self.coefficients = generator.normal(size=(self.n_outputs, self.Z.shape[1]))


@for_every_loss
@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10_000))
def test_cost_and_gradient_are_those_of_columns_written_out(loss, seed):
    case = RandomRows(seed, loss)
    slope = np.empty_like(case.coefficients)

    cost = case.rows.gradient(case.loss, case.y, case.coefficients, slope, 1)

    expected = reference.cost_and_gradient(loss, case.Z, case.y, case.shares, case.coefficients)
    assert cost == pytest.approx(expected[0], rel=1e-12)
    np.testing.assert_allclose(slope, expected[1], atol=1e-13)


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10_000))
def test_scores_and_products_are_those_of_columns_written_out(seed):
    case = RandomRows(seed, "squared_error")
    scores = np.empty((50, 1))
    products = np.empty((case.Z.shape[1], case.Z.shape[1]))
    factors = np.random.default_rng(seed).normal(size=50)

    case.rows.scores(case.coefficients, scores, 1)
    case.rows.products(factors, products, 1)

    np.testing.assert_allclose(scores, case.Z @ case.coefficients.T, atol=1e-13)
    expected = case.Z.T @ (case.Z * (case.shares * factors)[:, np.newaxis])
    np.testing.assert_allclose(products, expected, atol=1e-13)


@for_every_loss
@pytest.mark.parametrize("batch_size", [1, 7])
@pytest.mark.parametrize(("momentum", "l1", "l2"), [(0.0, 0.0, 0.0), (0.8, 0.05, 0.1)])
def test_an_epoch_takes_the_steps_of_the_textbook(loss, batch_size, momentum, l1, l2):
    case = RandomRows(3, loss)
    order = np.random.default_rng(0).permutation(50)
    steps = EpochSettings()
    steps.batch_size, steps.rate, steps.momentum, steps.l1, steps.l2 = (
        batch_size,
        0.1,
        momentum,
        l1,
        l2,
    )
    point, velocity = np.zeros_like(case.coefficients), np.zeros_like(case.coefficients)

    case.rows.descend(case.loss, case.y, order, steps, point, velocity)

    batches = [order[at : at + batch_size] for at in range(0, 50, batch_size)]

    def slope_of_batch(step, at):
        rows = batches[step]
        factors = case.shares[rows] * 50 / len(rows)
        return reference.cost_and_gradient(loss, case.Z[rows], case.y[rows], factors, at)[1]

    start = np.zeros_like(point)
    points = reference.descend(slope_of_batch, start, 0.1, momentum, len(batches), l1=l1, l2=l2)
    np.testing.assert_allclose(point, points[-1], atol=1e-12)


def test_every_number_of_threads_gives_the_same_bytes():
    case = RandomRows(1, "multinomial", n_rows=20_000)
    slopes, products, scores = [], [], []
    for n_threads in (1, 2, 3):
        slope, product = np.empty_like(case.coefficients), np.empty((case.Z.shape[1],) * 2)
        score = np.empty((20_000, 3))
        cost = case.rows.gradient(case.loss, case.y, case.coefficients, slope, n_threads)
        case.rows.products(None, product, n_threads)
        case.rows.scores(case.coefficients, score, n_threads)
        slopes.append((cost, slope.tobytes()))
        products.append(product.tobytes())
        scores.append(score.tobytes())

    assert len(set(slopes)) == len(set(products)) == len(set(scores)) == 1


def test_large_scores_cost_what_they_are_and_nothing_overflows():
    numbers = np.zeros((2, 4))
    numbers[:, 0] = 1.0
    rows = LinearRows(numbers, 1, np.zeros((2, 0), np.int32), 0, np.full(2, 0.5))
    slope = np.empty((1, 1))

    cost = rows.gradient(LinearLoss.logistic, np.array([0.0, 1.0]), np.array([[1e4]]), slope, 1)

    assert cost == pytest.approx(5e3)
    assert slope[0, 0] == pytest.approx(0.5)


def test_arrays_that_do_not_fit_are_refused():
    case = RandomRows(0, "multinomial")
    numbers, slots, shares = np.zeros((3, 4)), np.zeros((3, 1), np.int32), np.full(3, 1 / 3)
    slope = np.empty_like(case.coefficients)

    for wrong in (
        lambda: LinearRows(np.zeros((3, 3)), 3, slots, 1, shares),
        lambda: LinearRows(numbers, 5, slots, 1, shares),
        lambda: LinearRows(numbers, 1, slots + 1, 1, shares),
        lambda: LinearRows(numbers, 1, slots - 1, 1, shares),
        lambda: LinearRows(numbers[:2], 1, slots, 1, shares),
        lambda: LinearRows(numbers + 1, 3, slots, 1, shares),
        lambda: LinearRows(numbers, 3, np.tile(slots, 2), 2, shares),
        lambda: case.rows.gradient(case.loss, case.y + 1, case.coefficients, slope, 1),
        lambda: case.rows.gradient(case.loss, case.y[1:], case.coefficients, slope, 1),
        lambda: case.rows.gradient(case.loss, case.y, case.coefficients[:, 1:].copy(), slope, 1),
        lambda: case.rows.descend(
            case.loss, case.y, np.array([50]), EpochSettings(), slope, slope.copy()
        ),
    ):
        with pytest.raises(ValueError, match=r"\w"):
            wrong()
