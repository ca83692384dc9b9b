"""Growing a tree by hand: candidates of a node, splits, pruning, undo."""
