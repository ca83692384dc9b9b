"""SVG elements as text; every name and value is escaped on its way in."""

from xml.sax.saxutils import escape

Attributes = dict[str, float | str]
QUOTES = {'"': "&quot;", "'": "&#39;"}


def escaped(text: str) -> str:
    """Text that is safe between tags and between quotes.

    >>> escaped('<script>"&')
    '&lt;script&gt;&quot;&amp;'
    """
    return escape(text, QUOTES)


def element(name: str, attributes: Attributes, *content: str) -> str:
    """One element; `content` is markup, made by `element` or `escaped`.

    >>> element("rect", {"x": 1.25, "stroke_width": 2.0})
    '<rect x="1.25" stroke-width="2"/>'
    """
    inner = "".join(
        f' {key.replace("_", "-")}="{value_text(value)}"' for key, value in attributes.items()
    )
    return f"<{name}{inner}>{''.join(content)}</{name}>" if content else f"<{name}{inner}/>"


def value_text(value: float | str) -> str:
    return escaped(value) if isinstance(value, str) else number(value)


def number(value: float) -> str:
    """A coordinate to the hundredth of a pixel."""
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text
