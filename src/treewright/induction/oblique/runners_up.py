"""The splits by one column that a node looked at beside the one it took."""

from dataclasses import dataclass, replace

import numpy as np

from treewright.tree.tree import Tree

MOST_KEPT = 4  # as growth by one column keeps


@dataclass(frozen=True, slots=True)
class RunnerUp:
    """One entry of `Tree`'s competitors."""

    feature: int
    gain: float
    score: float
    threshold: float
    tied: int


def runners_up(stump: Tree, *, is_beaten: bool) -> list[RunnerUp]:
    """Of the best split by one column: those it beat, or with itself first if a sum beat it."""
    end = int(stump.competitor_start[1])
    found = [
        RunnerUp(*entry)
        for entry in zip(
            stump.competitor_feature[:end].tolist(),
            stump.competitor_gain[:end].tolist(),
            stump.competitor_score[:end].tolist(),
            stump.competitor_threshold[:end].tolist(),
            stump.competitor_tied[:end].tolist(),
            strict=True,
        )
    ]
    if not is_beaten:
        return found
    found = [replace(one, tied=0) for one in found]
    if stump.n_nodes > 1:
        gain, threshold = float(stump.gain[0]), float(stump.threshold[0])
        best = RunnerUp(int(stump.feature[0]), gain, float(stump.score[0]), threshold, 0)
        found = [best, *found][:MOST_KEPT]
    return found


def with_runners_up(tree: Tree, by_node: list[list[RunnerUp]]) -> Tree:
    """The tree with the runners-up of each of its nodes."""
    entries = [entry for of_node in by_node for entry in of_node]
    ends = np.cumsum([len(of_node) for of_node in by_node])
    return replace(
        tree,
        competitor_start=np.concatenate([[0], ends]).astype(np.int64),
        competitor_feature=np.array([one.feature for one in entries], dtype=np.int32),
        competitor_gain=np.array([one.gain for one in entries], dtype=np.float64),
        competitor_score=np.array([one.score for one in entries], dtype=np.float64),
        competitor_threshold=np.array([one.threshold for one in entries], dtype=np.float64),
        competitor_tied=np.array([one.tied for one in entries], dtype=np.uint8),
    )
