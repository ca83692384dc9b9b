"""Whether the code is watched while it runs, which takes memory and time.

TREEWRIGHT_WATCHED names what watches: sanitizers (`make asan`) or counters (`make coverage`).
"""

import os

IS_WATCHED = bool(os.environ.get("TREEWRIGHT_WATCHED"))
SLOWER = 20 if IS_WATCHED else 1  # than unwatched, at most: what tests that measure time allow for
