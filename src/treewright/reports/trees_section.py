"""The trees of an ensemble: how many, how large, and the first of them."""

from collections.abc import Iterator

from treewright.documents.page import Block, Figure, Note, Paragraph
from treewright.ensembles.base import Ensemble
from treewright.ensembles.sizes import n_bytes_of
from treewright.ensembles.summary import size_text, trees_text
from treewright.reports.facts import ReportFacts
from treewright.reports.tree_sections import MOST_LINES, readable_picture
from treewright.tree.as_text import MOST_LEVELS, top_text


def trees_section(facts: ReportFacts) -> Iterator[Block]:
    """The size of the ensemble, and its first tree."""
    model = facts.model
    assert isinstance(model, Ensemble)
    size = size_text(n_bytes_of(model.trees_))
    score = getattr(model, "oob_score_", None)
    told = "" if score is None else f" Judged by trees that had not drawn a row: {score:.4f}."
    yield Paragraph.of(f"The model has {trees_text(model)}, and takes {size} in memory.{told}")
    if not len(model.trees_) or model.trees_[0].n_leaves == 1:
        return
    tree = model.trees_[0]
    picture = readable_picture(tree)
    text = top_text(tree, MOST_LINES, max_levels=MOST_LEVELS)
    remark = f"The first tree: the picture shows {picture.summary}, those with most rows."
    yield Figure(picture.to_svg(), picture.drawing.description, text, remark)
    yield Note(
        "`treewright show MODEL --tree N` prints another tree, `treewright explain` what each "
        "column adds to one answer; `treewright distil` makes one readable tree of them all."
    )
