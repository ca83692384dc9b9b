"""Regions of a plane as marks: filled by their answer, with lines where the answer changes."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from treewright.errors import ParameterError
from treewright.explanations.boxes import Box, Row, any_known, exactly, step_of, ways
from treewright.exports.program import Program
from treewright.figures.axes import Frame
from treewright.figures.marks import SAMPLE_HEIGHT, SAMPLE_WIDTH
from treewright.figures.plane import Plane
from treewright.figures.scales import short_number
from treewright.pictures.colors import (
    INK,
    LINE,
    PAPER,
    PATH,
    REST,
    ClassColors,
    class_colors,
    mixed,
)
from treewright.pictures.node_text import counted, shown_name
from treewright.pictures.shapes import Path, Rectangle, Shape, Step
from treewright.tree.layout import OBLIQUE
from treewright.tree.predict import predicted_classes
from treewright.tree.reach import Reach
from treewright.tree.tree import Tree

MOST_PARTS = 400_000  # of rows divided among nodes; a plane that needs more takes too long
Parts = tuple[tuple[int, float], ...]  # nodes that answer, and the share of the row each has


@dataclass(frozen=True, slots=True)
class Region:
    """Values of the two columns that get one answer, by one node or by several with shares."""

    x: Reach
    y: Reach
    nodes: Parts


@dataclass(frozen=True, slots=True)
class Partition:
    """All regions of a plane and what the tree answers there."""

    regions: tuple[Region, ...]
    values: NDArray[np.float64]  # (n_regions, n_values): class shares, or the number
    answers: NDArray[np.intp]  # (n_regions,): index of the class; of numbers all 0


def partition_of(tree: Tree, x: int, y: int, row: Row) -> Partition:
    """The regions over columns number x and y, the other columns as in `row`."""
    if (tree.kind == OBLIQUE).any():
        raise ParameterError(
            "the tree asks for weighted sums: its regions are no rectangles",
            hint="use a tree in which every question asks one column",
        )
    program = Program(tree)
    box: Box = {at: exactly(tree.schema.columns[at], row[at]) for at in program.used_columns}
    box |= {at: any_known(tree.schema.columns[at]) for at in (x, y)}
    found = list(divided(program, box))
    regions = tuple(Region(region[x], region[y], parts) for region, parts in found)
    values = np.array(
        [
            sum(share * program.node_values[node] for node, share in region.nodes)
            for region in regions
        ]
    )
    if tree.classes is None:
        return Partition(regions, values, np.zeros(len(regions), dtype=np.intp))
    return Partition(regions, values, predicted_classes(tree, values))


def divided(program: Program, start: Box) -> Iterator[tuple[Box, Parts]]:
    """The boxes that a tree makes of one, each with the nodes that answer its rows."""
    steps = {0: step_of(program, 0)}
    open_boxes: list[tuple[Box, Parts, Parts]] = [(start, ((0, 1.0),), ())]
    budget = MOST_PARTS
    while open_boxes:
        box, undecided, ended = open_boxes.pop()
        budget -= len(undecided) + len(ended)
        if budget < 0:
            raise ParameterError(
                "missing values divide the rows of this plane among too many nodes",
                hint="give X, or a value for each other column by `fixed`",
            )
        if not undecided:
            yield box, ended
            continue
        (node, share), *others = undecided
        if node not in steps:
            steps[node] = step_of(program, node)
        step = steps[node]
        if step is None:
            open_boxes.append((box, tuple(others), (*ended, (node, share))))
            continue
        for below, heirs in reversed(list(ways(program, step, box))):
            if heirs:
                parts = [(heir, share * part) for heir, part in heirs]
                open_boxes.append((below, (*parts, *others), ended))
            else:
                open_boxes.append((below, tuple(others), (*ended, (node, share))))


NUMBERS = "#4477aa"
LEAST_TINT, MOST_TINT = 0.12, 0.5  # of a class color: no surer than a guess, and sure
PALEST, DARKEST = 0.08, 0.95  # of the color of numbers
N_SHADES = 24
MOST_OUTLINED, MOST_BORDERED = 600, 3000  # patches with lines between them, and between classes
Segment = tuple[float, float, float, float]  # x, y, x, y in values


@dataclass(frozen=True, slots=True)
class Patch:
    """One rectangle of a region, in values of the axes."""

    left: float
    low: float
    right: float
    high: float
    answer: int  # class; of numbers always 0
    fill: str


class Shades(Protocol):
    """The color of an answer."""

    def fill(self, values: Sequence[float], answer: int) -> str: ...


@dataclass(frozen=True, slots=True)
class ClassShades:
    """The surer a class, the stronger its color."""

    colors: ClassColors

    def fill(self, values: Sequence[float], answer: int) -> str:
        guess = 1 / max(len(values), 2)
        sureness = max((values[answer] - guess) / (1 - guess), 0.0)
        tint = LEAST_TINT + (MOST_TINT - LEAST_TINT) * round(sureness * N_SHADES) / N_SHADES
        return mixed(self.colors.of_class[answer], tint)


@dataclass(frozen=True, slots=True)
class NumberShades:
    """The larger a number, the darker."""

    low: float
    high: float

    def fill(self, values: Sequence[float], answer: int) -> str:
        share = (values[0] - self.low) / (self.high - self.low) if self.high > self.low else 0.5
        share = round(min(max(share, 0.0), 1.0) * N_SHADES) / N_SHADES
        return mixed(NUMBERS, PALEST + (DARKEST - PALEST) * share)


def shades_of(tree: Tree) -> ClassShades | NumberShades:
    """The shades that fit the target of a tree."""
    if tree.classes is not None:
        return ClassShades(class_colors(tree))
    answers = tree.value[tree.is_leaf, 0]
    return NumberShades(float(answers.min()), float(answers.max()))


def patches_of(partition: Partition, plane: Plane, shades: Shades | None = None) -> list[Patch]:
    """The regions as rectangles; level sets with gaps make several of one region."""
    values, answers = partition.values.tolist(), partition.answers.tolist()
    return [
        Patch(left, low, right, high, answer, shades.fill(own, answer) if shades else "")
        for region, own, answer in zip(partition.regions, values, answers, strict=True)
        for left, right in plane.x.spans(region.x)
        for low, high in plane.y.spans(region.y)
    ]


@dataclass(frozen=True, slots=True)
class Territory:
    """All patches of a plane; thin lines between them, strong ones where the class changes."""

    patches: Sequence[Patch]
    name: str = ""

    def shapes(self, frame: Frame) -> Iterator[Shape]:
        by_fill: dict[str, list[Step]] = defaultdict(list)
        for patch in self.patches:
            by_fill[patch.fill] += outline(patch, frame)
        are_few = len(self.patches) <= MOST_OUTLINED
        for fill, steps in by_fill.items():
            line = PAPER if are_few else fill  # no seams shine through
            yield Path(tuple(steps), fill=fill, stroke=line, stroke_width=0.7 if are_few else 0.3)
        if len(self.patches) > MOST_BORDERED:
            return
        border = steps_of(borders(self.patches), frame)
        if border:
            yield Path(border, stroke=INK, stroke_width=1.4)

    def sample(self) -> Iterator[Shape]:
        yield from ()


@dataclass(frozen=True, slots=True)
class NewSplit:
    """The lines that one split draws."""

    lines: Sequence[Segment]
    name: str

    def shapes(self, frame: Frame) -> Iterator[Shape]:
        steps = steps_of(self.lines, frame)
        if steps:
            yield Path(steps, stroke=PATH, stroke_width=3.0)

    def sample(self) -> Iterator[Shape]:
        middle = SAMPLE_HEIGHT / 2
        yield Path((("M", 0.0, middle), ("H", SAMPLE_WIDTH)), stroke=PATH, stroke_width=3.0)


def outline(patch: Patch, frame: Frame) -> list[Step]:
    """A rectangle as the steps of a path; none where nothing of it is on the paper."""
    left, right = frame.x(patch.left), frame.x(patch.right)
    top, bottom = frame.y(patch.high), frame.y(patch.low)
    if left >= right or top >= bottom:
        return []
    return [("M", left, top), ("H", right), ("V", bottom), ("H", left), ("Z",)]


def steps_of(segments: Iterable[Segment], frame: Frame) -> tuple[Step, ...]:
    """Lines as the steps of a path; those beyond the paper are left out."""
    steps: list[Step] = []
    for x, y, to_x, to_y in segments:
        start, end = (frame.x(x), frame.y(y)), (frame.x(to_x), frame.y(to_y))
        if start != end:
            steps += [("M", *start), ("L", *end)]
    return tuple(steps)


def borders(patches: Iterable[Patch]) -> Iterator[Segment]:
    """The lines between patches of different classes."""
    boxes = list(patches)
    upright = [(p.left, p.right, p.low, p.high, p.answer) for p in boxes]
    flat = [(p.low, p.high, p.left, p.right, p.answer) for p in boxes]
    for at, start, end in changes(upright):
        yield at, start, at, end
    for at, start, end in changes(flat):
        yield start, at, end, at


def changes(
    boxes: Sequence[tuple[float, float, float, float, int]],
) -> Iterator[tuple[float, float, float]]:
    """Where a box ends and one of another class begins: the place, and from where to where."""
    ending, beginning = defaultdict(list), defaultdict(list)
    for first, last, start, end, answer in boxes:
        ending[last].append((start, end, answer))
        beginning[first].append((start, end, answer))
    for at in ending.keys() & beginning.keys():
        before, after = sorted(ending[at]), sorted(beginning[at])
        i = j = 0
        while i < len(before) and j < len(after):
            start, end = max(before[i][0], after[j][0]), min(before[i][1], after[j][1])
            if start < end and before[i][2] != after[j][2]:
                yield at, start, end
            if before[i][1] <= after[j][1]:
                i += 1
            else:
                j += 1


@dataclass(frozen=True, slots=True)
class ClassKey:
    """A class in the legend; draws nothing."""

    name: str
    color: str

    def shapes(self, frame: Frame) -> Iterator[Shape]:
        yield from ()

    def sample(self) -> Iterator[Shape]:
        fill = mixed(self.color, MOST_TINT)
        yield Rectangle(0.0, 0.0, SAMPLE_WIDTH, SAMPLE_HEIGHT, 2.0, fill=fill, stroke=self.color)


@dataclass(frozen=True, slots=True)
class NumberKey:
    """From where to where the shades of numbers go, in the legend; draws nothing."""

    name: str

    def shapes(self, frame: Frame) -> Iterator[Shape]:
        yield from ()

    def sample(self) -> Iterator[Shape]:
        shades = NumberShades(0.0, 1.0)
        n_steps = 6
        width = SAMPLE_WIDTH / n_steps
        for at in range(n_steps):
            fill = shades.fill([at / (n_steps - 1)], 0)
            yield Rectangle(at * width, 0.0, width, SAMPLE_HEIGHT, fill=fill, stroke=LINE)


def keys_of(tree: Tree, shades: ClassShades | NumberShades) -> list[ClassKey | NumberKey]:
    """The entries of the legend: classes, or the range of numbers."""
    if isinstance(shades, NumberShades):
        step = (shades.high - shades.low) / 1000 or 1.0
        low, high = (short_number(end, step) for end in (shades.low, shades.high))
        return [NumberKey(f"{low} to {high}")]
    assert tree.classes is not None
    of_class = shades.colors.of_class
    keys = [ClassKey(shown_name(tree.classes[at]), of_class[at]) for at in shades.colors.named]
    if n_rest := shades.colors.n_rest:
        keys.append(ClassKey(counted(n_rest, "other class", "other classes"), REST))
    return [*keys]
