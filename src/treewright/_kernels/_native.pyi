"""Compiled kernels. Private: call them through treewright._kernels."""

from collections.abc import Sequence

from typing_extensions import CapsuleType


def read_arrow_stream(capsule: CapsuleType) -> list:
    """
    The columns of an Arrow C stream: (name, numbers or codes, levels or None, unit, format, is_dictionary, is_ordered) each.
    """

def guess_delimiter(text: bytes) -> str:
    """The delimiter that occurs most in the first line."""

def read_csv_header(text: bytes, delimiter: str) -> list[str]:
    """The cells of the first record."""

def read_csv(text: bytes, delimiter: str, *, has_header: bool, names: Sequence[str], wishes: Sequence[int], missing: Sequence[str], missing_in_text: bool) -> list:
    """
    The columns of delimited text: (numbers or codes, levels or None, n_missing_words, leading_zero, all_whole, any_number) each.
    """

class Predictor:
    """A tree arranged for walking many rows."""

    def __init__(self, tree: object, answers: object, n_levels: object, unseen_to_majority: bool) -> None: ...

    def values(self, X: object, out: object, n_threads: int) -> None:
        """
        Fill `out` (n_rows, n_values) with the answers of the nodes that rows end at.
        """

    def leaves(self, X: object, out: object, n_threads: int) -> None:
        """Fill `out` (n_rows,) with the nodes that rows end at."""
