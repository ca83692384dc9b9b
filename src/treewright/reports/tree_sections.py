"""The tree, the columns that matter to it, and the calculation at its top."""

from collections.abc import Iterator
from itertools import product

from treewright.documents.page import Block, Figure, Heading, Note, Paragraph
from treewright.estimators.base import OtherModel
from treewright.figures import feature_importance
from treewright.models.base import TreeEstimator
from treewright.models.drawing import draw
from treewright.pictures.picture import Picture
from treewright.reports.facts import ReportFacts
from treewright.reports.words import method_text
from treewright.tree.as_text import MOST_LEVELS, top_text
from treewright.tree.leaf_counts import leaves_text
from treewright.tree.tree import Tree

WIDEST, HIGHEST = 1000.0, 1150.0  # pixels of a picture that is readable on a page
NODES_SHOWN = (40, 31, 25, 19, 15, 11, 7, 5, 3)
DIRECTIONS = ("auto", "right", "down")
WORKSHEET_NODES = 3
MOST_COLUMNS = 15  # in the picture of importance
MOST_LINES = 60  # of the tree as text


def tree_section(facts: ReportFacts) -> Iterator[Block]:
    """The picture, of a large tree the nodes with most rows; where there is none, the text."""
    model = facts.tree_model
    yield shape_in_words(facts)
    if (proof := getattr(model, "proof_", None)) is not None:
        lines = [line for line in str(proof).splitlines() if line not in model.notes_]
        yield Paragraph.of(" ".join(lines))
    if model.tree_.n_leaves > 1:
        picture = readable_picture(model)
        text = top_text(model.tree_, MOST_LINES, max_levels=MOST_LEVELS)
        remark = ""
        if picture.summary != whole_of(model):
            remark = f"The picture shows {picture.summary}, those with most rows."
        yield Figure(picture.to_svg(), picture.drawing.description, text, remark)


def shape_in_words(facts: ReportFacts) -> Paragraph:
    tree, pruning = facts.tree_model.tree_, facts.tree_model.pruning_
    words = f"The tree has {leaves_text(tree)}; its depth is {tree.depth}."
    if tree.n_leaves == 1:
        words = "No split was worth it: the tree is one leaf, and answers the same for every row."
    if pruning is not None and pruning.n_leaves_before > pruning.n_leaves_after:
        method = method_text(pruning.method)
        words += f" Before pruning ({method}) there were {pruning.n_leaves_before:,}."
    return Paragraph.of(words)


def readable_picture(model: TreeEstimator | Tree) -> Picture:
    """As many nodes as a page has room for; the others are folded."""
    for max_nodes, direction in product(NODES_SHOWN, DIRECTIONS):
        picture = draw(model, max_nodes=max_nodes, direction=direction)
        if picture.drawing.width <= WIDEST and picture.drawing.height <= HIGHEST:
            break
    return picture


def whole_of(model: TreeEstimator) -> str:
    """What a picture says of itself that shows all nodes."""
    n_nodes = model.tree_.n_nodes
    return f"{n_nodes} of {n_nodes:,} nodes"


def figure_of(picture: Picture) -> Figure:
    return Figure(picture.to_svg(), picture.drawing.description)


def importance_section(facts: ReportFacts) -> Iterator[Block]:
    """Which columns matter."""
    model = facts.model
    assert not isinstance(model, OtherModel)
    n_asked = int((model.feature_importances_ > 0).sum())
    most = min(MOST_COLUMNS, max(n_asked, 1))
    yield figure_of(feature_importance(model, max_columns=most))
    yield Note(
        "Shares come from the training rows: they flatter columns of many values, and columns "
        "that say the same take shares from each other."
    )


def calculation_section(facts: ReportFacts) -> Iterator[Block]:
    """The calculation at the nodes that most rows pass."""
    assert facts.worksheet is not None
    page = facts.worksheet.document(steps="summary", max_nodes=WORKSHEET_NODES, framed=False)
    for block in page.blocks[len(facts.model.notes_) :]:  # which stand at the top of the report
        yield lowered(block) if isinstance(block, Heading) else block
    if (n_nodes := facts.tree_model.tree_.n_nodes) > WORKSHEET_NODES:
        yield Note(
            f"The calculation at all {n_nodes:,} nodes: `treewright worksheet MODEL TABLE`, or "
            "`treewright.worksheet(model, X, y)`."
        )


def lowered(heading: Heading) -> Heading:
    """The heading of a page as one of a section."""
    return Heading(heading.level + 1, heading.text, heading.anchor)
