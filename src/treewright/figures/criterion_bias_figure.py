"""What measures fall for: a study on columns of pure chance.

In every trial the classes are drawn by lot, and so is a column of each number of levels: none of
them tells anything, and a fair measure prefers none. A further column of two levels agrees with the
class more often than not; a good measure prefers it to those of chance. Last, columns of chance
with two levels, one of them rare: a fair measure does not care how rare it is.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc

from treewright.arrays import Floats
from treewright.errors import ParameterError
from treewright.figures.chart import figure
from treewright.figures.marks import Bars, Line, Mark, Points, Rule
from treewright.figures.panel import Panel
from treewright.figures.scales import Bands, Linear
from treewright.pictures.colors import PALETTE
from treewright.pictures.picture import Picture

Tables = NDArray[np.float64]  # (n_trials, n_levels, 2): rows by level and class
AVERAGE_SLACK = 1e-3  # C4.5 takes columns whose gain is this much below the average
MEASURES = (
    "information gain",
    "gain ratio",
    "gain ratio, C4.5's filter",
    "Gini gain, a branch per level",
    "Gini gain, two sets of levels",
    "chi-square, by p-value",
)


@dataclass(frozen=True, slots=True)
class Study:
    """The columns of a study and how often they are drawn."""

    levels: tuple[int, ...]
    rare_shares: tuple[float, ...]
    n_rows: int
    n_trials: int
    agreement: float

    def check(self) -> None:
        """Raise unless the study can be made."""
        if not self.levels or not all(is_whole(k, 2) and k <= self.n_rows for k in self.levels):
            raise ParameterError(
                f"levels is {self.levels!r}", hint="use whole numbers from 2 to n_rows"
            )
        if not self.rare_shares or not all(0 < share <= 0.5 for share in self.rare_shares):
            raise ParameterError(
                f"rare_shares is {self.rare_shares!r}", hint="use shares above 0, at most 0.5"
            )
        for name, value, least in (("n_rows", self.n_rows, 2), ("n_trials", self.n_trials, 1)):
            if not is_whole(value, least):
                raise ParameterError(
                    f"{name} is {value!r}", hint=f"use a whole number from {least} on"
                )
        if not 0.5 <= self.agreement <= 1:
            raise ParameterError(
                f"agreement is {self.agreement!r}", hint="use a share of the rows from 0.5 to 1"
            )


def is_whole(value: object, least: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= least


@dataclass(frozen=True, slots=True, eq=False)
class Drawn:
    """Counts of all columns in all trials."""

    telling: Tables
    chance: list[Tables]  # by number of levels
    uneven: list[Tables]  # by share of the rarer level

    @classmethod
    def of(cls, study: Study, rng: np.random.Generator) -> "Drawn":
        shape = (study.n_trials, study.n_rows)
        classes = rng.integers(2, size=shape)
        telling = np.where(rng.random(shape) < study.agreement, classes, 1 - classes)
        chance = [tables_of(rng.integers(k, size=shape), classes, k) for k in study.levels]
        is_rare = [(rng.random(shape) < share).astype(np.int64) for share in study.rare_shares]
        uneven = [tables_of(codes, classes, 2) for codes in is_rare]
        return cls(tables_of(telling, classes, 2), chance, uneven)


def tables_of(codes: NDArray[np.int64], classes: NDArray[np.int64], n_levels: int) -> Tables:
    """Rows by trial, level and class."""
    n_trials = len(codes)
    cells = (np.arange(n_trials)[:, None] * n_levels + codes) * 2 + classes
    counts = np.bincount(cells.ravel(), minlength=n_trials * n_levels * 2)
    return counts.reshape(n_trials, n_levels, 2).astype(np.float64)


def shares_of_wins(columns: Sequence[Tables]) -> Floats:
    """(n_measures, n_columns): the share of the trials in which a measure picks a column.

    Columns that tie share the win.
    """
    wins = [score == score.max(axis=0) for score in scores_of(columns)]
    return np.array([(won / won.sum(axis=0)).mean(axis=1) for won in wins])


def scores_of(columns: Sequence[Tables]) -> tuple[Floats, ...]:
    """For each measure, (n_columns, n_trials): what columns are compared by."""
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
    """Impurity of the classes less what is left in the branches, of each trial."""
    weight = shares_along(tables.sum(axis=-1))
    left = (weight * impurity(tables)).sum(axis=-1)
    gains: Floats = np.maximum(impurity(tables.sum(axis=-2)) - left, 0.0)
    return gains


def best_of_two_sets(tables: Tables) -> Floats:
    """The largest Gini gain of two sets of levels: of two classes, the best sets lie in order."""
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
    """How likely chance alone parts the classes as much as a column does, of each trial."""
    rows, classes = tables.sum(axis=-1, keepdims=True), tables.sum(axis=-2, keepdims=True)
    expected = rows * classes / tables.sum(axis=(-2, -1), keepdims=True)
    cells = np.divide(
        (tables - expected) ** 2, expected, out=np.zeros_like(tables), where=expected > 0
    )
    statistics = cells.sum(axis=(-2, -1))
    freedoms = np.count_nonzero(rows[..., 0], axis=-1) - 1
    # One level alone parts nothing, and has no freedom that the tail could be asked for.
    tails: Floats = np.where(freedoms > 0, chdtrc(np.maximum(freedoms, 1), statistics), 1.0)
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
    """How often each measure picks a column of pure chance, by its number of levels.

    The first panel has all columns of chance compete: a fair measure picks each equally often. In
    the second, each of them competes alone with a column of two levels that does tell something.
    In the third, columns of chance with two levels compete, one of which is more or less rare:
    here it shows that gain ratio likes uneven splits.

    Parameters
    ----------
    levels
        Numbers of levels, one column of chance for each.
    rare_shares
        Shares of the rows with the rarer of two levels, one column of chance for each.
    n_rows
        Rows of each trial, of two classes that are equally likely.
    n_trials
        How often everything is drawn anew.
    agreement
        Share of the rows in which the telling column agrees with the class, from 0.5 to 1.
    random_state
        Seed of the draws.

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
    picked, uneven = shares_of_wins(drawn.chance), shares_of_wins(drawn.uneven)
    fooled = np.array([shares_of_wins([drawn.telling, one])[:, 1] for one in drawn.chance]).T
    return figure(
        [[picked_panel(study, picked), fooled_panel(study, fooled), uneven_panel(study, uneven)]],
        title="What measures fall for",
        note=f"{n_trials} trials of {n_rows} rows. The columns are drawn by lot and tell nothing "
        "of the two classes; a fair measure picks each as often as the others.",
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


def picked_panel(study: Study, picked: Floats) -> Panel:
    """How often each column of chance wins among them all."""
    return Panel(
        marks=bars_of(picked),
        x=Bands(tuple(map(str, study.levels))),
        y=Linear(0.0, 1.0),
        title="Columns of chance",
        x_title="levels of the column",
        y_title="picked, share of trials",
        width=WIDTH,
    )


def uneven_panel(study: Study, uneven: Floats) -> Panel:
    """How often each column of two levels wins among them all."""
    return Panel(
        marks=bars_of(uneven),
        x=Bands(tuple(f"{100 * share:g} %" for share in study.rare_shares)),
        y=Linear(0.0, 1.0),
        title="Columns of chance with two levels",
        x_title="rows with the rarer level",
        y_title="picked, share of trials",
        width=WIDTH,
    )


def bars_of(shares: Floats) -> list[Mark]:
    """Bars for each measure, and the height that a fair one gives them all."""
    bars: list[Mark] = [
        Bars(heights.tolist(), color, name, group=at, n_groups=len(MEASURES), thickness=0.8)
        for at, (name, heights, color) in enumerate(zip(MEASURES, shares, PALETTE, strict=False))
    ]
    return [*bars, Rule(y=1 / shares.shape[1], name="a fair choice")]


def fooled_panel(study: Study, fooled: Floats) -> Panel:
    """How often each column of chance beats the telling one."""
    marks: list[Mark] = []
    for color, shares in zip(PALETTE, fooled.tolist(), strict=False):
        marks += [Line(range(len(shares)), shares, color)]
        marks += [Points(range(len(shares)), shares, color)]
    return Panel(
        marks=marks,
        x=Bands(tuple(map(str, study.levels))),
        y=Linear(0.0, 1.0),
        title=f"Against one that is right in {100 * study.agreement:g} %",
        x_title="levels of the column of chance",
        y_title="preferred to it, share of trials",
        width=WIDTH,
    )
