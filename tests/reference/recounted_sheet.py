"""A printed worksheet checked by somebody who has the page and the raw rows, and nothing else.

Everything is read from the text. Each formula is worked out as it stands, in intervals, because a
printed number stands for all numbers that are rounded to it. The counts are counted again from the
rows, which go down the tree by the branches that the page names. No code of the library is used.
"""

import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from reference.printed_formulas import Interval, NotANumberError
from reference.text_formulas import TextFormula, entropy_of, gini_of

NODE = re.compile(r"Node (\d+): (.*)\n-+$", re.DOTALL)
NUMBER = r"-?\d[\d.]*(?:e[+-]?\d+)?"
CEILING, PART = 25.0, 0.1  # C4.5: the least weight on each side of a threshold

Row = dict[str, Any]
Weighted = list[tuple[int, float]]


@dataclass
class Tally:
    """How many numbers were checked, and which were wrong."""

    n_checked: int = 0
    n_unread: int = 0  # steps with terms left out, or words only
    kinds: dict[str, int] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)

    def check(self, kind: str, is_right: bool, what: str, n: int = 1) -> None:
        self.n_checked += n
        self.kinds[kind] = self.kinds.get(kind, 0) + n
        if not is_right:
            self.wrong.append(f"{kind}: {what}")


@dataclass
class Grid:
    """A table as text: its caption, its columns by the line of dashes."""

    caption: str
    head: list[str]
    rows: list[list[str]]

    def cells(self) -> Iterable[dict[str, str]]:
        return (dict(zip(self.head, row, strict=True)) for row in self.rows)


