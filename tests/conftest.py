"""Settings that hold for every test."""

import os

from hypothesis import settings

from browser import browser, chromium  # noqa: F401 -- fixtures

# Examples of a property in a normal run; TREEWRIGHT_EXAMPLES=20000 makes a night of it.
N_EXAMPLES = int(os.environ.get("TREEWRIGHT_EXAMPLES", "30"))

# The same examples at every run, and no limit on one example: the machine may be busy.
settings.register_profile(
    "steady", max_examples=N_EXAMPLES, deadline=None, derandomize=True, print_blob=True
)
settings.load_profile("steady")
