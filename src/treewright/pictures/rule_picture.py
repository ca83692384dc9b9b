"""The picture of ordered rules: a row of the table goes down the list to the first that matches.

R1  if outlook = Sunny and humidity = High   ──▶  No      3 rows
 │
R2  if outlook = Overcast                    ──▶  Yes     4 rows
 │
otherwise                                    ──▶  Yes
"""

from dataclasses import dataclass
from typing import Any

from treewright.data.table import Table
from treewright.errors import ParameterError
from treewright.pictures.colors import (
    EDGE,
    FAINT_INK,
    INK,
    LINE,
    PAPER,
    PATH,
    class_colors,
    mixed,
)
from treewright.pictures.node_box import (
    BAR_HEIGHT,
    LEAST_TINT,
    MOST_TINT,
    NARROWEST,
    NOTE_LINE,
    NOTE_SIZE,
    PADDING,
    TITLE_LINE,
    TITLE_SIZE,
    ClassBars,
)
from treewright.pictures.node_text import counted, shown_name, thousands
from treewright.pictures.picture import Picture
from treewright.pictures.shapes import Drawing, Group, Path, Rectangle, Shape, Text
from treewright.pictures.text_width import fitted, text_width
from treewright.pictures.tree_drawing import (
    MARGIN,
    MARKED_LINE,
    NARROWEST_PICTURE,
    THINNEST_EDGE,
    WIDEST_EDGE,
    legend,
)
from treewright.pictures.tree_picture import check_limits
from treewright.plain_text import weight_text
from treewright.rulesets.condition import Condition, condition_text, decimals_by_column
from treewright.rulesets.evaluate import fulfilling
from treewright.rulesets.ordered_rules import OrderedRules
from treewright.tree.tree import Tree

WIDEST_CONDITIONS, WIDEST_CLASS = 380.0, 180.0
NAME_WIDTH = 34.0
ARROW, HEAD, GAP = 56.0, 7.0, 20.0  # to a prediction, its tip; between two rules
TRUNK = 14.0  # of the line down the list, from the left edge of a box
OTHERWISE = "otherwise"


@dataclass(frozen=True, slots=True)
class RuleBox:
    """One rule, or the default, before it is drawn."""

    name: str  # "" for the default
    lines: tuple[tuple[str, bool], ...]  # of conditions, and whether the row fails one of them
    prediction: str
    note: str  # the training rows that it covers
    share: float  # of all training rows
    shares: int  # its place among the class shares
    is_passed: bool  # whether the row comes here
    predicts: bool  # whether it predicts the row

    @property
    def height(self) -> float:
        conditions = 2 * PADDING - 2 + NOTE_LINE * len(self.lines)
        notes = NOTE_LINE if self.note else 0.0
        return max(conditions, 2 * PADDING - 4 + TITLE_LINE + BAR_HEIGHT + notes)


def rule_picture(
    rules: OrderedRules,
    trained: Tree,
    *,
    row: Table | None = None,
    max_depth: int | None = None,
    min_share: float = 0.0,
    max_nodes: int = 40,
    decimals: int | None = None,
    **of_trees: Any,
) -> Picture:
    """The picture; `trained` is the tree that the rules were made from, `row` an encoded row."""
    for name, value in of_trees.items():
        if value not in (None, "auto"):
            raise ParameterError(f"{name}= is for trees, and these are rules", hint="leave it out")
    check_limits(max_depth, min_share, max_nodes, decimals)
    fired = None if row is None else int(rules.fired(row)[0]) % (len(rules) + 1)
    total = float(trained.weight[0])
    shown = [
        at
        for at in range(len(rules))
        if (max_depth is None or len(rules.conditions[at]) <= max_depth)
        and rules.counts.weight[at] >= min_share * total
    ][:max_nodes]
    if fired is not None and fired < len(rules) and fired not in shown:
        shown = sorted([*shown, fired])
    conditions = [condition for own in rules.conditions for condition in own]
    digits = decimals_by_column(conditions, decimals)
    boxes = [box_of(rules, at, total, digits, row, fired) for at in shown]
    n_hidden = len(rules) - len(shown)
    boxes.append(default_box(rules, n_hidden, fired))
    drawing = drawn(rules, trained, boxes)
    about = f"{len(shown)} of {counted(len(rules), 'rule')}"
    return Picture(drawing, about)


