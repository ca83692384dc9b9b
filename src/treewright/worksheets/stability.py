"""How much the choices of a tree depend on the sample of training rows."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from treewright.data.sources import table_from
from treewright.data.table import Table, one_line
from treewright.documents.page import Block, Document, Note, SheetTable
from treewright.documents.printed import Printed
from treewright.errors import ParameterError
from treewright.plain_text import plain, whole_percent
from treewright.result import Record, records_of

COVERAGE = 0.9  # share of the thresholds in the interval
MOST_NAMED = 3  # other columns in one sentence
MOST_SHOWN = 60  # nodes on one page
LONGEST_CONDITION = 40
RAISED_NODES = "Pruning raised the splits of nodes {}; growth chose them with other rows."
RAISED = "Pruning put this split here; growth chose it with other rows."
MANY_LEVELS = (
    "{} has very many categories: rows drawn twice make it look better than it is. "
    "fraction=0.5 draws without replacement."
)

HEADS = {  # of the table, with their alignment
    "node": "l",
    "rows": "r",
    "column": "l",
    "chosen": "r",
    "next": "l",
    "none": "r",
    "same": "r",
    "threshold": "l",
}


@dataclass(frozen=True, slots=True)
class Win:
    """A column, and the share of resamples in which it has the best split."""

    column: str
    share: float


@dataclass(frozen=True, slots=True)
class NodeStability:
    """One split, chosen again on resamples of the rows of its node."""

    node: int
    path: tuple[str, ...]  # conditions from the root
    column: str  # of the tree's split
    kind: str  # "threshold", "branches", "subset" or "intervals"
    n_rows: int
    n_resamples: int
    share: float  # of resamples in which the column wins; ties are divided equally
    others: tuple[Win, ...]  # columns that win instead, most often first
    without_split: float  # share of resamples in which growth would stop here
    same_split: float  # share in which the split is exactly that of the tree
    many_levels: tuple[str, ...]  # winning columns that rows drawn twice favor
    threshold: float | None  # the tree's own; None for another kind of split
    low: float | None  # 90 % of the thresholds found lie from here ...
    high: float | None  # ... to here
    threshold_text: str  # the threshold as text; "" if None
    bounds: tuple[str, str]  # `low` and `high` as text
    is_raised: bool = False  # pruning put the split here: growth chose it with other rows

    def share_of(self, column: str) -> float:
        """The share of resamples in which a column wins."""
        shares = {win.column: win.share for win in self.others}
        return self.share if column == self.column else shares.get(column, 0.0)

    @property
    def interval_text(self) -> str:
        """`2.35 to 2.6`, or one number if both are equal; "" without thresholds."""
        low, high = self.bounds
        return low if low == high else f"{low} to {high}"

    @property
    def remarks(self) -> tuple[str, ...]:
        """The same as short remarks for the box of a picture."""
        first = f"chosen again: {whole_percent(self.share)}"
        return (first, f"cut {self.interval_text}") if self.low is not None else (first,)

    def in_words(self) -> str:
        """The same as sentences."""
        named = [
            f"{plain(win.column)} in {whole_percent(win.share)}" for win in self.others[:MOST_NAMED]
        ]
        rest = sum(win.share for win in self.others[MOST_NAMED:])
        if rest:
            named.append(f"other columns in {whole_percent(rest)}")
        if self.without_split:
            named.append(f"no column in {whole_percent(self.without_split)}")
        chosen = f"{plain(self.column)} is chosen in {whole_percent(self.share)}"
        words = f"Of {self.n_resamples} resamples of these rows: {', '.join([chosen, *named])}."
        if self.low is not None:
            where = "at" if self.low == self.high else "from"
            words += f" Of its thresholds 90 % lie {where} {self.interval_text}."
        if self.kind != "branches":
            words += f" The rows are split in exactly this way in {whole_percent(self.same_split)}."
        cautions = [RAISED] * self.is_raised
        cautions += [MANY_LEVELS.format(plain(name)) for name in self.many_levels]
        return " ".join([words, *cautions])


class Stability(Printed):
    """The stability of each split of a tree: `found[node]`, or iterate over it."""

    def __init__(self, splits: Iterable[NodeStability], model: str) -> None:
        self._splits = {split.node: split for split in splits}
        self._model = model

    def __getitem__(self, node: int) -> NodeStability:
        if node in self._splits:
            return self._splits[node]
        raise ParameterError(
            f"node {node} is not among the splits looked at",
            hint=f"these are: {', '.join(map(str, self._splits)) or 'none'}",
        )

    def __contains__(self, node: object) -> bool:
        return node in self._splits

    def __iter__(self) -> Iterator[NodeStability]:
        return iter(self._splits.values())

    def __len__(self) -> int:
        return len(self._splits)

    def table(self) -> Table:
        """One row for each node."""
        return table_from(self._columns())

    def _facts(self) -> Record:
        return {"model": self._model, "splits": [*self]}

    def _records(self) -> list[dict[str, Any]]:
        return records_of(self._columns())

    def _columns(self) -> dict[str, list[Any]]:
        return {
            "node": [found.node for found in self],
            "condition": [" and ".join(found.path) for found in self],
            "rows": [found.n_rows for found in self],
            "resamples": [found.n_resamples for found in self],
            "column": [found.column for found in self],
            "share": [found.share for found in self],
            "runner_up": [found.others[0].column if found.others else None for found in self],
            "runner_up_share": [found.others[0].share if found.others else 0.0 for found in self],
            "without_split": [found.without_split for found in self],
            "same_split": [found.same_split for found in self],
            "threshold": [found.threshold for found in self],
            "low": [found.low for found in self],
            "high": [found.high for found in self],
        }

    def document(self) -> Document:
        """The page before it is rendered."""
        shown = [*self][:MOST_SHOWN]
        lines = [_line(found) for found in shown]
        columns = tuple(HEADS)
        if not any(found.low is not None for found in shown):  # no thresholds anywhere
            columns, lines = columns[:-1], [line[:-1] for line in lines]
        align = "".join(HEADS[name] for name in columns)
        caption = f"{_resamples(shown)} of the rows of each node"
        blocks: list[Block] = [SheetTable(columns, tuple(lines), align, caption)]
        if len(self) > len(shown):
            blocks.append(Note(f"... {len(self) - len(shown)} more nodes"))
        meaning = "none: no split is made; same: the rows are split exactly as in the tree"
        if "threshold" in columns:
            meaning += "; threshold: the tree's own, and where 90 % of those found lie"
        blocks.append(Note(f"{meaning}."))
        raised = ", ".join(str(found.node) for found in shown if found.is_raised)
        blocks += [Note(RAISED_NODES.format(raised))] if raised else []
        wide = dict.fromkeys(name for found in shown for name in found.many_levels)
        blocks += [Note(MANY_LEVELS.format(plain(name))) for name in wide]
        return Document(f"Stability: {self._model}", tuple(blocks))

    def __repr__(self) -> str:
        return f"<Stability: {self._model}, {len(self)} splits>"


def _resamples(shown: list[NodeStability]) -> str:
    """`200 resamples`, or `60 to 200 resamples` if large nodes needed fewer."""
    least, most = (of((found.n_resamples for found in shown), default=0) for of in (min, max))
    return f"{most} resamples" if least == most else f"{least} to {most} resamples"


def _line(found: NodeStability) -> tuple[str, ...]:
    others = [f"{plain(win.column)} {whole_percent(win.share)}" for win in found.others[:1]]
    interval = f" ({found.interval_text})" if found.low is not None else ""
    return (
        f"{found.node}: {one_line(found.path[-1], LONGEST_CONDITION) if found.path else 'root'}",
        str(found.n_rows),
        plain(found.column),
        whole_percent(found.share),
        "".join(others),
        whole_percent(found.without_split),
        whole_percent(found.same_split),
        f"{found.threshold_text}{interval}",
    )
