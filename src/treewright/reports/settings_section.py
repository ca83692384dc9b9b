"""All that is needed to make the model again."""

import platform
import reprlib
from collections.abc import Iterator
from importlib import metadata

from treewright import __version__
from treewright.documents.page import Block, Listing, Paragraph, SheetTable
from treewright.reports.facts import ReportFacts

PACKAGES = ("numpy", "scikit-learn")
LONGEST_VALUE = 120  # letters


def settings_section(facts: ReportFacts) -> Iterator[Block]:
    """The command, settings and versions."""
    yield Paragraph.of("This makes the model and this page again:")
    yield Listing(facts.words.command or python_lines(facts))
    given = facts.model.get_params()
    usual = type(facts.model)().get_params()
    names = sorted(given)
    changed = [at for at, name in enumerate(names) if repr(given[name]) != repr(usual[name])]
    caption = f"Settings of {type(facts.model).__name__}"
    yield SheetTable(
        ("setting", "value"),
        tuple((name, value_text(given[name])) for name in names),
        "ll",
        f"{caption}; marked ones are not the default" if changed else f"{caption}, all default",
        frozenset(changed),
    )
    others = ", ".join(f"{name} {metadata.version(name)}" for name in PACKAGES)
    yield Paragraph.of(f"treewright {__version__}, Python {platform.python_version()}, {others}.")


def python_lines(facts: ReportFacts) -> str:
    """The lines that a user of Python writes."""
    rows = "X, y" if facts.rows.weights is None else "X, y, sample_weight"
    return (
        "import treewright as tw\n"
        f"model = tw.{one_line(facts.model)}.fit({rows})\n"
        f"tw.report(model, {rows}, name={facts.rows.name!r}).save('report.html')"
    )


def one_line(value: object) -> str:
    return " ".join(repr(value).split())


def value_text(value: object) -> str:
    """A value on one line, of bearable length."""
    text = one_line(value)
    return text if len(text) <= LONGEST_VALUE else reprlib.repr(value).replace("\n", " ")
