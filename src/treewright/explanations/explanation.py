"""Explanation of one prediction, as text for people and as values for programs."""

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field, fields, is_dataclass
from itertools import groupby
from typing import Any

from treewright.data.schema import Schema
from treewright.documents.page import Block, Document, Heading, Note, Paragraph, Run, SheetTable
from treewright.documents.printed import Printed
from treewright.explanations.change import Change
from treewright.explanations.conditions import (
    cell_text,
    counted,
    distance_text,
    label,
    listed,
    shown_value,
    way_text,
)
from treewright.explanations.gaps import Gap
from treewright.explanations.neighbors import Neighbor
from treewright.explanations.path import Evidence, Place
from treewright.explanations.reason import Reason
from treewright.plain_text import percent, plain, weight_text
from treewright.result import Record, plain_values
from treewright.rulesets.as_document import rounded, rounded_text
from treewright.tree.counts import has_weights, knows_rows
from treewright.tree.tree import Tree


@dataclass(frozen=True, slots=True)
class RunnerUp:
    """The second most probable class."""

    prediction: Any
    probability: float


@dataclass(frozen=True, slots=True)
class WhatIf:
    """The changed values of a row, and its original prediction."""

    changes: dict[str, tuple[Any, Any]]  # column: the value before, and the one explained
    before: Any  # the prediction without the changes
    schema: Schema = field(repr=False, compare=False)  # how values are written

    def __str__(self) -> str:
        changed = ", ".join(
            f"{plain(name)} {self._cell(name, new)} instead of {self._cell(name, old)}"
            for name, (old, new) in self.changes.items()
        )
        original = label(self.before, self.schema.target_format)
        return f"{changed}; original prediction: {original}"

    def _cell(self, name: str, value: Any) -> str:
        return cell_text(self.schema.columns[self.schema.position(name)], value)


@dataclass(frozen=True, slots=True, repr=False)
class Explanation(Printed):
    """The prediction for one row and the reasons for it; `print` shows it as text.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.load_sample("tennis")
    >>> explanation = tw.ID3Classifier().fit(X, y).explain(X[0:1])
    >>> explanation.prediction, str(explanation.reason), str(explanation.change)
    ('No', 'outlook = Sunny and humidity = High', 'humidity from High to Normal')
    """

    tree: Tree  # the one that predicts
    row: dict[str, Any]  # the row as given
    prediction: Any  # a class or a number
    probabilities: dict[Any, float]  # of each class; empty for numbers
    runner_up: RunnerUp | None  # None for numbers, and where no other class has any probability
    path: tuple[
        Evidence, ...
    ]  # from the root to the prediction; with missing values, all nodes reached
    ends: tuple[Place, ...]  # nodes that predicted, with their shares of the row
    gaps: tuple[Gap, ...]  # missing and unseen values, and their effect
    reason: Reason  # conditions that determine the prediction
    change: Change | None  # the smallest change that flips the prediction
    change_is_known: bool  # False: the search was cut short, so `change` is None
    immutable: tuple[str, ...]  # columns that must not change
    directions: dict[str, str]  # column -> "up" or "down", the only allowed direction
    wanted: Any  # the prediction the change should lead to; None: any other
    tolerance: float | None  # numbers that differ by no more count as the same prediction
    neighbors: tuple[Neighbor, ...]  # nearest training rows, if any were given
    what_if: WhatIf | None = None  # what was changed in the row before it was explained

    def document(self) -> Document:
        """The page: prediction, reason, smallest change, the path as a table, and the row."""
        return Document(f"Why {self.said(self.prediction)}?", tuple(_blocks(self)))

    def to_text(self) -> str:  # type: ignore[override]  # lines of their own, of any length
        """The explanation as plain text: prediction, reason, smallest change, then the evidence."""
        return "\n".join(
            [
                *prediction_lines(self),
                *reason_lines(self),
                *change_lines(self),
                *self.path_lines(),
                *_gap_lines(self),
                *_neighbor_lines(self),
            ]
        )

    def said(self, prediction: Any) -> str:
        """A class, or a number as the training table wrote the target."""
        return label(prediction, self.tree.schema.target_format)

    def cell(self, name: str, value: Any) -> str:
        """A value of a column, as the training table wrote it."""
        schema = self.tree.schema
        return cell_text(schema.columns[schema.position(name)], value)

    def path_lines(self) -> Iterator[str]:
        """The evidence as lines of text: the nodes on the path."""
        return _path_lines(self)

    def path_blocks(self) -> Iterator[Block]:
        """The evidence as a part of the page."""
        yield Heading(2, "Path")
        shown, rest = nodes_to_show(self)
        yield _path_table(self, shown)
        if rest:
            yield Note(rest)

    def _facts(self) -> Record:
        # Trees and schemas say how values are written; they have files of their own.
        names = [one.name for one in fields(self) if one.name not in ("tree", "what_if")]
        values = {name: as_plain(getattr(self, name)) for name in names}
        changed = self.what_if
        values["what_if"] = changed and {"changes": changed.changes, "before": changed.before}
        facts: Record = plain_values(values, infinity_as_text=True)
        return facts

    def __repr__(self) -> str:
        return f"<Explanation: {self.prediction} because {self.reason}>"


