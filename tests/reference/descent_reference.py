"""Linear models in plain NumPy: terms one column each, costs and steps as textbooks write them."""

import numpy as np


def one_hot(numbers, codes, n_levels):
    """Ones, the numbers, and a column for each level of each nominal column."""
    columns = [np.ones(len(numbers)), *numbers.T]
    for at, n in enumerate(n_levels):
        columns += [(codes[:, at] == level).astype(float) for level in range(n)]
    return np.column_stack(columns)


def softmax(scores):
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


def cost_and_gradient(loss, Z, y, shares, coefficients):
    """The mean loss of a row, and its slope by coefficients of (n_outputs, n_terms)."""
    scores = Z @ coefficients.T
    if loss == "squared_error":
        errors = scores - y[:, np.newaxis]
        return 0.5 * shares @ np.square(errors[:, 0]), (errors * shares[:, np.newaxis]).T @ Z
    if loss == "logistic":
        chance = 1 / (1 + np.exp(-scores[:, 0]))
        cost = -shares @ np.log(np.where(y == 1, chance, 1 - chance))
        return cost, ((chance - y) * shares)[np.newaxis] @ Z
    chances = softmax(scores)
    codes = y.astype(int)
    cost = -shares @ np.log(chances[np.arange(len(y)), codes])
    errors = chances - np.eye(coefficients.shape[0])[codes]
    return cost, (errors * shares[:, np.newaxis]).T @ Z


def soft_threshold(point, by):
    nearer = np.sign(point) * np.maximum(np.abs(point) - by, 0)
    nearer[:, 0] = point[:, 0]
    return nearer


def descend(gradients, start, rate, momentum, n_steps, *, l1=0.0, l2=0.0):
    """The points of so many steps; `gradients(step, point)` is the slope without penalties."""
    point = before = start
    points = [start]
    for step in range(n_steps):
        slope = gradients(step, point)
        slope[:, 1:] += l2 * point[:, 1:]
        after = soft_threshold(point - rate * slope, rate * l1)
        point, before = after + momentum * (after - before), after
        points.append(point)
    return points
