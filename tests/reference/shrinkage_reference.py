"""Hierarchical shrinkage as it is defined: one node after another, from the root down."""

from fractions import Fraction

from treewright.tree.tree import Tree


def shrunk_predictions(tree: Tree, strength: float) -> list[list[Fraction]]:
    """The shrunk class shares, or the shrunk mean, of every node."""
    own = [node_prediction(tree, node) for node in range(tree.n_nodes)]
    found = [own[0]]
    for node in range(1, tree.n_nodes):  # parents come before their children
        parent = int(tree.parent[node])
        n = Fraction(tree.weight[parent])
        kept = n / (n + Fraction(strength)) if n + Fraction(strength) else Fraction(0)
        found.append(
            [
                above_shrunk + (here - above) * kept
                for above_shrunk, here, above in zip(
                    found[parent], own[node], own[parent], strict=True
                )
            ]
        )
    return found


def node_prediction(tree: Tree, node: int) -> list[Fraction]:
    value = [Fraction(number) for number in tree.value[node].tolist()]
    if tree.classes is None:
        return value
    total = sum(value)
    return [number / total if total else Fraction(1, len(value)) for number in value]
