"""The rules of a model tree: one for each leaf, with an equation."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, overload

from treewright.documents.page import Document, Paragraph, SheetTable
from treewright.documents.printed import Printed
from treewright.model_trees.node_models import Equation
from treewright.plain_text import number_text, plain, weight_text
from treewright.rulesets.condition import condition_text
from treewright.rulesets.tree_rules import TreeRules
from treewright.single_trees.rule_set import RuleSet

if TYPE_CHECKING:
    from treewright.model_trees.reading import ModelTreeReading


@dataclass(frozen=True, slots=True)
class ModelRule:
    """If all conditions hold, the equation predicts."""

    conditions: tuple[str, ...]
    equation: Equation
    prediction: str  # the equation as text
    weight: float  # of the training rows that it covers
    error: float | None  # root mean squared error of the leaf's model there; None: not known

    def __str__(self) -> str:
        conditions = " and ".join(self.conditions)
        lead = f"if {conditions} then " if conditions else ""
        return f"{lead}{self.prediction} ({weight_text(self.weight)})"


class ModelRules(Printed, Sequence[ModelRule]):
    """Rules with equations, which predict every row as the model does."""

    def __init__(self, rules: tuple[ModelRule, ...], target: str) -> None:
        self._rules = rules
        self._target = target

    @classmethod
    def of(cls, model: "ModelTreeReading") -> "ModelRules":
        """The rules of a fitted model tree, from left to right."""
        tree, coding, target = model.tree_, model.state_.coding, model.state_.target_word
        rules = []
        for rule in RuleSet(TreeRules.of(tree)):
            leaf = int(rule.node or 0)
            equation = model.equation(leaf)
            rules.append(
                ModelRule(
                    tuple(map(condition_text, rule.conditions)),
                    equation,
                    equation.text(coding, target),
                    float(tree.weight[leaf]),
                    float(model.state_.model_errors[leaf]) if model.has_errors else None,
                )
            )
        return cls(tuple(rules), target)

    @overload
    def __getitem__(self, place: int) -> ModelRule: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[ModelRule, ...]: ...
    def __getitem__(self, place: int | slice) -> ModelRule | tuple[ModelRule, ...]:
        return self._rules[place]

    def __len__(self) -> int:
        return len(self._rules)

    def __iter__(self) -> Iterator[ModelRule]:
        return iter(self._rules)

    def document(self) -> Document:
        """The rules as a table."""
        columns = ["rule", "if", "then", "rows"]
        lines = [
            [
                str(number),
                " and ".join(rule.conditions) or "always",
                rule.prediction,
                weight_text(rule.weight),
            ]
            for number, rule in enumerate(self._rules, 1)
        ]
        errors = [rule.error for rule in self._rules if rule.error is not None]
        notes: tuple[Paragraph, ...] = ()
        if len(errors) == len(lines):
            columns.append("error")
            for line, error in zip(lines, errors, strict=True):
                line.append(number_text(error))
            notes = (
                Paragraph.of(
                    "error: the root mean squared error of the leaf's model on its training rows"
                ),
            )
        table = SheetTable(tuple(columns), tuple(map(tuple, lines)), "rllrr"[: len(columns)])
        return Document(f"Rules for {plain(self._target)}", (table, *notes))

    def __str__(self) -> str:
        return "\n".join(map(str, self._rules))

    def __repr__(self) -> str:
        return f"<ModelRules: {len(self._rules)} for {self._target}>"
