"""Lloyd's algorithm as one reads it: every row is compared with every center, in plain loops."""

import math


class EmptyCluster(Exception):  # noqa: N818 -- what to do then is not of the textbook
    """A center that is the nearest of no row."""


def squared_distance(row, center, divisors=None, gamma=1.0):
    """Numbers by their squared difference, words by `gamma` if they differ, holes not at all."""
    total = 0.0
    for at, (value, middle) in enumerate(zip(row, center, strict=True)):
        if value is None or value != value:
            continue
        if isinstance(value, str):
            total += gamma * (value != middle)
        else:
            total += ((value - middle) / (divisors[at] if divisors else 1.0)) ** 2
    return total


def nearest(row, centers, **measure):
    distances = [squared_distance(row, center, **measure) for center in centers]
    return distances.index(min(distances))


def middle(rows, weights, before):
    """The mean or the commonest word of each column; `before` where no row knows it."""
    found = []
    for at, old in enumerate(before):
        known = [
            (row[at], weight)
            for row, weight in zip(rows, weights, strict=True)
            if row[at] is not None and row[at] == row[at]
        ]
        if not known:
            found.append(old)
        elif isinstance(old, str):
            counts = {}
            for word, weight in known:
                counts[word] = counts.get(word, 0.0) + weight
            found.append(counts)
        else:
            total = math.fsum(weight for _, weight in known)
            found.append(math.fsum(value * weight for value, weight in known) / total)
    return found


def lloyd(rows, start, weights=None, levels=(), max_iter=300, **measure):
    """Labels, centers and rounds; `EmptyCluster` where a cluster has no rows in one of them.

    `levels` are the words of each column in their order, by which ties of counts are decided.
    """
    weights = weights or [1.0] * len(rows)
    centers, labels, n_rounds = [list(point) for point in start], None, 0
    while n_rounds < max_iter:
        n_rounds += 1
        found = [nearest(row, centers, **measure) for row in rows]
        if found == labels:
            break
        labels = found
        for number, center in enumerate(centers):
            own = [at for at, label in enumerate(labels) if label == number]
            if not own:
                raise EmptyCluster
            new = middle([rows[at] for at in own], [weights[at] for at in own], center)
            centers[number] = [
                max(levels[at], key=lambda word, counts=value: counts.get(word, 0.0))
                if isinstance(value, dict)
                else value
                for at, value in enumerate(new)
            ]
    return labels, centers, n_rounds
