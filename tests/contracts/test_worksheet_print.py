"""What a worksheet prints: formulas that hold as they stand, and the numbers behind them."""

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference.printed_formulas import Printed, read_formula
from reference.printed_sheet import PrintedNode, PrintedPart, PrintedTable, read_sheet
from reference.worksheet_cases import FAMILIES, SheetCase, a_case
from treewright.worksheets.work import CandidateWork, Group, NodeWork, PruningWork

N_SEEDS = 12
CLASSIFIERS = sorted(family for family in FAMILIES if family != "regression")
MEASURES = ("information_gain", "gain_ratio", "gini_gain", "chi_square")
OWN_MEASURE = {
    "information_gain": "information_gain",
    "entropy": "information_gain",
    "gain_ratio": "gain_ratio",
    "gini": "gini_gain",
    "chi2": "chi_square",
}
TOTALS = {
    "squared_error": "sum of squares",
    "absolute_error": "sum of distances",
    "poisson": "sum of deviances",
}
PER_ROW = {
    "squared_error": "variance",
    "absolute_error": "absolute error",
    "poisson": "deviance",
}


class Page:
    """One printed worksheet beside the numbers that it prints."""

    def __init__(self, case: SheetCase, decimals: int, measures: Sequence[str] = ()) -> None:
        self.case, self.decimals = case, decimals
        self.criterion = case.problem.settings.criterion
        own = {OWN_MEASURE.get(self.criterion)}
        if self.criterion == "gain_ratio":
            own.add("information_gain")  # which it begins with
        self.more = [name for name in measures if name not in own]
        self.sheet = case.sheet(measures=measures)
        self.markdown = self.sheet.to_markdown(decimals=decimals, max_nodes=1000)

    def check(self) -> None:
        works = list(self.sheet.nodes)
        printed = list(read_sheet(self.markdown))
        assert [node.number for node in printed] == [work.node for work in works]
        for node, work in zip(printed, works, strict=True):
            self.node(node, work)

    def node(self, node: PrintedNode, work: NodeWork) -> None:
        for formula in self.formulas(node.itself):
            if formula.left == "average gain":
                self.shows(formula.result, work.average_gain)
            elif formula.left == "as a leaf":
                self.shows(formula.result, work.pruning.leaf.estimate)
            elif formula.left == "subtree and standard error":
                self.shows(formula.result, with_standard_errors(work.pruning))
            else:
                self.impurity(formula, [work.group])
        self.rows_in_words(node.itself.sentences[0], work.group)
        assert list(node.columns) == [found.column for found in work.candidates if found.kind]
        for found in work.candidates:
            if found.kind:
                self.column(node.columns[found.column], found, work)
        if work.candidates:
            self.comparison(node.itself.tables[0], work)
        if work.chosen is not None:
            self.verdict(node.itself.sentences, work)
        if work.pruning is not None:
            self.pruning(node.itself, work.pruning)

    def formulas(self, part: PrintedPart) -> list[Printed]:
        """The formulas of a part, each of which holds and has something to work out."""
        found = [read_formula(text, self.decimals) for text in part.formulas]
        for formula in found:
            formula.check()
            assert len(formula.steps) > 1 or r"\dots" in formula.text, formula.text
        return found

    def impurity(self, formula: Printed, groups: Sequence[Group]) -> None:
        """The impurity of one of these groups, or of it by a further measure."""
        name = formula.left.partition("(")[0]
        own = {"H": ("information_gain", "entropy", "gain_ratio"), "G": ("gini", "cost_gini")}
        by_this = {"H": entropy, "G": gini}
        if name in by_this and self.criterion not in own[name]:
            wanted = [by_this[name](group.counts) for group in groups]
        else:
            assert name in own or formula.left == PER_ROW[self.criterion]
            wanted = [group.impurity for group in groups]
            if self.criterion == "cost_gini" and "gini_gain" in self.more:
                wanted += [gini(group.counts) for group in groups]
        assert any(self.is_shown(formula.result, number) for number in wanted), formula.text

    def column(self, part: PrintedPart, found: CandidateWork, work: NodeWork) -> None:
        *tried, branches = part.tables
        self.branches(branches, found)
        assert len(tried) == (len(found.tried) > 1)
        for table in tried:
            self.tried(table, found)
        wanted = self.expected_formulas(found) | self.further_formulas(found)
        for formula in self.formulas(part):
            if formula.left in wanted:
                self.shows(formula.result, wanted.pop(formula.left))
            else:
                self.impurity(formula, [*found.branches, together(found)])
        assert not wanted

    def expected_formulas(self, found: CandidateWork) -> dict[str, float]:
        """The result of every formula that a column must have, by its left side."""
        if self.criterion == "chi2":
            return {f"chi-square({found.column})": found.score}
        if self.criterion in TOTALS:
            seen = sum(branch.weight for branch in found.branches)
            wanted = {
                f"{TOTALS[self.criterion]} left": found.remainder * seen,
                f"gain({found.column})": found.gain,
            }
            return wanted | (self.of_known_rows(found, seen) if found.known_share < 1 else {})
        wanted = {"remainder": found.remainder, f"gain({found.column})": found.gain}
        if self.criterion == "gain_ratio":
            wanted["split information"] = found.split_information
            wanted[f"gain ratio({found.column})"] = found.score
        return wanted

    def of_known_rows(self, found: CandidateWork, seen: float) -> dict[str, float]:
        """Where some rows do not know the column: what the others begin and end with."""
        wanted = {
            f"{PER_ROW[self.criterion]}(known rows)": found.before,
            "remainder": found.remainder,
        }
        if self.criterion == "squared_error":
            means = sum(branch.weight * branch.mean for branch in found.branches)
            wanted["mean(known rows)"] = means / seen
            wanted["sum of squares(known rows)"] = found.before * seen
        return wanted

    def further_formulas(self, found: CandidateWork) -> dict[str, float]:
        """The same for the measures that were asked for, of the rows that know the column."""
        if not self.more:
            return {}
        table = [branch.counts for branch in found.branches]
        gain = drop(table, entropy)
        numbers = {
            "information_gain": {"information gain": gain},
            "gini_gain": {"Gini gain": drop(table, gini)},
            "chi_square": {"chi-square": chi_square(table)},
            "gain_ratio": {"gain ratio": gain / entropy([sum(counts) for counts in table])},
        }
        wanted = {
            f"{name}({found.column})": number
            for measure in self.more
            for name, number in numbers[measure].items()
        }
        if "gain_ratio" in self.more:
            wanted["split information"] = entropy([sum(counts) for counts in table])
        return wanted

    def branches(self, table: PrintedTable, found: CandidateWork) -> None:
        assert table.column("branch") == [branch.condition for branch in found.branches]
        for at, branch in enumerate(found.branches):
            row = dict(zip(table.head, table.rows[at], strict=True))
            self.shows_weight(row["weight"], branch.weight)
            for code, count in enumerate(branch.counts):
                self.shows_weight(row.get(f"class {code}", "0"), count)
            if self.criterion in TOTALS:
                center = "median" if self.criterion == "absolute_error" else "mean"
                self.shows(float(row[center]), getattr(branch, center))
                self.shows(float(row[TOTALS[self.criterion]]), branch.impurity * branch.weight)
            if self.criterion != "chi2":
                self.shows(float(table.rows[at][-1]), branch.impurity)

    def tried(self, table: PrintedTable, found: CandidateWork) -> None:
        by_condition = {attempt.condition: attempt for attempt in found.tried}
        weight = sum(self.scored_weight(branch) for branch in found.branches)
        for row in table.rows:
            cells = dict(zip(table.head, row, strict=True))
            attempt = by_condition[cells["first side"]]
            assert (cells.get("", "") == "") == attempt.is_allowed
            if self.criterion == "chi2":
                whole = weight / found.known_share
                self.shows(float(cells["chi-square"]), attempt.gain * whole)
                continue
            name = "gain before the penalty" if found.correction else "gain"
            self.shows(float(cells[name]), attempt.gain)
            left = found.before - attempt.gain / found.known_share
            self.shows(float(cells["remainder"]), left)

    def comparison(self, table: PrintedTable, work: NodeWork) -> None:
        assert table.column("column") == [found.column for found in work.candidates]
        for found, row in zip(work.candidates, table.rows, strict=True):
            cells = dict(zip(table.head, row, strict=True))
            numbers = {"gain": found.gain} if self.criterion != "chi2" else {}
            if self.criterion in ("chi2", "gain_ratio"):
                own = "chi-square" if self.criterion == "chi2" else "gain ratio"
                numbers[own] = found.score
            if self.criterion == "gain_ratio":
                numbers["split information"] = found.split_information
            if found.kind:
                numbers |= {
                    name.partition("(")[0]: number
                    for name, number in self.further_formulas(found).items()
                    if name != "split information"
                }
            for name, number in numbers.items():
                if found.kind:
                    self.shows(float(cells[name]), number)
                else:
                    assert cells[name] == ""
            if found is work.chosen:
                assert cells[""] == "chosen"
            elif found.refused:
                assert cells[""] == found.refused

    def verdict(self, sentences: list[str], work: NodeWork) -> None:
        [verdict] = [text for text in sentences if text.startswith("Chosen: ")]
        assert verdict.startswith(f"Chosen: {work.chosen.column}")
        if work.runner_up is None:
            return
        score, next_score, margin = re.search(
            r", [a-zA-Z -]+ (\S+); runner-up c\d+, (\S+); margin ([^ ]+?)\.?(?= |$)", verdict
        ).groups()
        self.shows(float(score), work.chosen.score)
        self.shows(float(next_score), work.runner_up.score)
        self.shows(float(margin), work.margin)

    def pruning(self, part: PrintedPart, found: PruningWork) -> None:
        if found.branches:
            table = part.tables[-2 if found.raised else -1]
            for row, branch in zip(table.rows, found.branches, strict=False):
                cells = dict(zip(table.head, row, strict=True))
                assert cells["branch"] == branch.condition
                self.shows_weight(cells["rows N"], branch.weight)
                self.shows_weight(cells.get("errors E as a leaf", "0"), branch.errors)
                self.shows(float(cells["estimate as a leaf"]), branch.as_leaf)
                self.shows(float(cells["estimate"]), branch.estimate)
            rest = dict(zip(table.column("branch"), table.column("estimate"), strict=True))
            self.shows(float(rest.get("the node itself", "0")), found.at_node)
            self.shows(float(rest["together"]), found.as_subtree)
            self.shows(float(rest["as a leaf"]), found.leaf.estimate)
        if found.raised:
            self.raised(part.tables[-1], found)
        named = {
            "as a leaf": found.leaf.estimate,
            "as a subtree": found.as_subtree,
            "as its largest branch": found.as_branch,
        }
        if found.method == "critical_value":
            named = {"The highest value here and below is": found.as_subtree}
        [sentence] = [text for text in part.sentences if next(iter(named)) in text]
        for name, number in named.items():
            shown = re.search(rf"{name} (-?[\d.]*\d)", sentence)
            assert (shown is None) == math.isnan(number)
            if shown is not None:
                self.shows(float(shown[1]), number)

    def raised(self, table: PrintedTable, found: PruningWork) -> None:
        """The branches of the branch that took the place of its node."""
        for row, branch in zip(table.rows, found.raised, strict=False):
            cells = dict(zip(table.head, row, strict=True))
            assert cells["branch"] == branch.condition
            self.shows_weight(cells["rows N"], branch.weight)
            self.shows(float(cells["estimate"]), branch.estimate)
        self.shows(float(table.rows[-1][-1]), found.as_branch)

    def rows_in_words(self, sentence: str, group: Group) -> None:
        rows = re.match(r"(\d+) rows?(?: of weight ([\d.e-]*\d))?", sentence)
        assert int(rows[1]) == group.n_rows
        self.shows_weight(rows[2] or rows[1], group.weight)
        for code, count in enumerate(group.counts):
            shown = re.search(rf"([\d.e-]+) class {code}\b", sentence)
            self.shows_weight(shown[1] if shown else "0", count)

    # How a number is shown.

    def scored_weight(self, group: Group) -> float:
        factors = self.case.problem.settings.class_factor
        if factors is None:
            return group.weight
        return sum(float(f) * count for f, count in zip(factors, group.counts, strict=True))

    def is_shown(self, printed: float, number: float) -> bool:
        return abs(printed - number) <= 0.5 * 10.0**-self.decimals + 1e-12 * max(1, abs(number))

    def shows(self, printed: float, number: float) -> None:
        assert self.is_shown(printed, number), f"{number} is printed as {printed}"

    def shows_weight(self, printed: str, weight: float) -> None:
        half = 0.5 * 10.0 ** -max(self.decimals, 2)
        assert abs(float(printed) - weight) <= max(half, 0.005 * weight * ("e" in printed)) + 1e-12


