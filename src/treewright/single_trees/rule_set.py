"""RuleSet: rules that predict, explain, sort, filter and print."""

import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import Floats
from treewright.data.formats import Format
from treewright.data.schema import Schema
from treewright.data.sources import table_from
from treewright.data.table import Table
from treewright.errors import ParameterError, UnknownColumnError
from treewright.estimators.fitted import ROWS_WORTH_THREADS
from treewright.estimators.rows import one_row
from treewright.estimators.threads import n_threads
from treewright.files import write_file
from treewright.param import Param
from treewright.persistence.file_text import document, model_in
from treewright.result import Result
from treewright.rulesets.as_document import rules_latex, rules_markdown, rules_text
from treewright.rulesets.as_table import (
    rules_csv,
    rules_pandas,
    rules_polars,
    rules_table,
    rules_values,
)
from treewright.rulesets.ordered_rules import Explanation, OrderedRules
from treewright.rulesets.rule import Rule, prediction_text
from treewright.rulesets.sheet import RuleSheet, check_prediction, chosen_places, place_of
from treewright.rulesets.tree_rules import TreeRules
from treewright.single_trees.rule_set_file import rule_set_from_json, rule_set_to_json

MOST_SHOWN = 100  # rules of a set that is printed as it is; `to_text` shows all
ORDERS = ("confidence", "weight", "errors", "lift", "length", "prediction", "name")
ORDER = Param("by", str, "confidence", "sort key of the rules", choices=ORDERS)


