"""Conditions and their missing routes in words: `2 < x <= 5`, `color in {red, blue}`."""

from collections import defaultdict
from collections.abc import Iterable

from treewright.data.printed_thresholds import decimals_apart
from treewright.data.schema import ColumnSpec
from treewright.plain_text import plain
from treewright.rulesets.condition import Condition, Question
from treewright.rulesets.level_set import LevelSet
from treewright.tree.conditions import bound_text, number_text, sum_number

PASSES = "passes if missing"


def condition_text(condition: Condition, decimals: int | None = None) -> str:
    """The condition as one reads it; missing values are a matter of `route_text`."""
    name = sum_text(condition, decimals) if condition.is_sum else plain(condition.column.name)
    merged = condition.merged
    if merged.wants_missing:
        return missing_text(condition, name)
    parts = []
    if merged.low is not None or merged.high is not None:
        parts.append(bounds_text(condition, name, merged, decimals))
    if not merged.levels.is_everything:
        parts.append(f"{name} {levels_text(condition.column, merged.levels)}")
    return " and ".join(parts) or f"{name} known"


def bounds_text(condition: Condition, name: str, merged: Question, decimals: int | None) -> str:
    low, high = (
        None if bound is None else side_text(condition, bound, decimals)
        for bound in (merged.low, merged.high)
    )
    if low is None:
        return f"{name} <= {high}"
    return f"{name} > {low}" if high is None else f"{low} < {name} <= {high}"


def side_text(condition: Condition, bound: float, decimals: int | None) -> str:
    if condition.is_sum:
        return sum_number(bound, decimals)
    return bound_text(condition.column, bound, decimals)


def decimals_by_column(
    conditions: Iterable[Condition], decimals: int | None
) -> dict[str, int | None]:
    """Decimals for the bounds of each column: those asked for, or more to keep bounds apart."""
    if decimals is None:
        return {}
    bounds: dict[str, set[float]] = defaultdict(set)
    for condition in conditions:
        if not condition.is_sum:
            merged = condition.merged
            own = (bound for bound in (merged.low, merged.high) if bound is not None)
            bounds[condition.column.name].update(own)
    return {name: decimals_apart(own, decimals) for name, own in bounds.items()}


def levels_text(column: ColumnSpec, levels: LevelSet) -> str:
    """`= red`, `in {red, blue}` or `not in {green}`, whichever is shorter; `known` if all are."""
    n_levels = len(column.levels)
    if not levels.excluded and len(levels.codes) == n_levels:
        return "known"
    is_in = not levels.excluded or n_levels - len(levels.codes) <= len(levels.codes)
    codes = levels.within(n_levels) if is_in else tuple(sorted(levels.codes))
    shown = [plain(str(column.levels[code])) for code in codes]
    if len(shown) == 1:
        return f"= {shown[0]}" if is_in else f"is not {shown[0]}"
    return f"{'in' if is_in else 'not in'} {{{', '.join(shown)}}}"


def missing_text(condition: Condition, name: str) -> str:
    """`x missing`, with the levels that count as missing where only some are listed."""
    unlisted = [q.unlisted for q in condition.questions if q.wants_missing]
    levels = unlisted[0] if unlisted else None
    if levels is None:
        return f"{name} missing"
    return f"({name} missing or {name} {levels_text(condition.column, levels)})"


def sum_text(condition: Condition, decimals: int | None = None) -> str:
    """`2 * a - b`."""
    parts: list[str] = []
    for factor, column in zip(condition.factors, condition.columns, strict=True):
        sign = "-" if factor < 0 else "+" if parts else ""
        size = "" if abs(factor) == 1 else f"{sum_number(abs(factor), decimals)} * "
        parts.append(f"{sign} {size}" if parts else f"{sign}{size}")
        parts[-1] += plain(column.name)
    return " ".join(parts)


def route_text(condition: Condition, decimals: int | None = None) -> str:
    """What a missing value does, in words; "" where it simply fails."""
    if any(question.is_plain and question.share == 0 for question in condition.questions):
        return ""
    steps = [question_route(question, decimals) for question in condition.questions]
    told = [step for step in steps if step and step != PASSES]
    if told:
        return "; then ".join(dict.fromkeys(told))
    return "" if condition.wants_missing else PASSES


def question_route(question: Question, decimals: int | None) -> str:
    if question.stand_ins:
        asked = ", then ".join(condition_text(one, decimals) for one in question.stand_ins)
        if question.wants_missing:
            return f"only if what else would be asked is missing too: {asked}"
        return f"if missing, ask {asked}; if all are missing, {share_text(question.share)}"
    if question.unlisted is not None and not question.wants_missing:
        levels = ", or a level that is not listed"
        return f"if missing{levels}: {share_text(question.share)}"
    if question.share == 1:
        return PASSES
    return "" if question.share == 0 else f"if missing, {share_text(question.share)}"


def share_text(share: float) -> str:
    if share in (0, 1):
        return "it passes" if share else "it fails"
    return f"{number_text(100 * share, 1)} % of the row passes"
