"""Facts about columns: `facts_of` returns those of one block, `joined` combines several."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from graphlib import CycleError, TopologicalSorter

import numpy as np

from treewright.arrays import Floats
from treewright.data.column import (
    MISSING,
    Column,
    Level,
    NominalColumn,
    NumericColumn,
    joined_format,
    numeric_as_nominal,
)
from treewright.data.sources.many_files import fineness, in_finer_unit, kind_in
from treewright.data.sources.meanings import changed_source
from treewright.data.sources.type_inference import (
    INFINITE,
    MISSING_WORDS_ALONE,
    PLAIN_NUMBERS,
    MixedColumnError,
    MixedFormatError,
    are_yes_no,
)
from treewright.data.table import Table
from treewright.errors import DataError


@dataclass(frozen=True, slots=True)
class ColumnFacts:
    """What some blocks say about a column."""

    header: Column  # without rows; categories are in `levels` until all are known
    kind: str  # as `kind_in` says; "" without a value
    is_single: bool  # float32 in all blocks
    is_yes_no: bool = False  # the first block with values has words for yes and no alone
    mixed_with: str = ""  # another kind that some blocks have
    is_ambiguous: bool = False  # the type may change if it is inferred from all blocks together
    ways: frozenset[str] = frozenset()  # how numbers were written, as `ways_of` says
    numbers: Floats | None = None  # the different ones, if they are to be categories
    levels: dict[Level, None] = field(default_factory=dict)  # as rows first have them
    orders: frozenset[tuple[Level, ...]] = frozenset()  # of ordered categories, in some block
    source_order: tuple[Level, ...] = ()  # of categories without an order, if the source has one


def facts_of(table: Table, categorical: frozenset[int]) -> tuple[ColumnFacts, ...]:
    """What one block says about its columns."""
    found = []
    for at, column in enumerate(table.columns):
        is_single = isinstance(column, NumericColumn) and column.values.dtype == np.float32
        numbers = None
        if at in categorical and isinstance(column, NumericColumn):
            known = column.values[~column.is_missing]
            numbers = np.unique(np.asarray(known, dtype=np.float64))
        header, levels = without_rows(column), dict[Level, None]()
        if isinstance(header, NominalColumn):
            levels = dict.fromkeys(header.levels)
            header = replace(header, levels=(), order=())
        found.append(
            ColumnFacts(
                header,
                kind_in(column),
                is_single,
                is_yes_no=bool(levels) and are_yes_no(levels),
                numbers=numbers,
                levels=levels,
                orders=orders_of(column),
                source_order=source_order_of(column),
                ways=ways_of(column),
            )
        )
    return tuple(found)


def ways_of(column: Column) -> frozenset[str]:
    """How the numbers of a text file are written: plain ones may be read differently beside others.

    `1.234` beside `1.234,5` is 1234, and beside `-` in a file separated by semicolons; `007` and
    `inf` are text beside `-`.
    """
    if isinstance(column, NominalColumn):
        return frozenset(["words"] if column.origin == MISSING_WORDS_ALONE else [])
    if column.unit:
        return frozenset()
    if not column.origin.startswith(PLAIN_NUMBERS):
        return frozenset(["written"])
    is_doubtful = bool(column.caution) or INFINITE in column.origin
    return frozenset(["plain", "doubtful"] if is_doubtful else ["plain"])


def orders_of(column: Column) -> frozenset[tuple[Level, ...]]:
    """The order of the categories of a block, if they have one."""
    if not isinstance(column, NominalColumn) or not column.ordered:
        return frozenset()
    names_all = {*column.levels} <= {*column.order}
    return frozenset([column.order if names_all else column.levels])


def source_order_of(column: Column) -> tuple[Level, ...]:
    """All categories that the source of a block declares, in its order; some may have no rows.

    Empty for ordered categories, and for those that stand in the order of the rows.
    """
    if not isinstance(column, NominalColumn) or column.ordered or column.by_appearance:
        return ()
    if column.level_type == "boolean":
        return False, True
    return column.order if {*column.levels} <= {*column.order} else column.levels


def with_levels(facts: ColumnFacts) -> ColumnFacts:
    """The column with the categories of all blocks; if they are ordered, in the order of all."""
    header = facts.header
    if not isinstance(header, NominalColumn):
        return facts
    order: Sequence[Level] = facts.source_order
    if facts.orders:
        order = common_order(header.name, facts.orders)
        if new := [level for level in facts.levels if level not in {*order}]:
            raise DataError(
                f"the categories of column `{header.name}` are ordered in some blocks only, and "
                f"`{new[0]}` has no place in that order",
                hint="declare all categories in every block",
            )
    levels = tuple(dict.fromkeys([*[one for one in order if one in facts.levels], *facts.levels]))
    return replace(facts, header=replace(header, levels=levels), levels={})


def common_order(name: str, orders: frozenset[tuple[Level, ...]]) -> list[Level]:
    """The one order that agrees with all blocks; raise if there is none, or more than one."""
    steps: TopologicalSorter[Level] = TopologicalSorter()
    for order in orders:
        for at, level in enumerate(order):
            steps.add(level, *order[max(0, at - 1) : at])
    common: list[Level] = []
    hint = "declare all categories in every block, or use numbers instead"
    try:
        steps.prepare()
    except CycleError:
        first, second, *_ = sorted(orders, key=lambda order: (-len(order), repr(order)))
        raise DataError(
            f"the ordered categories of column `{name}` have no common order: "
            f"{shown(first)} in some blocks, {shown(second)} in others",
            hint=hint,
        ) from None
    while steps.is_active():
        ready = steps.get_ready()
        if len(ready) > 1:
            one, other = sorted(ready, key=repr)[:2]
            raise DataError(
                f"the order of the categories {one!r} and {other!r} of column `{name}` is unknown: "
                "no block has both",
                hint=hint,
            )
        common += ready
        steps.done(*ready)
    return common


def shown(order: tuple[Level, ...]) -> str:
    return " < ".join(map(str, order[:6])) + (" < ..." if len(order) > 6 else "")


def without_rows(column: Column) -> Column:
    """The column with its categories and no rows; it does not hold on to a block."""
    if isinstance(column, NumericColumn):
        return replace(column, values=np.zeros(0))
    return replace(column, codes=np.zeros(0, dtype=np.int32))


def joined(
    before: tuple[ColumnFacts, ...], after: tuple[ColumnFacts, ...]
) -> tuple[ColumnFacts, ...]:
    """What two sequences of blocks say together; those of `before` come first, and are used up."""
    return tuple(map(joined_column, before, after))


def check_not_mixed(columns: Iterable[ColumnFacts]) -> None:
    """Raise if blocks have different kinds of values in some columns."""
    mixed = [facts for facts in columns if facts.mixed_with]
    if mixed:
        names = [facts.header.name for facts in mixed]
        raise MixedColumnError.of(names, mixed[0].mixed_with, mixed[0].kind)


def joined_column(before: ColumnFacts, after: ColumnFacts) -> ColumnFacts:
    if before.mixed_with or after.mixed_with:
        return before if before.mixed_with else after
    if before.kind and after.kind and before.kind != after.kind:
        return replace(before, mixed_with=after.kind)
    if not before.kind or not after.kind:
        known = before if before.kind else after
        is_single = before.is_single and after.is_single
        ways = before.ways | after.ways
        has_unit = isinstance(known.header, NumericColumn) and bool(known.header.unit)
        are_words = "words" in ways and (has_unit or known.kind == "string")
        is_ambiguous = known.is_ambiguous or are_words
        return replace(known, is_single=is_single, is_ambiguous=is_ambiguous, ways=ways)
    numbers = before.numbers
    is_single = before.is_single and after.is_single
    header = joined_header(before, after)
    if numbers is not None and after.numbers is not None:
        unit = unit_of(header)
        numbers = np.union1d(
            in_finer_unit(numbers, unit_of(before.header), unit),
            in_finer_unit(after.numbers, unit_of(after.header), unit),
        )
    before.levels.update(after.levels)  # not copied: there may be many, and in every block
    orders = before.orders | after.orders
    source_order = before.source_order
    if after.source_order != source_order:  # as Arrow joins the dictionaries of chunks
        source_order = tuple(dict.fromkeys(source_order + after.source_order))
    return replace(
        before,
        header=header,
        is_single=is_single,
        is_ambiguous=before.is_ambiguous
        or after.is_ambiguous
        or before.is_yes_no != after.is_yes_no
        or formats_differ(before, after),
        numbers=numbers,
        orders=orders,
        source_order=source_order,
        ways=before.ways | after.ways,
    )


def joined_header(before: ColumnFacts, after: ColumnFacts) -> Column:
    """The column of all rows: the finer unit, and whether all blocks have the same categories."""
    one, other = before.header, after.header
    if isinstance(one, NumericColumn):
        assert isinstance(other, NumericColumn)
        unit = max(one.unit, other.unit, key=fineness)
        try:
            form = joined_format([one.format, other.format], one.name)
        except DataError as error:
            raise MixedFormatError.from_error(error, [one.name]) from None
        return replace(one, unit=unit, format=form)
    if one.declared and [*before.levels] != [*after.levels]:
        return replace(one, declared=False)
    return one


def unit_of(column: Column) -> str:
    return column.unit if isinstance(column, NumericColumn) else ""


def formats_differ(before: ColumnFacts, after: ColumnFacts) -> bool:
    """Whether two sequences of blocks use different formats or units."""
    one, other = before.header, after.header
    if not isinstance(one, NumericColumn) or not isinstance(other, NumericColumn):
        return False
    return one.unit != other.unit or one.format != other.format


def header_of(facts: ColumnFacts) -> Column:
    """The column of all rows, without rows."""
    return without_rows(as_categories(facts) or facts.header)


def as_categories(facts: ColumnFacts) -> NominalColumn | None:
    """The different numbers of a column as categories, a row for each, if they are to be some."""
    header = facts.header
    if facts.numbers is None or not isinstance(header, NumericColumn):
        return None
    return numeric_as_nominal(replace(header, values=facts.numbers))


def categories_of(
    column: NumericColumn, categories: NominalColumn, numbers: Floats
) -> NominalColumn:
    """Numbers as categories, of which `numbers` has one for each row of `categories`."""
    codes = np.full(len(column), MISSING, dtype=np.int32)
    known = ~column.is_missing
    values = column.values[known]
    at = np.searchsorted(numbers, values)
    if np.any(is_new := np.append(numbers, np.nan)[at] != values):
        raise changed_source(column.name, f"{values[is_new][0]:g}")
    codes[known] = categories.codes[at]
    return replace(categories, codes=codes)