class RuleSet(Result):
    """The rules of a model: a sequence of `Rule` that predicts like the model.

    The rules of a tree are mutually exclusive and cover every row, so their order does not matter.
    The rules of `C45Rules` are ordered: the first rule that matches a row predicts it. `rules[0]`
    and `rules["R1"]` are rules; `rules[:5]` and `rules[mask]` are rule sets. A set with rules left
    out predicts `default` for rows that none of its rules match.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.load_sample("tennis")
    >>> rules = tw.rules(tw.C45Classifier().fit(X, y))
    >>> len(rules)
    5
    >>> print(rules.filter(prediction="No").sort("weight"))
    R1: if outlook = Sunny [a] and humidity = High [b] then No  (3 rows, confidence ...
    R5: if outlook = Rain [a] and wind = Strong [c] then No  (2 rows, confidence ...
    otherwise Yes
    <BLANKLINE>
    A missing value fulfills no condition unless marked.
    [a] if missing, 35.7 % of the row passes
    [b] if missing, 60 % of the row passes
    [c] if missing, 40 % of the row passes
    >>> print(rules.explain(X, row=3))
    Yes, because
      R4, if outlook = Rain and wind = Weak then Yes (3)
    """

    def __init__(
        self,
        rules: TreeRules | OrderedRules,
        classes: NDArray[Any] | None = None,
        categorical_features: Any = None,
    ) -> None:
        """`classes` are the labels to predict, in the type they had in training."""
        self._rules = rules
        known = self.known_classes
        if classes is None and known is not None:
            classes = np.array(known)
        self.classes_ = classes  # None if the rules predict numbers
        self._categorical_features = categorical_features

    @property
    def schema(self) -> Schema:
        """The columns that the rules know."""
        rules = self._rules
        return rules.tree.schema if isinstance(rules, TreeRules) else rules.schema

    @property
    def is_ordered(self) -> bool:
        """Whether the first matching rule predicts; otherwise no two rules match the same row."""
        return isinstance(self._rules, OrderedRules)

    @property
    def is_complete(self) -> bool:
        """Whether there is a rule for every row."""
        return self._rules.is_complete

    @property
    def default(self) -> Any:
        """The prediction if no rule matches."""
        return self._rules.default()

    @property
    def fallbacks(self) -> tuple[Rule, ...]:
        """Predictions for values that are missing but were never missing in training.

        Only for trees whose nodes predict such rows themselves. They are not rules of the set,
        because no training row supports them.
        """
        return tuple(self._rules.fallback_rules())

    def __len__(self) -> int:
        return len(self._rules)

    def __iter__(self) -> Iterator[Rule]:
        return self._rules.rules()

    def __getitem__(self, key: Any) -> Any:
        """One rule by position or name; or a rule set by slice, positions, names or mask."""
        if isinstance(key, str):
            return self._rules.rule(place_of(key, self._rules.numbers))
        if isinstance(key, int | np.integer):
            if not -len(self) <= key < len(self):
                raise IndexError(f"there is no rule {key} in a set of {len(self)}")
            return self._rules.rule(int(key) % len(self))
        return self._take(chosen_places(key, self._rules.numbers))

    def _take(self, places: NDArray[np.intp]) -> "RuleSet":
        return RuleSet(self._rules.take(places), self.classes_, self._categorical_features)

    def sort(self, by: str = "confidence", *, descending: bool | None = None) -> "RuleSet":
        """The rules in another order; what is best comes first.

        `by` is "confidence", "weight", "errors", "lift", "length" (number of conditions),
        "prediction" or "name" (the order of the tree). Ties keep their order. Ordered rules are
        then also applied in the new order.
        """
        ORDER.check(by)
        if descending is None:
            descending = by in ("confidence", "weight", "lift")
        keys = self._sort_keys(by)
        order = np.argsort(-keys if descending else keys, kind="stable")  # NaN comes last
        return self._take(order)

    def _sort_keys(self, by: str) -> Floats:
        rules, counts = self._rules, self._rules.counts
        if by == "name":
            return rules.numbers.astype(np.float64)
        if by == "length":
            return np.array([float(len(rule.conditions)) for rule in self])
        if by == "prediction" and self.classes_ is None:
            return np.array([rule.prediction for rule in self], dtype=np.float64)
        if by == "prediction":
            place = {label: at for at, label in enumerate(self.known_classes or ())}
            return np.array([float(place[rule.prediction]) for rule in self])
        keys: Floats = getattr(counts, by)
        return keys

    def filter(
        self,
        where: Callable[[Rule], bool] | None = None,
        *,
        prediction: Any = None,
        column: str | None = None,
        min_weight: float = 0.0,
        min_confidence: float = 0.0,
        min_lift: float = 0.0,
    ) -> "RuleSet":
        """The rules with this prediction, this column, these minimum measures, and `where`."""
        counts = self._rules.counts
        kept = counts.weight >= min_weight
        if min_confidence > 0:
            kept &= counts.confidence >= min_confidence
        if min_lift > 0:
            kept &= counts.lift >= min_lift
        if column is not None and column not in self.schema.names:
            raise UnknownColumnError.among(column, self.schema.names, source="the rules")
        if prediction is not None:
            if self.known_classes is None:
                check_prediction(prediction, [rule.prediction for rule in self], "number")
            else:
                check_prediction(prediction, self.known_classes, "class")
        if prediction is not None or column is not None or where is not None:
            for at, rule in enumerate(self):
                kept[at] &= (
                    (prediction is None or bool(rule.prediction == prediction))
                    and (column is None or column in rule.columns)
                    and (where is None or bool(where(rule)))
                )
        return self._take(np.flatnonzero(kept))

    def predict(self, X: Any) -> NDArray[Any]:
        """The prediction for each row: a class or a number."""
        rows = self.encode_rows(X)
        predictions = self._rules.predictions_to(rows, self._threads(rows))
        return predictions if self.classes_ is None else self.classes_[predictions]

    def predict_proba(self, X: Any) -> Floats:
        """Probability of each class, in the order of `classes_`."""
        if self.classes_ is None:
            raise ParameterError("rules that predict numbers have no probabilities")
        rows = self.encode_rows(X)
        return self._rules.values(rows, self._threads(rows))

    def apply(self, X: Any) -> NDArray[np.intp]:
        """Position of the rule that predicts each row; -1 if no rule of the set matches.

        If several rules predict parts of a row, the one with the largest share.
        """
        rows = self.encode_rows(X)
        return self._rules.fired(rows, self._threads(rows))

    def explain(self, X: Any, row: int = 0) -> Explanation:
        """The rule that predicts one row of X; with missing values several, with their shares.

        X may also be one row alone, as a dict or a list of values.
        """
        rows = self.encode_rows(one_row(X, self.schema))
        if not -len(rows) <= row < len(rows):
            raise IndexError(f"there is no row {row} in a table of {len(rows)} rows")
        at = row % len(rows)
        one = rows[at : at + 1]
        prediction = self._rules.predictions_to(one, 1)[0]
        said = (
            float(prediction) if self.classes_ is None else (self.known_classes or ())[prediction]
        )
        return Explanation(said, tuple(self._rules.parts(one)))

    def to_text(
        self,
        *,
        decimals: int | None = None,
        show_weights: bool = True,
        show_missing: bool = True,
        exact: bool = False,
    ) -> str:
        """One line for each rule, then footnotes on missing values if they are wanted.

        Numbers are written as in the training table, and a column of 0 and 1 is `married = yes`;
        with `exact` they are plain numbers, and the column is `married > 0.5`.
        """
        sheet = self._sheet(decimals)
        if exact:
            rules = [replace(rule, target_format=Format()) for rule in sheet.rules]
            default = None if sheet.otherwise is None else prediction_text(self.default, decimals)
            sheet = replace(sheet, rules=rules, otherwise=default, is_exact=True)
        return rules_text(replace(sheet, shows_quality=show_weights, shows_missing=show_missing))

    @property
    def n_footnotes(self) -> int:
        """How many different things missing values do at the conditions."""
        return len(self._sheet(None).footnotes())

    def to_markdown(self, *, decimals: int | None = None) -> str:
        """The rules as a Markdown table."""
        return rules_markdown(self._sheet(decimals))

    def to_latex(self, *, decimals: int | None = None) -> str:
        """The rules as a LaTeX table."""
        return rules_latex(self._sheet(decimals))

    def to_csv(self, *, decimals: int | None = None, raw: bool = False) -> str:
        """The rules as CSV text.

        A cell that a spreadsheet would take for a formula gets an apostrophe in front; `raw`
        leaves it as it is.
        """
        return rules_csv(self._sheet(decimals), raw=raw)

    def to_dict(self) -> dict[str, Any]:
        """The rules as plain values for other programs; `save` writes what `tw.load` reads."""
        return rules_values(self._sheet(None), self.schema, self.known_classes)

    def to_table(self, *, decimals: int | None = None) -> Table:
        """The rules as a table, one row for each."""
        return rules_table(self._sheet(decimals))

    def to_frame(self, *, decimals: int | None = None) -> Any:
        """The rules as a pandas frame, one row for each."""
        return rules_pandas(self._sheet(decimals))

    def to_polars(self, *, decimals: int | None = None) -> Any:
        """The rules as a polars frame, one row for each."""
        return rules_polars(self._sheet(decimals))

    def save(self, path: str | os.PathLike[str]) -> None:  # type: ignore[override]
        """Write the rules to a model file, which `treewright.load` reads, whatever its ending."""
        write_file(path, self.file_bytes())

    def __reduce__(self) -> tuple[Any, ...]:
        """A pickle holds the text of a model file."""
        return RuleSet.from_bytes, (self.file_bytes(),)

    def file_bytes(self) -> bytes:
        """The content of the model file of the rules."""
        parts = self._rules, self.classes_, self._categorical_features
        return document(rule_set_to_json(parts))

    @classmethod
    def from_bytes(cls, content: bytes) -> "RuleSet":
        """The rules in the content of a model file."""
        return cls.from_json(model_in(content))

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> "RuleSet":
        """The rules in the values of a model file."""
        return cls(*rule_set_from_json(data))

    def __str__(self) -> str:
        if len(self) <= MOST_SHOWN:
            return self.to_text()
        some = replace(self._take(np.arange(MOST_SHOWN))._sheet(None), otherwise=None, fallbacks=[])
        more = f"... {len(self) - MOST_SHOWN} more rules: `to_text()` shows all"
        return f"{rules_text(some)}\n{more}"

    def __repr__(self) -> str:
        predictions = "numbers" if self.classes_ is None else f"{len(self.classes_)} classes"
        return f"<RuleSet: {len(self)} rules for {predictions}>"

    def to_html(self, *, standalone: bool = True, decimals: int | None = None) -> str:
        """The rules as a table on a page of HTML, or as a part of one."""
        from treewright.documents.as_html import to_html  # slow to load, and seldom needed
        from treewright.single_trees.rules_page import rules_page

        return to_html(rules_page(self._sheet(decimals)), standalone=standalone)

    def _repr_html_(self) -> str:
        some = self._take(np.arange(min(len(self), MOST_SHOWN)))
        return some.to_html(standalone=False)

    @property
    def known_classes(self) -> tuple[Any, ...] | None:
        rules = self._rules
        return rules.tree.classes if isinstance(rules, TreeRules) else rules.classes

    def _sheet(self, decimals: int | None) -> RuleSheet:
        default = prediction_text(self.default, decimals, self.schema.target_format)
        return RuleSheet(
            rules=list(self),
            fallbacks=list(self._rules.fallback_rules()),
            otherwise=None if self.is_complete else default,
            is_ordered=self.is_ordered,
            is_classifier=self.classes_ is not None,
            decimals=decimals,
        )

    def encode_rows(self, X: Any) -> Table:
        """The rows of X as the rules know their columns."""
        table = table_from(X)
        self.schema.check_columns(table, model="RuleSet")
        if not isinstance(self._categorical_features, str | None):  # nominal by the user's word
            table = table_from(table, categorical_features=self._categorical_features)
        return self.schema.encode(table, self._rules.unseen, model="RuleSet")  # type: ignore[arg-type]

    def _threads(self, rows: Table) -> int:
        return n_threads(None, worth_it=len(rows) >= ROWS_WORTH_THREADS)
