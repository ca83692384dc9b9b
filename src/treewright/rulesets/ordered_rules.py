"""Ordered rules: the first rule that matches a row predicts it; otherwise the default does.

A missing value fulfills no condition, and neither does a category not seen in training.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import Floats
from treewright.data.formats import PLAIN
from treewright.data.schema import Schema
from treewright.plain_text import number_text
from treewright.result import Record, Result
from treewright.rulesets.condition import Condition
from treewright.rulesets.counts import RuleCounts
from treewright.rulesets.evaluate import Rows, fulfilling
from treewright.rulesets.rule import Rule, prediction_text
from treewright.tree.predictions import cheapest_classes

Indices = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class OrderedRules:
    """An ordered list of classification rules, with a default for rows that no rule covers."""

    schema: Schema
    classes: tuple[object, ...]
    conditions: tuple[tuple[Condition, ...], ...]  # of each rule
    predictions: Indices  # the class of each rule
    shares: Floats  # (n_rules + 1, n_classes): probabilities; the last row is the default
    numbers: Indices  # the original position of each rule
    counts: RuleCounts
    default_class: int
    unseen: str = "missing"  # treatment of levels not seen in training: or "error"
    costs: Floats | None = None  # of true class i predicted as j; they choose the predictions

    is_complete = False  # a row may fulfill no rule

    def __len__(self) -> int:
        return len(self.conditions)

    def take(self, rules: Indices) -> "OrderedRules":
        """Some of the rules, in this order."""
        return replace(
            self,
            conditions=tuple(self.conditions[rule] for rule in rules),
            predictions=self.predictions[rules],
            shares=self.shares[np.append(rules, -1)],
            numbers=self.numbers[rules],
            counts=self.counts.take(rules),
        )

    def with_costs(self, costs: Floats | None, base: Floats) -> "OrderedRules":
        """The same rules, predicting by these costs; `base` is the share of each class in training.

        Without costs, a rule predicts its most probable class.
        """
        predictions = cheapest_classes(self.shares, costs)
        chosen = predictions[:-1]
        changed = chosen != self.predictions
        # Shares come from weights, so what rounding adds is dropped.
        right = np.round(self.shares[np.arange(len(self)), chosen] * self.counts.weight, 9)
        counts = RuleCounts(
            self.counts.weight,
            self.counts.n_rows,
            np.where(changed, right, self.counts.right),
            base[chosen],
        )
        return replace(
            self,
            predictions=chosen,
            counts=counts,
            default_class=int(predictions[-1]),
            costs=costs,
        )

    def rule(self, at: int) -> Rule:
        """The rule at this position."""
        return Rule(
            name=f"R{self.numbers[at] + 1}",
            conditions=self.conditions[at],
            prediction=self.classes[self.predictions[at]],
            probabilities=tuple(self.shares[at].tolist()),
            **self.counts.fields_of(at),
        )

    def rules(self) -> Iterator[Rule]:
        """All rules in order."""
        return (self.rule(at) for at in range(len(self)))

    def fallback_rules(self) -> Iterator[Rule]:
        """None, because missing values lead to other rules or to the default."""
        return iter(())

    def fired(self, rows: Rows, n_threads: int = 1) -> Indices:
        """(n_rows,): position of the first rule that each row fulfills; -1 for the default."""
        fired = np.full(len(rows), -1, dtype=np.intp)
        for at in range(len(self) - 1, -1, -1):
            fired[fulfilling(self.conditions[at], rows)] = at
        return fired

    def values(self, rows: Rows, n_threads: int = 1) -> Floats:
        """(n_rows, n_classes): the probabilities of the rule that predicts."""
        values: Floats = self.shares[self.fired(rows, n_threads)]
        return values

    def predictions_to(self, rows: Rows, n_threads: int = 1) -> Indices:
        """(n_rows,): index into `classes` of each prediction."""
        classes: Indices = np.append(self.predictions, self.default_class)[
            self.fired(rows, n_threads)
        ]
        return classes

    def parts(self, row: Rows) -> list[tuple[Rule | None, float]]:
        """The rule that predicts one row; None stands for the default."""
        at = int(self.fired(row)[0])
        return [(self.rule(at) if at >= 0 else None, 1.0)]

    def default(self) -> object:
        """The prediction if no rule matches."""
        return self.classes[self.default_class]


@dataclass(frozen=True, slots=True, repr=False)
class Explanation(Result):
    """The rules that predict one row; several if values are missing."""

    prediction: Any  # a class or a number
    parts: tuple[tuple[Rule | None, float], ...]  # share of the row; None: the default

    @property
    def rule(self) -> Rule | None:
        """The rule with the largest share, the first of equals; None: no rule holds."""
        return max(self.parts, key=lambda part: part[1])[0]

    def _facts(self) -> Record:
        rules = [
            {"rule": rule and rule.name, "text": rule and str(rule), "share": share}
            for rule, share in self.parts
        ]
        return {"prediction": self.prediction, "rules": rules}

    def to_text(self) -> str:
        """The prediction and the rules behind it."""
        form = next((rule.target_format for rule, _ in self.parts if rule is not None), PLAIN)
        lines = [f"{prediction_text(self.prediction, form=form)}, because"]
        for rule, share in self.parts:
            part = "" if share == 1 else f"{number_text(100 * share, 1)} % of the row: "
            reason = "no rule holds" if rule is None else f"{rule.name}, {rule}"
            lines.append(f"  {part}{reason}")
        return "\n".join(lines)
