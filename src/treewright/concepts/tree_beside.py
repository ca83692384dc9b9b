"""The decision tree that tells examples apart where no conjunction does."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from treewright.documents.page import Block, Heading, Listing, Paragraph
from treewright.estimators.training import TrainingRows
from treewright.models.id3 import ID3Classifier
from treewright.models.rule_models import rules

MOST_RULES = 20


def tree_blocks(training: TrainingRows) -> Iterator[Block]:
    """A tree of the same rows, its rules, and how many rows it answers rightly."""
    target: Any = training.target
    y = target.classes[target.codes]
    tree = ID3Classifier().fit(training.table, y, training.weights)
    n_right = int(np.count_nonzero(tree.predict(training.table) == y))
    n_rows = training.n_rows
    yield Heading(2, "The tree beside it", "tree")
    agrees = "all" if n_right == n_rows else f"{n_right} of"
    reason = "" if n_right == n_rows else "; rows that differ in the class alone stay together"
    yield Paragraph.of(
        f"A tree can say `or`: that of ID3 agrees with {agrees} {n_rows} examples{reason}."
    )
    yield Listing(str(tree.tree_))
    found = [str(rule) for rule in rules(tree)]
    more = [f"... {len(found) - MOST_RULES} more rules"] if len(found) > MOST_RULES else []
    yield Listing("\n".join([*found[:MOST_RULES], *more]))
