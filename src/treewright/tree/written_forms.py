"""The forms in which people write a tree: a nested dict, indented text, a list of rules."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from treewright.errors import ParameterError
from treewright.tree.notation import Clause, clause_of, read_clause
from treewright.tree.written import Written, WrittenLeaf, WrittenSplit

MOST_NESTED = 200  # deeper than any dict a person writes; deeper trees are read from text
COUNTS = re.compile(r"(?P<answer>.*?)\s*\((?P<weight>\d+(\.\d+)?)(/(?P<errors>\d+(\.\d+)?))?\)")
RULE = re.compile(
    r"(?:if\s+)?(?P<conditions>.+?)\s*(?:\bthen\b|->|=>|:)\s*(?P<answer>.+)", re.DOTALL
)
ALWAYS = re.compile(r"(?:otherwise|else|always|default)\s*:?\s*(?P<answer>.+)", re.DOTALL)
AND = re.compile(r"\s+and\s+")

Demand = tuple[tuple[Clause, ...], WrittenLeaf]


def read_answer(text: str) -> WrittenLeaf:
    """An answer with or without training counts: `Yes`, `Yes (14/5)`."""
    found = COUNTS.fullmatch(text.strip())
    if not found:
        return WrittenLeaf(text.strip())
    weight, errors = float(found["weight"]), float(found["errors"] or 0)
    if errors > weight:
        raise ParameterError(f"`{text.strip()}` has more errors than rows")
    return WrittenLeaf(found["answer"], weight, errors)


# ---------------------------------------------------------------------------- nested dicts


def from_nested(tree: Any, depth: int = 0) -> Written:
    """A dict of conditions, or a dict of one column and its values; anything else is an answer."""
    if not isinstance(tree, Mapping):
        return WrittenLeaf(tree)
    if depth > MOST_NESTED:
        raise ParameterError(f"dicts are nested more than {MOST_NESTED} deep")
    if not tree:
        raise ParameterError("an empty dict says nothing", hint="write an answer or a question")
    (key, below), *others = tree.items()
    if not others and isinstance(below, Mapping):
        if not below:
            raise ParameterError(f"nothing follows from asking `{key}`")
        clauses = [(clause_of(str(key), value), branch) for value, branch in below.items()]
    else:
        clauses = [(read_clause(str(text)), branch) for text, branch in tree.items()]
    return split_of([(clause, from_nested(branch, depth + 1)) for clause, branch in clauses])


def split_of(branches: Sequence[tuple[Clause, Written]]) -> WrittenSplit:
    columns = list(dict.fromkeys(clause.column for clause, _ in branches))
    if len(columns) > 1:
        raise ParameterError(
            f"one question asks for `{columns[0]}` and for `{columns[1]}`",
            hint="conditions beside each other must be about one column",
        )
    return WrittenSplit(tuple(branches))


# ---------------------------------------------------------------------------- indented text


def from_text(text: str) -> Written:
    """The tree that a text shows: a condition on each line, its answer after a colon."""
    lines = [line for line in text.splitlines() if line.strip(" |\t") and line.lstrip()[0] != "#"]
    if not lines:
        raise ParameterError("the text holds no tree")
    if len(lines) == 1 and (": " not in lines[0].strip() or lines[0].strip()[0] == ":"):
        return read_answer(lines[0].strip().removeprefix(":"))
    # (indent, branches) of the questions that are open, the innermost last.
    open_questions: list[tuple[int, list[tuple[Clause, Any]]]] = [(indent_of(lines[0]), [])]
    for line in lines:
        indent = indent_of(line)
        if indent > open_questions[-1][0]:
            deeper: list[tuple[Clause, Any]] = []
            clause, answer = open_questions[-1][1][-1]
            if answer is not None:
                raise ParameterError(f"`{line.strip(' |')}` stands below an answer")
            open_questions[-1][1][-1] = (clause, deeper)
            open_questions.append((indent, deeper))
        while indent < open_questions[-1][0]:
            open_questions.pop()
            if not open_questions:
                raise ParameterError(f"`{line.strip(' |')}` stands left of the first line")
        condition, colon, answer = line.strip(" |\t").rpartition(": ")
        if not colon:
            condition, answer = answer.rstrip(":"), ""
        open_questions[-1][1].append(
            (read_clause(condition), read_answer(answer) if colon else None)
        )
    return closed(open_questions[0][1])


def indent_of(line: str) -> int:
    return len(line) - len(line.lstrip(" |\t"))


def closed(branches: list[tuple[Clause, Any]]) -> Written:
    """Lists of branches as splits, the innermost first."""
    order = [branches]
    for question in order:  # grows while it is read
        order.extend(below for _, below in question if isinstance(below, list))
    splits: dict[int, Written] = {}
    for question in reversed(order):
        parts: list[tuple[Clause, Written]] = []
        for clause, below in question:
            if below is None:
                raise ParameterError(f"nothing follows from the condition on `{clause.column}`")
            parts.append((clause, splits[id(below)] if isinstance(below, list) else below))
        splits[id(question)] = split_of(parts)
    return splits[id(branches)]


# ---------------------------------------------------------------------------- rules


def read_rule(rule: Any) -> Demand:
    """`if A and B then C` as text, or a pair of conditions and an answer."""
    if isinstance(rule, str):
        if found := ALWAYS.fullmatch(rule.strip()):
            return (), read_answer(found["answer"])
        if found := RULE.fullmatch(rule.strip()):
            clauses = map(read_clause, AND.split(found["conditions"]))
            return tuple(clauses), read_answer(found["answer"])
        raise ParameterError(f"`{rule}` is not a rule", hint="write `if x <= 5 and y = a then yes`")
    if not isinstance(rule, Sequence) or len(rule) != 2:
        raise ParameterError(
            f"a rule is {rule!r}", hint="use text, or a pair of conditions and an answer"
        )
    conditions, answer = rule
    leaf = answer if isinstance(answer, WrittenLeaf) else WrittenLeaf(answer)
    return tuple(clauses_in(conditions)), leaf


def clauses_in(conditions: Any) -> Iterator[Clause]:
    if isinstance(conditions, Mapping):
        yield from (clause_of(str(name), value) for name, value in conditions.items())
    elif isinstance(conditions, str):
        yield from map(read_clause, AND.split(conditions) if conditions.strip() else [])
    else:
        for part in conditions or ():
            yield part if isinstance(part, Clause) else read_clause(part)
