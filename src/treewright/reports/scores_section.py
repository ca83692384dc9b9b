"""Scores by class, the confusion matrix, and calibration."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from treewright.arrays import Floats
from treewright.data.formats import PLAIN, Format
from treewright.documents.page import Block, Note, Paragraph, Run, SheetTable
from treewright.evaluation.calibration import calibration, calibration_of_predictions
from treewright.evaluation.evaluation import Evaluation
from treewright.evaluation.scores import TITLES
from treewright.evaluation.threshold import TITLES as THRESHOLD_TITLES
from treewright.evaluation.threshold import Goal, error_costs, threshold_of
from treewright.figures import calibration as calibration_figure
from treewright.figures import frontier as frontier_figure
from treewright.figures import threshold as threshold_figure
from treewright.figures.chart import Panel, figure
from treewright.figures.marks import DASHED, Line, Points, Rule
from treewright.figures.scales import linear_over
from treewright.pictures.colors import EDGE, FAINT_INK, PALETTE, mixed
from treewright.pictures.picture import Picture
from treewright.pictures.shapes import Drawing, Group, Rectangle, Shape, Text
from treewright.pictures.text_width import fitted, text_width
from treewright.plain_text import counted, named_class, plain, weight_text
from treewright.reports.facts import (
    ReportFacts,
    between,
    error_text,
    figure_of,
    measure_text,
    method_text,
    score_text,
    short_name,
    with_deviation,
)

MOST_POINTS = 600  # of more rows, a sample is drawn
RADIUS = 2.2
RARE = 0.3  # with a smaller share, the rarer of two classes gets a threshold of its own


def residual_figure(true: Floats, predicted: Floats) -> Picture:
    """Two panels: predicted by true number, and error by predicted number.

    >>> picture = residual_figure(np.array([1.0, 2.0, 3.0]), np.array([1.5, 2.0, 2.0]))
    >>> picture.data["error"].tolist()
    [0.5, 0.0, -1.0]
    """
    n_rows = len(true)
    if n_rows > MOST_POINTS:
        kept = np.sort(np.random.default_rng(0).permutation(n_rows)[:MOST_POINTS])
        true, predicted = true[kept], predicted[kept]
    error = predicted - true
    xs, ys, errors = true.tolist(), predicted.tolist(), error.tolist()
    both = linear_over([*xs, *ys])
    ends = (both.low, both.high)
    predictions = Panel(
        marks=[
            Line(ends, ends, FAINT_INK, dashes=DASHED),
            Points(xs, ys, PALETTE[0], radius=RADIUS),
        ],
        x=both,
        y=both,
        title="Predicted by true value",
        x_title="true",
        y_title="predicted",
        width=300.0,
        height=260.0,
    )
    residuals = Panel(
        marks=[Rule(y=0.0), Points(ys, errors, PALETTE[1], radius=RADIUS)],
        x=linear_over(ys),
        y=linear_over(errors, also=[0.0]),
        title="Error by predicted value",
        x_title="predicted",
        y_title="predicted - true",
        width=300.0,
        height=260.0,
    )
    sampled = f"A sample of {MOST_POINTS} of {n_rows:,} rows." if n_rows > MOST_POINTS else ""
    return figure(
        [[predictions, residuals]],
        note=sampled,
        summary=f"predicted and true values of {len(xs)} rows",
        data={"true": true, "predicted": predicted, "error": error},
    )


NAMES_WIDTH, HEAD, MARGIN = 190.0, 26.0, 10.0
TOTALS_WIDTH, FOOT = 60.0, 18.0
ROOM, LARGEST_CELL = 600.0, 24.0  # of the matrix, and of one cell
FAINTEST = 0.05  # so that every share above 0 is visible


def confusion_figure(classes: Sequence[Any], weights: Floats, shares: Floats) -> Picture:
    """True classes down, predicted ones across by their numbers, with totals."""
    cell = min(LARGEST_CELL, ROOM / len(classes))
    size = cell * len(classes)
    shapes = (
        *names(classes, cell),
        *squares(classes, (weights, shares), cell),
        *totals(weights, cell),
    )
    frame = Rectangle(NAMES_WIDTH, HEAD, size, size, stroke=EDGE)
    paper = (NAMES_WIDTH + size + TOTALS_WIDTH + MARGIN, HEAD + size + FOOT + MARGIN)
    n_right = weight_text(round(float(np.trace(weights)), 1))
    summary = f"confusion matrix of {len(classes)} classes, {n_right} rows right"
    drawing = Drawing(*paper, (*shapes, frame), summary)
    return Picture(drawing, summary, {"weights": weights, "shares": shares})


def names(classes: Sequence[Any], cell: float) -> Iterator[Shape]:
    """The name and number of each line, and the number of each column."""
    size = min(11.0, cell * 0.75)
    yield Text(NAMES_WIDTH - 8, 10.0, "true \\ predicted", "end", fill=FAINT_INK)
    for at, label in enumerate(classes):
        name = fitted(plain(str(label)), NAMES_WIDTH - 40, size)
        middle = (at + 0.5) * cell
        yield Text(NAMES_WIDTH - 6, HEAD + middle + size / 3, f"{name}  {at + 1}", "end", size=size)
        yield Text(NAMES_WIDTH + middle, HEAD - 5, str(at + 1), size=size * 0.9, fill=FAINT_INK)


def totals(weights: Floats, cell: float) -> Iterator[Shape]:
    """The rows of each class beside the matrix; those predicted below it, if they have room."""
    size, end = min(11.0, cell * 0.75), cell * len(weights)
    yield Text(NAMES_WIDTH + end + 6, HEAD - 5, "all", "start", fill=FAINT_INK)
    for at, weight in enumerate(weights.sum(axis=1).tolist()):
        middle = (at + 0.5) * cell
        text = weight_text(round(weight, 1))
        yield Text(NAMES_WIDTH + end + 6, HEAD + middle + size / 3, text, "start", size=size)
    below = [weight_text(round(weight, 1)) for weight in weights.sum(axis=0).tolist()]
    if max(text_width(text, size) for text in below) > cell - 2:
        return
    yield Text(NAMES_WIDTH - 6, HEAD + end + FOOT - 3, "all", "end", fill=FAINT_INK)
    for at, text in enumerate(below):
        yield Text(NAMES_WIDTH + (at + 0.5) * cell, HEAD + end + FOOT - 3, text, size=size)


def squares(classes: Sequence[Any], matrix: tuple[Floats, Floats], cell: float) -> Iterator[Shape]:
    """A square for each pair that occurs, with its numbers as a tooltip."""
    weights, shares = matrix
    for true, taken in np.argwhere(weights > 0).tolist():
        share = shares[true, taken]
        color = PALETTE[0] if true == taken else PALETTE[1]
        left, top = NAMES_WIDTH + taken * cell, HEAD + true * cell
        fill = mixed(color, FAINTEST + (1 - FAINTEST) * share)
        square = Rectangle(left, top, cell, cell, fill=fill)
        pair = f"{plain(str(classes[true]))} predicted as {plain(str(classes[taken]))}"
        weight = weight_text(round(float(weights[true, taken]), 1))
        yield Group((square,), title=f"{pair}: {weight} rows, {100 * share:.0f} %")


PALEST = 0.2  # shade of a single row in a confusion matrix
MOST_IN_TABLE = 12  # classes of a confusion matrix as a table
MOST_IN_PICTURE = 60  # and as a picture
MOST_CLASSES = 40  # of the table by class
MOST_CONFUSIONS = 15
LONGEST_CLASS = 24  # characters


def class_blocks(found: Evaluation, target: str = "") -> Iterator[Block]:
    """Calibration, the confusion matrix, and each class."""
    assert found.classes is not None
    if found.judgments[0].shares is not None:
        yield from calibration_blocks(found, target)
    n_classes = len(found.classes)
    if n_classes <= MOST_IN_TABLE:
        yield confusion_table(found, target)
    elif n_classes <= MOST_IN_PICTURE:
        picture = confusion_figure(found.classes, found.confusion, shares_of_classes(found))
        yield figure_of(
            picture,
            remark="Confusion matrix: blue cells are right, amber ones wrong. The stronger the "
            "color, the larger the share of the true class; the numbers at the edge count rows"
            f"{of_repeats(found)}.",
        )
    if n_classes > MOST_IN_TABLE:
        yield from frequent_confusions(found)
    yield class_table(found, target)


def class_table(found: Evaluation, target: str = "") -> SheetTable:
    """Sensitivity and the like of the classes, in their order; of very many the commonest."""
    names = list(found.by_class)
    weights = found.confusion.sum(axis=1)
    commonest = np.argsort(-weights, kind="stable")[:MOST_CLASSES]
    table = list(found.class_table().items())
    rows = []
    for code in sorted(commonest.tolist()):
        label, measures = table[code]
        cells = (with_deviation(*measures[name]) for name in names)
        name = named_class(short_name(label), found.classes or (), target)
        rows.append((name, weight_text(round(weights[code], 1)), *cells))
    caption = "By class" + (
        ", mean and standard deviation over the splits" if found.n_splits > 1 else ""
    )
    if len(rows) < len(table):
        caption += f"; the {len(rows)} commonest of {len(table)} classes"
    titles = ("class", "rows" if found.rows.weights is None else "weight", *names)
    return SheetTable(titles, tuple(rows), "l" + "r" * (len(names) + 1), caption)


def confusion_table(found: Evaluation, target: str = "") -> SheetTable:
    """True classes down, predicted ones across, with totals; right and wrong have their own hue."""
    assert found.classes is not None
    labels = [
        named_class(short_name(label, LONGEST_CLASS), found.classes, target)
        for label in found.classes
    ]
    shares = shares_of_classes(found)
    visible = np.where(found.confusion > 0, PALEST + (1 - PALEST) * shares, 0.0)
    hues = np.where(np.eye(len(labels)) > 0, visible, -visible)
    lines = np.column_stack([found.confusion, found.confusion.sum(axis=1)])
    lines = np.vstack([lines, lines.sum(axis=0)])
    return SheetTable(
        ("true \\ predicted", *labels, "all"),
        tuple(
            (label, *(weight_text(round(cell, 1)) for cell in line))
            for label, line in zip([*labels, "all"], lines.tolist(), strict=True)
        ),
        "l" + "r" * (len(labels) + 1),
        "Confusion matrix: blue cells are right, amber ones wrong" + of_repeats(found),
        shades=(*((0.0, *line, 0.0) for line in hues.tolist()), (0.0,) * (len(labels) + 2)),
    )


def shares_of_classes(found: Evaluation) -> Floats:
    """The confusion matrix as shares of the true classes."""
    totals = found.confusion.sum(axis=1, keepdims=True)
    return found.confusion / np.where(totals > 0, totals, 1.0)


def of_repeats(found: Evaluation) -> str:
    return ", mean of the repeats" if found.plan.n_repeats > 1 else ""


def frequent_confusions(found: Evaluation) -> Iterator[Block]:
    """The most frequent confusions between classes."""
    assert found.classes is not None
    wrong = found.confusion - np.diag(np.diag(found.confusion))
    shares = shares_of_classes(found)
    order = np.argsort(-wrong, axis=None, kind="stable")[:MOST_CONFUSIONS]
    rows = []
    for true, taken in zip(*np.unravel_index(order, wrong.shape), strict=True):
        if wrong[true, taken] > 0:
            cells = (short_name(found.classes[true]), short_name(found.classes[taken]))
            weight = weight_text(round(float(wrong[true, taken]), 1))
            rows.append((*cells, weight, f"{100 * shares[true, taken]:.0f} %"))
    if rows:
        titles = ("true class", "predicted", "rows", "of the class")
        yield SheetTable(
            titles, tuple(rows), "llrr", "Most frequent confusions" + of_repeats(found)
        )


def calibration_blocks(found: Evaluation, target: str = "") -> Iterator[Block]:
    """Calibration: of the second of two classes, or of the predicted class."""
    assert found.classes is not None
    curve = calibration(found) if len(found.classes) == 2 else calibration_of_predictions(found)
    label = None if curve.label is None else named_class(str(curve.label), found.classes, target)
    yield figure_of(calibration_figure(replace(curve, label=label)))
    yield Note(
        "On the dashed line, probabilities are calibrated: of the rows with a predicted 0.8, 80 % "
        f"belong to the class. The mean calibration error is {curve.error:.3f}."
    )


SHARES = (0.5, 0.75, 0.9, 0.95, 1.0)


def number_blocks(found: Evaluation) -> Iterator[Block]:
    """Quantiles of the errors, and a picture of them."""
    predicted = found.predictions[0]
    is_judged = ~np.isnan(predicted)
    true, predicted = found.rows.y[is_judged], predicted[is_judged]
    yield error_table(np.abs(predicted - true), found.rows.target_format)
    yield figure_of(residual_figure(true, predicted))


def error_table(errors: Floats, form: Format = PLAIN) -> SheetTable:
    """Quantiles of the absolute errors."""
    rows = tuple(
        (f"{100 * share:.0f} %" if share < 1 else "all", error_text(float(limit), form))
        for share, limit in zip(SHARES, np.quantile(errors, SHARES), strict=True)
    )
    return SheetTable(("of the rows", "are off by at most"), rows, "lr", "Errors")


def judgment_section(facts: ReportFacts) -> Iterator[Block]:
    """The scheme, the measures, then classes or errors."""
    found = facts.evaluation
    rows = counted(found.rows.n_rows, "row")
    if facts.is_resampled:
        yield Paragraph.of(
            f"Evaluated by {found.scheme} on {rows}: copies of the model{pruned(facts)}, each "
            "tested on held-out rows."
            + (" The model on this page was trained on all rows." if facts.learned_here else "")
        )
    else:
        yield Paragraph.of(f"Tested as it is, on {rows}.")
    yield measure_table(facts)
    if found.classes is None:
        yield from number_blocks(found)
    else:
        yield from class_blocks(found, facts.target_if_named)


def needs_threshold(facts: ReportFacts) -> bool:
    """Whether there are two classes with held-out probabilities, costs or one rare class."""
    found = facts.evaluation
    if not facts.is_resampled or len(found.classes or ()) != 2 or found.judgments[0].shares is None:
        return False
    totals = class_totals(found)
    if found.costs is not None:
        return bool(totals.all()) and error_costs(found.costs, 1) is not None
    return bool(0 < totals.min() < RARE * totals.sum())


def class_totals(found: Evaluation) -> Floats:
    """The weight of each class in the rows."""
    codes, n_classes = found.rows.codes, len(found.classes or ())
    assert codes is not None
    return np.bincount(codes, found.rows.weight_of_rows, n_classes).astype(np.float64)


def threshold_section(facts: ReportFacts) -> Iterator[Block]:
    """From which probability on the rarer class should be predicted, and what that changes."""
    found = facts.evaluation
    assert found.classes is not None
    totals = class_totals(found)
    rarer = int(totals.argmin())
    goal = Goal("balanced_accuracy" if found.costs is None else "cost")
    choice = threshold_of(found, goal, found.classes[rarer])
    label = named_class(short_name(choice.label, 30), found.classes, facts.target_if_named)
    share = 100 * totals[rarer] / totals.sum()
    title = THRESHOLD_TITLES[goal.measure]
    yield Paragraph.of(
        f"{share:.3g} % of the rows are {label}. Predicting it above a probability of ",
        Run(f"{choice.threshold:g}", "strong"),
        f" gives the {goal.in_words()} on the held-out rows.",
    )
    yield SheetTable(
        ("measure", "at 0.5", f"at {choice.threshold:g}"),
        tuple(tuple(line) for line in choice.compared()),
        "lrr",
    )
    if not np.isnan(choice.held_out_score):
        yield Note(
            f"The threshold was chosen on these rows, so its {title} is optimistic: "
            f"{score_text(choice.held_out_score)} if the threshold of each fold is chosen on the "
            "other folds."
        )
    yield figure_of(threshold_figure(choice))
    own = error_costs(getattr(facts.model, "costs_", None), rarer)
    used = 0.5 if own is None else own[0] / (own[0] + own[1])
    yield Note(
        f"The model on this page predicts it above {used:.4g}. `tw.choose_threshold` and "
        "`treewright threshold` make a model with the chosen threshold."
    )


def frontier_section(facts: ReportFacts) -> Iterator[Block]:
    """What trees of different sizes score, and how many leaves are enough."""
    found = facts.frontier
    assert found is not None
    enough = found.smallest()
    if found.gains_nothing:
        yield Paragraph.of("No readable tree of these sizes is better than a tree without splits.")
    else:
        yield Paragraph.of(
            "A readable tree of ",
            Run(f"{enough.max_leaf_nodes} leaves", "strong"),
            f" is enough: it keeps at least 95 % of what the best readable tree gains over a tree "
            f"without splits ({found.measure} {enough.score:.4g}, lower is better).",
        )
    yield figure_of(frontier_figure(found))
    scores = {(point.way, point.max_leaf_nodes): f"{point.score:.4g}" for point in found.points}
    lines = [
        (str(size), *(scores.get((way, size), "") for way in found.ways)) for size in found.sizes
    ]
    yield SheetTable(("leaves", *found.ways), tuple(lines), "r" * (1 + len(found.ways)))
    ends = f"A tree without splits scores {found.baseline_score:.4g}"
    if found.ensemble_score is not None:
        ends += f", boosted trees {found.ensemble_score:.4g}"
    yield Note(
        f"{found.measure[0].upper()}{found.measure[1:]} by {found.n_folds}-fold cross-validation. "
        f"{ends}. The first column chooses among the other ways inside each fold, as a readable "
        "tree does when it is fitted."
    )


def pruned(facts: ReportFacts) -> str:
    """A phrase for copies that were pruned after the fit, as the model was."""
    pruning = facts.later_pruning
    if pruning is None or facts.evaluation.pruned != str(pruning):
        return ""
    return f", pruned in the same way ({method_text(pruning)})"


def measure_table(facts: ReportFacts) -> SheetTable:
    """Each measure with its interval; a deviation needs several splits."""
    found = facts.evaluation
    titles = ("measure", "mean", "deviation", "95 % interval")
    rows = []
    for name in found.scores:
        judged = found.interval(name)
        cells = (TITLES.get(name, name), measure_text(found, name, judged.mean))
        spread = measure_text(found, name, found.deviation(name))
        rows.append((*cells, spread, between(found, name, judged.low, judged.high)))
    if found.n_splits > 1:
        return SheetTable(titles, tuple(rows), "lrrr")
    whole = tuple((name, value, interval) for name, value, _, interval in rows)
    return SheetTable(("measure", "value", "95 % interval"), whole, "lrr")