def as_plain(value: Any) -> Any:
    """A value with the dataclasses in it as dicts."""
    if isinstance(value, tuple):
        return tuple(map(as_plain, value))
    return asdict(value) if is_dataclass(value) and not isinstance(value, type) else value


MOST_NODES = 30  # a divided row may reach very many
MOST_CLASSES = 4
MOST_EFFECTS = 5  # of one missing value
MOST_COLUMNS = 10  # of a neighbor
OTHER = "another prediction"


def prediction_lines(explanation: Explanation) -> Iterator[str]:
    """What was changed in the row, the prediction, and the second most probable class."""
    if explanation.what_if is not None:
        yield f"what if: {explanation.what_if}"
    if not explanation.probabilities:
        yield f"prediction: {explanation.said(explanation.prediction)}"
        return
    probability = explanation.probabilities[explanation.prediction]
    yield f"prediction: {label(explanation.prediction)} ({percent(probability)})"
    runner_up = explanation.runner_up
    if runner_up is not None:
        yield f"runner-up: {label(runner_up.prediction)} ({percent(runner_up.probability)})"
        if runner_up.probability > probability:
            yield "  (the misclassification costs decide for the prediction)"


def reason_lines(explanation: Explanation) -> Iterator[str]:
    """The sufficient reason, and a remark if the search for it was cut short."""
    reason, tolerance = explanation.reason, explanation.tolerance
    about = f" (within {explanation.said(tolerance)})" if tolerance else ""
    if not reason.conditions:
        yield f"sufficient reason: none is needed, every row gets this prediction{about}"
        return
    rest = "The other columns cannot change this prediction."
    yield f"sufficient reason{about}: {reason}. {rest}"
    if not reason.is_minimal:
        yield "  (not every smaller reason was tried: some conditions may not be needed)"
    elif not reason.is_smallest:
        yield "  (every condition is needed, but another reason may use fewer columns)"
    elif not reason.is_widest:
        yield "  (the search was cut short: some conditions may be narrower than necessary)"


def change_lines(explanation: Explanation) -> Iterator[str]:
    """The smallest change that flips the prediction, if there is one."""
    change = explanation.change
    limits = [f"{plain(name)} fixed" for name in explanation.immutable]
    limits += [f"{plain(name)} only {way}" for name, way in explanation.directions.items()]
    about = f"smallest change{_wanted_text(explanation)}"
    about += f" ({', '.join(limits)})" if limits else ""
    if change is not None:
        yield f"{about}: {change}, then {explanation.said(change.prediction)}"
    elif not explanation.change_is_known:
        yield f"{about}: not found, the search was cut short"
    else:
        yield f"{about}: no change leads to {'it' if explanation.wanted is not None else OTHER}"


