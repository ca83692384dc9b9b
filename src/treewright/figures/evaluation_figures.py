"""Figures of evaluations: calibration, thresholds, learning curves, trees by their leaves."""

import numpy as np

from treewright.errors import check_type
from treewright.evaluation.calibration import Calibration
from treewright.evaluation.calibration import calibration as calibration_of
from treewright.evaluation.evaluation import Evaluation
from treewright.evaluation.frontier import CHOSEN, Frontier
from treewright.evaluation.learning_curve import LearningCurve
from treewright.evaluation.scores import TITLES
from treewright.evaluation.threshold import TITLES as THRESHOLD_TITLES
from treewright.evaluation.threshold import ThresholdChoice
from treewright.figures.chart import Panel, figure
from treewright.figures.marks import DASHED, DOTTED, Band, Line, Mark, Points, Rule
from treewright.figures.scales import Linear, linear_over, logarithmic_over, scale_over
from treewright.pictures.colors import FAINT_INK, INK, PALETTE
from treewright.pictures.node_text import counted, shown_name
from treewright.pictures.picture import Picture

SMALLEST, LARGEST = 2.5, 9.0  # radius of a point, by the weight of its bin
THIN, THICK = 1.2, 3.0  # lines of the frontier
WIDE = 8  # numbers of leaves so far apart are drawn by their logarithm
HELD_OUT, LEARNED, LEAVES = PALETTE[1], PALETTE[0], PALETTE[2]
# Curves of the frontier: the palette's colors that differ most, then the same with dots.
CURVES = [(PALETTE[at], dashes) for dashes in ((), DOTTED) for at in (1, 2, 3, 4)]


def calibration(result: Calibration | Evaluation) -> Picture:
    """Predicted probabilities of a class against observed frequencies, on held-out rows.

    Points on the diagonal are calibrated: of the rows with a predicted probability of 0.8, 80 %
    belong to the class. Below the diagonal, the model is overconfident. Larger points stand for
    more rows.

    Parameters
    ----------
    result
        The result of `tw.calibration`; or an evaluation, for its last class.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.load_sample("iris")
    >>> found = tw.evaluate(tw.CARTClassifier(prune=None, max_depth=2), X, y)
    >>> picture = tw.figures.calibration(tw.calibration(found, "versicolor"))
    >>> [round(share, 2) for share in picture.data["observed"]]
    [0.04, 0.17, 1.0, 0.86]
    """
    if isinstance(result, Evaluation):
        result = calibration_of(result)
    check_type(result, Calibration, "a calibration", "tw.calibration(evaluation)")
    filled = result.weight > 0
    predicted, observed = result.predicted[filled].tolist(), result.observed[filled].tolist()
    label, weight = shown_name(result.label_in_words), result.weight[filled]
    radii = SMALLEST + (LARGEST - SMALLEST) * np.sqrt(weight / weight.max())
    panel = Panel(
        marks=[
            Line((0.0, 1.0), (0.0, 1.0), FAINT_INK, "perfect calibration", dashes=DASHED),
            Line(predicted, observed, PALETTE[0]),
            Points(predicted, observed, PALETTE[0], "rows by prediction", radii.tolist()),
        ],
        x=Linear(0.0, 1.0),
        y=Linear(0.0, 1.0),
        x_title="predicted probability",
        y_title="observed frequency",
        width=340.0,
        height=260.0,
    )
    return figure(
        [[panel]],
        title=f"Calibration: {label}",
        note="Larger points stand for more rows.",
        summary=f"calibration of {label}, error {result.error:.4f}",
        data={"predicted": predicted, "observed": observed, "weight": weight},
    )


def threshold(choice: ThresholdChoice) -> Picture:
    """Recall, precision and the goal of a threshold, by the threshold, on held-out rows.

    The vertical line is the chosen threshold; the dashed one is 0.5.

    Parameters
    ----------
    choice
        The result of `tw.choose_threshold`.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.load_sample("buys_computer")
    >>> choice = tw.choose_threshold(tw.KNeighborsClassifier(), X, y, folds=4)
    >>> picture = tw.figures.threshold(choice)
    >>> picture.data["chosen"] == choice.threshold
    True
    """
    check_type(choice, ThresholdChoice, "a threshold", "tw.choose_threshold(model, X, y)")
    curve = {name: values.tolist() for name, values in choice.curve.items()}
    label, goal = shown_name(str(choice.label)), choice.goal.measure
    marks: list[Mark] = [
        Line(*without_gaps(curve["threshold"], curve[name]), color, name)
        for name, color in (("recall", LEARNED), ("precision", HELD_OUT))
    ]
    title = THRESHOLD_TITLES[goal]
    scores = without_gaps(curve["threshold"], curve["score"])
    panels = [threshold_panel(choice, marks, Linear(0.0, 1.0), "recall and precision")]
    if goal not in ("recall", "precision"):
        own: list[Mark] = [Line(*scores, LEAVES, title)]
        panels.append(threshold_panel(choice, own, linear_over(scores[1]), title))
    return figure(
        [panels],
        title=f"Threshold for {label}: {choice.threshold:g}",
        note=f"{choice.goal.in_words()}, {choice.scheme}",
        summary=f"recall, precision and {title} of {label} by threshold",
        data={**curve, "chosen": choice.threshold},
    )


def without_gaps(xs: list[float], ys: list[float]) -> tuple[list[float], list[float]]:
    """The points that have a value: there is no precision where nothing is predicted."""
    known = [(x, y) for x, y in zip(xs, ys, strict=True) if y == y]
    return [x for x, _ in known], [y for _, y in known]


