"""The elements of PMML files, and what single trees and ensembles read of them alike."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from xml.parsers import expat

from treewright.errors import ModelFileError
from treewright.imports.foreign import MOST_DEPTH, UnsupportedError
from treewright.imports.printed_tree import lines_of

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


def check_schema(model: Element, known: Sequence[str]) -> None:
    """Raise if something changes predictions in a way that is not reproduced."""
    names = HARMLESS | {"Extension", *known}
    unknown = [one.name for one in model.children if one.name not in names]
    if unknown:
        raise UnsupportedError(f"line {model.line}: `{unknown[0][:50]}` is not reproduced")
    for one in model.all("MiningSchema"):
        for mining in one.all("MiningField"):
            if mining.get("outliers", "asIs") != "asIs":
                raise UnsupportedError(f"line {mining.line}: outliers are not treated")
            if "missingValueReplacement" in mining.attributes:
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


def predicates(node: Element) -> list[Element]:
    names = ("SimplePredicate", "CompoundPredicate", "SimpleSetPredicate", "True", "False")
    return node.all(*names)


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
