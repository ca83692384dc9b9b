"""A program as one SELECT."""

from collections.abc import Mapping, Sequence

from treewright.errors import ExportError, ParameterError
from treewright.exports.program import Program
from treewright.exports.sql.answering import Answering
from treewright.exports.sql.columns import Columns
from treewright.exports.sql.dialects import dialect_called
from treewright.exports.sql.dialects.base import Dialect
from treewright.exports.sql.query import Named, Query

Table = str | Sequence[str]  # a name, or (schema, name)
Names = str | Sequence[str]


def write(  # noqa: PLR0913 -- the options of the format
    program: Program,
    *,
    dialect: str = "sqlite",
    table: Table = "data",
    probabilities: bool = False,
    keep: Names = (),
    order_by: Names = (),
    columns: Mapping[str, str] | None = None,
) -> str:
    """A SELECT that answers the rows of a table as the model does.

    The first column is the `prediction`; then come the probabilities if asked for, and the columns
    to `keep`. Rows come out in the order of the table's scan, or by `order_by`. `columns` says what
    the table calls a column, where it does not use the name that the model knows.
    """
    spoken = dialect_called(dialect)
    if probabilities and program.classes is None:
        raise ParameterError("probabilities=True: the model answers with a number, not a class")
    path = as_names(table, "table")
    if not path:
        raise ParameterError("table is empty", hint='table="data", or ("schema", "data")')
    source = ".".join(map(spoken.identifier, path))
    read = Columns(program, spoken, columns or {}, path[-1])
    query = Query(spoken, read.prefix, source)
    kept, ordering = as_names(keep, "keep"), as_names(order_by, "order_by")
    kept_as = [f"{read.prefix}kept_{at}" for at in range(len(kept))]
    ordered_as = [f"{read.prefix}order_{at}" for at in range(len(ordering))]
    copies = zip(map(spoken.identifier, [*kept, *ordering]), [*kept_as, *ordered_as], strict=True)
    query.add_stage([*read.expressions(), *copies], once=False)
    answers = Answering(program, read, probabilities=probabilities).add_to(query)
    names = answer_names(program, spoken, kept) if probabilities else ["prediction"]
    check_kept(kept, names, spoken)
    results: list[Named] = [*zip(answers, map(spoken.identifier, names), strict=True)]
    results += zip(kept_as, map(spoken.identifier, kept), strict=True)
    return query.finish(results, ordered_as)


def as_names(names: Names, option: str) -> list[str]:
    """A list of names, also where one is given alone."""
    given = [names] if isinstance(names, str) else names
    if not isinstance(given, Sequence) or not all(isinstance(name, str) for name in given):
        raise ParameterError(f"{option} is {names!r}, neither a name nor a list of names")
    return list(given)


def answer_names(program: Program, dialect: Dialect, kept: Sequence[str]) -> list[str]:
    """`prediction`, then `probability_` and each class, or its number where one has no name."""
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


def check_kept(kept: Sequence[str], names: Sequence[str], dialect: Dialect) -> None:
    taken = {dialect.folded(name) for name in names}
    for name in kept:
        if dialect.folded(name) in taken:
            raise ParameterError(f"keep: the query has a column `{name}` of its own")
