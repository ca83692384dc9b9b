"""Rule: conditions, a prediction, and its quality on the training rows."""

from dataclasses import dataclass, field
from typing import Any

from treewright.arrays import Floats
from treewright.data.formats import PLAIN, Format
from treewright.plain_text import plain, weight_text
from treewright.rulesets.condition import Condition, condition_text, decimals_by_column
from treewright.rulesets.evaluate import Rows, rule_shares


@dataclass(frozen=True, slots=True, repr=False)
class Rule:
    """One rule of a set.

    Examples
    --------
    >>> import treewright as tw
    >>> rule = tw.rules(tw.ID3Classifier().fit(*tw.load_sample("tennis")))[0]
    >>> print(rule)
    if outlook = Sunny and humidity = High then No (3)
    >>> rule.prediction, rule.coverage, rule.confidence, round(rule.lift, 2)
    ('No', 3.0, 1.0, 2.8)
    """

    name: str  # R1, R2 ...: its position in the whole set, which sorting does not change
    conditions: tuple[Condition, ...]
    prediction: Any  # the prediction: a class or a number
    probabilities: tuple[float, ...]  # of each class; empty if a number is predicted
    weight: float  # of the training rows that the rule covers
    n_rows: int  # and their number; rows that are spread count in each rule
    errors: float  # weight of other classes among them; NaN if a number is predicted
    confidence: float  # share of the rule's class; NaN without rows or classes
    interval: tuple[float, float]  # 95 % interval of the confidence (Wilson)
    lift: float  # confidence / share of the class in all training rows
    node: int | None = None  # of the tree
    target_format: Format = field(default=PLAIN, compare=False)  # how numbers are written

    def shares(self, rows: Rows) -> Floats:
        """(n_rows,): how much of each row the rule predicts, for rows that fit the schema.

        1 or 0 if every value is known; in between if a row is spread over several rules.
        """
        return rule_shares(self.conditions, rows)

    @property
    def coverage(self) -> float:
        """Weight of the training rows that the rule covers."""
        return self.weight

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns in the conditions."""
        names = [column.name for condition in self.conditions for column in condition.columns]
        return tuple(dict.fromkeys(names))

    def text(self, decimals: int | None = None) -> str:
        """The rule as a sentence, without its quality."""
        apart = decimals_by_column(self.conditions, decimals)
        body = " and ".join(
            condition_text(part, decimals if part.is_sum else apart.get(part.column.name))
            for part in self.conditions
        )
        prediction = self.prediction_text(decimals)
        return f"if {body} then {prediction}" if body else f"always {prediction}"

    def prediction_text(self, decimals: int | None = None) -> str:
        """The class, or the number as the training table wrote the target."""
        return prediction_text(self.prediction, decimals, self.target_format)

    def __str__(self) -> str:
        errors = f"/{weight_text(self.errors)}" if self.errors > 0 else ""
        return f"{self.text()} ({weight_text(self.weight)}{errors})"

    def __repr__(self) -> str:
        return f"<Rule {self.name}: {self}>"


def prediction_text(prediction: Any, decimals: int | None = None, form: Format = PLAIN) -> str:
    """A class on one line, or a short number in the format of the target."""
    if type(prediction) is float:
        return form.value_text(prediction, decimals)
    return plain(str(prediction))