def _wanted_text(explanation: Explanation) -> str:
    wanted, said = explanation.wanted, explanation.said
    if wanted is None:
        return ""
    if explanation.probabilities:
        return f" to {label(wanted)}"
    if isinstance(wanted, str):
        return " to more" if wanted == "up" else " to less"
    low, high = wanted
    if low is None or high is None:
        return f" to {said(low)} or more" if high is None else f" to {said(high)} or less"
    return f" to between {said(low)} and {said(high)}"


def path_title(explanation: Explanation) -> str:
    """What is shown of each node on the path."""
    if not knows_rows(explanation.tree):
        return "path"
    if explanation.probabilities:
        share = f"the share of {label(explanation.prediction)} among them"
        return f"path, with the training rows of each node and {share} (95 % interval)"
    if any(evidence.interval is not None for evidence in explanation.path):
        return "path, with the training rows of each node and their mean (95 % interval)"
    return "path, with the training rows of each node and its prediction"


def _path_lines(explanation: Explanation) -> Iterator[str]:
    yield f"{path_title(explanation)}:"
    shown, rest = nodes_to_show(explanation)
    is_divided = len(explanation.ends) > 1
    for evidence in shown:
        margin = "  " * (1 + evidence.depth if is_divided else 1)
        yield f"{margin}{_evidence_text(explanation, evidence)}"
    if rest:
        yield f"  {rest}"


def nodes_to_show(explanation: Explanation) -> tuple[list[Evidence], str]:
    """The nodes that received the largest shares of the row, and how many are left out."""
    path = explanation.path
    if len(path) <= MOST_NODES:
        return [*path], ""
    largest = sorted(range(len(path)), key=lambda at: -path[at].share)
    kept = sorted(largest[:MOST_NODES])
    most = path[largest[MOST_NODES]].share
    left_out = counted(len(path) - MOST_NODES, "more node")
    rest = f"... {left_out}" + (f", {percent(most)} of the row at most" if most < 1 else "")
    return [path[at] for at in kept], rest


def _evidence_text(explanation: Explanation, evidence: Evidence) -> str:
    place = place_text(explanation, evidence)
    if evidence.share < 1:
        place += f", {percent(evidence.share)} of the row"
    if not knows_rows(explanation.tree):
        return place
    if not evidence.weight > 0:
        return f"{place}: no training rows, predicts like the node above"
    about = f"{place}: {rows_text(explanation, evidence)}"
    if evidence.support is not None:
        about += f" ({counts_text(explanation, evidence)})"
    return f"{about}, {measured_text(explanation, evidence)}"


def place_text(explanation: Explanation, evidence: Evidence) -> str:
    """The condition that led to a node, with the row's value if the condition does not show it."""
    condition = way_text(explanation.tree, evidence.node)
    if not condition:
        return "all rows"
    value = shown_value(explanation.tree, evidence.node, evidence.value)
    is_shown = condition.endswith(f" = {value}")
    if is_shown or evidence.share < 1:  # missing values have lines of their own
        return condition
    return f"{condition} (here {value})"


def rows_text(explanation: Explanation, evidence: Evidence) -> str:
    """Number of training rows of a node, and their weight if users gave them weights.

    Where weights are only the parts of rows with missing values, they are rounded to rows.
    """
    if not has_weights(explanation.tree):
        return rounded(evidence.weight, "row")
    rows = counted(evidence.n_rows, "row")
    is_other = abs(evidence.weight - evidence.n_rows) > 1e-9 * evidence.weight
    return f"{rows} of weight {weight_text(evidence.weight)}" if is_other else rows


def weight_words(explanation: Explanation) -> Callable[[float], str]:
    """How the training weight of a class is written: as rows, unless users gave weights."""
    return weight_text if has_weights(explanation.tree) else rounded_text


