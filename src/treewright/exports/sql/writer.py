"""A program as one SELECT.

The query reads typed columns. It finds the branch of each row, in several stages if the tree is
deep, adds up shares if rows go to several leaves, and selects the predictions.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from treewright.errors import ExportError, ParameterError, nearest
from treewright.exports.program import Exported, Program
from treewright.exports.sql.branches import (
    INDENT,
    Branches,
    Case,
    Expression,
    pieces_of,
    written,
)
from treewright.exports.sql.columns import Columns
from treewright.exports.sql.dialect import Dialect
from treewright.exports.sql.dialects import find_dialect
from treewright.exports.sql.plain import PlainColumns, plain_results
from treewright.exports.sql.routes import routes_of
from treewright.exports.sql.shares import Shares
from treewright.tree.predictions import TIE

STYLES = ("exact", "plain")
MOST_KEPT = 100  # columns of the model that are returned without being asked for
OWN_NAMES = ("prediction", "probability_")  # what names of the query's results begin with

Table = str | Sequence[str]  # a name, or (schema, name)
Names = str | Sequence[str]
Named = tuple[Expression, str]  # expression, name
CASES_AROUND = 2  # levels of CASE around the branches or inside their conditions


def write(  # noqa: PLR0913 -- the options of the format
    program: Program,
    *,
    dialect: str = "sqlite",
    table: Table = "data",
    style: str = "exact",
    probabilities: bool = False,
    keep: Names | None = None,
    order_by: Names = (),
    columns: Mapping[str, str] | None = None,
) -> str:
    """A SELECT that predicts the rows of a table as the model does.

    The first column is the `prediction`, followed by the probabilities if requested, and the
    columns to `keep`: by default those that the model asks for. Rows are in the order of the
    table's scan, or sorted by `order_by`. `columns` maps column names of the model to those of the
    table where they differ. With `style="plain"` it is one CASE, for people to read.
    """
    if style not in STYLES:
        raise ParameterError(f"style={style!r} is not known", hint=nearest(style, STYLES, "styles"))
    sql = find_dialect(dialect)
    if probabilities and program.classes is None:
        raise ParameterError("probabilities=True: the model predicts a number, not a class")
    path, source = table_path(table, sql)
    read = (PlainColumns if style == "plain" else Columns)(program, sql, columns or {}, path[-1])
    query = Query(sql, read.prefix, source)
    kept, ordering = kept_names(keep, read), as_names(order_by, "order_by")
    if isinstance(read, PlainColumns):
        results = [*plain_results(program, read, probabilities=probabilities)]
        kept_as = [*map(sql.identifier, kept)]
        ordered_as = [f"{sql.identifier(path[-1])}.{sql.identifier(name)}" for name in ordering]
    else:
        kept_as = [f"{read.prefix}kept_{at}" for at in range(len(kept))]
        ordered_as = [f"{read.prefix}order_{at}" for at in range(len(ordering))]
        copies = zip(map(sql.identifier, [*kept, *ordering]), [*kept_as, *ordered_as], strict=True)
        query.read_table([*read.expressions(), *copies])
        results = PredictedColumns(program, read, probabilities=probabilities).add_to(query)
    names = result_names(program, sql, kept) if probabilities else ["prediction"]
    check_kept(kept, names, sql)
    named: list[Named] = [*zip(results, map(sql.identifier, names), strict=True)]
    named += zip(kept_as, map(sql.identifier, kept), strict=True)
    return query.finish(named, ordered_as)


def table_path(table: Table, dialect: Dialect) -> tuple[list[str], str]:
    """The parts of a table's name, and the name as the dialect writes it."""
    path = as_names(table, "table")
    if not path:
        raise ParameterError("table is empty", hint='table="data", or ("schema", "data")')
    return path, ".".join(map(dialect.identifier, path))


def check_kept(kept: Sequence[str], names: Sequence[str], dialect: Dialect) -> None:
    """Raise if a column that is kept has the name of a result."""
    for name in kept:
        if dialect.folded(name) in map(dialect.folded, names):
            raise ParameterError(f"keep: the query has a column `{name}` of its own")


