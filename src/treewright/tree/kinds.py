"""The words and numbers that stand in a tree's arrays."""

# Tree.kind: what a node asks.
LEAF = 0
THRESHOLD = 1  # value <= threshold
BRANCHES = 2  # one child for each level
INTERVALS = 3  # several cut points
SUBSET = 4  # a set of levels against another set
OBLIQUE = 5  # a weighted sum of several columns <= threshold

KIND_NAMES = ("leaf", "threshold", "branches", "intervals", "subset", "oblique")

# Tree.missing_child: where a missing value goes, when it is not the number of a child.
STOP = -1  # nowhere: the node itself answers
SPREAD = -2  # to every child with training weight, in proportion to it

# Tree.stop_reason: why a node is a leaf; the first stands at nodes that split.
STOP_REASONS = (
    "",
    "pure",
    "no candidate",
    "max_depth",
    "max_leaf_nodes",
    "max_splits",
    "min_samples_split",
    "min_samples_leaf",
    "min_gain",
    "significance",
    "error estimate",
    "validation",
    "collapsed",
    "pruned",
    "empty",
    "written",  # by hand
    "min_deviation",
)

# Tree.unseen: what a level does that training never met.
UNSEEN_POLICIES = ("missing", "majority", "error")
