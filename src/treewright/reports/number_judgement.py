"""How far off predicted numbers are."""

from collections.abc import Iterator

import numpy as np

from treewright.documents.page import Block, Figure, SheetTable
from treewright.evaluation.evaluation import Evaluation, FloatArray
from treewright.reports.residual_figure import residual_figure
from treewright.reports.words import score_text

SHARES = (0.5, 0.75, 0.9, 0.95, 1.0)


def number_blocks(found: Evaluation) -> Iterator[Block]:
    """Quantiles of the errors, and a picture of them."""
    predicted = found.predictions[0]
    is_judged = ~np.isnan(predicted)
    true, predicted = found.rows.y[is_judged], predicted[is_judged]
    yield error_table(np.abs(predicted - true))
    picture = residual_figure(true, predicted)
    yield Figure(picture.to_svg(), picture.drawing.description)


def error_table(errors: FloatArray) -> SheetTable:
    """How far off the best half of the rows is at most, and so on."""
    rows = tuple(
        (f"{100 * share:.0f} %" if share < 1 else "all", score_text(float(limit)))
        for share, limit in zip(SHARES, np.quantile(errors, SHARES), strict=True)
    )
    return SheetTable(("of the rows", "are off by at most"), rows, "lr", "Errors")
