"""`treewright prune`: prune a saved tree, and report what was cut and why."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from treewright.cli.fitted_models import print_top_of_tree, summary_of
from treewright.cli.flags import read_json, read_number
from treewright.cli.groups import flag, out_flag
from treewright.cli.output import Output, check_files
from treewright.cli.saved import (
    JudgedTable,
    ModelArgument,
    check_is_one_tree,
    judged_table,
    load_model,
    save_model,
)
from treewright.cli.streams import is_standard
from treewright.cli.tables import Repeated, TableOptions, TargetOptions
from treewright.errors import ParameterError

if TYPE_CHECKING:
    from treewright.pruning.method import Needs
    from treewright.single_trees.base import TreeEstimator


def prune(
    model: ModelArgument,
    table: Annotated[
        str | None, typer.Argument(metavar="TABLE", help="Rows for methods that need them.")
    ] = None,
    *,
    method: Annotated[
        str | None,
        flag("Default error_based; pessimistic without rows; cost_complexity for numbers.", "NAME"),
    ] = None,
    option: Annotated[Repeated, flag("Option of the method. Repeatable.", "NAME=VALUE")] = None,
    judged: TargetOptions,
    options: TableOptions,
    out: Annotated[Path | None, out_flag("Save the model here (JSON).")] = None,
    output: Output,
) -> None:
    """Prune a saved tree, and report what was cut and why."""
    import treewright as tw

    check_files([out], [model, table], as_json=output.as_json)
    fitted = load_model(model, output)
    instead = "--max-leaf-nodes and --min-samples-leaf of `treewright train` keep trees small"
    check_is_one_tree(fitted, model, instead)
    method = method or usual_method(fitted, has_rows=table is not None)
    given_options = named_options(option or [])
    check_rows_given(method, given_options, table)
    with output.warnings_as_notes():
        given = {}
        if table is not None and rows_needed(method, given_options) == "nothing":
            output.note(f"method `{method}` needs no rows, so the table is ignored")
        elif table is not None:
            rows = judged_table(fitted, table, judged, options, output)
            given = {"X": rows.table, "y": rows.y, "sample_weight": rows.weights}
            warn_of_training_rows(fitted, method, given_options, rows, output)
        chosen: Any = method  # tw.prune refuses unknown names
        pruned = tw.prune(fitted, chosen, **given, **given_options)
    if out is not None:
        save_model(pruned, out, output)
    if output.as_json:
        facts = {**summary_of(pruned), "pruning": pruned.pruning_.to_dict()}
        output.json({**facts, "file": str(out) if out else None})
    elif not is_standard(out):
        print_top_of_tree(pruned, output)
        output.data(f"\n{pruned.pruning_}")


def usual_method(model: "TreeEstimator", *, has_rows: bool) -> str:
    """The default method: the first that works with what is given."""
    if model.tree_.classes is None:
        return "cost_complexity"
    return "error_based" if has_rows else "pessimistic"


def rows_needed(method: str, options: Mapping[str, Any]) -> "Needs":
    """Which rows a method needs, with these options."""
    from treewright.pruning.methods import method_named

    wanted = method_named(method)
    return wanted.needs(wanted.checked(options))


def check_rows_given(method: str, options: Mapping[str, Any], table: str | None) -> None:
    """Raise if the method needs rows, and there is no table."""
    from treewright.pruning.methods import ROWS_MEANT, method_named

    wanted, needs = method_named(method), rows_needed(method, options)
    if table is None and needs != "nothing":
        idle = f"; --option {wanted.without_rows} needs none" if wanted.without_rows else ""
        raise ParameterError(
            f"pruning method `{method}` needs rows: treewright prune MODEL TABLE",
            hint=f"these should be {ROWS_MEANT[needs]}{idle}",
        )


def warn_of_training_rows(
    model: "TreeEstimator",
    method: str,
    options: Mapping[str, Any],
    rows: JudgedTable,
    output: Output,
) -> None:
    """Warn that validation rows seem to be the training rows."""
    from treewright.pruning.methods import ROWS_MEANT

    needs = rows_needed(method, options)
    if needs == "validation rows" and int(model.tree_.n_rows[0]) == rows.table.n_rows:
        output.note(
            f"{method} needs {ROWS_MEANT[needs]}; the model was trained on the same number of"
            " rows, and if they are the same rows, every branch looks right"
        )


def named_options(words: list[str]) -> dict[str, Any]:
    """`confidence=0.1` as a keyword argument; true, false and none are what they say.

    Lists and objects are JSON: `columns={"age": "age_in_years"}`.
    """
    found: dict[str, Any] = {}
    for word in words:
        name, equals, text = word.partition("=")
        if not equals:
            raise ParameterError(
                f"--option {word!r} is not a name and a value", hint="use NAME=VALUE"
            )
        plain = {"true": True, "false": False, "none": None}
        value = plain[text.lower()] if text.lower() in plain else read_option(text)
        found[name.strip().replace("-", "_")] = value
    return found


def read_option(text: str) -> object:
    """A number, a list or an object if `text` is one; otherwise the text itself."""
    if not text.startswith(("[", "{")):
        return read_number(text)
    hint = 'write lists as [1, 2] and objects as {"name": "value"}, in quotes for the shell'
    return read_json(text, f"--option: {text!r}", hint)
