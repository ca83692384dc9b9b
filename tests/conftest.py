"""Settings that hold for every test."""

import signal

from hypothesis import settings

from browser import browser, chromium  # noqa: F401 -- fixtures
from examples import N_EXAMPLES
from skip_summary import pytest_terminal_summary  # noqa: F401 -- a hook

# The same examples at every run, and no limit on one example: the machine may be busy.
settings.register_profile(
    "steady", max_examples=N_EXAMPLES, deadline=None, derandomize=True, print_blob=True
)
settings.load_profile("steady")

signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job ignores it
