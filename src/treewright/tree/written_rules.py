"""A tree from rules of which the first that fits a row answers it.

The first condition of the first rule becomes the question; every branch keeps the rules that can
still fit there, without what the branch already says.
"""

from collections.abc import Sequence
from dataclasses import replace
from math import inf, isfinite

from treewright.data.printed_thresholds import exact_text
from treewright.errors import ParameterError
from treewright.tree.notation import Clause, Level
from treewright.tree.written import Written, WrittenSplit
from treewright.tree.written_forms import Demand

FEW_BOUNDS = 16  # up to so many are asked in the order of the rules, which people understand
MOST_NODES = 100_000  # rules that overlap can ask for a tree of any size


def from_rules(rules: Sequence[Demand]) -> Written:
    """The tree in which every row gets the answer of the first rule that fits it."""
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
        clauses, answer = rules[0]
        if not clauses:
            return answer
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
    return ParameterError(f"no rule answers {where}", hint="add a last rule `otherwise ANSWER`")


def number_branches(column: str, rules: Sequence[Demand]) -> list[Clause]:
    """Two branches: at a bound of the first rule, or midway where there are many bounds."""
    clauses = [clause for demand, _ in rules for clause in demand if clause.column == column]
    ends = [(clause.low, clause.high) for clause in clauses if clause.is_numeric]
    bounds = sorted({end for pair in ends for end in pair if isfinite(end)})
    low, high = ends[0]
    bound = low if low > -inf else high
    if len(bounds) > FEW_BOUNDS:
        bound = bounds[len(bounds) // 2]
    return [Clause(column, high=bound), Clause(column, low=bound)]


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
    clauses, answer = demand
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
    return tuple(left), answer


def fits(clause: Clause, branch: Clause) -> bool:
    """Whether a row on the branch fulfils the clause, both about levels of one column."""
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
