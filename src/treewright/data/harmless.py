"""Text for spreadsheets: what they would run as a formula is made harmless."""

RISKY_STARTS = tuple("=+-@\t\r\n＝＋－＠")  # what spreadsheets take for a formula


def harmless(text: str) -> str:
    """The text, with an apostrophe in front if it begins like a formula.

    Examples
    --------
    >>> harmless("=1+1"), harmless("plain")
    ("'=1+1", 'plain')
    """
    return "'" + text if text.startswith(RISKY_STARTS) else text