def counts_text(explanation: Explanation, evidence: Evidence) -> str:
    """The training weight of each class, the largest first."""
    amount = weight_words(explanation)
    counts = sorted(
        ((weight, name) for name, weight in evidence.counts.items() if weight > 0),
        key=lambda one: -one[0],
    )
    shown = [f"{label(name)}: {amount(weight)}" for weight, name in counts[:MOST_CLASSES]]
    others = counts[MOST_CLASSES:]
    if others:
        rest = amount(sum(weight for weight, _ in others))
        shown.append(f"{counted(len(others), 'other')}: {rest}")
    return ", ".join(shown)


def measured_text(explanation: Explanation, evidence: Evidence) -> str:
    """The share of the predicted class, or the mean, with its interval."""
    shown = explanation.said if evidence.support is None else percent
    text = shown(evidence.prediction if evidence.support is None else evidence.support)
    if evidence.interval is None:
        return text
    return f"{text} ({shown(evidence.interval[0])} to {shown(evidence.interval[1])})"


def _gap_lines(explanation: Explanation) -> Iterator[str]:
    if not explanation.gaps:
        return
    yield "missing or unknown values:"
    for first, *others in gap_texts(explanation):
        yield f"  {first}"
        yield from (f"    {line}" for line in others)


def gap_texts(explanation: Explanation) -> Iterator[list[str]]:
    """For each missing or unknown value: what happened, and whether it mattered."""
    by_column = sorted(explanation.gaps, key=lambda gap: [*explanation.row].index(gap.column))
    for name, found in groupby(by_column, key=lambda gap: gap.column):
        gaps = [*found]
        about = f"{plain(name)} {_why_text(gaps[0], explanation)}"
        effects = [*dict.fromkeys(gap.effect for gap in gaps)]
        if len(effects) == 1:
            yield [f"{about}: {effects[0]}{_if_known_text(gaps[0])}"]
            continue
        left_out = len(effects) - MOST_EFFECTS
        more = [f"and so on at {counted(left_out, 'more node')}"] if left_out > 0 else []
        yield [f"{about}{_if_known_text(gaps[0])}", *effects[:MOST_EFFECTS], *more]


def _why_text(gap: Gap, explanation: Explanation) -> str:
    given = explanation.row[gap.column]
    if gap.why == "missing" or given is None:
        return "is missing"
    return f"is {label(given)}, which " + (
        "was not seen in training" if gap.why == "unseen" else "is not listed at the node"
    )


def _if_known_text(gap: Gap) -> str:
    if not gap.if_known:
        return ""
    if len(gap.if_known) == 1:
        return f"; any value would lead to {label(gap.if_known[0])}"
    if len(gap.if_known) <= MOST_CLASSES:
        return f"; its value would decide between {' and '.join(map(label, gap.if_known))}"
    return f"; its value would decide between {listed(gap.if_known)}"


def _neighbor_lines(explanation: Explanation) -> Iterator[str]:
    if not explanation.neighbors:
        return
    yield "nearest training rows:"
    names = _neighbor_columns(explanation)
    left_out = len(explanation.row) - len(names)
    more = f", and {counted(left_out, 'more column')}" if left_out > 0 else ""
    for one in explanation.neighbors:
        cell = explanation.cell
        shown = ", ".join(f"{plain(name)} {cell(name, one.values[name])}" for name in names)
        distance = distance_text(one.distance)
        target = explanation.said(one.target)
        yield f"  row {one.row} (distance {distance}), {target}: {shown}{more}"


def _neighbor_columns(explanation: Explanation) -> list[str]:
    """The columns shown of the neighbors; if there are many, those of the reason come first."""
    names = dict.fromkeys([*explanation.reason.columns, *explanation.row])
    kept = {*[*names][:MOST_COLUMNS]}
    return [name for name in explanation.row if name in kept]


MOST_CLASS_COLUMNS = 5  # with a column of their own
TableColumn = tuple[str, str, list[str]]  # title, alignment, cells


