"""The type of each column, and warnings."""

from collections.abc import Iterator

from treewright import figures
from treewright.data.report import ColumnReport
from treewright.documents.page import Block, Note, Paragraph, SheetTable
from treewright.evaluation.missing_study import missing_map
from treewright.plain_text import counted
from treewright.reports.facts import ReportFacts, figure_of, short_name

MOST_COLUMNS = 60
MOST_WARNINGS = 30
MOST_NAMES = 20
LONGEST_REASON = 80  # characters
MOST_CLASSES, MOST_WITH_MISSING = 7, 15  # in the picture of missing values


def columns_section(facts: ReportFacts) -> Iterator[Block]:
    """Warnings, types and missing values; of very many columns those that matter most."""
    found = facts.columns
    shape = f"{counted(found.n_rows, 'row')}, {counted(len(found.lines), 'column')}"
    yield Paragraph.of(f"{short_name(facts.rows.name)}: {shape}, and {short_name(facts.target)}.")
    if facts.rows.unused:
        yield Paragraph.of(f"Not given to the model: {names_text(facts.rows.unused)}.")
    for warning in found.warnings[:MOST_WARNINGS]:
        yield Paragraph.of(warning)
    if (n_more := len(found.warnings) - MOST_WARNINGS) > 0:
        yield Note(f"{counted(n_more, 'more warning')}; `treewright columns` lists them all.")
    yield table_of_columns(found, importances_of(facts))
    yield from missing_by_class(facts)


def importances_of(facts: ReportFacts) -> list[float]:
    """Of each column of the table, 0 for one that the model does not know; [] if it has none."""
    found = None if facts.is_foreign else getattr(facts.model, "feature_importances_", None)
    if found is None or not found.any():
        return []
    names = facts.rows.table.names
    if len(found) == len(names):
        return list(found.tolist())
    own = dict(zip(facts.model.schema_.names, found.tolist(), strict=True))
    return [own.get(name, 0.0) for name in names]


def table_of_columns(found: ColumnReport, shares: list[float]) -> SheetTable:
    """A line for each column: those that matter most, or the first if importances are not known."""
    n_columns = len(found.lines)
    order = sorted(range(n_columns), key=lambda at: -shares[at] if shares else 0)[:MOST_COLUMNS]
    rows = []
    for at in sorted(order):
        line = found.lines[at]
        counts = (f"{line.n_distinct:,}", f"{line.n_missing:,}" if line.n_missing else "")
        name, why = short_name(line.name), short_name(line.why, LONGEST_REASON)
        share = (share_text(shares[at]),) if shares else ()
        rows.append((name, line.kind, *counts, *share, why))
    titles = ("column", "kind", "distinct", "missing", *(("importance",) if shares else ()))
    which = f"The {len(rows)} columns that matter most" if shares else f"The first {len(rows)}"
    return SheetTable(
        (*titles, "because"),
        tuple(rows),
        "ll" + "r" * (len(titles) - 2) + "l",
        "" if len(rows) == n_columns else f"{which} of {n_columns}",
    )


def names_text(names: tuple[str, ...]) -> str:
    """Some names, and how many more there are.

    >>> names_text(("a", "b"))
    'a, b'
    """
    shown = ", ".join(map(short_name, names[:MOST_NAMES]))
    n_more = len(names) - MOST_NAMES
    return f"{shown} and {n_more:,} more" if n_more > 0 else shown


def missing_by_class(facts: ReportFacts) -> Iterator[Block]:
    """Where values are missing, class by class, if any are and the classes are few."""
    rows, classes = facts.rows, facts.evaluation.classes
    has_missing = any(line.n_missing for line in facts.columns.lines)
    if classes is None or len(classes) > MOST_CLASSES or not has_missing:
        return
    found = missing_map(rows.table, rows.y, rows.weights)
    yield figure_of(figures.missing_map(found, max_columns=MOST_WITH_MISSING))


def share_text(share: float) -> str:
    """A share in percent; "" for 0.

    >>> share_text(0.123), share_text(0.0)
    ('12.3 %', '')
    """
    return f"{100 * share:.1f} %" if share > 0 else ""
