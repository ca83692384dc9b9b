"""Everything needed to reproduce the model."""

import platform
import reprlib
from collections.abc import Iterator
from importlib import metadata
from typing import Any

import numpy as np

from treewright import __version__
from treewright.documents.page import Block, Listing, Paragraph, SheetTable
from treewright.imports.estimators import Imported
from treewright.reports.facts import Model, ReportFacts
from treewright.verbs.prune import LaterPruning

PACKAGES = ("numpy", "scikit-learn")
LONGEST_VALUE = 120  # characters
WRITTEN = (str, int, float, tuple, list, dict, np.ndarray, np.generic)  # as literals in a call


def settings_section(facts: ReportFacts) -> Iterator[Block]:
    """The command, settings and versions."""
    if facts.words.command:
        yield Paragraph.of("This command reproduces the page:")
        yield Listing(facts.words.command)
        if facts.later_pruning is not None:
            yield Paragraph.of("After its fit the model was pruned:")
            yield Listing(pruning_line(facts.later_pruning, ""))
    else:
        yield Paragraph.of(purpose_of_code(facts))
        yield Listing("\n".join(python_lines(facts)))
    if hasattr(facts.model, "get_params"):
        yield settings_table(facts)
    others = ", ".join(f"{name} {metadata.version(name)}" for name in packages_of(facts))
    yield Paragraph.of(f"treewright {__version__}, Python {platform.python_version()}, {others}.")


def packages_of(facts: ReportFacts) -> tuple[str, ...]:
    """The packages that the results depend on, among them that of a foreign model."""
    root = type(facts.model).__module__.partition(".")[0]
    own = metadata.packages_distributions().get(root, []) if facts.is_foreign else []
    return (*PACKAGES, *(name for name in own if name not in PACKAGES))


def settings_table(facts: ReportFacts) -> SheetTable:
    """The parameters of the model; those that are not the default are marked."""
    given = facts.model.get_params()
    names, not_default = sorted(given), changed_settings(facts.model)
    changed = [at for at, name in enumerate(names) if name in not_default]
    caption = f"Settings of {type(facts.model).__name__}"
    return SheetTable(
        ("setting", "value"),
        tuple((name, value_text(given[name])) for name in names),
        "ll",
        f"{caption}; marked ones are not the default"
        if changed
        else caption
        if facts.is_foreign
        else f"{caption}, all default",
        frozenset(changed),
    )


def purpose_of_code(facts: ReportFacts) -> str:
    if not can_be_refitted(facts):
        return "This code reproduces the page from the model:"
    if not facts.learned_here:
        return "This code reproduces the page; X_train and y_train are the training rows:"
    return "This code reproduces the model and this page:"


def can_be_refitted(facts: ReportFacts) -> bool:
    """Whether a refit gives the same model: its tree was not written or changed by hand."""
    if facts.is_foreign or isinstance(facts.model, Imported):
        return False
    return facts.n_learned != 0 and facts.n_leaves_by_settings is None


def python_lines(facts: ReportFacts) -> Iterator[str]:
    """The Python code."""
    rows = "X, y" if facts.rows.weights is None else "X, y, sample_weight"
    learned = rows if facts.learned_here else "X_train, y_train"
    yield "import treewright as tw"
    if can_be_refitted(facts):
        yield f"model = tw.{call_text(facts.model)}.fit({learned})"
        if facts.later_pruning is not None:
            yield pruning_line(facts.later_pruning, learned)
    arguments = [rows, *map(argument_text, facts.words.arguments.items())]
    yield f"tw.report(model, {', '.join(arguments)}).save('report.html')"


def pruning_line(pruning: LaterPruning, learned: str) -> str:
    """The call that prunes the model, with the rows that it needs."""
    rows = {
        "training rows": learned or "X_train, y_train",
        "validation rows": "X_pruning, y_pruning",
    }
    given = [repr(str(pruning)), rows.get(pruning.needs, "")]
    given += map(argument_text, pruning.options.items())
    return f"model = tw.prune(model, {', '.join(filter(None, given))})"


def call_text(model: Model) -> str:
    """The call that makes an estimator, with the settings that are not the default."""
    arguments = map(argument_text, changed_settings(model).items())
    return f"{type(model).__name__}({', '.join(arguments)})"


def changed_settings(model: Model) -> dict[str, Any]:
    """The settings of a model that are not the default."""
    given = model.get_params()
    try:
        usual = type(model)().get_params()
    except TypeError:  # a class of another package that has no defaults, such as a pipeline
        return {}
    return {
        name: given[name]
        for name in given
        if name in usual and repr(given[name]) != repr(usual[name])
    }


def argument_text(argument: tuple[str, object]) -> str:
    """An argument as it is written; a long or unusual value as a variable."""
    name, value = argument
    text = one_line(value)
    is_plain = value is None or isinstance(value, WRITTEN)
    return f"{name}={text}" if is_plain and len(text) <= LONGEST_VALUE else f"{name}={name}"


def one_line(value: object) -> str:
    """A value as Python writes it; an array as a list."""
    return " ".join(repr(as_lists(value)).split())


def value_text(value: object) -> str:
    """A value on one line, truncated."""
    text = one_line(value)
    short = reprlib.repr(as_lists(value)).replace("\n", " ")
    return text if len(text) <= LONGEST_VALUE else short


def as_lists(value: object) -> object:
    return value.tolist() if isinstance(value, np.ndarray | np.generic) else value
