"""How C4.5's rules came out of a tree, as a part of its worksheet.

Each number is counted from the training rows: what every dropped condition changed, the bits of
each subset of rules, the false positives that order the classes, the errors that removing a rule
saved.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from treewright._kernels.row_sets import Words
from treewright.documents.page import Block, Heading, Listing, Note, Paragraph, Run, SheetTable
from treewright.plain_text import plain, shortened
from treewright.rulesets.as_document import rules_text
from treewright.rulesets.condition import condition_text
from treewright.rulesets.learning import Candidate, PathRule, RuleLearning, Selection, Turn
from treewright.rulesets.omit_rules import ErrorMeasure, Shortening, shortenings
from treewright.rulesets.ordered_rules import OrderedRules
from treewright.rulesets.post_pruning import conditions_of, covered_by
from treewright.rulesets.row_masks import Part, RowMasks
from treewright.rulesets.rule import prediction_text
from treewright.rulesets.select_by_mdl import HALF, Choices, log2_factorial
from treewright.rulesets.sheet import RuleSheet
from treewright.tree.tree import Tree
from treewright.worksheets.digits import Digits

MOST_PATHS, MOST_DETAILED = 40, 8  # paths in the table, and step by step
LONGEST_RULE = 160
PATHS, SUBSETS, ORDER, HARM, RULES = (
    "rule-paths",
    "rule-subsets",
    "rule-order",
    "rule-harm",
    "rules",
)


@dataclass(frozen=True, eq=False)
class RuleWork:
    """The rules of a model, and how they were found if the training rows are there."""

    tree: Tree
    rules: OrderedRules
    learning: RuleLearning | None
    error_of: ErrorMeasure
    confidence: float | None  # None: rules are shortened and sorted by accuracy

    def blocks(self, digits: Digits, *, full: bool) -> Iterator[Block]:
        """The sections from the paths of the tree to the finished list."""
        if self.learning is not None:
            steps = RuleSteps(self, self.learning, digits)
            yield from steps.paths(full=full)
            if self.confidence is not None:
                yield from steps.subsets()
                yield from steps.order()
                yield from steps.harm()
        yield from self.finished_rules()

    def finished_rules(self) -> Iterator[Block]:
        """The rules that predict."""
        yield Heading(2, "The rules", RULES)
        yield Paragraph.of(
            "The first rule that matches a row predicts it. A missing value fulfills no condition."
        )
        listed = list(self.rules.rules())
        otherwise = prediction_text(self.rules.default())
        sheet = RuleSheet(listed, [], otherwise, is_ordered=True, is_classifier=True, decimals=None)
        lines = rules_text(sheet).split("\n")
        end = lines.index("") if "" in lines else len(lines)  # footnotes repeat the sentence above
        yield Listing("\n".join(shortened(line, 2 * LONGEST_RULE) for line in lines[:end]))


class RuleSteps:
    """One page about the steps."""

    def __init__(self, work: RuleWork, learning: RuleLearning, digits: Digits) -> None:
        self.work, self.learning, self.digits = work, learning, digits
        self.tree = work.tree
        self.node_of = {id(path.rule): path.node for path in learning.paths if path.rule}
        self.place_of = {id(rule): at for at, rule in enumerate(learning.listed)}

    @property
    def masks(self) -> RowMasks:
        return self.learning.masks

    def weight(self, rows: Words) -> float:
        return float(self.masks.weight(rows[np.newaxis])[0])

    def class_name(self, prediction: int) -> str:
        assert self.tree.classes is not None
        return plain(str(self.tree.classes[prediction]))

    def text(self, parts: Sequence[Part]) -> str:
        """The parts of a rule as one sentence."""
        found = " and ".join(map(condition_text, conditions_of(tuple(parts), self.tree)))
        return shortened(found, LONGEST_RULE) or "always"

    def name(self, rule: Candidate) -> str:
        """A rule by its place in the finished list, or by the leaf that it came from."""
        place = self.place_of.get(id(rule))
        return f"rule of node {self.node_of[id(rule)]}" if place is None else f"R{place + 1}"

    # ------------------------------------------------------------------ 1. paths

    def paths(self, *, full: bool) -> Iterator[Block]:
        """Each path of the tree, and the rule that it became."""
        paths = self.learning.paths
        yield Heading(2, "1. Paths become rules", PATHS)
        yield Paragraph.of(*self._how_shortened())
        yield self._path_table(paths[:MOST_PATHS])
        if len(paths) > MOST_PATHS:
            yield Note(f"... {len(paths) - MOST_PATHS} more paths")
        if not full:
            return
        detailed = [path for path in paths if len(path.parts) > 0][:MOST_DETAILED]
        for path in detailed:
            yield from self._shortening(path)
        left = sum(len(path.parts) > 0 for path in paths) - len(detailed)
        if left:
            yield Note(f"... {left} more paths are shortened in the same way")

    def _how_shortened(self) -> tuple[str | Run, ...]:
        n_paths = len(self.learning.paths)
        start = f"Every path to a leaf with training rows is a rule, {n_paths} in all. "
        if self.work.confidence is None:
            return (
                start,
                "The condition whose removal leaves the lowest share of errors is dropped, as long "
                "as that share falls.",
            )
        return (
            start,
            "The condition whose removal leaves the lowest pessimistic error is dropped, as long "
            "as it does not rise: the upper limit of the share of errors, at a confidence of ",
            Run(f"{100 * self.work.confidence:g} %", "strong"),
            ". A rule is left out if it has no condition left, if another path gave the same rule, "
            "or if another class is more frequent among the rows that it covers.",
        )

    def _path_table(self, paths: Sequence[PathRule]) -> SheetTable:
        rows = []
        for path in paths:
            rule = path.rule
            came = [self.text(rule.parts), self.name(rule)] if rule else ["", path.left_out]
            numbers = ["", ""]
            if rule is not None:
                numbers = [self.digits.weight(rule.weight), self.digits.text(rule.error)]
            rows.append(
                (
                    str(path.node),
                    self.text(path.parts),
                    self.class_name(path.prediction),
                    came[0],
                    *numbers,
                    came[1],
                )
            )
        titles = ("node", "path", "class", "rule", "rows", self._error_name(), "became")
        return SheetTable(titles, tuple(rows), "rlllrrl")

    def _error_name(self) -> str:
        return "share of errors" if self.work.confidence is None else "pessimistic error"

    def _shortening(self, path: PathRule) -> Iterator[Block]:
        """What each dropped condition changed."""
        yield Heading(3, f"The path to node {path.node}, class {self.class_name(path.prediction)}")
        steps = list(
            shortenings(
                path.parts,
                path.prediction,
                self.masks,
                self.work.error_of,
                until_worse=self.work.confidence is not None,
            )
        )
        for number, step in enumerate(steps, start=1):
            yield self._shortening_table(step, number)
        last = steps[-1]
        stays = self.text(last.parts)
        if last.dropped is None:
            yield Paragraph.of("No further condition is dropped. The rule is ", Run(stays, "code"))
        else:
            yield Paragraph.of("No condition is left.")

    def _shortening_table(self, step: Shortening, number: int) -> SheetTable:
        weight, text = self.digits.weight, self.digits.text
        now = step.now
        rows = [("the rule as it is", weight(now.weight), weight(now.errors), text(now.error))]
        rows += [
            (f"without {self.text([part])}", weight(m.weight), weight(m.errors), text(m.error))
            for part, m in zip(step.parts, step.without, strict=True)
        ]
        marked = frozenset() if step.dropped is None else frozenset({step.dropped + 1})
        titles = ("", "rows covered", "errors", self._error_name())
        return SheetTable(titles, tuple(rows), "lrrr", f"Step {number}", marked)

    # ------------------------------------------------------------------ 2. subsets

    def subsets(self) -> Iterator[Block]:
        """For each class, the subset of its rules that describes it in the fewest bits."""
        yield Heading(2, "2. A subset for each class", SUBSETS)
        yield Paragraph.of(
            "The rules of a class describe it: rows that a rule covers belong to the class, others "
            "do not. The bits of that description are the bits of the rules (counted half, less "
            "the bits of their order) and the bits that name the exceptions: the false positives "
            "among the covered rows, the false negatives among the others. Beginning with all "
            "rules, the rule that saves the most bits is dropped, or added again, until none saves "
            "any."
        )
        for selection in self.learning.selections:
            yield Heading(3, f"Class {self.class_name(selection.prediction)}")
            yield self._rules_table(selection)
            yield self._changes_table(selection)

    def _rules_table(self, selection: Selection) -> SheetTable:
        of_class = self.masks.of_class[selection.prediction]
        rows = []
        for rule, bits in zip(selection.rules, selection.rule_bits.tolist(), strict=True):
            wrong = self.weight(rule.covers & ~of_class)
            weight = self.digits.weight
            cells = (weight(rule.weight), weight(wrong), self.digits.text(bits))
            rows.append((self.name(rule), self.text(rule.parts), *cells))
        return SheetTable(
            ("name", "rule", "rows covered", "errors", "bits"),
            tuple(rows),
            "llrrr",
            "Candidates; those kept are highlighted",
            frozenset(selection.kept),
        )

    def _changes_table(self, selection: Selection) -> SheetTable:
        chosen = [True] * len(selection.rules)
        rows = [self._subset_line("all of them", selection, chosen)]
        for change in selection.changes:
            chosen[change.rule] = change.is_added
            word = "with" if change.is_added else "without"
            name = self.name(selection.rules[change.rule])
            rows.append(self._subset_line(f"{word} {name}", selection, chosen))
        titles = (
            *("subset", "rules", "rows covered", "false positives", "false negatives"),
            *("bits of rules", "bits of exceptions", "bits"),
        )
        return SheetTable(titles, tuple(rows), "lrrrrrrr", "", frozenset({len(rows) - 1}))

    def _subset_line(self, what: str, selection: Selection, chosen: list[bool]) -> tuple[str, ...]:
        pairs = zip(selection.rules, chosen, strict=True)
        rules = [rule for rule, is_in in pairs if is_in]
        of_class = self.masks.of_class[selection.prediction]
        covered = covered_by(rules) if rules else np.zeros_like(of_class)
        everything = self.masks.everything
        n_covered, wrong = self.weight(covered), self.weight(covered & ~of_class)
        left_out = self.weight(everything & of_class & ~covered)
        others = self.weight(everything & ~covered)
        choices = Choices(0, are_whole=False)
        exceptions = float(
            choices.log2_choose(np.array([n_covered]), np.array([wrong]))[0]
            + choices.log2_choose(np.array([others]), np.array([left_out]))[0]
        )
        order = float(log2_factorial(np.array([float(len(rules))]))[0])
        theory = HALF * (float(selection.rule_bits[chosen].sum()) - order)
        weight, text = self.digits.weight, self.digits.text
        return (
            what,
            str(len(rules)),
            *(weight(n_covered), weight(wrong), weight(left_out)),
            *(text(theory), text(exceptions), text(theory + exceptions)),
        )

    # ------------------------------------------------------------------ 3. order

    def order(self) -> Iterator[Block]:
        """Which class comes first."""
        yield Heading(2, "3. The order of the classes", ORDER)
        if not self.learning.turns:
            yield Paragraph.of("No class has a rule, so every row gets the default class.")
            return
        yield Paragraph.of(
            "The class whose rules have the fewest false positives comes first. The rows that it "
            "covers do not count for the classes after it. Within a class, rules are sorted by "
            "their pessimistic error."
        )
        rows: list[tuple[str, ...]] = []
        marked = set()
        for place, turn in enumerate(self.learning.turns, start=1):
            for line in self._turn_lines(place, turn):
                if line[1] == self.class_name(turn.taken):
                    marked.add(len(rows))
                rows.append(line)
        titles = ("place", "class", "rows covered", "false positives")
        yield SheetTable(titles, tuple(rows), "rlrr", "", frozenset(marked))
        yield from self._default()

    def _turn_lines(self, place: int, turn: Turn) -> Iterator[tuple[str, ...]]:
        weight = self.digits.weight
        for prediction, covered, wrong in zip(
            turn.predictions, turn.covered, turn.wrong, strict=True
        ):
            yield str(place), self.class_name(prediction), weight(covered), weight(wrong)

    def _default(self) -> Iterator[Block]:
        listed = list(self.learning.listed)
        left = self.masks.everything
        if listed:
            left = left & ~covered_by(listed)
        counts = [self.weight(left & of_class) for of_class in self.masks.of_class]
        default = self.class_name(self.work.rules.default_class)
        shown = ", ".join(
            f"{self.class_name(prediction)} {self.digits.weight(count)}"
            for prediction, count in enumerate(counts)
            if count > 0
        )
        if not any(counts):
            yield Paragraph.of(
                "The finished rules cover every training row. The default is the most frequent "
                "class of all rows, ",
                Run(default, "strong"),
                ".",
            )
            return
        yield Paragraph.of(
            f"Training rows that no finished rule covers: {shown}. The most frequent class among "
            "them is the default, ",
            Run(default, "strong"),
            ".",
        )

    # ------------------------------------------------------------------ 4. harm

    def harm(self) -> Iterator[Block]:
        """The rules without which the list makes fewer errors."""
        yield Heading(2, "4. Harmful rules", HARM)
        removals = self.learning.removals
        if not removals:
            yield Paragraph.of(
                "No rule is dropped: removing one does not lower the training error."
            )
            return
        yield Paragraph.of(
            "The rule whose removal lowers the training error most is dropped, until none does."
        )
        weight = self.digits.weight
        rows = tuple(
            (self.name(one.rule), self.text(one.rule.parts), weight(one.saved)) for one in removals
        )
        yield SheetTable(("dropped", "rule", "fewer errors"), rows, "llr")