def with_standard_errors(found: PruningWork) -> float:
    """What pessimistic pruning lets a leaf cost."""
    n, errors = found.leaf.weight, found.as_subtree
    return errors + found.options["standard_errors"] * math.sqrt(errors * (n - errors) / n)


def together(found: CandidateWork) -> Group:
    """The rows that a split divides: those that know its column."""
    counts = tuple(map(sum, zip(*(branch.counts for branch in found.branches), strict=True)))
    return replace(found.branches[0], counts=counts, impurity=found.before)


def entropy(counts: Sequence[float]) -> float:
    whole = sum(counts)
    return -sum(count / whole * math.log2(count / whole) for count in counts if count > 0)


def gini(counts: Sequence[float]) -> float:
    return 1 - sum((count / sum(counts)) ** 2 for count in counts)


def drop(table: Sequence[Sequence[float]], impurity: Callable[[Sequence[float]], float]) -> float:
    """Impurity of all rows less that of the branches, each by its share."""
    together = [sum(column) for column in zip(*table, strict=True)]
    left = sum(sum(counts) * impurity(counts) for counts in table) / sum(together)
    return impurity(together) - left


def chi_square(table: Sequence[Sequence[float]]) -> float:
    together = [sum(column) for column in zip(*table, strict=True)]
    return sum(
        (count - sum(counts) * of_class / sum(together)) ** 2
        / (sum(counts) * of_class / sum(together))
        for counts in table
        for count, of_class in zip(counts, together, strict=True)
        if of_class
    )


@pytest.mark.parametrize("seed", range(N_SEEDS))
@pytest.mark.parametrize("family", FAMILIES)
def test_printed_formulas_hold_and_show_the_numbers(family, seed):
    Page(a_case(family, seed), decimals=10).check()


@given(
    family=st.sampled_from(sorted(FAMILIES)),
    seed=st.integers(0, 2**32 - 1),
    decimals=st.integers(2, 14),
)
def test_printed_formulas_hold_with_any_number_of_decimals(family, seed, decimals):
    Page(a_case(family, seed), decimals).check()


@given(family=st.sampled_from(CLASSIFIERS), seed=st.integers(0, 2**32 - 1))
def test_further_measures_are_worked_out_as_well(family, seed):
    Page(a_case(family, seed), 10, MEASURES).check()
