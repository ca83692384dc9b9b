"""SQL: one SELECT that adds up many trees.

Each tree is a CASE over its branches. Trees are added in their order, some in each stage, because
engines limit how deep an expression may be. `exp` is computed by plain arithmetic in further
stages, since that of an engine differs from the model's in the last digits.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

import numpy as np

from treewright.data.table import Table as Rows
from treewright.errors import ExportError, ParameterError
from treewright.exports.compiled import SECONDS_TO_RUN
from treewright.exports.program import Predictions, Program
from treewright.exports.sql import runner
from treewright.exports.sql.branches import Branches, Case, Expression, pieces_of, written
from treewright.exports.sql.columns import Columns, is_date
from treewright.exports.sql.dialects import find_dialect
from treewright.exports.sql.routes import routes_of
from treewright.exports.sql.runner import storable
from treewright.exports.sql.writer import (
    CASES_AROUND,
    ClassChoice,
    Named,
    Names,
    Query,
    Table,
    as_names,
    check_kept,
    kept_names,
    result_names,
    table_path,
)
from treewright.exports.sums import exponential as exp
from treewright.exports.sums.program import (
    LARGEST_SCORE,
    LinearTerm,
    SumProgram,
    refuse_float32,
    sum_text,
)

__all__ = ["run", "storable", "write"]

TREES_PER_STAGE = 20
TERMS_PER_STAGE = 50
FEW = 32  # powers of two are looked up in two tables of about so many


def write(  # noqa: PLR0913 -- the options of the format
    program: SumProgram,
    *,
    dialect: str = "sqlite",
    table: Table = "data",
    probabilities: bool = False,
    keep: Names | None = None,
    order_by: Names = (),
    columns: Mapping[str, str] | None = None,
) -> str:
    """A SELECT that predicts the rows of a table as the model does; options as for one tree.

    With `probabilities` an isolation forest adds the `score`.
    """
    refuse_float32(program, "databases differ in how they round to it")
    sql = find_dialect(dialect)
    if probabilities and program.classes is None:
        raise ParameterError("probabilities=True: the model predicts a number, not a class")
    path, source = table_path(table, sql)
    read = Columns(program, sql, columns or {}, path[-1])
    query = Query(sql, read.prefix, source)
    kept, ordering = kept_names(keep, read), as_names(order_by, "order_by")
    kept_as = [f"{read.prefix}kept_{at}" for at in range(len(kept))]
    ordered_as = [f"{read.prefix}order_{at}" for at in range(len(ordering))]
    copies = zip(map(sql.identifier, [*kept, *ordering]), [*kept_as, *ordered_as], strict=True)
    query.read_table([*read.expressions(), *copies])
    results = Sums(program, read, query).results()
    names = ["prediction", "score"] if program.link == "isolation" else ["prediction"]
    if program.classes is not None and program.link != "isolation":
        names = result_names(program, sql, kept)
    wanted = len(names) if probabilities else 1
    check_kept(kept, names[:wanted], sql)
    named: list[Named] = [*zip(results[:wanted], map(sql.identifier, names[:wanted]), strict=True)]
    named += zip(kept_as, map(sql.identifier, kept), strict=True)
    return query.finish(named, ordered_as)


def run(  # noqa: PLR0913 -- the options of the format
    code: str,
    program: SumProgram,
    rows: Rows,
    *,
    dialect: str = "sqlite",
    table: Table = "data",
    probabilities: bool = False,
    keep: Names | None = None,
    order_by: Names = (),
    columns: Mapping[str, str] | None = None,
    connection: Any = None,
    timeout: float = SECONDS_TO_RUN,
) -> Predictions:
    """The predictions of a query for these rows, in the engines of one tree's queries."""
    return runner.run(
        code,
        program,
        rows,
        dialect=dialect,
        table=table,
        probabilities=probabilities,
        keep=keep,
        order_by=order_by,
        columns=columns,
        connection=connection,
        timeout=timeout,
    )


