"""The bias of split criteria: a study on random columns.

In every trial the classes are random, and so is a column for each number of categories. These
columns are uninformative, so a fair criterion prefers none of them. An informative column of two
categories agrees with the class more often than not; a good criterion prefers it to random ones.
Finally, random columns of two categories, one of them rare: a fair criterion ignores how rare.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc

from treewright.arrays import Floats
from treewright.errors import ParameterError, check_whole, is_whole
from treewright.figures.chart import Panel, figure
from treewright.figures.marks import Bars, Line, Mark, Points, Rule
from treewright.figures.scales import Bands, Linear
from treewright.pictures.colors import PALETTE
from treewright.pictures.picture import Picture

Tables = NDArray[np.float64]  # (n_trials, n_categories, 2): rows by category and class
AVERAGE_SLACK = 1e-3  # C4.5 takes columns whose gain is this much below the average
MEASURES = (
    "information gain",
    "gain ratio",
    "gain ratio, C4.5's filter",
    "Gini gain, a branch per category",
    "Gini gain, two sets of categories",
    "chi-square, by p-value",
)


@dataclass(frozen=True, slots=True)
class Study:
    """The settings of a study."""

    levels: tuple[int, ...]
    rare_shares: tuple[float, ...]
    n_rows: int
    n_trials: int
    agreement: float

    def check(self) -> None:
        """Raise unless the study can be run."""
        check_whole("n_rows", self.n_rows, 2)
        check_whole("n_trials", self.n_trials)
        levels, shares = self.levels, self.rare_shares
        is_fine = bool(levels) and all(is_whole(k, 2, self.n_rows) for k in levels)
        raise_unless(is_fine, "levels", levels, "whole numbers from 2 to n_rows")
        is_fine = bool(shares) and all(0 < share <= 0.5 for share in shares)
        raise_unless(is_fine, "rare_shares", shares, "shares above 0, at most 0.5")
        is_fine = 0.5 <= self.agreement <= 1
        raise_unless(is_fine, "agreement", self.agreement, "a share of the rows from 0.5 to 1")


def raise_unless(is_fine: bool, name: str, value: object, allowed: str) -> None:  # noqa: FBT001
    if not is_fine:
        raise ParameterError(f"{name} is {value!r}", hint=f"use {allowed}")


@dataclass(frozen=True, slots=True, eq=False)
class Drawn:
    """Counts of all columns in all trials."""

    informative: Tables
    random: list[Tables]  # by number of categories
    uneven: list[Tables]  # by share of the rarer category

    @classmethod
    def of(cls, study: Study, rng: np.random.Generator) -> "Drawn":
        shape = (study.n_trials, study.n_rows)
        classes = rng.integers(2, size=shape)
        informative = np.where(rng.random(shape) < study.agreement, classes, 1 - classes)
        random = [tables_of(rng.integers(k, size=shape), classes, k) for k in study.levels]
        is_rare = [(rng.random(shape) < share).astype(np.int64) for share in study.rare_shares]
        uneven = [tables_of(codes, classes, 2) for codes in is_rare]
        return cls(tables_of(informative, classes, 2), random, uneven)


def tables_of(codes: NDArray[np.int64], classes: NDArray[np.int64], n_levels: int) -> Tables:
    """Rows by trial, category and class."""
    n_trials = len(codes)
    cells = (np.arange(n_trials)[:, None] * n_levels + codes) * 2 + classes
    counts = np.bincount(cells.ravel(), minlength=n_trials * n_levels * 2)
    return counts.reshape(n_trials, n_levels, 2).astype(np.float64)


def shares_of_wins(columns: Sequence[Tables]) -> Floats:
    """(n_measures, n_columns): how often a measure picks a column; ties share the win."""
    wins = [score == score.max(axis=0) for score in scores_of(columns)]
    return np.array([(won / won.sum(axis=0)).mean(axis=1) for won in wins])


def scores_of(columns: Sequence[Tables]) -> tuple[Floats, ...]:
    """For each measure, (n_columns, n_trials): the score of each column."""
    gains = np.array([gain(tables, entropy) for tables in columns])
    bits = np.array([entropy(tables.sum(axis=-1)) for tables in columns])
    ratios = np.divide(gains, bits, out=np.zeros_like(gains), where=bits > 0)
    passes = gains >= gains.mean(axis=0) - AVERAGE_SLACK
    return (
        gains,
        ratios,
        np.where(passes, ratios, -1.0),
        np.array([gain(tables, gini) for tables in columns]),
        np.array([best_of_two_sets(tables) for tables in columns]),
        np.array([-p_values(tables) for tables in columns]),
    )


def entropy(counts: Floats) -> Floats:
    """Bits, of the counts along the last axis."""
    share = shares_along(counts)
    logarithm = np.log2(share, out=np.zeros_like(share), where=share > 0)
    return np.asarray(-(share * logarithm).sum(axis=-1))


def gini(counts: Floats) -> Floats:
    return np.asarray(1 - (shares_along(counts) ** 2).sum(axis=-1))


def shares_along(counts: Floats) -> Floats:
    whole = counts.sum(axis=-1, keepdims=True)
    share: Floats = np.divide(counts, whole, out=np.zeros_like(counts), where=whole > 0)
    return share


def gain(tables: Tables, impurity: Callable[[Floats], Floats]) -> Floats:
    """Impurity of the classes minus that of the branches, for each trial."""
    weight = shares_along(tables.sum(axis=-1))
    left = (weight * impurity(tables)).sum(axis=-1)
    gains: Floats = np.maximum(impurity(tables.sum(axis=-2)) - left, 0.0)
    return gains


def best_of_two_sets(tables: Tables) -> Floats:
    """The largest Gini gain of two sets: for two classes, cuts of the sorted categories suffice."""
    share = shares_along(tables)[..., 1]
    order = np.argsort(share, axis=-1, kind="stable")
    running = np.take_along_axis(tables, order[..., None], axis=1).cumsum(axis=1)
    whole = running[:, -1]
    gains = [
        gain(np.stack([running[:, at], whole - running[:, at]], axis=1), gini)
        for at in range(tables.shape[1] - 1)
    ]
    largest: Floats = np.max(gains, axis=0)
    return largest


def p_values(tables: Tables) -> Floats:
    """The p-value of the chi-square test of independence, for each trial."""
    rows, classes = tables.sum(axis=-1, keepdims=True), tables.sum(axis=-2, keepdims=True)
    expected = rows * classes / tables.sum(axis=(-2, -1), keepdims=True)
    cells = np.divide(
        (tables - expected) ** 2, expected, out=np.zeros_like(tables), where=expected > 0
    )
    statistic = cells.sum(axis=(-2, -1))
    freedoms = np.count_nonzero(rows[..., 0], axis=-1) - 1
    # A single category separates nothing, and leaves no degree of freedom.
    tails: Floats = np.where(freedoms > 0, chdtrc(np.maximum(freedoms, 1), statistic), 1.0)
    return tails


WIDTH = 340.0  # of each panel


def criterion_bias(  # noqa: PLR0913 -- settings by name
    levels: Sequence[int] = (2, 3, 4, 6, 8, 12, 16),
    *,
    rare_shares: Sequence[float] = (0.5, 0.3, 0.2, 0.1, 0.05),
    n_rows: int = 200,
    n_trials: int = 1000,
    agreement: float = 0.6,
    random_state: int | None = 0,
) -> Picture:
    """How often each split criterion picks an uninformative column.

    In the first panel random columns compete: a fair criterion picks each equally often. In the
    second, each of them competes with an informative column of two categories. In the third,
    random columns of two categories compete, one of them rare: gain ratio prefers uneven splits.

    Parameters
    ----------
    levels
        Numbers of categories, one random column for each.
    rare_shares
        Shares of the rows with the rarer of two categories, one random column for each.
    n_rows
        Rows of each trial, of two equally likely classes.
    n_trials
        Number of random tables.
    agreement
        Share of the rows in which the informative column agrees with the class, from 0.5 to 1.
    random_state
        Seed of the random tables.

    Examples
    --------
    >>> picture = criterion_bias(levels=(2, 20), n_trials=200)
    >>> picture.data["measures"][0], picture.data["picked"][0].round(2).tolist()
    ('information gain', [0.0, 1.0])
    >>> picture.data["measures"][-1], picture.data["picked"][-1].round(2).tolist()
    ('chi-square, by p-value', [0.48, 0.52])
    """
    study = Study(tuple(levels), tuple(rare_shares), n_rows, n_trials, agreement)
    study.check()
    drawn = Drawn.of(study, np.random.default_rng(random_state))
    picked, uneven = shares_of_wins(drawn.random), shares_of_wins(drawn.uneven)
    fooled = np.array([shares_of_wins([drawn.informative, one])[:, 1] for one in drawn.random]).T
    sizes = tuple(map(str, study.levels))
    rare = tuple(f"{100 * share:g} %" for share in study.rare_shares)
    against = f"Against one that agrees in {100 * agreement:g} %"
    panels = [
        panel_of(bars_of(picked), sizes, "Random columns", "categories", "picked"),
        panel_of(lines_of(fooled), sizes, against, "categories of the random column", "preferred"),
        panel_of(
            bars_of(uneven), rare, "Random columns of two categories", "rarer category", "picked"
        ),
    ]
    return figure(
        [panels],
        title="Bias of split criteria",
        note=f"{n_trials} trials of {n_rows} rows. The columns are random and tell nothing about "
        "the two classes, so a fair criterion picks each equally often.",
        summary=f"{len(MEASURES)} measures on {n_trials} tables",
        data={
            "measures": MEASURES,
            "levels": study.levels,
            "rare_shares": study.rare_shares,
            "picked": picked,
            "fooled": fooled,
            "uneven": uneven,
        },
    )


def panel_of(
    marks: Sequence[Mark], names: tuple[str, ...], title: str, x_title: str, what: str
) -> Panel:
    return Panel(
        marks=marks,
        x=Bands(names),
        y=Linear(0.0, 1.0),
        title=title,
        x_title=x_title,
        y_title=f"{what}, share of trials",
        width=WIDTH,
    )


def bars_of(shares: Floats) -> list[Mark]:
    """Bars for each measure, and the height of a fair choice."""
    bars: list[Mark] = [
        Bars(heights.tolist(), color, name, group=at, n_groups=len(MEASURES), thickness=0.8)
        for at, (name, heights, color) in enumerate(zip(MEASURES, shares, PALETTE, strict=False))
    ]
    return [*bars, Rule(y=1 / shares.shape[1], name="a fair choice")]


def lines_of(heights: Floats) -> list[Mark]:
    """A line with points for each measure."""
    marks: list[Mark] = []
    for color, own in zip(PALETTE, heights.tolist(), strict=False):
        marks += [Line(range(len(own)), own, color), Points(range(len(own)), own, color)]
    return marks
