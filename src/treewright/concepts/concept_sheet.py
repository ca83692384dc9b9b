"""Worksheets of concept learners: the boundaries after each example."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from treewright.concepts.agreement import Counted, covered, emptied_by, specific_of
from treewright.concepts.base import ConceptLearner, Examples
from treewright.concepts.candidate_elimination import CandidateElimination, why_empty
from treewright.concepts.find_s import FindS
from treewright.concepts.hypothesis import least_generalization, most_specific
from treewright.concepts.trace import Step, steps
from treewright.concepts.tree_beside import tree_blocks
from treewright.concepts.version_space import MOST_GENERAL, VersionSpace
from treewright.documents.page import Block, Document, Heading, Note, Paragraph, SheetTable
from treewright.documents.printed import Printed, number_shown
from treewright.errors import DataError, ParameterError
from treewright.estimators.training import TrainingRows

MOST_STEPS = 30  # examples on a page, unless more are asked for
MOST_LISTED = 16  # hypotheses that are all written down
MOST_IN_CELL = 4  # hypotheses of G in one cell of the last table
MOST_LEVELS = 8  # of a column that are named


@dataclass(frozen=True, slots=True)
class ConceptSheet(Printed):
    """What each example does; `examples` has the rows as level codes."""

    model: ConceptLearner[Any]
    training: TrainingRows
    examples: Examples

    @classmethod
    def of(cls, model: ConceptLearner[Any], X: Any, y: Any, sample_weight: Any) -> Self:
        """The sheet of a fitted model and the rows that it was fitted to."""
        state = model.state_
        if X is None or y is None:
            raise ParameterError(
                "the worksheet of a concept is worked out from its examples",
                hint="give X and y of the fit",
            )
        given = model.training_rows(X, y, sample_weight)
        other = DataError(
            "these are not the rows that the model was fitted to",
            hint="give X, y and sample_weight of the fit",
        )
        try:  # the levels in the order that the model knows
            training = replace(given, table=state.schema.encode(given.table, "error"))
        except DataError:
            raise other from None
        examples = model._examples(training)
        if not is_of_the_fit(model, examples):
            raise other
        return cls(model, training, examples)

    def document(self, *, decimals: int = 4, max_steps: int | None = None) -> Document:
        """The page before it is rendered; it shows 30 examples unless `max_steps` says more."""
        blocks = [*self.opening(), *self.body(number_shown(max_steps, MOST_STEPS))]
        return Document(f"Worksheet: {type(self.model).__name__}", tuple(blocks))

    def body(self, most: int) -> Iterator[Block]:
        """What comes after the opening."""
        raise NotImplementedError

    def opening(self) -> Iterator[Block]:
        """The examples and the language."""
        examples = self.examples
        n_rows, n_positive = len(examples.rows), int(examples.is_positive.sum())
        label = examples.classes.tolist()[examples.positive]
        yield Paragraph.of(
            f"{n_rows} examples: {n_positive} positive ({label}), {n_rows - n_positive} negative. "
            "A hypothesis asks each column for one value, or takes any; it covers the rows that "
            "have all that it asks."
        )
        named = zip(examples.language.names, examples.language.levels, strict=True)
        lines = [(name, shortened(levels) or "not cut: never asked") for name, levels in named]
        yield SheetTable(("column", "values"), tuple(lines), "ll")

    def class_of(self, at: int) -> str:
        """The class of an example."""
        target: Any = self.training.target
        return str(target.classes.tolist()[int(target.codes[at])])

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {len(self.examples.rows)} examples>"


class EliminationSheet(ConceptSheet):
    """S and G after each example, what is left, and a tree where nothing is."""

    __slots__ = ()

    model: CandidateElimination

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
        """One example: what becomes of each hypothesis."""
        language = self.examples.language
        kind = "positive" if step.is_positive else "negative"
        title = f"Example {step.number}: {language.row_text(step.row)} is {kind}"
        yield Heading(2, title, f"example-{step.number}")
        lines = [("S", *fate) for fate in step.fates_of_specific(language)]
        lines += [("G", *fate) for fate in step.fates_of_general(language)]
        yield SheetTable(
            ("", "hypothesis", "what becomes of it"), tuple(dict.fromkeys(lines)), "lll"
        )
        if step.after.general is None:
            yield Note(f"G has more than {MOST_GENERAL:,} hypotheses, and is not written down.")

    def steps_table(self, found: list[Step]) -> SheetTable:
        """A line for each example."""
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
        """What is left after all examples."""
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
        """Why nothing is left, and the tree that can tell the examples apart."""
        yield Heading(2, "No hypothesis is left", "empty")
        yield Paragraph.of(
            f"Example {end + 1} (row {int(self.examples.positions[end])}) empties the version "
            f"space: {why_empty(self.examples, end, 'example')}. All other hypotheses that "
            "cover the positive rows are more general, so they cover it as well."
        )
        yield from tree_blocks(self.training)


class FindSSheet(ConceptSheet):
    """The one hypothesis after each example."""

    __slots__ = ()

    model: FindS

    def body(self, most: int) -> Iterator[Block]:
        examples, language = self.examples, self.examples.language
        current = most_specific(len(language.names))
        lines: list[tuple[str, ...]] = []
        for at, row in enumerate(map(tuple, examples.rows[:most].tolist())):
            told = "negative: not looked at"
            if examples.is_positive[at]:
                wider = least_generalization(current, row)
                told = "covered" if wider == current else "generalised"
                current = wider
            is_new = told == "generalised" or not lines
            texts = language.row_text(row), self.class_of(at), told
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


def is_of_the_fit(model: ConceptLearner[Any], examples: Examples) -> bool:
    """Whether the model would learn the same from these examples."""
    if examples.schema != model.schema_ or examples.language.cuts != model.cuts_:
        return False
    again = model._common_values(examples, specific_of(examples.rows[examples.is_positive]))
    return np.array_equal(again["specific"], model.specific_) and all(
        getattr(model.state_, name) == again[name]
        for name in ("positive_code", "n_positive", "n_negative")
    )


def shortened(levels: tuple[str, ...]) -> str:
    """The first levels of a column."""
    return ", ".join([*levels[:MOST_LEVELS], *(["..."] if len(levels) > MOST_LEVELS else [])])
