"""A query put together: stages that hand columns on, and the SELECT that answers."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from treewright.errors import ExportError
from treewright.exports.sql.branches import INDENT, Expression, written
from treewright.exports.sql.dialects.base import Dialect

Named = tuple[Expression, str]  # expression, name


@dataclass
class Query:
    """Common table expressions, each reading the one before, and what they hand on."""

    dialect: Dialect
    prefix: str
    source: str  # what the next stage reads: the table, at first
    carried: list[str] = field(default_factory=list)  # columns that the source has
    stages: list[str] = field(default_factory=list)

    def add_stage(self, new: Iterable[Named], *, dropped: Sequence[str] = (), once: bool) -> None:
        """Compute columns from those at hand; a column of the same name is replaced.

        `once`: the engine must not put the expressions into the next stage, where they may stand
        many times.
        """
        columns = list(new)
        if not columns:
            return
        names = [name for _, name in columns]
        carried = [name for name in self.carried if name not in {*names, *dropped}]
        items: list[Named] = [*((name, name) for name in carried), *columns]
        self.check_width(len(items))
        name = f"{self.prefix}stage_{len(self.stages) + 1}"
        dialect = self.dialect
        body = self.select(items, head=dialect.stage_head if once else "")
        if once and dialect.stage_end:
            body += f"\n{INDENT}{dialect.stage_end}"
        self.stages.append(f"{name} AS {dialect.materialized if once else ''}(\n{body}\n)")
        self.source, self.carried = name, [*carried, *names]

    def select(self, items: Sequence[Named], *, head: str = "", level: int = 1) -> str:
        """SELECT ... FROM the source, indented."""
        margin = INDENT * level
        texts = [
            text if (text := written(expression, level + 1)) == name else f"{text} AS {name}"
            for expression, name in items
        ]
        listed = f",\n{margin}{INDENT}".join(texts)
        return (
            f"{margin}SELECT {head}".rstrip()
            + f"\n{margin}{INDENT}{listed}\n{margin}FROM {self.source}"
        )

    def check_width(self, n_columns: int) -> None:
        if n_columns > self.dialect.most_columns:
            raise ExportError(
                f"the query needs {n_columns} columns in one SELECT, {self.dialect.title} "
                f"allows {self.dialect.most_columns}"
            )

    def finish(self, answers: Sequence[Named], order_by: Sequence[str]) -> str:
        """The whole query, ending with a SELECT of the answers."""
        self.check_width(len(answers))
        parts = [f"WITH {', '.join(self.stages)}"] if self.stages else []
        parts.append(self.select(answers, level=0))
        if order_by:
            parts.append(f"ORDER BY {', '.join(order_by)}")
        text = "\n".join(parts) + "\n"
        longest = self.dialect.longest_query
        if longest is not None and len(text.encode("utf-8")) > longest:
            raise ExportError(
                f"the query is longer than the {longest:,} bytes that {self.dialect.title} takes",
                hint="prune the tree",
            )
        return text