def threshold_panel(choice: ThresholdChoice, marks: list[Mark], y: Linear, title: str) -> Panel:
    """Curves by the threshold, with lines at 0.5 and at the chosen one."""
    lines: list[Mark] = [
        Rule(x=0.5, name="0.5"),
        Rule(x=choice.threshold, color=PALETTE[3], name="chosen", dashes=()),
    ]
    return Panel(
        marks=[*lines, *marks],
        x=Linear(0.0, 1.0),
        y=y,
        x_title="threshold",
        y_title=title,
        width=320.0,
        height=240.0,
    )


def learning_curve(curve: LearningCurve) -> Picture:
    """A measure on held-out rows and on training rows, by the number of training rows.

    The band is the 95 % interval of the held-out curve. The gap between the curves shows
    overfitting; if the held-out curve still rises at its end, more rows would help. For trees, a
    second panel shows the number of leaves.

    Parameters
    ----------
    curve
        The result of `tw.learning_curve`.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.load_sample("iris")
    >>> curve = tw.learning_curve(tw.C45Classifier(), X, y, shares=(0.2, 0.5, 1.0))
    >>> tw.figures.learning_curve(curve).data["n_train"]
    [27, 68, 135]
    """
    check_type(curve, LearningCurve, "a learning curve", "tw.learning_curve(model, X, y)")
    order = np.argsort(curve.n_train, kind="stable").tolist()
    rows = [curve.n_train[at] for at in order]
    data = {
        "n_train": rows,
        "held_out": [curve.held_out[at].mean for at in order],
        "low": [curve.held_out[at].low for at in order],
        "high": [curve.held_out[at].high for at in order],
        "learned": [curve.learned[at].mean for at in order],
        "mean_leaves": [curve.mean_leaves[at] for at in order],
    }
    panels = [measure_panel(data, TITLES[curve.measure])]
    if np.isfinite(data["mean_leaves"]).all():
        panels.append(leaves_panel(rows, data["mean_leaves"]))
    return figure(
        [panels],
        title="Learning curve",
        note=curve.scheme,
        summary=f"{TITLES[curve.measure]} for {counted(len(rows), 'number')} of rows",
        data=data,
    )


def measure_panel(data: dict[str, list[float]], title: str) -> Panel:
    """Both curves, and the interval of the held-out one."""
    rows = data["n_train"]
    marks: list[Mark] = []
    if np.isfinite(data["low"]).all():
        marks.append(Band(rows, data["low"], data["high"], HELD_OUT, "95 % interval"))
    for name, label, color in (
        ("learned", "training rows", LEARNED),
        ("held_out", "held-out rows", HELD_OUT),
    ):
        marks += [Line(rows, data[name], color, label), Points(rows, data[name], color)]
    return Panel(
        marks=marks,
        x=scale_over(rows),
        y=linear_over([*data["held_out"], *data["learned"], *data["low"], *data["high"]]),
        x_title="training rows",
        y_title=title,
        width=420.0,
    )


def leaves_panel(rows: list[float], leaves: list[float]) -> Panel:
    """The size of the trees."""
    return Panel(
        marks=[Line(rows, leaves, LEAVES), Points(rows, leaves, LEAVES)],
        x=scale_over(rows),
        y=Linear(0.0, 1.08 * max(leaves)),
        x_title="training rows",
        y_title="mean number of leaves",
        width=260.0,
    )


def frontier(result: Frontier) -> Picture:
    """The score of trees by their number of leaves, one curve for each way to make them.

    Lower is better. The thick curve is the readable tree, whose way is chosen inside each fold; the
    dashed line is what boosted trees reach.

    Parameters
    ----------
    result
        The result of `tw.frontier`.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.load_sample("iris")
    >>> found = tw.frontier(X, y, leaves=(2, 3), model=tw.ReadableTreeClassifier(distil=False))
    >>> tw.figures.frontier(found).data["leaves"]
    [2, 3]
    """
    check_type(result, Frontier, "a frontier", "tw.frontier(X, y)")
    others = [way for way in result.ways if way != CHOSEN]
    marks: list[Mark] = []
    if result.ensemble_score is not None:
        marks.append(Rule(INK, "boosted trees", y=result.ensemble_score, dashes=DASHED))
    for (color, dashes), way in zip(CURVES, others, strict=False):
        marks += curve_marks(result, way, color, THIN, dashes)
    marks += curve_marks(result, CHOSEN, PALETTE[0], THICK)
    scores = [point.score for point in result.points]
    if result.ensemble_score is not None:
        scores.append(result.ensemble_score)
    sizes = [float(size) for size in result.sizes]
    over = logarithmic_over if sizes[-1] >= WIDE * sizes[0] else linear_over
    panel = Panel(
        marks=marks,
        x=over(sizes),
        y=linear_over(scores),
        x_title="leaves at most",
        y_title=result.measure,
        width=460.0,
        height=300.0,
    )
    without = f"A tree without splits has {result.baseline_score:.3g}."
    return figure(
        [[panel]],
        title="Readable frontier",
        note=f"{result.n_folds}-fold cross-validation; lower is better. {without}",
        summary=f"{result.measure} of {counted(len(result.ways), 'way')} to trees of few leaves",
        data={
            "leaves": list(result.sizes),
            "scores": {way: [p.score for p in result.curve(way)] for way in result.ways},
            "ensemble": result.ensemble_score,
            "baseline": result.baseline_score,
        },
    )


def curve_marks(
    result: Frontier, way: str, color: str, width: float, dashes: tuple[float, ...] = ()
) -> list[Mark]:
    """One curve with its points."""
    points = result.curve(way)
    x, y = [float(point.max_leaf_nodes) for point in points], [point.score for point in points]
    return [Line(x, y, color, way, width, dashes), Points(x, y, color)]
