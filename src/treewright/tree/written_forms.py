"""The forms in which people write a tree: a nested dict, indented text, a list of rules."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from math import inf, isfinite
from typing import Any

from treewright.data.printed_thresholds import exact_text
from treewright.errors import ParameterError
from treewright.tree.conditions import Clause, Level, clause_of, read_clause
from treewright.tree.written import Written, WrittenLeaf, WrittenSplit

MOST_NESTED = 200  # deeper than any dict a person writes; deeper trees are read from text
COUNTS = re.compile(r"(?P<prediction>.*?)\s*\((?P<weight>\d+(\.\d+)?)(/(?P<errors>\d+(\.\d+)?))?\)")
RULE = re.compile(
    r"(?:if\s+)?(?P<conditions>.+?)\s*(?:\bthen\b|->|=>|:)\s*(?P<prediction>.+)", re.DOTALL
)
ALWAYS = re.compile(r"(?:otherwise|else|always|default)\s*:?\s*(?P<prediction>.+)", re.DOTALL)
AND = re.compile(r"\s+and\s+")

Demand = tuple[tuple[Clause, ...], WrittenLeaf]


def read_prediction(text: str) -> WrittenLeaf:
    """A prediction with or without training counts: `Yes`, `Yes (14/5)`."""
    found = COUNTS.fullmatch(text.strip())
    if not found:
        return WrittenLeaf(text.strip())
    weight, errors = float(found["weight"]), float(found["errors"] or 0)
    if errors > weight:
        raise ParameterError(f"`{text.strip()}` has more errors than rows")
    return WrittenLeaf(found["prediction"], weight, errors)


# ---------------------------------------------------------------------------- nested dicts


def from_nested(tree: Any, depth: int = 0) -> Written:
    """A dict of conditions, or of one column and its values; anything else is a prediction."""
    if not isinstance(tree, Mapping):
        return WrittenLeaf(tree)
    if depth > MOST_NESTED:
        raise ParameterError(f"dicts are nested more than {MOST_NESTED} deep")
    if not tree:
        raise ParameterError("an empty dict says nothing", hint="write a prediction or a question")
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
    """The tree that a text shows: a condition on each line, a prediction after a colon."""
    lines = [line for line in text.splitlines() if line.strip(" |\t") and line.lstrip()[0] != "#"]
    if not lines:
        raise ParameterError("the text holds no tree")
    if len(lines) == 1 and (": " not in lines[0].strip() or lines[0].strip()[0] == ":"):
        return read_prediction(lines[0].strip().removeprefix(":"))
    # (indent, branches) of the questions that are open, the innermost last.
    open_questions: list[tuple[int, list[tuple[Clause, Any]]]] = [(indent_of(lines[0]), [])]
    for line in lines:
        indent = indent_of(line)
        if indent > open_questions[-1][0]:
            deeper: list[tuple[Clause, Any]] = []
            clause, prediction = open_questions[-1][1][-1]
            if prediction is not None:
                raise ParameterError(f"`{line.strip(' |')}` stands below a prediction")
            open_questions[-1][1][-1] = (clause, deeper)
            open_questions.append((indent, deeper))
        while indent < open_questions[-1][0]:
            open_questions.pop()
            if not open_questions:
                raise ParameterError(f"`{line.strip(' |')}` stands left of the first line")
        condition, colon, prediction = line.strip(" |\t").rpartition(": ")
        if not colon:
            condition, prediction = prediction.rstrip(":"), ""
        open_questions[-1][1].append(
            (read_clause(condition), read_prediction(prediction) if colon else None)
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
    """`if A and B then C` as text, or a pair of conditions and a prediction."""
    if isinstance(rule, str):
        if found := ALWAYS.fullmatch(rule.strip()):
            return (), read_prediction(found["prediction"])
        if found := RULE.fullmatch(rule.strip()):
            clauses = map(read_clause, AND.split(found["conditions"]))
            return tuple(clauses), read_prediction(found["prediction"])
        raise ParameterError(f"`{rule}` is not a rule", hint="write `if x <= 5 and y = a then yes`")
    if not isinstance(rule, Sequence) or len(rule) != 2:
        raise ParameterError(
            f"a rule is {rule!r}", hint="use text, or a pair of conditions and a prediction"
        )
    conditions, prediction = rule
    leaf = prediction if isinstance(prediction, WrittenLeaf) else WrittenLeaf(prediction)
    return tuple(clauses_in(conditions)), leaf


def clauses_in(conditions: Any) -> Iterator[Clause]:
    if isinstance(conditions, Mapping):
        yield from (clause_of(str(name), value) for name, value in conditions.items())
    elif isinstance(conditions, str):
        yield from map(read_clause, AND.split(conditions) if conditions.strip() else [])
    else:
        for part in conditions or ():
            yield part if isinstance(part, Clause) else read_clause(part)


FEW_BOUNDS = 16  # up to so many are asked in the order of the rules, which people understand
MOST_NODES = 100_000  # rules that overlap can ask for a tree of any size


def from_rules(rules: Sequence[Demand]) -> Written:
    """The tree in which the first rule that fits a row predicts it."""
    return _Planner().plan(list(rules), ())


class _Planner:
    def __init__(self) -> None:
        self.n_nodes = 0

    def plan(self, rules: list[Demand], path: tuple[str, ...]) -> Written:
        self.n_nodes += 1
        if self.n_nodes > MOST_NODES:
            raise ParameterError(
                f"the rules overlap so much that their tree has more than {MOST_NODES} nodes"
            )
        if not rules:
            raise no_rule(path)
        clauses, prediction = rules[0]
        if not clauses:
            return prediction
        column = clauses[0].column
        is_numeric = clauses[0].is_numeric
        branches = (number_branches if is_numeric else level_branches)(column, rules)
        planned: list[tuple[Clause, Written]] = []
        merged: dict[tuple[Demand, ...], int] = {}
        for branch in branches:
            left = [rule for demand in rules if (rule := below(demand, branch)) is not None]
            if not left and not is_numeric:
                continue  # whatever level this is, no rule speaks of it
            if branch.levels:  # levels from which the same follows share a branch
                twin = merged.setdefault(tuple(left), len(planned))
                if twin < len(planned):
                    clause, subtree = planned[twin]
                    levels = clause.levels + branch.levels
                    planned[twin] = (replace(clause, levels=levels), subtree)
                    continue
            planned.append((branch, self.plan(left, (*path, clause_text(branch)))))
        if len(planned) == 1 and len(branches) > 1 and planned[0][0].levels:
            raise no_rule((*path, clause_text(branches[-1])))
        return planned[0][1] if len(planned) == 1 else WrittenSplit(tuple(planned))


def no_rule(path: tuple[str, ...]) -> ParameterError:
    where = " and ".join(path) or "any row"
    return ParameterError(f"no rule covers {where}", hint="add a last rule `otherwise PREDICTION`")


def number_branches(column: str, rules: Sequence[Demand]) -> list[Clause]:
    """Two branches: at a bound of the first rule, or midway where there are many bounds."""
    clauses = [clause for demand, _ in rules for clause in demand if clause.column == column]
    ends = [(clause.low, clause.high) for clause in clauses if clause.is_numeric]
    bounds = sorted({end for pair in ends for end in pair if isfinite(end)})
    low, high = ends[0]
    bound = low if low > -inf else high
    if len(bounds) > FEW_BOUNDS:
        bound = bounds[len(bounds) // 2]
    strict = all(clause.strict for clause in clauses if clause.is_numeric)
    return [Clause(column, high=bound, strict=strict), Clause(column, low=bound, strict=strict)]


def level_branches(column: str, rules: Sequence[Demand]) -> list[Clause]:
    """One branch for each level that a rule names, one for others, one for missing if asked."""
    clauses = [clause for demand, _ in rules for clause in demand if clause.column == column]
    if any(clause.is_numeric for clause in clauses):
        raise ParameterError(f"`{column}` is compared with a number here and with a level there")
    levels: dict[Level, None] = dict.fromkeys(level for c in clauses for level in c.levels)
    branches = [Clause(column, levels=(level,)) for level in levels]
    if levels:
        branches.append(Clause(column, word="other"))
    else:
        branches.append(Clause(column, word="known"))
    if any(clause.word == "missing" for clause in clauses):
        branches.append(Clause(column, word="missing"))
    return branches


def below(demand: Demand, branch: Clause) -> Demand | None:
    """What a rule still demands on a branch; None if it cannot fit there."""
    clauses, prediction = demand
    left: list[Clause] = []
    for clause in clauses:
        if clause.column != branch.column:
            left.append(clause)
        elif branch.is_numeric != clause.is_numeric:
            raise ParameterError(f"`{clause.column}` is compared with a number here, not there")
        elif branch.is_numeric:
            if max(clause.low, branch.low) >= min(clause.high, branch.high):
                return None
            low = clause.low if clause.low > branch.low else -inf
            high = clause.high if clause.high < branch.high else inf
            if low > -inf or high < inf:
                left.append(replace(clause, low=low, high=high))
        elif not fits(clause, branch):
            return None
    return tuple(left), prediction


def fits(clause: Clause, branch: Clause) -> bool:
    """Whether a row on the branch fulfills the clause, both about levels of one column."""
    if "missing" in (branch.word, clause.word):
        return branch.word == clause.word
    if branch.word == "other":
        return clause.excluded or clause.word in ("other", "known")
    if clause.word or branch.word:
        return clause.word != "other"
    return (branch.levels[0] in clause.levels) != clause.excluded


def clause_text(clause: Clause) -> str:
    if clause.is_numeric:
        is_below = clause.high < inf
        bound = exact_text(clause.high if is_below else clause.low)
        return f"{clause.column} {'<=' if is_below else '>'} {bound}"
    return f"{clause.column} {clause.word or f'= {clause.levels[0]}'}"
