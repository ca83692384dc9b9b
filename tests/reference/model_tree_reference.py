"""Model trees in plain Python: slow, short, and the definition of right.

Columns are numbers without holes here. A split is (column, cut), a model (intercept, {column:
coefficient}), a node a dict.
"""

from itertools import pairwise

import numpy as np


def spread(y):
    """The fifth root of the variance."""
    return 0.0 if (y == y[0]).all() else y.var() ** 0.2


def best_split(X, y):
    """The column, the cut and the gain of the best split; the earlier one of equals."""
    n, best = len(y), (None, 0.0, -np.inf)
    for column in range(X.shape[1]):
        values = np.unique(X[:, column])
        for below, above in pairwise(values):
            left = X[:, column] <= below
            sizes = left.sum(), n - left.sum()
            if min(sizes) < 2 or min(sizes) <= n // 5:
                continue
            gain = spread(y) - sizes[0] / n * spread(y[left]) - sizes[1] / n * spread(y[~left])
            if gain > best[2] + 1e-12 * spread(y):
                best = (column, below + (above - below) / 2, gain)
    return best


def grow(X, y, deviation):
    node = {"X": X, "y": y, "children": ()}
    if len(y) >= 4 and y.std() >= 0.05 * deviation:
        column, cut, _ = best_split(X, y)
        if column is not None:
            left = X[:, column] <= cut
            node["split"] = column, cut
            node["children"] = tuple(grow(X[s], y[s], deviation) for s in (left, ~left))
    return node


def columns_below(node):
    if not node["children"]:
        return set()
    return {node["split"][0]}.union(*map(columns_below, node["children"]))


def plane(X, y, columns):
    """The least squares by some columns: what each adds, and the squares that are left."""
    if not columns:
        return np.zeros(0), ((y - y.mean()) ** 2).sum()
    centered = X[:, columns] - X[:, columns].mean(axis=0)
    slopes = np.linalg.lstsq(centered, y - y.mean(), rcond=None)[0]
    return slopes, ((y - y.mean() - centered @ slopes) ** 2).sum()


def independent(X, columns):
    """The columns that are neither constant nor sums of earlier ones."""
    kept = []
    for column in columns:
        if X[:, column].std() > 0 and plane(X, X[:, column], kept)[1] > 1e-9 * len(X) * np.var(
            X[:, column]
        ):
            kept.append(column)
    return kept


def fitted(X, y, columns):
    """Terms of large coefficients go first, then those that Akaike's criterion does without."""
    columns = independent(X, sorted(columns))

    def sizes(some):
        return np.abs(plane(X, y, some)[0]) * X[:, some].std(axis=0) / y.std()

    while columns and sizes(columns).max() > 1.5:
        columns.pop(int(sizes(columns).argmax()))
    unit = plane(X, y, columns)[1] / (len(y) - len(columns) - 1)
    while columns:
        smallest = int(sizes(columns).argmin())
        fewer = columns[:smallest] + columns[smallest + 1 :]
        if plane(X, y, fewer)[1] / unit - 2 >= plane(X, y, columns)[1] / unit:
            break
        columns = fewer
    slopes = plane(X, y, columns)[0]
    intercept = y.mean() - X[:, columns].mean(axis=0) @ slopes
    return intercept, dict(zip(columns, slopes, strict=True))


def says(model, x):
    return model[0] + sum(slope * x[column] for column, slope in model[1].items())


def expected(squares, n, n_parameters):
    factor = (n + 2 * n_parameters) / (n - n_parameters) if n > n_parameters else 10
    return (squares / n) ** 0.5 * factor


def prune(node, deviation):
    """Give every node its model, and cut what is not expected to do better."""
    X, y = node["X"], node["y"]
    columns = columns_below(node)
    for child in node["children"]:
        prune(child, deviation)
    node["model"] = fitted(X, y, columns) if columns else (y.mean(), {})
    squares = sum((target - says(node["model"], x)) ** 2 for x, target in zip(X, y, strict=True))
    node["left"] = squares, len(node["model"][1]) + 1
    if not node["children"]:
        return
    (a, v), (b, w) = (child["left"] for child in node["children"])
    own = expected(*node["left"][:1], len(y), node["left"][1])
    if own <= expected(a + b, len(y), v + w + 1) or own < 1e-5 * deviation:
        node["children"] = ()
    else:
        node["left"] = a + b, v + w + 1


def prediction(node, x):
    """Smoothed on the way up."""
    if not node["children"]:
        return says(node["model"], x)
    column, cut = node["split"]
    child = node["children"][int(x[column] > cut)]
    n = len(child["y"])
    return (n * prediction(child, x) + 15 * says(node["model"], x)) / (n + 15)


def predictions(X, y, new):
    """The predictions of the pruned, smoothed model tree."""
    root = grow(X, y, y.std())
    prune(root, y.std())
    return np.array([prediction(root, x) for x in new])
