"""How a model does with more and more rows to learn from."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from treewright.errors import ParameterError
from treewright.evaluation.as_text import TITLES, lined_up
from treewright.evaluation.evaluate import Protocol
from treewright.evaluation.judging import judged_splits
from treewright.evaluation.resampled import Interval, interval
from treewright.evaluation.rows import rows_for
from treewright.evaluation.splits import Split

SHARES = (0.1, 0.2, 0.35, 0.5, 0.75, 1.0)


@dataclass(frozen=True, slots=True, eq=False)
class LearningCurve:
    """A measure on held-out rows and on the rows learnt from, by the number of rows learnt from."""

    measure: str
    n_train: tuple[int, ...]
    held_out: tuple[Interval, ...]
    learnt: tuple[Interval, ...]
    mean_leaves: tuple[float, ...]

    def __str__(self) -> str:
        title = TITLES.get(self.measure, self.measure)
        rows = [
            [
                str(n),
                f"{out.mean:.4f}",
                f"{out.low:.4f} to {out.high:.4f}",
                f"{own.mean:.4f}",
                f"{leaves:.1f}",
            ]
            for n, out, own, leaves in zip(
                self.n_train, self.held_out, self.learnt, self.mean_leaves, strict=True
            )
        ]
        header = ["rows", f"{title} held out", "95 % interval", "on learnt rows", "leaves"]
        return "\n".join(lined_up(header, rows))


def learning_curve(
    model: Any,
    X: Any,
    y: Any,
    sample_weight: Any = None,
    *,
    shares: Sequence[float] = SHARES,
    measure: str | None = None,
    folds: Any = 10,
    repeats: int = 1,
    random_state: int = 0,
    n_jobs: int | None = None,
) -> LearningCurve:
    """Judge a model that learns from growing shares of the training rows of each split.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.load_sample("iris")
    >>> curve = tw.learning_curve(tw.C45Classifier(), X, y, shares=(0.2, 1.0))
    >>> curve.n_train
    (27, 135)
    """
    if not shares or not all(0 < share <= 1 for share in shares):
        raise ParameterError(f"shares={shares!r} is not allowed", hint="use numbers in (0, 1]")
    rows = rows_for([model], X, y, sample_weight)
    plan = Protocol(folds=folds, repeats=repeats, random_state=random_state).plan(rows)
    measure = measure or ("rmse" if rows.classes is None else "accuracy")
    found: dict[str, list[Any]] = {"n": [], "out": [], "own": [], "leaves": []}
    for share in shares:
        splits = [beginning(split, share, random_state) for split in plan]
        n_train = round(np.mean([len(split.train) for split in splits]))
        out = judged_splits(model, rows, splits, n_jobs=n_jobs)
        own_splits = [Split(s.repeat, s.fold, s.train, s.train) for s in splits]
        own = judged_splits(model, rows, own_splits, n_jobs=n_jobs)
        test_share = len(plan[0].test) / n_train
        found["n"].append(n_train)
        found["out"].append(interval(np.array([j.measures[measure] for j in out]), test_share))
        found["own"].append(interval(np.array([j.measures[measure] for j in own]), test_share))
        found["leaves"].append(float(np.mean([j.n_leaves for j in out])))
    return LearningCurve(measure, *(tuple(values) for values in found.values()))


def beginning(split: Split, share: float, seed: int) -> Split:
    """A share of the training rows of a split, drawn at random; larger shares contain smaller."""
    generator = np.random.default_rng([seed, split.repeat, split.fold])
    order = generator.permutation(split.train)
    n_kept = max(1, round(share * len(order)))
    return Split(split.repeat, split.fold, np.sort(order[:n_kept]), split.test)