def kept_names(keep: Names | None, read: Columns) -> list[str]:
    """The columns to return beside the predictions; None: those that the model asks for."""
    if keep is not None:
        return as_names(keep, "keep")
    used = read.program.used_columns
    names = [read.name(at) for at in used] if len(used) <= MOST_KEPT else []
    return [name for name in names if not read.dialect.folded(name).startswith(OWN_NAMES)]


def as_names(names: Names, option: str) -> list[str]:
    """A list of names; a single name may be given alone."""
    given = [names] if isinstance(names, str) else names
    if not isinstance(given, Sequence) or not all(isinstance(name, str) for name in given):
        raise ParameterError(f"{option} is {names!r}, neither a name nor a list of names")
    return list(given)


def result_names(program: Exported, dialect: Dialect, kept: Sequence[str]) -> list[str]:
    """`prediction`, then `probability_` and each class, or numbers if a class is not a name."""
    classes = program.classes or ()
    named = [f"probability_{label}" for label in classes]
    try:
        for name in named:
            dialect.check_name(name)
        is_clear = len({*map(dialect.folded, [*named, *kept])}) == len(named) + len(kept)
    except ExportError:
        is_clear = False
    return [
        "prediction",
        *(named if is_clear else [f"probability_{at}" for at in range(len(classes))]),
    ]