def _blocks(explanation: Explanation) -> Iterator[Block]:
    for line in prediction_lines(explanation):
        yield _sentence(line)
    for lines in (reason_lines(explanation), change_lines(explanation)):
        yield _sentence(" ".join(line.strip() for line in lines))
    yield from explanation.path_blocks()
    if explanation.gaps:
        yield Heading(2, "Missing or unknown values")
        for first, *others in gap_texts(explanation):
            yield _sentence(first)
            yield from (Paragraph.of(line) for line in others)
    has_neighbors = bool(explanation.neighbors)
    yield Heading(2, "The row and its nearest training rows" if has_neighbors else "The row")
    yield _row_table(explanation)


def _sentence(line: str) -> Paragraph:
    """A line with its label in bold."""
    about, colon, rest = line.partition(": ")
    if not colon:
        return Paragraph.of(line.strip())
    return Paragraph.of(Run(about[:1].upper() + about[1:], "strong"), f"{colon}{rest}")


def _path_table(explanation: Explanation, shown: list[Evidence]) -> SheetTable:
    columns = [*_path_columns(explanation, shown)]
    ends = {place.node for place in explanation.ends}
    return SheetTable(
        columns=tuple(title for title, _, _ in columns),
        rows=tuple(zip(*(cells for _, _, cells in columns), strict=True)),
        align="".join(align for _, align, _ in columns),
        marked=frozenset(at for at, evidence in enumerate(shown) if evidence.node in ends),
        depths=tuple(one.depth for one in shown) if len(ends) > 1 else (),
    )


def _path_columns(explanation: Explanation, shown: list[Evidence]) -> Iterator[TableColumn]:
    tree = explanation.tree
    yield "condition", "l", [way_text(tree, evidence.node) or "all rows" for evidence in shown]
    values = [shown_value(tree, evidence.node, evidence.value) for evidence in shown]
    yield "the row has", "l", values
    if len(explanation.ends) > 1:
        yield "part of the row", "r", [percent(evidence.share) for evidence in shown]
    if not knows_rows(tree):
        return
    is_weighted, amount = has_weights(tree), weight_words(explanation)
    rows = [str(one.n_rows) if is_weighted else rounded_text(one.weight) for one in shown]
    yield "training rows", "r", rows
    classes = [*explanation.probabilities]
    if is_weighted and not 0 < len(classes) <= MOST_CLASS_COLUMNS:
        yield "weight", "r", [weight_text(evidence.weight) for evidence in shown]
    if len(classes) <= MOST_CLASS_COLUMNS:
        for name in classes:
            counts = [amount(evidence.counts[name]) for evidence in shown]
            yield f"weight of {label(name)}" if is_weighted else label(name), "r", counts
    else:
        yield "classes", "l", [counts_text(explanation, evidence) for evidence in shown]
    measured = f"share of {label(explanation.prediction)}" if classes else "mean"
    if any(evidence.interval is not None for evidence in shown):
        measured += " (95 % interval)"
    yield measured, "r", [_measured(explanation, evidence) for evidence in shown]


def _measured(explanation: Explanation, evidence: Evidence) -> str:
    return measured_text(explanation, evidence) if evidence.weight > 0 else "as the node above"


def _row_table(explanation: Explanation) -> SheetTable:
    """One line per column, those of the reason highlighted, with the neighbors side by side."""
    near, cell, said = explanation.neighbors, explanation.cell, explanation.said
    lines: list[tuple[str, ...]] = [
        (plain(name), cell(name, value), *(cell(name, one.values[name]) for one in near))
        for name, value in explanation.row.items()
    ]
    first = 0
    if near:
        about = [("distance", "", *(distance_text(one.distance) for one in near))]
        prediction = f"{said(explanation.prediction)} (predicted)"
        about.append(("target", prediction, *(said(one.target) for one in near)))
        lines, first = [*about, *lines], len(about)
    names = [*explanation.row]
    marked = frozenset(first + names.index(name) for name in explanation.reason.columns)
    columns = ("column", "the row", *(f"row {one.row}" for one in near))
    caption = "The columns of the reason are highlighted" if marked else ""
    return SheetTable(columns, tuple(lines), "l" * len(columns), caption, marked)
