"""PMML tree models, evaluated as the specification says: slow, and written for this alone.

Knows what our files use: predicates, compound predicates and sets in three-valued logic, derived
fields of sums and products, `missingValueStrategy="none"`, `noTrueChildStrategy`, and the
treatment of invalid values. From the text of PMML 4.4 (TreeModel, MiningSchema, Functions).
"""

import re
from xml.etree import ElementTree

UNKNOWN = None
NAMESPACE = "{http://www.dmg.org/PMML-4_4}"
NUMBERS = {"double": float, "integer": int}
PREDICATES = {"SimplePredicate", "SimpleSetPredicate", "CompoundPredicate", "True", "False"}


class InvalidValueError(Exception):
    """A value that the model refuses."""


class Evaluator:
    def __init__(self, text):
        root = ElementTree.fromstring(text)
        for element in root.iter():
            element.tag = element.tag.removeprefix(NAMESPACE)
        self.model = root.find("TreeModel")
        assert self.model.get("missingValueStrategy") == "none"
        assert self.model.get("noTrueChildStrategy") == "returnLastPrediction"
        self.fields = {field.get("name"): field for field in root.find("DataDictionary")}
        self.types = {name: field.get("dataType") for name, field in self.fields.items()}
        self.valid = {
            name: {self.typed(name, value.get("value")) for value in field.findall("Value")}
            for name, field in self.fields.items()
        }
        for derived in self.model.iterfind("LocalTransformations/DerivedField"):
            self.types[derived.get("name")] = derived.get("dataType")
        self.target = next(
            field.get("name")
            for field in self.model.find("MiningSchema")
            if field.get("usageType") == "target"
        )

    def typed(self, field, text):
        kind = self.types[field]
        if kind == "boolean":
            return {"true": True, "false": False}[text]
        return NUMBERS.get(kind, str)(text)

    def prediction(self, row):
        """(label, {label: probability}), or the number; `row` holds None where missing."""
        values = {}
        for field in self.model.find("MiningSchema"):
            if field.get("usageType", "active") == "active":
                values[field.get("name")] = self.admitted(field, row[field.get("name")])
        for derived in self.model.iterfind("LocalTransformations/DerivedField"):
            values[derived.get("name")] = computed(derived[0], values)
        node = self.model.find("Node")
        assert self.holds(node, values) is True
        while (child := self.next_child(node, values)) is not None:
            node = child
        score = self.typed(self.target, node.get("score"))
        if self.model.get("functionName") == "regression":
            return score
        shares = {
            self.typed(self.target, one.get("value")): float(one.get("probability"))
            for one in node.findall("ScoreDistribution")
        }
        return score, shares

    def admitted(self, field, value):
        name, treatment = field.get("name"), field.get("invalidValueTreatment", "returnInvalid")
        if value is None or not self.valid[name] or value in self.valid[name]:
            return value
        if treatment == "returnInvalid":
            raise InvalidValueError(name)
        return None if treatment == "asMissing" else value

    def next_child(self, node, values):
        """The first child whose predicate is true."""
        for child in node.findall("Node"):
            if self.holds(child, values) is True:
                return child
        return None

    def holds(self, node, values):
        predicate = next(element for element in node if element.tag in PREDICATES)
        return self.truth(predicate, values)

    def truth(self, predicate, values):
        """True, False or UNKNOWN."""
        if predicate.tag in ("True", "False"):
            return predicate.tag == "True"
        if predicate.tag == "CompoundPredicate":
            parts = [self.truth(part, values) for part in predicate]
            decisive = {"or": True, "and": False}[predicate.get("booleanOperator")]
            if decisive in parts:
                return decisive
            return UNKNOWN if UNKNOWN in parts else not decisive
        name = predicate.get("field")
        value = values[name]
        if predicate.tag == "SimpleSetPredicate":
            if value is None:
                return UNKNOWN
            listed = array_entries(predicate.find("Array"))
            inside = value in {self.typed(name, text) for text in listed}
            return inside == (predicate.get("booleanOperator") == "isIn")
        return self.compared(name, value, predicate)

    def compared(self, name, value, predicate):
        operator = predicate.get("operator")
        if operator in ("isMissing", "isNotMissing"):
            return (value is None) == (operator == "isMissing")
        if value is None:
            return UNKNOWN
        other = self.typed(name, predicate.get("value"))
        return {
            "equal": value == other,
            "notEqual": value != other,
            "lessOrEqual": self.types[name] == "double" and value <= other,
            "greaterThan": self.types[name] == "double" and not value <= other,
        }[operator]


def array_entries(array):
    entries = re.findall(r"\S+", array.text)
    assert len(entries) == int(array.get("n"))
    assert '"' not in array.text
    return entries


def computed(expression, values):
    """A number, or None where something it needs is missing."""
    if expression.tag == "FieldRef":
        return values[expression.get("field")]
    if expression.tag == "Constant":
        return float(expression.text)
    left, right = (computed(part, values) for part in expression)
    if left is None or right is None:
        return None
    return {"+": left + right, "*": left * right}[expression.get("function")]