def box_of(
    rules: OrderedRules,
    at: int,
    total: float,
    digits: dict[str, int | None],
    row: Table | None,
    fired: int | None,
) -> RuleBox:
    own = rules.conditions[at]
    is_passed = fired is not None and at <= fired
    fails = None
    if row is not None and is_passed and at != fired:
        fails = next(one for one in own if not fulfilling((one,), row)[0])
    weight = float(rules.counts.weight[at])
    n_rows, errors = int(rules.counts.n_rows[at]), float(rules.counts.errors[at])
    rows = counted(n_rows, "row")
    if abs(weight - n_rows) > 1e-9 * max(weight, 1.0):
        rows = f"weight {thousands(weight_text(weight))}"
    wrong = f", {thousands(weight_text(errors))} wrong" if errors > 0 else ""
    return RuleBox(
        name=f"R{rules.numbers[at] + 1}",
        lines=broken(own, digits, fails),
        prediction=shown_name(rules.classes[rules.predictions[at]]),
        note=rows + wrong,
        share=weight / total if total else 0.0,
        shares=at,
        is_passed=is_passed,
        predicts=at == fired,
    )


def default_box(rules: OrderedRules, n_hidden: int, fired: int | None) -> RuleBox:
    text = OTHERWISE if not n_hidden else f"… {counted(n_hidden, 'more rule')}, {OTHERWISE}"
    return RuleBox(
        name="",
        lines=((text, False),),
        prediction=shown_name(rules.default()),
        note="",
        share=0.0,
        shares=len(rules),
        is_passed=fired == len(rules),
        predicts=fired == len(rules),
    )


def broken(
    conditions: tuple[Condition, ...], digits: dict[str, int | None], fails: Condition | None
) -> tuple[tuple[str, bool], ...]:
    """The conditions in lines; the one that a row fails has a line of its own."""
    lines: list[tuple[str, bool]] = []
    for at, condition in enumerate(conditions):
        text = condition_text(condition, digits.get(condition.column.name))
        text = f"{'and' if at else 'if'} {text}"
        is_failed = condition is fails
        joined = f"{lines[-1][0]} {text}" if lines else text
        fits = text_width(joined, NOTE_SIZE) <= WIDEST_CONDITIONS
        if lines and fits and not is_failed and not lines[-1][1]:
            lines[-1] = (joined, False)
        else:
            lines.append((fitted(text, WIDEST_CONDITIONS, NOTE_SIZE), is_failed))
    return tuple(lines)


def drawn(rules: OrderedRules, trained: Tree, boxes: list[RuleBox]) -> Drawing:
    lines_of = [line for box in boxes for line in box.lines]
    widest = max(text_width(text, NOTE_SIZE, bold=fails) for text, fails in lines_of)
    wide = widest + NAME_WIDTH + 2 * PADDING
    predictions = [fitted(box.prediction, WIDEST_CLASS, TITLE_SIZE, bold=True) for box in boxes]
    narrow = 2 * PADDING + max(
        NARROWEST,
        *(text_width(one, TITLE_SIZE, bold=True) for one in predictions),
        *(text_width(box.note, NOTE_SIZE) for box in boxes),
    )
    colors = class_colors(trained).of_class
    codes = [*rules.predictions.tolist(), rules.default_class]
    bars = ClassBars(rules.shares, codes, colors)
    lines: list[Shape] = []
    shapes: list[Shape] = []
    top = 0.0
    for at, (box, prediction) in enumerate(zip(boxes, predictions, strict=True)):
        middle = top + box.height / 2
        if at + 1 < len(boxes):
            goes_on = boxes[at + 1].is_passed
            steps = (("M", TRUNK, top + box.height), ("V", top + box.height + GAP))
            color, width = (PATH, MARKED_LINE) if goes_on else (EDGE, THINNEST_EDGE)
            lines.append(Path(steps, stroke=color, stroke_width=width))
        lines += arrow(wide, middle, box)
        color = colors[codes[box.shares]]
        share = float(rules.shares[box.shares, codes[box.shares]])
        fill = mixed(color, LEAST_TINT + (MOST_TINT - LEAST_TINT) * share**2)
        own = [
            *conditions_shapes(box, top, wide),
            *prediction_shapes(box, prediction, (wide + ARROW, top, narrow, fill, color), bars),
        ]
        shapes.append(Group(tuple(own), title=f"{box.name} {box.prediction} {box.note}".strip()))
        top += box.height + GAP
    head = legend(trained, max(wide + ARROW + narrow, NARROWEST_PICTURE))
    width = max(wide + ARROW + narrow, head.width) + 2 * MARGIN
    return Drawing(
        width,
        top - GAP + head.height + 2 * MARGIN,
        (
            Group(head.shapes, shift=(MARGIN, MARGIN)),
            Group((*lines, *shapes), shift=(MARGIN, MARGIN + head.height)),
        ),
        f"{counted(len(rules), 'rule')} in order; the first that matches predicts",
    )