class RecountedSheet:
    """One page beside its rows; `check` gives the tally."""

    def __init__(
        self, text: str, rows: Sequence[Row], y: Sequence[Any], *, decimals: int = 4
    ) -> None:
        self.blocks = [block for block in text.split("\n\n") if block.strip()]
        self.rows, self.y, self.decimals = rows, y, decimals
        self.names = list(rows[0])
        self.is_class = isinstance(y[0], str)
        self.classes = sorted(set(y)) if self.is_class else []
        self.is_spread = any(value is None for row in rows for value in row.values())
        self.tally = Tally()
        self.members: dict[int, Weighted | None] = {0: [(at, 1.0) for at in range(len(rows))]}
        everything = " ".join(text.split())
        found = re.search(r"exceeded with a probability of (\S+?)\. ", everything)
        self.confidence = float(found[1]) if found else math.nan
        found = re.search(r" z = ([\d.]+),", everything)
        self.z = float(found[1]) if found else math.nan
        self.by_ratio = "the column with the largest gain ratio" in everything
        self.least = self._least(everything)
        self.by_entropy = any(block.lstrip().startswith("entropy = ") for block in self.blocks)
        self.tests: dict[str, tuple[str, Callable[[Any], bool]]] = {}  # by condition

    @staticmethod
    def _least(text: str) -> float:
        found = re.search(r"but at least ([\d.]+); more than 25", text)
        return float(found[1]) if found else math.nan

    def check(self) -> Tally:
        sections: list[tuple[int, list[str]]] = []
        for block in self.blocks:
            if found := NODE.match(block):
                sections.append((int(found[1]), []))
            elif block.startswith(("The tree\n---", "As rules\n---")):
                break
            elif sections:
                sections[-1][1].append(block)
        for number, blocks in sections:
            Section(self, number, blocks).check()
        return self.tally

    # What is printed.

    def printed(self, text: str) -> Interval:
        """All numbers that are printed like this; weights have two decimals at least."""
        number, digits = float(text), len(text.partition(".")[2])
        if "e" in text:
            return Interval(number - 0.005 * abs(number), number + 0.005 * abs(number))
        if digits == self.decimals:
            half = 0.5 * 10.0**-digits
        else:  # a weight, without the zeros at its end
            half = 0.5 * 10.0 ** -max(self.decimals, 2) if digits or self.is_spread else 0.0
        half *= 1 + 1e-6
        return Interval(number - half, number + half)

    def value(self, text: str) -> Interval:
        """One side of a formula, worked out."""
        return TextFormula(text, self.printed, self.upper_rate).value()

    def upper_rate(self, errors: Interval, weight: Interval) -> Interval:
        """U(E, N), which rises with E and falls with N."""
        low = self.upper_limit(max(errors.low, 0.0), weight.high) / weight.high
        high = self.upper_limit(max(errors.high, 0.0), weight.low) / weight.low
        return Interval(min(low, high) - 1e-9, max(low, high) + 1e-6)

    def upper_limit(self, errors: float, weight: float) -> float:
        """N x U(E, N) by the definition on the page."""
        if weight <= 0:
            return 0.0
        if errors < 1:
            none = weight * (1 - self.confidence ** (1 / weight))
            return none + errors * (self.upper_limit(1, weight) - none) if errors else none
        if errors + 0.5 >= weight:
            return max(weight, errors)
        f, z = (errors + 0.5) / weight, self.z
        spread = math.sqrt(f / weight - f * f / weight + z * z / (4 * weight * weight))
        return weight * (f + z * z / (2 * weight) + z * spread) / (1 + z * z / weight)

    def says(self, kind: str, text: str, number: float, what: str) -> None:
        found = self.printed(text)
        slack = 1e-6 if kind in ("pruning", "estimate") else 1e-9
        slack *= max(1.0, abs(number))
        is_right = found.low - slack <= number <= found.high + slack
        self.tally.check(kind, is_right, f"{what}: {text} printed, {number!r} found")

    # Rows.

    def fits(self, condition: str, row: Row) -> bool | None:
        """Whether a row fulfills a condition; None if its value is missing."""
        if condition not in self.tests:
            self.tests[condition] = self._test(condition)
        name, test = self.tests[condition]
        value = row[name]
        if value is None:
            return True if condition == f"{name} missing" else None
        return test(value)

    def _test(self, condition: str) -> tuple[str, Callable[[Any], bool]]:
        """The column that a condition names, and what it asks of a value."""
        for name in sorted(self.names, key=len, reverse=True):
            if condition in (f"{name} missing", f"{name} otherwise"):
                return name, lambda value: False
            if between := re.fullmatch(rf"(\S+) < {re.escape(name)} <= (\S+)", condition):
                low, high = float(between[1]), float(between[2])
                return name, lambda value, low=low, high=high: low < value <= high
            for sign in (" <= ", " > ", " = ", " in {"):
                if condition.startswith(name + sign):
                    return name, value_test(sign, condition.removeprefix(name + sign))
        raise NotANumberError(condition)

    def counts(self, members: Weighted) -> list[float]:
        totals = dict.fromkeys(self.classes, 0.0)
        for at, weight in members:
            totals[self.y[at]] += weight
        return list(totals.values())

    def impurity(self, members: Weighted) -> float:
        if not members:
            return 0.0
        if self.is_class:
            return (entropy_of if self.by_entropy else gini_of)(self.counts(members))
        return self.squares(members) / total(members)

    def squares(self, members: Weighted) -> float:
        whole = total(members)
        mean = sum(weight * self.y[at] for at, weight in members) / whole
        return sum(weight * (self.y[at] - mean) ** 2 for at, weight in members)

    def parted(self, members: Weighted, conditions: list[str]) -> tuple[list[Weighted], Weighted]:
        """The rows of each side, and those whose value is missing."""
        sides: list[Weighted] = [[] for _ in conditions]
        missing: Weighted = []
        for at, weight in members:
            predictions = [self.fits(condition, self.rows[at]) for condition in conditions]
            if True in predictions:
                sides[predictions.index(True)].append((at, weight))
            elif False in predictions and conditions[-1].endswith(" otherwise"):
                sides[-1].append((at, weight))
            else:
                missing.append((at, weight))
        return sides, missing


def value_test(sign: str, text: str) -> Callable[[Any], bool]:
    """What a sign and the text after it ask of a value."""
    if sign == " <= ":
        return lambda value: bool(value <= float(text))
    if sign == " > ":
        return lambda value: bool(value > float(text))
    if sign == " = ":
        return lambda value: str(value) == text
    return lambda value: f", {value}, " in f", {text.removesuffix('}')}, "


def total(members: Weighted) -> float:
    return sum(weight for _, weight in members)


