"""The worksheet of a model tree: cuts, terms, pruning and smoothing of each node."""

from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from treewright.documents.math import Fraction, Math, Name, Number, Product, Sum
from treewright.documents.page import (
    Block,
    Document,
    Formula,
    Heading,
    Listing,
    Note,
    Paragraph,
    SheetTable,
)
from treewright.documents.printed import Printed, number_shown
from treewright.errors import ParameterError
from treewright.model_trees.as_text import equation_lines, leaf_numbers, tree_lines
from treewright.model_trees.node_work import MOST_TERMS, NodeWork, NodeWorks, SplitWork
from treewright.plain_text import plain
from treewright.tree.conditions import bound_text_among, condition_text, level_condition
from treewright.tree.short_thresholds import with_thresholds_shown
from treewright.worksheets.digits import Digits
from treewright.worksheets.words import WHY_LEAF

if TYPE_CHECKING:
    from treewright.model_trees.m5 import M5Regressor

NODES_SHOWN = 15  # by default
MOST_COLUMNS = 10  # with a line of their own
MOST_LEVELS = 4  # categories of a set in a table
MOST_NAMED = 20  # terms in a sentence
LEVELS_OF_EQUATION = 12
ROOTS = {"fifth_root": "fifth root of the variance", "standard_deviation": "standard deviation"}

TERM_RULES_IN_WORDS = {
    "akaike": "The term with the smallest standardized coefficient is dropped, as long as this "
    "lowers the criterion (n - k) s / S + 2 m: n rows, at first k parameters and the sum of "
    "squares S, with the remaining terms m and s.",
    "adjusted_error": "The term that matters least is dropped, as long as the expected error does "
    "not grow.",
}
ORDER_OF_CATEGORIES = (
    "Categories are put in the order of the mean target of their training rows. A list of "
    "categories is the first or the last part of this order."
)
ERROR_IN_WORDS = (
    "The error of a model, or of the models of a subtree, is the root of the mean squared "
    "difference from the targets of the node's rows. On new rows it is expected to be larger: "
    "times (n + {penalty} × v) / (n - v), for n rows and v parameters, or times 10 if n is not "
    "above v. A subtree has the parameters of both sides and one for its split."
)


class ModelTreeSheet(Printed):
    """The calculation behind every node; `nodes` has the numbers, unrounded."""

    def __init__(self, works: NodeWorks) -> None:
        self.nodes = works

    def document(self, *, decimals: int = 4, max_steps: int | None = None) -> Document:
        """The page before it is rendered; `max_steps` limits the nodes, 15 by default."""
        model = self.nodes.model
        digits = Digits(decimals).for_numbers_like(float(model.tree_.impurity[0]) ** 0.5)
        n_shown = min(len(self.nodes), number_shown(max_steps, NODES_SHOWN))
        blocks: list[Block] = [*opening(model)]
        for node in range(n_shown):
            blocks += node_blocks(model, self.nodes[node], digits)
        if n_shown < len(self.nodes):
            blocks.append(
                Note(f"... {len(self.nodes) - n_shown} more nodes; max_steps= shows them")
            )
        blocks += closing(model)
        return Document(f"Worksheet: {type(model).__name__}", tuple(blocks))

    def __repr__(self) -> str:
        return f"<ModelTreeSheet: {len(self.nodes)} nodes>"


def model_sheet(model: "M5Regressor", X: Any, y: Any, sample_weight: Any) -> ModelTreeSheet:
    """The worksheet of a fitted model, from its training rows."""
    if X is None or y is None:
        raise ParameterError(
            "the worksheet of a model tree needs the training rows", hint="give X and y of the fit"
        )
    return ModelTreeSheet(NodeWorks(model, model.training_rows(X, y, sample_weight)))


def opening(model: "M5Regressor") -> Iterator[Block]:
    """The settings of growth."""
    tree = model.tree_
    root = ROOTS[model.criterion]
    yield Paragraph.of(
        f"{tree.n_rows[0]} rows, {model.n_features_in_} columns. A split reduces the {root} of "
        f"the target. A node of less than {model.min_samples_split} rows is a leaf, and so is one "
        f"whose standard deviation is below {model.min_deviation:g} of that of all rows."
    )
    if any(spec.kind == "nominal" for spec in model.state_.coding.schema.columns):
        yield Paragraph.of(ORDER_OF_CATEGORIES)
    if model.models and model.terms in TERM_RULES_IN_WORDS:
        yield Paragraph.of(TERM_RULES_IN_WORDS[model.terms])
    if model.prune:
        yield Paragraph.of(ERROR_IN_WORDS.format(penalty=f"{model.penalty:g}"))


def node_blocks(model: "M5Regressor", work: NodeWork, digits: Digits) -> Iterator[Block]:
    """The calculation at a node."""
    tree = with_thresholds_shown(model.tree_)
    conditions = " and ".join(
        condition_text(tree, above, below - int(tree.first_child[above]))
        for above, below in pairwise(tree.path_to(work.node))
    )
    heading = f"Node {work.node}: {conditions or 'all rows'}"
    yield Heading(2, heading, f"node-{work.node}")
    rows = digits.weight(work.weight)
    facts = f"{rows} rows, mean {digits.text(work.mean)}"
    facts += f", standard deviation {digits.text(work.deviation)}"
    if model.criterion == "fifth_root":
        facts += f", {ROOTS[model.criterion]} {digits.text(work.spread)}"
    yield Paragraph.of(f"{facts}.")
    if work.splits:
        yield from split_blocks(model, work, digits)
    else:
        yield Paragraph.of(f"A leaf: {WHY_LEAF.get(work.stop_reason, work.stop_reason)}.")
    if work.terms:
        yield from term_blocks(model, work, digits)
    if work.splits and model.prune:
        yield from pruning_blocks(model, work, digits)