def arrow(left: float, y: float, box: RuleBox) -> list[Shape]:
    """From the conditions to the prediction, as wide as the share of rows that are covered."""
    width = THINNEST_EDGE + (WIDEST_EDGE - THINNEST_EDGE) * box.share
    color = PATH if box.predicts else EDGE
    width = max(width, MARKED_LINE) if box.predicts else width
    tip, half = left + ARROW - 1, max(HEAD * 0.6, width / 2 + 3)
    return [
        Path((("M", left, y), ("H", tip - HEAD)), stroke=color, stroke_width=width),
        Path(
            (("M", tip - HEAD, y - half), ("L", tip, y), ("L", tip - HEAD, y + half), ("Z",)),
            fill=color,
        ),
    ]


def conditions_shapes(box: RuleBox, top: float, width: float) -> list[Shape]:
    shapes: list[Shape] = [
        Rectangle(
            0.0,
            top,
            width,
            box.height,
            corner=6.0,
            fill=PAPER,
            stroke=PATH if box.is_passed else LINE,
            stroke_width=MARKED_LINE if box.predicts else 1.0,
        )
    ]
    line = top + (box.height - NOTE_LINE * len(box.lines)) / 2 + NOTE_SIZE + 0.5
    if box.name:
        name = fitted(box.name, NAME_WIDTH, NOTE_SIZE, bold=True)
        shapes.append(Text(PADDING, line, name, anchor="start", bold=True))
    left = PADDING + (NAME_WIDTH if box.name else 0.0)
    for text, fails in box.lines:
        fill = FAINT_INK if box.name == "" else INK
        shapes.append(Text(left, line, text, anchor="start", fill=fill, bold=fails))
        line += NOTE_LINE
    return shapes


def prediction_shapes(
    box: RuleBox, prediction: str, area: tuple[float, float, float, str, str], bars: ClassBars
) -> list[Shape]:
    """The prediction, the bar of class shares, and the rows behind it."""
    left, top, width, fill, stroke = area
    middle, line = left + width / 2, top + PADDING - 2
    content = TITLE_LINE + BAR_HEIGHT + (NOTE_LINE if box.note else 0.0)
    line = top + (box.height - content) / 2
    return [
        Rectangle(
            left,
            top,
            width,
            box.height,
            corner=6.0,
            fill=fill,
            stroke=PATH if box.predicts else stroke,
            stroke_width=MARKED_LINE if box.predicts else 1.0,
        ),
        Text(middle, line + TITLE_SIZE - 0.5, prediction, size=TITLE_SIZE, bold=True),
        *bars.chart(
            box.shares, (left + PADDING, line + TITLE_LINE, width - 2 * PADDING, BAR_HEIGHT)
        ),
        *(
            [
                Text(
                    middle,
                    line + TITLE_LINE + BAR_HEIGHT + NOTE_SIZE + 1.5,
                    box.note,
                    fill=FAINT_INK,
                )
            ]
            if box.note
            else []
        ),
    ]
