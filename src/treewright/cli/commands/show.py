"""`treewright show`: print a saved tree or saved rules."""

import json
from pathlib import Path
from typing import Annotated

import typer

from treewright.cli.output import JsonOption, Output, QuietOption, check_can_read
from treewright.cli.trees import print_tree, summary_of


def show(
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="File that `train` has written.")],
    *,
    max_depth: Annotated[
        int | None, typer.Option(metavar="N", min=0, help="Show only so many levels.")
    ] = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Print a saved tree, or saved rules."""
    from treewright.models.model_file import load
    from treewright.models.rule_set import RuleSet

    check_can_read(model)
    output = Output(quiet=quiet)
    with output.warnings_as_notes():
        fitted = load(model)
    if isinstance(fitted, RuleSet):
        if as_json:
            output.json(json.loads(fitted.to_json()))
        else:
            output.data(fitted.to_text())
        return
    if as_json:
        output.json(summary_of(fitted))
        return
    print_tree(fitted, output, max_depth=max_depth)