class Sums:
    """Adds the stages of a query that add up the trees."""

    def __init__(self, program: SumProgram, read: Columns, query: Query) -> None:
        self.program, self.read, self.query = program, read, query
        self.dialect, self.prefix = read.dialect, read.prefix
        self.number = self.dialect.number

    def results(self) -> list[Expression]:
        """The prediction, then the probabilities or the score, as expressions."""
        scores = self.add_trees()
        if self.program.divisor != 1:
            by = self.number(self.program.divisor)
            self.stage([(f"{score} / {by}", score) for score in scores])
        if self.program.scale != 1:
            by = self.number(self.program.scale)
            self.stage([(f"{score} * {by}", score) for score in scores])
        values = self.add_link(scores)
        found: list[Expression] = [*values]
        if self.program.link == "isolation":
            is_usual = f"{values[0]} - {self.number(self.program.offset)} >= {self.number(0.0)}"
            found.insert(0, f"CASE WHEN {is_usual} THEN 1 ELSE -1 END")
        elif self.program.classes is not None:
            choice = ClassChoice(self.program, self.dialect, self.prefix, values, tie=0.0)
            for stage in choice.stages():
                self.stage(stage)
            found.insert(0, choice.label())
        if self.program.unseen != "error" or not self.read.marked:
            return found
        known = " AND ".join(f"{self.read.mark(column)} IS NULL" for column in self.read.marked)
        return [Case("CASE", ((known, value),)) for value in found]

    def stage(self, new: Sequence[Named], dropped: Sequence[str] = ()) -> None:
        self.query.add_stage(new, dropped=dropped, once=True)

    # The trees.

    def add_trees(self) -> list[str]:
        """The columns with the sums of all trees."""
        sums = [f"{self.prefix}sum_{at}" for at in range(self.program.n_scores)]
        start = [self.number(value) for value in self.program.start.tolist()]
        if not len(self.program.trees):
            self.stage([*zip(start, sums, strict=True)])
        programs = enumerate(self.program.programs())
        while chunk := [*islice(programs, TREES_PER_STAGE)]:
            self.add_chunk(chunk, sums if chunk[0][0] else start, sums)
        return sums

    def add_chunk(
        self, chunk: list[tuple[int, Program]], before: Sequence[str], sums: Sequence[str]
    ) -> None:
        """Add some trees to the sums; a stage or more finds the branches of deep ones."""
        branches = {at: self.branches(at, one) for at, one in chunk}
        pieces = {at: found.stages() for at, found in branches.items()}
        for stage in range(max(map(len, pieces.values()))):
            deep = [at for at, found in pieces.items() if len(found) > stage]
            self.stage([(pieces[at][stage], branches[at].number) for at in deep])
        dropped = [branches[at].number for at, found in pieces.items() if found]
        values = {at: np.asarray(self.program.leaf_values(one.tree)) for at, one in chunk}
        terms: list[list[Expression]] = [[one] for one in before]
        if any(value.shape[1] > 1 for value in values.values()):
            names = {at: f"{self.prefix}leaf_{at}" for at in branches}
            leaves = [(found.expression(str), names[at]) for at, found in branches.items()]
            self.stage(leaves, dropped)
            dropped = [*names.values()]
            for at, name in names.items():
                for score, own in enumerate(terms):
                    own.append(
                        self.looked_up(name, chunk[at - chunk[0][0]][1], values[at][:, score])
                    )
        else:
            for at, found in branches.items():
                numbers = values[at][:, 0].tolist()

                def value_of(node: int, numbers: list[float] = numbers) -> str:
                    return self.number(numbers[node])

                terms[at % len(terms)].append(found.expression(value_of))
        totals = [("\n    + ".join(written(one, 3) for one in own)) for own in terms]
        self.stage([*zip(totals, sums, strict=True)], dropped)

    def branches(self, at: int, one: Program) -> Branches:
        if one.splits_rows:
            raise ExportError(
                f"tree {at} divides rows with missing values among several leaves, and a query "
                "that adds up trees cannot do that",
                hint="export to JSON",
            )
        pieces = pieces_of(one, self.dialect.max_case_depth - CASES_AROUND)
        return Branches(routes_of(self.read, one), pieces, f"{self.prefix}piece_{at}")

    def looked_up(self, name: str, one: Program, values: np.ndarray[Any, Any]) -> Expression:
        """What the leaf of a row adds to one score."""
        nodes = [node for node in range(len(values)) if self.may_predict(one, node)]
        ways = tuple(
            (str(node), self.number(float(values[node]))) for node in nodes if values[node]
        )
        nothing = self.number(0.0)
        return Case(f"CASE {name}", ways, nothing) if ways else nothing

    @staticmethod
    def may_predict(one: Program, node: int) -> bool:
        step = one.step(node)
        return step is None or not step.missing

    # What scores stand for.

    def add_link(self, scores: list[str]) -> list[str]:
        """The columns with the predictions."""
        link, limit = self.program.link, self.number(LARGEST_SCORE)
        one = self.number(1.0)
        if link == "same":
            return scores
        if link == "exponential":
            power = f"CASE WHEN {scores[0]} < {limit} THEN {scores[0]} ELSE {limit} END"
            return self.add_powers([power])
        if link == "linear":
            return self.add_terms(scores)
        first, second = f"{self.prefix}value_0", f"{self.prefix}value_1"
        zero = self.number(0.0)
        if link == "signed_square":
            square = f"{scores[0]} * {scores[0]}"
            self.stage(
                [(f"CASE WHEN {scores[0]} < {zero} THEN -({square}) ELSE {square} END", first)]
            )
            return [first]
        if link == "step":
            is_second = f"CASE WHEN {scores[0]} > {zero} THEN {one} ELSE {zero} END"
            self.stage([(is_second, second)])
            self.stage([(f"{one} - {second}", first)])
            return [first, second]
        if link in ("logistic", "logistic_each"):
            minus = [f"CASE WHEN -{one} < {limit} THEN -{one} ELSE {limit} END" for one in scores]
            odds = self.add_powers(minus)
            shares = [f"{one} / ({one} + {each})" for each in odds]
            if link == "logistic":
                self.stage([(shares[0], second)], odds)
                self.stage([(f"{one} - {second}", first)])
                return [first, second]
            values = [f"{self.prefix}value_{at}" for at in range(len(odds))]
            self.stage([*zip(shares, values, strict=True)], odds)
            return values
        if link == "isolation":
            usual = self.number(self.program.usual_depth)
            (power,) = self.add_powers([f"-({scores[0]} / {usual})"], base_2=True)
            self.stage([(f"-{power}", f"{self.prefix}value_0")], [power])
            return [f"{self.prefix}value_0"]
        largest = f"{self.prefix}largest"
        self.stage([(self.dialect.extreme(self.dialect.greatest, scores), largest)])
        powers = self.add_powers([f"{score} - {largest}" for score in scores])
        total, values = (
            f"{self.prefix}total",
            [f"{self.prefix}value_{at}" for at in range(len(powers))],
        )
        self.stage([(sum_text(powers), total)], scores)
        shares = [f"{power} / {total}" for power in powers]
        self.stage([*zip(shares, values, strict=True)], [*powers, total, largest])
        return values

    def add_terms(self, scores: list[str]) -> list[str]:
        """The column with the value of the equations, whose terms are added in stages."""
        total, *factors = scores
        products = [
            f"{factor} * {self.term(term)}"
            for factor, term in zip(factors, self.program.terms, strict=True)
        ]
        for first in range(0, len(products), TERMS_PER_STAGE):
            some = slice(first, first + TERMS_PER_STAGE)
            text = "\n    + ".join([total, *products[some]])
            self.stage([(text, total)], factors[some])
        return [total]

    def term(self, term: LinearTerm) -> str:
        """The number that a coefficient is multiplied by."""
        spec, name = self.program.columns[term.column], self.read.quoted[term.column]
        if is_date(spec):
            raise ExportError(
                f"an equation has the date `{spec.name}`, which SQL does not hold as a number",
                hint="export to another format",
            )
        if not term.sides:
            return f"COALESCE({name}, {self.number(term.fill)})"
        pairs = zip(spec.levels, term.sides[1:], strict=True)
        other = "0" if term.sides[0] == "1" else "1"  # where the level is not the usual one
        own = self.read.level_list(tuple(level for level, side in pairs if side == other))
        values = self.number(float(other)), self.number(float(term.sides[0]))
        return f"CASE WHEN {name} IN {own} THEN {values[0]} ELSE {values[1]} END"

    def add_powers(self, expressions: Sequence[str], *, base_2: bool = False) -> list[str]:
        """Columns with e (or 2) to the power of each expression, as the model computes them."""
        names = [f"{self.prefix}power_{at}" for at in range(len(expressions))]
        self.stage([*zip(expressions, names, strict=True)])
        for stage in zip(*(self.power_stages(name, base_2=base_2) for name in names), strict=True):
            new = [named for one, _ in stage for named in one]
            self.stage(new, [name for _, dropped in stage for name in dropped])
        return names

    def power_stages(self, x: str, *, base_2: bool) -> Iterator[tuple[list[Named], list[str]]]:
        """Stages that replace a column by a power with that exponent; columns that each drops.

        As in native/core/arithmetic/exponential.hpp: x = n log 2 + r, a series for exp(r), and two
        products with powers of two.
        """
        n, r, half, rest, square = (f"{x}_{word}" for word in ("n", "r", "half", "rest", "square"))
        number, rounding = self.number, self.number(exp.ROUNDING)
        low, high = (-1076.0, 1024.0) if base_2 else (-746.0, 710.0)
        clipped = f"CASE WHEN {x} < {number(low)} THEN {number(low)} "
        clipped += f"WHEN {x} > {number(high)} THEN {number(high)} ELSE {x} END"
        yield [(clipped, x)], []
        scaled = x if base_2 else f"{x} * {number(exp.PER_POWER)}"
        yield [(f"({scaled} + {rounding}) - {rounding}", n)], []
        whole = f"({n} * {number(0.5)} - {number(0.25)} + {rounding}) - {rounding}"
        remainder = f"({x} - {n}) * {number(exp.LOG_2)}"
        if not base_2:
            remainder = f"({x} - {n} * {number(exp.LOG_2_HIGH)}) - {n} * {number(exp.LOG_2_LOW)}"
        yield [(remainder, r), (whole, half)], []
        yield [(f"{r} * {r}", square), (f"{n} - {half}", rest)], [n]
        even, odd = self.series(exp.EVEN, square), self.series(exp.ODD, square)
        near = f"{number(1.0)} + ({r} + {square} * ({even} + {r} * ({odd})))"
        many = [(self.many_of(part), f"{part}_many") for part in (half, rest)]
        yield [(near, x), *many], [r, square]
        few = [(f"{p} - {number(float(FEW))} * {p}_many", f"{p}_few") for p in (half, rest)]
        yield [*few], [half, rest]
        used = [f"{part}_{word}" for part in (half, rest) for word in ("many", "few")]
        product = f"{x} * {self.power_of_two(half)} * {self.power_of_two(rest)}"
        yield [(product, x)], used

    def series(self, coefficients: Sequence[float], x: str) -> str:
        text = self.number(coefficients[-1])
        for coefficient in reversed(coefficients[:-1]):
            text = f"{self.number(coefficient)} + {x} * ({text})"
        return text

    def many_of(self, whole: str) -> str:
        """How many times FEW goes into a whole number, rounded down."""
        number, rounding = self.number, self.number(exp.ROUNDING)
        middle = number((FEW - 1) / 2)
        return f"(({whole} - {middle}) / {number(float(FEW))} + {rounding}) - {rounding}"

    def power_of_two(self, name: str) -> str:
        """2 to a power that is given as FEW times many, plus few: an exact product."""
        number = self.number
        many = "".join(
            f" WHEN {number(float(at))} THEN {number(2.0 ** (FEW * at))}" for at in range(-17, 17)
        )
        few = "".join(f" WHEN {number(float(at))} THEN {number(2.0**at)}" for at in range(FEW))
        return f"(CASE {name}_many{many} END * CASE {name}_few{few} END)"
