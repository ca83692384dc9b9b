"""The words that a command was called with, for pages that tell how they were made."""

from contextvars import ContextVar

GIVEN_WORDS: ContextVar[tuple[str, ...]] = ContextVar("GIVEN_WORDS", default=())
