"""What the search for sums of columns is asked to do."""

from dataclasses import dataclass

MOST_ROWS_SEARCHED = 4_000  # of a larger node so many are drawn; the cut is then made by all rows
MOST_COLUMNS = 32  # that enter sums at a node: those that part best alone
N_STARTS = 3
LOSS_BY_ROUNDING = 0.01  # of the gain


@dataclass(frozen=True, slots=True)
class SumSettings:
    """How long sums may be, and what a further column has to bring."""

    max_terms: int = 3
    term_gain: float = 0.05  # each further term raises the gain by at least this share
    rows_per_term: int = 10  # a node needs so many rows for each term of its sum
    n_jumps: int = 10
    seed: int = 0
