"""PMML files with one tree or many (`pmml_ensemble.py`).

Here: a tree whose branches ask one column: a number on two sides, or categories. `isMissing` beside
a condition, the default child and the last prediction say where missing values go.
"""

import re
from collections.abc import Mapping, Sequence

import numpy as np

from treewright.errors import ModelFileError
from treewright.imports.foreign import Source, UnsupportedError
from treewright.imports.pmml_elements import (
    NOTE_NULL,
    SIGNS,
    Element,
    check_schema,
    classes_of,
    fields_of,
    predicates,
    read_xml,
    targets_of,
    values_in,
)
from treewright.imports.pmml_ensemble import EnsembleReader
from treewright.imports.pmml_trees import SURROGATES, asks_several, fields_in, first_field
from treewright.imports.printed_tree import (
    MISSING_STOP,
    NO_ORIGINAL,
    Line,
    PrintedTree,
    midpoints,
    number_in,
)


def recognizes(content: bytes) -> bool:
    """Whether a file is XML with PMML at its beginning."""
    return b"<PMML" in content[:10_000]


def from_content(content: bytes, *, verify: bool = True) -> Source:
    """The model in a file."""
    top = read_xml(content).all("PMML")
    if len(top) != 1:
        raise ModelFileError("the file is no PMML document")
    version = top[0].get("version")
    if not re.fullmatch(r"[34]\.\d{1,2}(\.\d{1,2})?", version):
        raise UnsupportedError(
            f"version `{version[:20]}` of PMML is not known", hint="versions 3 and 4 are read"
        )
    used = top[0].children
    others = [one for one in used if one.name not in ("Header", "DataDictionary", "Extension")]
    if len(others) != 1 or others[0].name not in ("TreeModel", "MiningModel"):
        words = ", ".join(one.name for one in others)[:100] or "nothing"
        raise UnsupportedError(
            f"only one `TreeModel` or `MiningModel` is read, and this file has {words}"
        )
    model = others[0]
    if model.name == "TreeModel" and is_plain(model):
        return single_tree(top[0], model).source()
    found = EnsembleReader(top[0], model, fields_in(top[0])).read()
    return Source("PMML file", found, why_no_original=NO_ORIGINAL)


def is_plain(model: Element) -> bool:
    """Whether the branches of each node ask one column, and each node has a prediction."""
    waiting = model.all("Node")
    for node in waiting:
        children = node.all("Node")
        waiting += children
        asked = {first_field(one) for child in children for one in predicates(child)}
        if "score" not in node.attributes or (children and (len(children) < 2 or len(asked) > 1)):
            return False
    return True


def single_tree(top: Element, model: Element) -> PrintedTree:
    """The one tree in a file."""
    check_schema(model, ("Node",))
    roots = model.all("Node")
    if len(roots) != 1:
        raise ModelFileError("not one `Node` at the root")
    classes = None
    if model.get("functionName") == "classification":
        classes = classes_of(top, model)
    elif model.get("functionName") != "regression":
        raise UnsupportedError(f"`functionName` is {model.get('functionName')[:30]}")
    known = {
        one.get("name"): [item.get("value") for item in one.all("Value")] for one in fields_of(top)
    }
    root, notes = tree_of(roots[0], model, classes, known)
    return PrintedTree(
        library="PMML",
        words="PMML file",
        text_columns=fields_of_type(top, "string"),
        boolean_columns=fields_of_type(top, "boolean"),
        root=root,
        classes=classes,
        classes_are_text={*targets_of(model)} <= fields_of_type(top, "string"),
        missing="stated",
        rounding=lambda _: 0.0,
        from_values=midpoints,
        is_exact=True,
        notes=notes,
    )


def fields_of_type(top: Element, data_type: str) -> frozenset[str]:
    """The columns whose values have a type; texts may look like numbers."""
    fields = fields_of(top)
    return frozenset(one.get("name") for one in fields if one.get("dataType") == data_type)


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
        if found[0].get("booleanOperator") == "surrogate" or asks_several(found[0]):
            raise UnsupportedError(f"{line.where}: {SURROGATES}")
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