def split_blocks(model: "M5Regressor", work: NodeWork, digits: Digits) -> Iterator[Block]:
    """The best cut of each column, and the calculation of the best of all."""
    yield SheetTable(
        ("best cut", "rows", "deviation", "other rows", "deviation", "reduction"),
        tuple(
            (
                cut_text(model, split),
                digits.weight(split.left.weight),
                digits.text(split.left.deviation),
                digits.weight(split.right.weight),
                digits.text(split.right.deviation),
                digits.text(split.gain),
            )
            for split in work.splits[:MOST_COLUMNS]
        ),
        "lrrrrr",
        marked=frozenset({0}),
    )
    if len(work.splits) > MOST_COLUMNS:
        yield Note(f"... {len(work.splits) - MOST_COLUMNS} more columns")
    best = work.splits[0]
    parts: list[Math] = [
        Product((digits.share(side.weight, work.weight), digits.number(side.spread)))
        for side in (best.left, best.right)
    ]
    yield Formula(
        Name("reduction"),
        (Sum.less(digits.number(work.spread), *parts), digits.number(best.gain)),
    )


def cut_text(model: "M5Regressor", split: SplitWork) -> str:
    """The condition of the first side of a cut."""
    coding = model.state_.coding
    spec = coding.schema.columns[split.column]
    name = plain(spec.name)
    if spec.kind != "nominal":
        return f"{name} <= {bound_text_among(spec, split.cut, np.array(split.between))}"
    ranks = coding.ranks(split.column)
    levels = tuple(
        level for level, rank in zip(spec.levels, ranks, strict=True) if rank < split.cut
    )
    return level_condition(name, levels, MOST_LEVELS)


def term_blocks(model: "M5Regressor", work: NodeWork, digits: Digits) -> Iterator[Block]:
    """The candidate terms, and those that are kept."""
    coding = model.state_.coding
    names = [term.text(coding, max_levels=MOST_LEVELS) for term in work.terms]
    named = ", ".join(names[:MOST_NAMED])
    if len(names) > MOST_NAMED:
        named += f" and {len(names) - MOST_NAMED} more"
    yield Paragraph.of(f"The splits here and below use {named}.")
    if len(names) > MOST_TERMS:
        yield Note(f"the {MOST_TERMS} terms with the largest gains are tried, too many to show")
    if work.drops:
        word = "criterion" if model.terms == "akaike" else "expected error"
        lines = tuple(
            (
                names[drop.place],
                digits.text(drop.coefficient),
                digits.text(drop.before),
                digits.text(drop.after),
                "is dropped" if drop.is_dropped else "is kept",
            )
            for drop in work.drops
        )
        columns = ("term", "standardized coefficient", f"{word} with it", "without it", "so it")
        yield SheetTable(columns, lines, "lrrrl")
    equation = model.equation(work.node, smoothed=False)
    yield Listing(equation.text(coding, model.state_.target_word, max_levels=LEVELS_OF_EQUATION))


def pruning_blocks(model: "M5Regressor", work: NodeWork, digits: Digits) -> Iterator[Block]:
    """The expected errors of the model and of the subtree on new rows."""
    own, below = work.expected(model.penalty)
    for name, error, parameters, expected in (
        ("error of the model", work.model_error, work.n_parameters, own),
        ("error of the subtree", work.subtree_error, work.subtree_parameters, below),
    ):
        n, v = Number(digits.weight(work.weight)), Number(str(parameters))
        if work.weight <= parameters:
            factor: Math = Number("10")
        else:
            charged = Product((Number(f"{model.penalty:g}"), v))
            factor = Fraction(Sum.of(n, charged), Sum.less(n, v))
        steps = (Product((digits.number(error), factor)), digits.number(expected))
        yield Formula(Name(name), steps)
    if work.is_pruned:
        yield Paragraph.of("The model is expected to be no worse, so the node becomes a leaf.")
    else:
        yield Paragraph.of("The subtree is expected to be better, so it is kept.")


def closing(model: "M5Regressor") -> Iterator[Block]:
    """The tree and its equations."""
    yield Heading(2, "The model", "the-model")
    numbers = leaf_numbers(model.tree_)
    lines = [*tree_lines(with_thresholds_shown(model.tree_), numbers)]
    if lines:
        yield Listing("\n".join(lines))
    if model.smoothing_rows() > 0 and len(numbers) > 1:
        yield Paragraph.of(
            "Smoothing: from the leaf to the root, the prediction p of a node of n rows becomes "
            "(n p + k q) / (n + k), where q is the prediction of the model above, and k = "
            f"{model.smoothing_rows():g}. As equations:"
        )
    for leaf, number in list(numbers.items())[:NODES_SHOWN]:
        yield Listing("\n".join(equation_lines(model, leaf, f"model {number}: ")))
    if len(numbers) > NODES_SHOWN:
        yield Note(f"... {len(numbers) - NODES_SHOWN} more equations; print(model) shows them")
