"""How good the model is: measures, and what stands behind them."""

from collections.abc import Iterator

from treewright.data.table_text import counted
from treewright.documents.page import Block, Paragraph, SheetTable
from treewright.evaluation.measure import TITLES
from treewright.reports.class_judgement import class_blocks
from treewright.reports.facts import ReportFacts
from treewright.reports.number_judgement import number_blocks
from treewright.reports.words import between, method_text, score_text


def judgement_section(facts: ReportFacts) -> Iterator[Block]:
    """The scheme, the measures, then classes or errors."""
    found = facts.evaluation
    rows = counted(found.rows.n_rows, "row")
    if facts.is_resampled:
        yield Paragraph.of(
            f"Judged by {found.scheme} on {rows}: fresh copies of the model{pruned(facts)}, each "
            "on rows that it did not learn from."
            + (" The model on this page learnt from all rows." if facts.learnt_here else "")
        )
    else:
        yield Paragraph.of(f"Judged as it is, on {rows}.")
    yield measure_table(facts)
    yield from number_blocks(found) if found.classes is None else class_blocks(found)


def pruned(facts: ReportFacts) -> str:
    """That the copies were pruned as the model was, after their fit."""
    pruning = facts.later_pruning
    if pruning is None or facts.evaluation.pruned != str(pruning):
        return ""
    return f", pruned as it was ({method_text(pruning)})"


def measure_table(facts: ReportFacts) -> SheetTable:
    """Each measure with its interval; a deviation needs several splits."""
    found = facts.evaluation
    titles = ("measure", "mean", "deviation", "95 % interval")
    rows = []
    for name in found.scores:
        judged = found.interval(name)
        cells = (TITLES.get(name, name), score_text(judged.mean))
        spread = score_text(found.deviation(name))
        rows.append((*cells, spread, between(judged.low, judged.high)))
    if found.n_splits > 1:
        return SheetTable(titles, tuple(rows), "lrrr")
    whole = tuple((name, value, interval) for name, value, _, interval in rows)
    return SheetTable(("measure", "value", "95 % interval"), whole, "lrr")
