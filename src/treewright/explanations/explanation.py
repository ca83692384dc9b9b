"""Explanation: why one row got its answer, for people and for programs."""

import json
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from treewright.explanations.change import Change
from treewright.explanations.gaps import Gap
from treewright.explanations.neighbours import Neighbour
from treewright.explanations.path import Evidence, Place
from treewright.explanations.reason import Reason


@dataclass(frozen=True, slots=True)
class RunnerUp:
    """The class that came second."""

    answer: Any
    probability: float


@dataclass(frozen=True, slots=True, repr=False)
class Explanation:
    """One row's answer and what it rests on; `print` shows it.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.load_sample("tennis")
    >>> explanation = tw.ID3Classifier().fit(X, y).explain(X[0:1])
    >>> explanation.answer, str(explanation.reason), str(explanation.change)
    ('No', 'outlook = Sunny and humidity = High', 'humidity from High to Normal')
    """

    row: dict[str, Any]  # the row as given
    answer: Any  # a class or a number
    probabilities: dict[Any, float]  # of each class; empty for numbers
    runner_up: RunnerUp | None  # None for numbers, and where no other class has any probability
    path: tuple[Evidence, ...]  # from the root to the answer; with gaps, all nodes the row came to
    ends: tuple[Place, ...]  # nodes that answered, with their shares of the row
    gaps: tuple[Gap, ...]  # what was missing or unseen, and what that did
    reason: Reason  # conditions that settle the answer
    change: Change | None  # the smallest change that leads to another answer
    change_is_known: bool  # False: there were too many ways to try, so `change` is None
    immutable: tuple[str, ...]  # columns that the change was to leave alone
    directions: dict[str, str]  # column -> "up" or "down", the only way that it was to go
    wanted: Any  # the answer that the change was to lead to; None: any other
    tolerance: float | None  # numbers that differ by no more count as the same answer
    neighbours: tuple[Neighbour, ...]  # nearest training rows, if any were given

    def to_text(self) -> str:
        """The explanation in words."""
        from treewright.explanations.as_text import explanation_text

        return explanation_text(self)

    def to_markdown(self) -> str:
        """The explanation as a page of Markdown."""
        from treewright.documents.as_markdown import to_markdown
        from treewright.explanations.as_page import explanation_page

        return to_markdown(explanation_page(self))

    def to_latex(self, *, standalone: bool = True) -> str:
        """The explanation as a page of LaTeX, or as a part of one."""
        from treewright.documents.as_latex import to_latex
        from treewright.explanations.as_page import explanation_page

        return to_latex(explanation_page(self), standalone=standalone)

    def to_html(self, *, standalone: bool = True) -> str:
        """The explanation as a page of HTML that needs nothing else; or as a part of one."""
        from treewright.documents.as_html import to_html
        from treewright.explanations.as_page import explanation_page

        return to_html(explanation_page(self), standalone=standalone)

    def _repr_html_(self) -> str:
        return self.to_html(standalone=False)

    def to_json(self) -> str:
        """The explanation as JSON: dates and infinities as text, and classes that are keys."""
        data = {name: _plain(value) for name, value in asdict(self).items()}
        return json.dumps(data, ensure_ascii=False, allow_nan=False, indent=2)

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        return f"<Explanation: {self.answer} because {self.reason}>"


def _plain(value: Any) -> Any:
    """A value as JSON has it: dates and infinities as text, NaN as null."""
    if isinstance(value, dict):
        return {str(key): _plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    if isinstance(value, np.datetime64 | np.timedelta64):
        return str(value)
    if isinstance(value, np.generic):
        return _plain(value.item())
    if isinstance(value, float) and not np.isfinite(value):
        return None if value != value else str(value)
    return value if isinstance(value, str | int | float | bool | None) else str(value)