class Section:
    """The calculation at one node."""

    def __init__(self, sheet: RecountedSheet, number: int, blocks: list[str]) -> None:
        self.sheet, self.number, self.blocks = sheet, number, blocks
        self.members = sheet.members.get(number)
        self.gains: dict[str, dict[str, str]] = {}  # of each column, by the left side
        self.compared: dict[str, dict[str, str]] = {}
        self.impurity: str | None = None
        self.where = f"node {number}"

    def check(self) -> None:
        self.rows_in_words(self.blocks[0])
        column: str | None = None
        grids: list[Grid] = []
        for block in self.blocks[1:]:
            if block in self.sheet.names:
                column, grids = block, []
            elif is_grid(block):
                grid = read_grid(block)
                grids.append(grid)
                if grid.head[0] == "column":
                    self.comparison(grid)
                    column = None
                elif grid.head[0] == "branch" and column is not None:
                    self.branches(column, grid)
                elif grid.head[0] == "first side" and column is not None:
                    self.tried(column, grid)
                elif grid.head[0] == "branch":
                    self.estimates(grid)
            elif block.startswith("    ") and "=" in block:
                self.formula(" ".join(block.split()), column, grids)
            else:
                self.sentence(" ".join(block.split()))

    def rows_in_words(self, block: str) -> None:
        text = " ".join(block.split())
        found = re.match(rf"(\d+) rows?(?: of weight ({NUMBER}))?", text)
        if found is None or self.members is None:
            return
        self.sheet.says("rows", found[1], len(self.members), self.where)
        if found[2]:
            self.sheet.says("weight", found[2].rstrip("."), total(self.members), self.where)
        if not self.sheet.is_class:
            if self.members:
                mean = sum(w * self.sheet.y[at] for at, w in self.members) / total(self.members)
                shown = re.search(rf"mean ({NUMBER})\.$", text)
                self.sheet.says("mean", shown[1], mean, self.where)
            return
        if " other classes" in text:
            return
        counts = dict(zip(self.sheet.classes, self.sheet.counts(self.members), strict=True))
        for name, count in counts.items():
            shown = re.search(rf"(?:: |, )({NUMBER}) {re.escape(name)}(?=[,.])", text)
            self.sheet.says("count", shown[1] if shown else "0", count, f"{self.where}, {name}")

    def sides(self, conditions: list[str]) -> tuple[list[Weighted], Weighted] | None:
        if self.members is None or any(" ..." in condition for condition in conditions):
            return None
        return self.sheet.parted(self.members, conditions)

    def branches(self, column: str, grid: Grid) -> None:
        is_whole = " branches" not in grid.caption
        conditions = [row[0] for row in grid.rows] if is_whole else [" ..."]  # others are left out
        self.gains[column] = {"conditions": conditions}  # type: ignore[dict-item]
        parted = self.sides(conditions)
        if parted is None or self.joins(column):
            return
        for cells, members in zip(grid.cells(), parted[0], strict=True):
            where = f"{self.where}, {cells['branch']}"
            self.sheet.says("weight", cells["weight"], total(members), where)
            if self.sheet.is_class:
                self.class_cells(cells, members, where)
            elif members:
                mean = sum(w * self.sheet.y[at] for at, w in members) / total(members)
                self.sheet.says("mean", cells["mean"], mean, where)
                squares = self.sheet.squares(members)
                self.sheet.says("squares", cells["sum of squares"], squares, where)
                self.sheet.says("impurity", cells["variance"], squares / total(members), where)

    def class_cells(self, cells: dict[str, str], members: Weighted, where: str) -> None:
        counts = self.sheet.counts(members)
        for name, count in zip(self.sheet.classes, counts, strict=True):
            if name in cells:
                self.sheet.says("count", cells[name], count, f"{where}, {name}")
        name = "entropy" if self.sheet.by_entropy else "Gini"
        self.sheet.says("impurity", cells[name], self.sheet.impurity(members), where)

    def joins(self, column: str) -> bool:
        """Whether rows without a value are counted with a branch."""
        return any("a missing value here; they are counted with" in block for block in self.blocks)

    def tried(self, column: str, grid: Grid) -> None:
        self.possible(column, grid)
        if self.members is None or self.joins(column):
            return
        known = [(at, w) for at, w in self.members if self.sheet.rows[at][column] is not None]
        for cells in grid.cells():
            condition = cells["first side"]
            if " ..." in condition:
                continue
            parts = self.sheet.parted(known, [condition])
            sides = [parts[0][0], parts[1]]
            left = sum(total(side) * self.sheet.impurity(side) for side in sides) / total(known)
            gain = total(known) / total(self.members) * (self.sheet.impurity(known) - left)
            name = "gain before the penalty" if "gain before the penalty" in cells else "gain"
            self.sheet.says("tried", cells["remainder"], left, f"{self.where}, {condition}")
            self.sheet.says("tried", cells[name], gain, f"{self.where}, {condition}")

    def possible(self, column: str, grid: Grid) -> None:
        """C4.5: how many thresholds there are, and how many leave enough on both sides."""
        found = re.search(r"(\d+) of (\d+) leave enough rows", grid.caption)
        if found is None or self.members is None:
            return
        weights: dict[float, float] = {}
        for at, weight in self.members:
            value = self.sheet.rows[at][column]
            if value is not None:
                weights[value] = weights.get(value, 0.0) + weight
        values = sorted(weights)
        if any(high - low < 1e-4 for low, high in pairwise(values)):
            return
        known, below, n_enough = sum(weights.values()), 0.0, 0
        least = min(CEILING, PART * known / len(self.sheet.classes))
        least = max(self.sheet.least, least) * (1 - 1e-9)
        for value in values[:-1]:
            below += weights[value]
            n_enough += below >= least and known - below >= least
        self.sheet.says("possible", found[2], len(values) - 1, f"{self.where}, {column}")
        self.sheet.says("possible", found[1], n_enough, f"{self.where}, {column}")

    # Formulas.

    def formula(self, text: str, column: str | None, grids: list[Grid]) -> None:
        left, *steps = text.split(" = ")
        values = []
        for side in (left, *steps):
            try:
                values.append(self.sheet.value(side))
            except NotANumberError:
                self.sheet.tally.n_unread += 1
        for value in values[:-1]:
            n_numbers = max(1, len(re.findall(r"\d+(?:\.\d+)?", text)) // max(len(values), 1))
            self.sheet.tally.check("formula", value.meets(values[-1]), text, n_numbers)
        self.linked(left, steps, column, grids)

    def linked(self, left: str, steps: list[str], column: str | None, grids: list[Grid]) -> None:
        """The numbers of a formula are those that stand above it."""
        name, result = left.partition("(")[0], steps[-1]
        if column is None:
            if name in ("entropy", "Gini", "variance"):
                self.impurity = result
                if self.members is not None:
                    self.sheet.says(
                        "impurity", result, self.sheet.impurity(self.members), self.where
                    )
                    if name != "variance":
                        self.arguments(left, [self.sheet.counts(self.members)])
            elif name == "average gain":
                self.average = result
            return
        found = self.gains.setdefault(column, {})
        parted = self.sides(found.get("conditions", []))  # type: ignore[arg-type]
        if name in ("entropy", "Gini") and parted is not None and not self.joins(column):
            whole = [row for side in parted[0] for row in side]
            self.arguments(left, [self.sheet.counts(side) for side in (*parted[0], whole)])
        if name == "split information" and parted is not None:
            missing = total(parted[1])
            weights = [total(side) for side in parted[0]]
            self.arguments(steps[0], [[*weights, missing] if missing else weights])
        if name in ("remainder", "split information") or name.startswith(("gain", "sum of sq")):
            found[name] = result
        if name == "remainder":
            self.remainder(steps[0], grids[-1])
        if name == "gain" and "remainder" in found:
            self.gain(steps[0], column, found, parted)
        if name == "gain ratio" and "/" in steps[0]:
            expected = f"{found['gain']}/{found['split information']}"
            self.sheet.tally.check("linked", steps[0] == expected, f"{self.where}: {steps[0]}", 2)

    def arguments(self, call: str, wanted: list[list[float]]) -> None:
        """The counts of a call are those of one of these groups."""
        shown = re.findall(NUMBER, call.partition("(")[2])
        if "..." in call:
            self.sheet.tally.n_unread += 1
            return
        is_right = any(
            len(counts) == len(shown)
            and all(
                self.sheet.printed(one).low - 1e-9 <= count <= self.sheet.printed(one).high + 1e-9
                for one, count in zip(shown, counts, strict=True)
            )
            for counts in wanted
        )
        self.sheet.tally.check("argument", is_right, f"{self.where}: {call}", len(shown))

    def remainder(self, step: str, grid: Grid) -> None:
        if "..." in step or " branches" in grid.caption or "branch" not in grid.head:
            return
        parts = re.findall(rf"({NUMBER})/({NUMBER}) × ({NUMBER})", step)
        for cells, (weight, _, impurity) in zip(grid.cells(), parts, strict=False):
            same = cells["weight"] == weight
            same &= float(cells[grid.head[-1]]) == float(impurity)
            self.sheet.tally.check("linked", same, f"{self.where}: {step}", 2)

    def gain(
        self,
        step: str,
        column: str,
        found: dict[str, str],
        parted: tuple[list[Weighted], Weighted] | None,
    ) -> None:
        """What the gain begins with, what it takes away, and the share of the known rows."""
        has_factor = re.match(rf"({NUMBER})/({NUMBER}) × ", step)
        if parted is not None and not self.joins(column):
            missing = total(parted[1])
            self.sheet.tally.check("factor", bool(has_factor) == (missing > 0), f"{column}: {step}")
            if has_factor and missing:
                known = total(self.members) - missing
                self.sheet.says("factor", has_factor[1], known, f"{self.where}, {column}")
                self.sheet.says("factor", has_factor[2], total(self.members), self.where)
        numbers = re.findall(rf"({NUMBER}) - ({NUMBER})", step)
        if numbers and "max" not in step:
            before, left = numbers[0]
            is_same = left == found["remainder"]
            if not has_factor and self.impurity is not None:
                is_same &= before == self.impurity
            self.sheet.tally.check("linked", is_same, f"{self.where}, {column}: {step}", 2)

    # What was chosen.

    def comparison(self, grid: Grid) -> None:
        for cells in grid.cells():
            name = cells["column"]
            self.compared[name] = cells
            found = self.gains.get(name)
            for left in ("gain", "split information", "gain ratio"):
                if found and left in found and cells.get(left):
                    same = float(cells[left]) == float(found[left])
                    what = f"{self.where}, {name}: {left} {cells[left]}, above {found[left]}"
                    self.sheet.tally.check("compared", same, what)

    def sentence(self, text: str) -> None:
        if found := re.search(rf"less 0\.001, ({NUMBER}), compete", text):
            expected = self.sheet.printed(self.average) + Interval(-0.001, -0.001)
            is_right = expected.meets(self.sheet.printed(found[1]))
            self.sheet.tally.check("average", is_right, f"{self.where}: {text}")
        if text.startswith("Chosen: "):
            self.chosen(text)
        if found := re.match(
            rf"Rows of weight ({NUMBER}) have a missing value in (.*); they", text
        ):
            self.not_known(found[1], found[2], text)
        if text.startswith("Branches: "):
            self.children(text.removeprefix("Branches: ").removesuffix("."))
        found = re.search(rf"a leaf: ({NUMBER}) of ({NUMBER}) rows are wrong", text)
        if found and self.members is not None:
            whole = total(self.members)
            errors = whole - max(self.sheet.counts(self.members))
            self.sheet.says("collapsed", found[1], errors, self.where)
            self.sheet.says("collapsed", found[2], whole, self.where)
        if text.startswith("Pruning compared "):
            self.pruned(text)

    def chosen(self, text: str) -> None:
        score = "gain ratio" if self.sheet.by_ratio else "gain"
        runner_up = rf"; runner-up (.*), ({NUMBER}); margin ({NUMBER})"
        found = re.match(rf"Chosen: (.*), {score} ({NUMBER})(?:{runner_up})?\.", text)
        if found is None or score not in next(iter(self.compared.values())):
            self.sheet.tally.check("chosen", False, text)
            return
        name, own, other, next_score, margin = found.groups()
        same = float(self.compared[name][score]) == float(own)
        self.sheet.tally.check("chosen", same, f"{self.where}: {text}")
        if other is None:
            return
        margin = margin.rstrip(".")
        same = float(self.compared[other][score]) == float(next_score)
        difference = self.sheet.printed(own) + -self.sheet.printed(next_score)
        same &= difference.meets(self.sheet.printed(margin))
        self.sheet.tally.check("chosen", same, f"{self.where}: {text}", 2)
        if margin.startswith("-"):
            said = any("the margin may be negative" in " ".join(b.split()) for b in self.blocks)
            self.sheet.tally.check("negative margin", said, f"{self.where}: {text}")

    def not_known(self, weight: str, column: str, text: str) -> None:
        if self.members is None or column not in self.sheet.names:
            return
        missing = [(at, w) for at, w in self.members if self.sheet.rows[at][column] is None]
        self.sheet.says("missing", weight, total(missing), f"{self.where}, {column}")

    def children(self, text: str) -> None:
        pairs = re.findall(r"(?:^|; )(.*?) to node (\d+)", text)
        numbers = [int(number) for _, number in pairs]
        conditions = [condition for condition, _ in pairs]
        parted = None if re.search(r"and \d+ more$", text) else self.sides(conditions)
        spread = any("go down every branch" in " ".join(b.split()) for b in self.blocks)
        if parted is None or (parted[1] and not spread):
            self.sheet.members |= dict.fromkeys(numbers)
            return
        sides, missing = parted
        known = sum(map(total, sides))
        for number, side in zip(numbers, sides, strict=True):
            share = total(side) / known
            more = [(at, w * share) for at, w in missing] if share > 0 else []
            self.sheet.members[number] = sorted([*side, *more])
        self.child = dict(zip(conditions, numbers, strict=True))

    # Pruning.

    def estimates(self, grid: Grid) -> None:
        """Each estimate from its N and E; together they make the subtree."""
        sheet, parts = self.sheet, Interval(0.0, 0.0)
        for cells in grid.cells():
            where = f"{self.where}, {cells['branch']}"
            if cells["branch"] == "together":
                self.together = cells["estimate"]
                is_right = parts.meets(sheet.printed(cells["estimate"]))
                sheet.tally.check("together", is_right, where)
                continue
            if cells["branch"] != "as a leaf":
                parts = parts + sheet.printed(cells["estimate"])
            n, e = cells.get("rows N"), cells.get("errors E as a leaf", "0")
            if n and not math.isnan(sheet.confidence) and float(n) > 0:
                rate = sheet.upper_rate(sheet.printed(e), sheet.printed(n))
                expected = sheet.printed(n) * rate
                is_right = expected.meets(sheet.printed(cells["estimate as a leaf"]))
                sheet.tally.check("estimate", is_right, f"{where}: {cells}")
            if n and cells["branch"] == "as a leaf":
                self.leaf_counts(n, e)
            self.child_counts(cells)

    def leaf_counts(self, n: str, e: str) -> None:
        before = any("was decided before" in " ".join(block.split()) for block in self.blocks)
        if self.members is None or before:
            return
        self.sheet.says("pruning", n, total(self.members), f"{self.where} as a leaf, N")
        errors = total(self.members) - max(self.sheet.counts(self.members))
        self.sheet.says("pruning", e, errors, f"{self.where} as a leaf, E")

    def child_counts(self, cells: dict[str, str]) -> None:
        """Branches that the tree still has: their rows are counted again."""
        number = getattr(self, "child", {}).get(cells["branch"])
        members = self.sheet.members.get(number) if number is not None else None
        if not members or not cells.get("rows N"):
            return
        where = f"{self.where}, {cells['branch']}"
        self.sheet.says("pruning", cells["rows N"], total(members), where)
        errors = total(members) - max(self.sheet.counts(members))
        self.sheet.says("pruning", cells.get("errors E as a leaf", "0"), errors, where)

    def pruned(self, text: str) -> None:
        found = re.search(rf"as a leaf ({NUMBER})(?:, as a subtree ({NUMBER}))?", text)
        branch = re.search(rf"as its largest branch ({NUMBER})", text)
        leaf = self.sheet.printed(found[1].rstrip("."))
        if math.isnan(self.sheet.confidence) or found[2] is None:
            return
        subtree = self.sheet.printed(found[2].rstrip("."))
        slack = 0.1 + 1e-6
        if text.endswith("it became a leaf."):
            is_right = leaf.low <= subtree.high + slack
            if branch:
                is_right &= leaf.low <= self.sheet.printed(branch[1]).high + slack
        elif text.endswith("took its place."):
            is_right = self.sheet.printed(branch[1]).low <= subtree.high + slack
        else:
            is_right = leaf.high > subtree.low + 0.1 - 1e-6
        self.sheet.tally.check("decision", is_right, f"{self.where}: {text}", 2 + bool(branch))


def is_grid(block: str) -> bool:
    return any(re.fullmatch(r"[ *]*-+(?: +-+)*", line) for line in block.splitlines())


def read_grid(block: str) -> Grid:
    """A table by its line of dashes; a mark before a row is left out."""
    lines = block.splitlines()
    rule = next(at for at, line in enumerate(lines) if re.fullmatch(r"[ *]*-+(?: +-+)*", line))
    spans = [match.span() for match in re.finditer("-+", lines[rule])]
    ends = [(start, stop) for start, stop in spans]

    def cells(line: str) -> list[str]:
        return [line[start:stop].strip() for start, stop in ends]

    caption = " ".join(" ".join(lines[: rule - 1]).split())
    return Grid(caption, cells(lines[rule - 1]), [cells(line) for line in lines[rule + 1 :]])


def recount(
    print_sheet: Callable[..., str], rows: Sequence[Row], y: Sequence[Any], decimals: int = 4
) -> Tally:
    """The tally of a worksheet printed wide enough for every formula to stand in one line."""
    text = print_sheet(decimals=decimals, width=20_000, max_nodes=1000)
    return RecountedSheet(text, rows, y, decimals=decimals).check()
