"""The sum of columns that an oblique node asks for, measured like the split by one column."""

import numpy as np

from treewright.tree.conditions import conditions_of, sum_text
from treewright.tree.kinds import OBLIQUE
from treewright.tree.tree import Tree
from treewright.worksheets.candidates import group_of, information_of, score_of
from treewright.worksheets.node_rows import NOWHERE, child_of_rows
from treewright.worksheets.place import Place
from treewright.worksheets.work import CandidateWork


def chosen_feature(tree: Tree, node: int) -> int:
    """The number of the candidate that a node has chosen: a column, or after them all its sum."""
    if tree.kind[node] == OBLIQUE:
        return tree.schema.n_columns
    return int(tree.feature[node])


def sum_candidate(tree: Tree, node: int, place: Place) -> CandidateWork:
    """The split of an oblique node; rows that miss a value count where the policy has them."""
    sides = child_of_rows(tree, place.training, node, place.share.rows)
    is_missing = sides == NOWHERE
    missing_weight = float(place.share.weights[is_missing].sum())
    is_counted = place.training.settings.missing in ("learned", "branch")
    joins = int(tree.missing_child[node]) if is_missing.any() and is_counted else -1
    sides = np.where(is_missing, joins, sides)
    scorer = place.scorer
    n_sides = int(tree.n_children[node])
    piles = scorer.piles(sides, n_sides)
    whole = scorer.piles(np.minimum(sides, 0), 1)[0] if (sides < 0).any() else scorer.node
    gain = max(scorer.gain(piles, whole) / place.weight, 0.0)
    weights = [pile.weight for pile in piles] + [missing_weight if joins < 0 else 0.0]
    information = information_of(np.array(weights))
    return CandidateWork(
        column=sum_text(tree, node),
        feature=chosen_feature(tree, node),
        kind="oblique",
        branches=tuple(map(group_of, conditions_of(tree, node), piles)),
        threshold=float(tree.threshold[node]),
        missing_weight=missing_weight,
        known_share=whole.counted / place.weight,
        before=whole.impurity,
        remainder=sum(pile.counted * pile.impurity for pile in piles) / whole.counted,
        correction=0.0,
        gain=gain,
        split_information=information,
        score=score_of(place, gain, information),
        tried=(),
        refused="",
        missing_joins=joins if joins < n_sides else -1,
    )
