"""Which columns of a node a page shows, where there are many."""

from collections.abc import Sequence

from treewright.worksheets.work import CandidateWork

MOST_COMPARED = 20  # columns in one table


def ranked(candidates: Sequence[CandidateWork], chosen: int) -> tuple[int, ...]:
    """The columns by their numbers: the chosen one, then by score, those without a split last."""

    def rank(found: CandidateWork) -> tuple[bool, bool, bool, float]:
        score = -_rounded(found.score) if found.score == found.score else 0.0
        return found.feature != chosen, found.kind == "", bool(found.refused), score

    return tuple(found.feature for found in sorted(candidates, key=rank))


def _rounded(score: float) -> float:
    """Without the digits in which equal scores differ, however they were added up."""
    return float(f"{score:.10g}")
