"""What measures fall for: a study on columns of pure chance.

In every trial the classes are drawn by lot, and so is a column of each number of levels: none of
them tells anything, and a fair measure prefers none. A further column of two levels agrees with the
class more often than not; a good measure prefers it to those of chance. Last, columns of chance
with two levels, one of them rare: a fair measure does not care how rare it is.
"""

from collections.abc import Sequence

import numpy as np

from treewright.figures.chance_columns import MEASURES, Drawn, Floats, Study, shares_of_wins
from treewright.figures.chart import figure
from treewright.figures.marks import Bars, Line, Mark, Points, Rule
from treewright.figures.panel import Panel
from treewright.figures.scales import Bands, Linear
from treewright.pictures.colours import PALETTE
from treewright.pictures.picture import Picture

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
        Bars(heights.tolist(), colour, name, group=at, n_groups=len(MEASURES), thickness=0.8)
        for at, (name, heights, colour) in enumerate(zip(MEASURES, shares, PALETTE, strict=False))
    ]
    return [*bars, Rule(y=1 / shares.shape[1], name="a fair choice")]


def fooled_panel(study: Study, fooled: Floats) -> Panel:
    """How often each column of chance beats the telling one."""
    marks: list[Mark] = []
    for colour, shares in zip(PALETTE, fooled.tolist(), strict=False):
        marks += [Line(range(len(shares)), shares, colour)]
        marks += [Points(range(len(shares)), shares, colour)]
    return Panel(
        marks=marks,
        x=Bands(tuple(map(str, study.levels))),
        y=Linear(0.0, 1.0),
        title=f"Against one that is right in {100 * study.agreement:g} %",
        x_title="levels of the column of chance",
        y_title="preferred to it, share of trials",
        width=WIDTH,
    )