@dataclass
class Query:
    """Common table expressions (stages), each of which reads the one before."""

    dialect: Dialect
    prefix: str
    source: str  # what the next stage reads: at first the table
    carried: list[str] = field(default_factory=list)  # columns that the source has
    stages: list[str] = field(default_factory=list)
    row_number: str = ""  # a column with the order of the table's rows

    def read_table(self, columns: Sequence[Named]) -> None:
        """Add the stage that reads the table."""
        self.row_number = f"{self.prefix}row" if self.dialect.row_number else ""
        numbered = [(self.dialect.row_number, self.row_number)] if self.row_number else []
        self.add_stage([*columns, *numbered], once=False)

    def add_stage(self, new: Iterable[Named], *, dropped: Sequence[str] = (), once: bool) -> None:
        """Compute columns from those of the source; a column of the same name is replaced.

        `once`: the engine must not inline the expressions into the next stage, which may use them
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
        if n_columns > self.dialect.max_columns:
            raise ExportError(
                f"the query needs {n_columns} columns in one SELECT, {self.dialect.title} "
                f"allows {self.dialect.max_columns}"
            )

    def finish(self, results: Sequence[Named], order_by: Sequence[str]) -> str:
        """The whole query, which ends with a SELECT of the results."""
        self.check_width(len(results))
        if self.row_number and not order_by:
            order_by = [self.row_number]
        parts = [f"WITH {', '.join(self.stages)}"] if self.stages else []
        parts.append(self.select(results, level=0))
        if order_by:
            parts.append(f"ORDER BY {', '.join(order_by)}")
        text = "\n".join(parts) + "\n"
        most = self.dialect.max_query_bytes
        if most is not None and len(text.encode("utf-8")) > most:
            raise ExportError(
                f"the query is longer than the {most:,} bytes that {self.dialect.title} takes",
                hint="prune the tree",
            )
        return text


@dataclass(frozen=True, slots=True)
class ClassChoice:
    """Finds the class in two stages: the cost of each class, and the bound that the best meets."""

    program: Exported
    dialect: Dialect
    prefix: str
    sums: Sequence[str]  # columns with the probabilities
    tie: float = TIE  # probabilities closer than this are equal

    def stages(self) -> Iterator[list[Named]]:
        """The columns to compute before the class is known."""
        bound = f"{self.prefix}bound"
        if self.program.costs is None:
            largest = self.dialect.extreme(self.dialect.greatest, self.sums)
            nearly = f" * {self.dialect.number(1 - self.tie)}" if self.tie else ""
            yield [(f"{largest}{nearly}", bound)]
            return
        yield [(self.cost_of(at), name) for at, name in enumerate(self.costs)]
        low = self.dialect.extreme(self.dialect.least, self.costs)
        high = self.dialect.extreme(self.dialect.greatest, self.costs)
        yield [(f"{low} + {self.dialect.number(TIE)} * {high}", bound)]

    @property
    def costs(self) -> list[str]:
        return [f"{self.prefix}cost_{at}" for at in range(len(self.sums))]

    def cost_of(self, predicted: int) -> str:
        """The expected cost of a class, added up in the order of the true classes."""
        assert self.program.costs is not None
        prices = self.program.costs[:, predicted].tolist()
        terms = [
            f"{share} * {self.dialect.number(price)}"
            for share, price in zip(self.sums, prices, strict=True)
        ]
        return " + ".join(terms)

    def label(self) -> Expression:
        """The first class within the bound."""
        assert self.program.classes is not None
        has_costs = self.program.costs is not None
        columns, sign = (self.costs, "<=") if has_costs else (self.sums, ">=")
        ways = [
            (f"{column} {sign} {self.prefix}bound", self.dialect.label(label))
            for column, label in zip(columns, self.program.classes, strict=True)
        ]
        return Case("CASE", tuple(ways))


class PredictedColumns:
    """The predictions of a program for the rows of a query."""

    def __init__(self, program: Program, read: Columns, *, probabilities: bool) -> None:
        self.program, self.read, self.dialect = program, read, read.dialect
        self.probabilities = probabilities
        self.routes = routes_of(read, program)
        pieces = pieces_of(program, self.dialect.max_case_depth - CASES_AROUND)
        self.branches = Branches(self.routes, pieces, f"{read.prefix}piece")

    def add_to(self, query: Query) -> list[Expression]:
        """Add the stages needed; returns the prediction and the probabilities as expressions."""
        for number in self.branches.stages():
            query.add_stage([(number, self.branches.number)], once=True)
        accepted = self.accepted()
        whole = [self.branches.expression(value_of) for value_of in self.node_literals()]
        if accepted:  # NULL for a row that the model refuses
            whole = [Case("CASE", ((" AND ".join(accepted), value),)) for value in whole]
        if not self.program.splits_rows:
            return whole
        names = [f"{self.read.prefix}whole_{at}" for at in range(len(whole))]
        is_shared = " AND ".join([f"{names[0]} IS NULL", *accepted])
        shares = Shares(self.program, self.dialect, self.routes, self.read.prefix, is_shared)
        query.add_stage([*zip(whole, names, strict=True), *shares.numbers()], once=True)
        shared = self.add_sums(query, shares)
        return [
            Case("CASE", ((f"{name} IS NULL", expression),), name)
            for name, expression in zip(names, shared, strict=True)
        ]

    def accepted(self) -> list[str]:
        """Conditions of rows that the model does not refuse because of an unseen level."""
        if self.program.unseen != "error":
            return []
        return [f"{self.read.mark(column)} IS NULL" for column in self.read.marked]

    def node_literals(self) -> Iterator[Callable[[int], str]]:
        """For each result column, a function from a node to its value."""
        program = self.program
        if program.classes is not None:
            yield lambda node: self.dialect.label(program.label(node))
            if not self.probabilities:
                return
        for value in range(program.node_values.shape[1]):
            yield partial(self.value_of, value)

    def value_of(self, value: int, node: int) -> str:
        return self.dialect.number(float(self.program.node_values[node, value]))

    def add_sums(self, query: Query, shares: Shares) -> list[Expression]:
        """The predictions of rows that several leaves share, after stages that add them up."""
        sums = [shares.sum_column(at) for at in range(self.program.node_values.shape[1])]
        for new, dropped in shares.stages():
            query.add_stage(new, dropped=dropped, once=True)
        if self.program.classes is None:
            return list(sums)
        choice = ClassChoice(self.program, self.dialect, self.read.prefix, sums)
        for stage in choice.stages():
            query.add_stage(stage, once=True)
        return [choice.label(), *(sums if self.probabilities else [])]
