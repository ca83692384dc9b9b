"""Settings that hold for every test."""

from hypothesis import settings

from browser import browser, chromium  # noqa: F401 -- fixtures
from examples import N_EXAMPLES

# The same examples at every run, and no limit on one example: the machine may be busy.
settings.register_profile(
    "steady", max_examples=N_EXAMPLES, deadline=None, derandomize=True, print_blob=True
)
settings.load_profile("steady")
