"""The words that a command was called with, for pages that tell how they were made."""

from contextvars import ContextVar

GIVEN_WORDS: ContextVar[tuple[str, ...]] = ContextVar("GIVEN_WORDS", default=())


def words_without(with_value: tuple[str, ...], alone: tuple[str, ...]) -> tuple[str, ...]:
    """The words after the name of the command, without some flags and their values."""
    kept, is_value = [], False
    for word in GIVEN_WORDS.get()[1:]:
        flag, has_value = word.partition("=")[0], "=" in word
        if is_value:
            is_value = False
        elif flag in with_value:
            is_value = not has_value
        elif word not in alone:
            kept.append(word)
    return tuple(kept)
