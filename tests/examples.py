"""How many random tables a property is tried on."""

import os

USUAL = 30

# TREEWRIGHT_EXAMPLES=20000 makes a night of it.
N_EXAMPLES = int(os.environ.get("TREEWRIGHT_EXAMPLES", str(USUAL)))


def share_of_examples(usual: int) -> int:
    """`usual` of the thirty examples of a normal run, and the same share of any other number."""
    return max(1, N_EXAMPLES * usual // USUAL)
