"""PMML files with one `TreeModel`.

Branches ask one column: a number on two sides, or categories. `isMissing` beside a condition, the
default child and the last prediction say where missing values go.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from xml.parsers import expat

import numpy as np

from treewright.errors import ModelFileError
from treewright.imports.foreign import MOST_DEPTH, UnsupportedError
from treewright.imports.printed_tree import (
    MISSING_STOP,
    Line,
    PrintedTree,
    lines_of,
    midpoints,
    number_in,
)

SIGNS = {"lessThan": "<", "lessOrEqual": "<=", "greaterThan": ">", "greaterOrEqual": ">="}
# Elements of a model that do not change predictions of a tree.
HARMLESS = {"MiningSchema", "Output", "ModelStats", "ModelExplanation", "ModelVerification"}
ITEM = re.compile(r'(?:"((?:[^"\\]|\\.)*)"|([^\s"]+))(?:\s+|$)', re.DOTALL)  # of an array
NOTE_NULL = "the original predicts nothing where no branch fits; here the node above predicts"


@dataclass(slots=True, eq=False)
class Element:
    """An element of XML, without its texts but those of arrays."""

    name: str
    line: int
    attributes: dict[str, str]
    children: "list[Element]" = field(default_factory=list)
    texts: list[str] = field(default_factory=list)

    def all(self, *names: str) -> "list[Element]":
        return [child for child in self.children if child.name in names]

    def get(self, name: str, default: str | None = None) -> str:
        found = self.attributes.get(name, default)
        if found is None:
            raise ModelFileError(f"line {self.line}: `{self.name[:50]}` has no `{name}`")
        return found


def recognizes(content: bytes) -> bool:
    """Whether a file is XML with PMML at its beginning."""
    return b"<PMML" in content[:10_000]


def read_xml(content: bytes) -> Element:
    """The elements of a file; entities and document types are refused."""
    text = "\n".join(lines_of(content))  # UTF-8 only, and of limited size
    root = Element("", 0, {})
    path = [root]
    parser = expat.ParserCreate(encoding="UTF-8")

    def start(name: str, attributes: dict[str, str]) -> None:
        if len(path) > MOST_DEPTH:
            raise ModelFileError(f"elements are nested deeper than {MOST_DEPTH:,}")
        one = Element(name.rpartition(":")[2], parser.CurrentLineNumber, attributes)
        path[-1].children.append(one)
        path.append(one)

    def characters(more: str) -> None:
        if path[-1].name == "Array":
            path[-1].texts.append(more)

    def refused(*_: object) -> None:
        raise ModelFileError("a document type or an entity, which is not read")

    parser.StartElementHandler = start
    parser.EndElementHandler = lambda _: path.pop()
    parser.CharacterDataHandler = characters
    parser.StartDoctypeDeclHandler = refused
    parser.EntityDeclHandler = refused
    parser.buffer_text = True
    try:
        parser.Parse(text.encode(), True)  # noqa: FBT003 -- the last piece
    except expat.ExpatError as error:
        raise ModelFileError(f"the XML is not well formed: {error}") from None
    return root


def printed_tree(content: bytes) -> PrintedTree:
    """The tree in a file."""
    top = read_xml(content).all("PMML")
    if len(top) != 1:
        raise ModelFileError("the file is no PMML document")
    used = top[0].children
    others = [one.name for one in used if one.name not in ("Header", "DataDictionary", "Extension")]
    if others != ["TreeModel"]:
        words = ", ".join(others)[:100] or "nothing"
        raise UnsupportedError(f"only one `TreeModel` is read, and this file has {words}")
    model = top[0].all("TreeModel")[0]
    check_model(model)
    roots = model.all("Node")
    if len(roots) != 1:
        raise ModelFileError("not one `Node` at the root")
    classes = None
    if model.get("functionName") == "classification":
        classes = classes_of(top[0], model)
    elif model.get("functionName") != "regression":
        raise UnsupportedError(f"`functionName` is {model.get('functionName')[:30]}")
    known = {
        one.get("name"): [item.get("value") for item in one.all("Value")]
        for one in fields_of(top[0])
    }
    root, notes = tree_of(roots[0], model, classes, known)
    return PrintedTree(
        library="PMML",
        words="PMML file",
        text_columns=text_fields(top[0]),
        root=root,
        classes=classes,
        classes_are_text={*targets_of(model)} <= text_fields(top[0]),
        missing="stated",
        rounding=lambda _: 0.0,
        from_values=midpoints,
        is_exact=True,
        notes=notes,
    )


def check_model(model: Element) -> None:
    """Raise if something changes predictions in a way that is not reproduced."""
    unknown = [
        one.name for one in model.children if one.name not in HARMLESS | {"Extension", "Node"}
    ]
    if unknown:
        raise UnsupportedError(f"line {model.line}: `{unknown[0][:50]}` is not reproduced")
    for one in model.all("MiningSchema"):
        for mining in one.all("MiningField"):
            changing = {"missingValueReplacement", "outliers"} & mining.attributes.keys()
            if changing and mining.attributes.get("outliers", "asIs") != "asIs":
                raise UnsupportedError(f"line {mining.line}: outliers are not treated")
            if "missingValueReplacement" in changing:
                raise UnsupportedError(f"line {mining.line}: missing values are not replaced")


def targets_of(model: Element) -> list[str]:
    """The columns that are predicted."""
    return [
        mining.get("name")
        for schema in model.all("MiningSchema")
        for mining in schema.all("MiningField")
        if mining.attributes.get("usageType") in ("target", "predicted")
    ]


def classes_of(top: Element, model: Element) -> list[str]:
    """The classes in the order of the data dictionary."""
    targets = targets_of(model)
    for one in fields_of(top):
        found = [value.get("value") for value in one.all("Value")]
        if [one.get("name")] == targets and len(set(found)) == len(found) > 1:
            return found
    raise ModelFileError("the classes of the target are not listed in the data dictionary")


def fields_of(top: Element) -> list[Element]:
    """The columns of the data dictionary."""
    return [one for found in top.all("DataDictionary") for one in found.all("DataField")]


def text_fields(top: Element) -> frozenset[str]:
    """The columns whose values are texts, also those that look like numbers."""
    fields = fields_of(top)
    return frozenset(one.get("name") for one in fields if one.get("dataType") == "string")


def tree_of(
    first: Element,
    model: Element,
    classes: Sequence[str] | None,
    known: Mapping[str, Sequence[str]],
) -> tuple[Line, tuple[str, ...]]:
    """The lines of the nodes, and notes."""
    strategy = model.get("missingValueStrategy", "none")
    if strategy not in ("none", "defaultChild", "lastPrediction"):
        raise UnsupportedError(f"`missingValueStrategy` {strategy[:30]} is not reproduced")
    lines = {id(first): line_of(first, classes)}
    if [one.name for one in predicates(first)] != ["True"]:
        raise UnsupportedError(f"line {first.line}: the root has a condition")
    waiting, has_null = [first], False
    for node in waiting:
        line, children = lines[id(node)], node.all("Node")
        for at, child in enumerate(children):
            own = line_of(child, classes)
            takes_missing = set_condition(own, child, known)
            if strategy == "defaultChild":
                takes_missing |= node.attributes.get("defaultChild") == child.get("id")
            if takes_missing:
                if line.missing_at not in (MISSING_STOP, at):
                    raise ModelFileError(f"line {child.line}: two branches take missing values")
                line.missing_at = at
            lines[id(child)] = own
            line.children.append(own)
            waiting.append(child)
        has_null |= bool(children) and line.missing_at == MISSING_STOP
    has_null &= strategy != "lastPrediction"
    has_null &= model.get("noTrueChildStrategy", "") != "returnLastPrediction"
    return lines[id(first)], (NOTE_NULL,) if has_null else ()


def predicates(node: Element) -> list[Element]:
    names = ("SimplePredicate", "CompoundPredicate", "SimpleSetPredicate", "True", "False")
    return node.all(*names)


def line_of(node: Element, classes: Sequence[str] | None) -> Line:
    """What a node predicts."""
    where = f"line {node.line}"
    line = Line(node.line)
    known = {"Node", "ScoreDistribution", "Extension", *(one.name for one in predicates(node))}
    unknown = [one.name for one in node.children if one.name not in known]
    if unknown:
        raise UnsupportedError(f"{where}: `{unknown[0][:50]}` is not reproduced")
    line.weight = number_in(node.get("recordCount", "0"), where)
    if classes is None:
        line.value = np.array([number_in(node.get("score"), where)])
        return line
    line.value = np.zeros(len(classes))
    shares = {one.get("value"): one for one in node.all("ScoreDistribution")}
    if not {*shares} <= {*classes}:
        raise ModelFileError(f"{where}: a class that the data dictionary does not list")
    for label, one in shares.items():
        line.value[classes.index(label)] = number_in(one.get("recordCount"), where)
    if not shares:
        raise UnsupportedError(f"{where}: a node without `ScoreDistribution`")
    if (line.value < 0).any() or not line.value.sum() > 0:
        raise ModelFileError(f"{where}: the counts of classes are negative, or all are zero")
    line.label = node.get("score")
    if line.label not in classes or line.value[classes.index(line.label)] < line.value.max():
        raise UnsupportedError(f"{where}: the score is not the class with the largest count")
    for label, one in shares.items():
        given = number_in(one.get("probability", "0"), where)
        share = line.value[classes.index(label)] / line.value.sum()
        if "probability" in one.attributes and abs(given - share) > 1e-9:
            raise UnsupportedError(f"{where}: probabilities that are not shares of the counts")
    return line


def set_condition(line: Line, node: Element, known: Mapping[str, Sequence[str]]) -> bool:
    """What leads to a node; whether missing values go there too."""
    found = predicates(node)
    takes_missing = False
    if len(found) == 1 and found[0].name == "CompoundPredicate":
        if found[0].get("booleanOperator") != "or":
            raise UnsupportedError(f"{line.where}: a compound condition is not reproduced")
        parts = found[0].children
        asked = {one.attributes.get("field") for one in parts}
        found = [one for one in parts if one.attributes.get("operator") != "isMissing"]
        takes_missing = len(found) < len(parts)
        if len(asked) != 1 or len(parts) != 2 or not takes_missing:
            raise UnsupportedError(f"{line.where}: a compound condition is not reproduced")
    if len(found) != 1:
        raise UnsupportedError(f"{line.where}: not one condition on one column")
    one = found[0]
    line.column = one.get("field") if one.name.startswith("Simple") else ""
    operator = one.attributes.get("operator", "")
    if one.name == "SimplePredicate" and operator in SIGNS:
        line.sign, line.bound = SIGNS[operator], one.get("value")
        number_in(line.bound, line.where)
        return takes_missing
    if one.name == "SimplePredicate" and operator in ("equal", "notEqual"):
        named: Sequence[str] = (one.get("value"),)
        is_other = operator == "notEqual"
    elif one.name == "SimpleSetPredicate":
        named, is_other = values_in(one), one.get("booleanOperator") == "isNotIn"
    else:
        raise UnsupportedError(f"{line.where}: a condition `{(operator or one.name)[:30]}`")
    if is_other:
        others = set(named)
        named = [level for level in known.get(line.column, ()) if level not in others]
    if not named:
        raise UnsupportedError(f"{line.where}: a condition that no category meets")
    line.sign, line.levels = "=", tuple(named)
    return takes_missing


def values_in(predicate: Element) -> tuple[str, ...]:
    """The categories of an array, which are in quotes if they have spaces."""
    arrays = predicate.all("Array")
    if len(arrays) != 1:
        raise ModelFileError(f"line {predicate.line}: not one array of categories")
    text, at, found = "".join(arrays[0].texts).strip(), 0, []
    while at < len(text):
        item = ITEM.match(text, at)
        if item is None:
            raise ModelFileError(f"line {predicate.line}: the categories cannot be read")
        found.append(item[2] if item[1] is None else re.sub(r"\\(.)", r"\1", item[1]))
        at = item.end()
    return tuple(found)
