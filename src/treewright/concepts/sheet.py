"""Worksheets of concept learners."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from treewright.concepts.agreement import Counted, covered, emptied_by, specific_of
from treewright.concepts.base import ConceptLearner, Examples, why_empty
from treewright.concepts.language import (
    Hypothesis,
    Language,
    Row,
    covers,
    is_at_least_as_general,
    least_generalization,
    most_specific,
)
from treewright.concepts.version_space import MOST_GENERAL, VersionSpace
from treewright.documents.page import Block, Document, Heading, Listing, Note, Paragraph, SheetTable
from treewright.documents.printed import Printed, number_shown
from treewright.errors import DataError, ParameterError
from treewright.estimators.training import TrainingRows
from treewright.single_trees.as_tree import rules_of_tree
from treewright.single_trees.id3 import ID3Classifier

if TYPE_CHECKING:
    from treewright.concepts.candidate_elimination import CandidateElimination
    from treewright.concepts.find_s import FindS

Change = tuple[str, str]  # a hypothesis, and what happens to it


@dataclass(frozen=True, slots=True)
class Step:
    """One example, and the boundaries before and after it."""

    number: int  # from 1
    row: Row
    is_positive: bool
    before: VersionSpace
    after: VersionSpace

    def changes_of_specific(self, language: Language) -> Iterator[Change]:
        """What happens to S."""
        for one in self.before.specific:
            if not self.is_positive:
                kept = not covers(one, self.row)
                yield language.text(one), "does not cover it" if kept else "covers it: dropped"
                continue
            grown = least_generalization(one, self.row)
            if grown not in self.after.specific:
                yield language.text(grown), "covers a negative example: dropped"
            elif grown == one:
                yield language.text(one), "covers it"
            else:
                yield language.text(grown), f"generalized from {language.text(one)}"

    def changes_of_general(self, language: Language) -> Iterator[Change]:
        """What happens to each hypothesis of G; nothing once there are too many."""
        if self.before.general is None or self.after.general is None:
            return
        for one in self.before.general:
            if one in self.after.general:
                yield language.text(one), "covers it" if self.is_positive else "does not cover it"
            elif self.is_positive:
                yield language.text(one), "does not cover it: dropped"
            else:
                yield from self._specialized(one, self.after.general, language)

    def _specialized(
        self, one: Hypothesis, general: tuple[Hypothesis, ...], language: Language
    ) -> Iterator[Change]:
        known = self.before.general or ()
        smaller = [s for s in general if s not in known and is_at_least_as_general(one, s)]
        if not smaller:
            yield language.text(one), "covers it, and nothing below it is above S: dropped"
        for found in smaller:
            yield language.text(found), f"specialized from {language.text(one)}"


def steps(examples: Examples, end: int | None, most: int) -> Iterator[Step]:
    """The first examples one by one, up to the one that empties the version space."""
    space = VersionSpace.whole(examples.language.n_levels)
    n_rows = len(examples.rows) if end is None else end + 1
    for at in range(min(n_rows, most)):
        row = tuple(examples.rows[at].tolist())
        is_positive = bool(examples.is_positive[at])
        after = space.after(row, is_positive=is_positive)
        if at == end:
            after = VersionSpace((), after.general, after.n_levels)
        yield Step(at + 1, row, is_positive, space, after)
        space = after


MOST_RULES = 20


def tree_blocks(training: TrainingRows) -> Iterator[Block]:
    """A decision tree for the same rows, its rules, and its training accuracy."""
    target: Any = training.target
    y = target.classes[target.codes]
    tree = ID3Classifier().fit(training.table, y, training.weights)
    n_right = int(np.count_nonzero(tree.predict(training.table) == y))
    n_rows = training.n_rows
    yield Heading(2, "A decision tree for comparison", "tree")
    agrees = "all" if n_right == n_rows else f"{n_right} of"
    reason = "" if n_right == n_rows else "; rows that differ in the class alone stay together"
    yield Paragraph.of(
        f"A tree can express `or`: the tree of ID3 agrees with {agrees} {n_rows} examples{reason}."
    )
    yield Listing(str(tree.tree_))
    found = [str(rule) for rule in rules_of_tree(tree)]
    more = [f"... {len(found) - MOST_RULES} more rules"] if len(found) > MOST_RULES else []
    yield Listing("\n".join([*found[:MOST_RULES], *more]))


MOST_STEPS = 30  # examples on a page by default
MOST_LISTED = 16  # hypotheses up to which all are listed
MOST_IN_CELL = 4  # hypotheses of G in one cell of the last table
MOST_LEVELS = 8  # values listed of a column


@dataclass(frozen=True, slots=True)
class ConceptSheet(Printed):
    """The effect of each example; `examples` has the rows as category codes."""

    model: ConceptLearner[Any]
    training: TrainingRows
    examples: Examples

    @classmethod
    def of(cls, model: ConceptLearner[Any], X: Any, y: Any, sample_weight: Any) -> Self:
        """The sheet of a fitted model and its training rows."""
        state = model.state_
        if X is None or y is None:
            raise ParameterError(
                "the worksheet of a concept needs its examples", hint="give X and y of the fit"
            )
        given = model.training_rows(X, y, sample_weight)
        other = DataError(
            "these are not the rows that the model was fitted to",
            hint="give X, y and sample_weight of the fit",
        )
        try:  # with the category codes of the model
            training = replace(given, table=state.schema.encode(given.table, "error"))
        except DataError:
            raise other from None
        examples = model.examples_of(training)
        if not matches_fit(model, examples):
            raise other
        return cls(model, training, examples)

    def document(self, *, decimals: int = 4, max_steps: int | None = None) -> Document:
        """The page before it is rendered; `max_steps` is the number of examples shown (30)."""
        blocks = [*self.opening(), *self.body(number_shown(max_steps, MOST_STEPS))]
        return Document(f"Worksheet: {type(self.model).__name__}", tuple(blocks))

    def body(self, most: int) -> Iterator[Block]:
        """The part after the opening."""
        raise NotImplementedError

    def opening(self) -> Iterator[Block]:
        """The examples and the language."""
        examples = self.examples
        n_rows, n_positive = len(examples.rows), int(examples.is_positive.sum())
        label = examples.classes.tolist()[examples.positive]
        yield Paragraph.of(
            f"{n_rows} examples: {n_positive} positive ({label}), {n_rows - n_positive} negative. "
            "A hypothesis requires one value of each column, or accepts any; it covers the rows "
            "that meet all its conditions."
        )
        named = zip(examples.language.names, examples.language.levels, strict=True)
        lines = []
        for name, levels in named:
            shown = [*levels[:MOST_LEVELS], *(["..."] if len(levels) > MOST_LEVELS else [])]
            lines.append((name, ", ".join(shown) or "not cut: never used"))
        yield SheetTable(("column", "values"), tuple(lines), "ll")

    def class_of(self, at: int) -> str:
        """The class of an example."""
        target: Any = self.training.target
        return str(target.classes.tolist()[int(target.codes[at])])

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {len(self.examples.rows)} examples>"


class EliminationSheet(ConceptSheet):
    """S and G after each example, the result, and a tree if the version space is empty."""

    __slots__ = ()

    model: "CandidateElimination"

    def body(self, most: int) -> Iterator[Block]:
        examples = self.examples
        end = emptied_by(examples.rows, examples.is_positive)
        found = list(steps(examples, end, most))
        whole = VersionSpace.whole(examples.language.n_levels)
        yield Paragraph.of(
            f"Before the first example S is {self.texts(whole.specific)}, which covers no row, "
            f"and G is {self.texts(whole.general)}, which covers all."
        )
        for step in found:
            yield from self.step_blocks(step)
        n_used = len(examples.rows) if end is None else end + 1
        if n_used > len(found):
            yield Note(f"... {n_used - len(found)} more examples; max_steps= shows them")
        yield Heading(2, "All examples", "all-examples")
        yield self.steps_table(found)
        yield from self.result() if end is None else self.failure(end)

    def step_blocks(self, step: Step) -> Iterator[Block]:
        """One example: what happens to each hypothesis."""
        language = self.examples.language
        kind = "positive" if step.is_positive else "negative"
        title = f"Example {step.number}: {language.row_text(step.row)} is {kind}"
        yield Heading(2, title, f"example-{step.number}")
        lines = [("S", *change) for change in step.changes_of_specific(language)]
        lines += [("G", *change) for change in step.changes_of_general(language)]
        yield SheetTable(
            ("", "hypothesis", "what happens to it"), tuple(dict.fromkeys(lines)), "lll"
        )
        if step.after.general is None:
            yield Note(f"G has more than {MOST_GENERAL:,} hypotheses, and is not written down.")

    def steps_table(self, found: list[Step]) -> SheetTable:
        """One row for each example."""
        lines = [
            (
                str(step.number),
                self.examples.language.row_text(step.row),
                self.class_of(step.number - 1),
                self.texts(step.after.specific),
                self.texts(step.after.general) if step.after.specific else "{}",
            )
            for step in found
        ]
        return SheetTable(("example", "values", "class", "S", "G"), tuple(lines), "rllll")

    def texts(self, hypotheses: tuple[tuple[int, ...], ...] | None) -> str:
        """A boundary on one line."""
        if hypotheses is None:
            return f"more than {MOST_GENERAL:,}"
        shown = [self.examples.language.text(one) for one in hypotheses[:MOST_IN_CELL]]
        n_more = len(hypotheses) - len(shown)
        return "{" + ", ".join([*shown, *([f"{n_more} more"] if n_more else [])]) + "}"

    def result(self) -> Iterator[Block]:
        """The result after all examples."""
        model, language = self.model, self.examples.language
        yield Heading(2, "What is left", "result")
        count = model.n_hypotheses_
        label = model.positive_
        if count == 1:
            rule = language.rule(label, model.specific_.tolist())
            yield Paragraph.of(f"One hypothesis agrees with all examples: {rule}.")
            return
        many = "Many" if count is None else f"{count:,}"
        yield Paragraph.of(
            f"{many} hypotheses agree with all examples. A row that S covers is {label} for sure, "
            "one that no hypothesis of G covers is not; the others are voted on."
        )
        if count is not None and count <= MOST_LISTED:
            all_left = Counted(model.specific_, model.state_.misses).hypotheses().tolist()
            lines = tuple((language.text(one), language.rule(label, one)) for one in all_left)
            yield SheetTable(("hypothesis", "in words"), lines, "ll")

    def failure(self, end: int) -> Iterator[Block]:
        """Why no hypothesis is left, and a tree for comparison."""
        yield Heading(2, "No hypothesis is left", "empty")
        yield Paragraph.of(
            f"Example {end + 1} (row {int(self.examples.positions[end])}) empties the version "
            f"space: {why_empty(self.examples, end, 'example')}. All other hypotheses that "
            "cover the positive rows are more general, so they cover it as well."
        )
        yield from tree_blocks(self.training)


class FindSSheet(ConceptSheet):
    """The hypothesis after each example."""

    __slots__ = ()

    model: "FindS"

    def body(self, most: int) -> Iterator[Block]:
        examples, language = self.examples, self.examples.language
        current = most_specific(len(language.names))
        lines: list[tuple[str, ...]] = []
        for at, row in enumerate(map(tuple, examples.rows[:most].tolist())):
            effect = "negative: ignored"
            if examples.is_positive[at]:
                wider = least_generalization(current, row)
                effect = "covered" if wider == current else "generalized"
                current = wider
            is_new = effect == "generalized" or not lines
            texts = language.row_text(row), self.class_of(at), effect
            lines.append((str(at + 1), *texts, language.text(current) if is_new else "as before"))
        yield SheetTable(("example", "values", "class", "", "S"), tuple(lines), "rllll")
        if len(examples.rows) > most:
            yield Note(f"... {len(examples.rows) - most} more examples; max_steps= shows them")
        rule = language.rule(self.model.positive_, self.model.specific_.tolist())
        yield Paragraph.of(f"The hypothesis: {rule}.")
        negatives = np.flatnonzero(~examples.is_positive)
        wrong = negatives[covered(self.model.specific_, examples.rows[negatives])]
        if len(wrong):
            first = language.row_text(examples.rows[wrong[0]].tolist())
            yield Paragraph.of(
                f"It covers {len(wrong)} negative examples as well, the first of them example "
                f"{wrong[0] + 1}, {first}: no conjunction tells these rows apart."
            )
            yield from tree_blocks(self.training)


def matches_fit(model: ConceptLearner[Any], examples: Examples) -> bool:
    """Whether these are the examples that the model learned from."""
    if examples.schema != model.schema_ or examples.language.cuts != model.cuts_:
        return False
    again = model.common_values(examples, specific_of(examples.rows[examples.is_positive]))
    return np.array_equal(again["specific"], model.specific_) and all(
        getattr(model.state_, name) == again[name]
        for name in ("positive_code", "n_positive", "n_negative")
    )
