"""`treewright report`: a saved model and a table on one page, to hand in."""

from pathlib import Path
from typing import Annotated

import typer

from treewright.cli.output import JsonOption, Output, QuietOption, check_can_write
from treewright.cli.reporting import write_report
from treewright.cli.saved import ModelArgument, judged_table, load_tree_model
from treewright.cli.streams import check_one_input, check_one_output
from treewright.cli.tables import TableArgument, TableOptions, TargetOption


def report(
    model: ModelArgument,
    table: TableArgument,
    *,
    out: Annotated[
        Path,
        typer.Option(
            "--out", "-o", metavar="FILE", help="Write the page here: HTML, or Markdown (.md)."
        ),
    ],
    target: TargetOption = None,
    options: TableOptions,
    folds: Annotated[
        int | None, typer.Option(min=2, help="Folds that judge the model; 10 unless given.")
    ] = None,
    repeats: Annotated[int, typer.Option(min=1, help="How often the folds are dealt anew.")] = 1,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the folds.")] = 0,
    title: Annotated[str | None, typer.Option(help="Title of the page.")] = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Write one page about a saved model and a table: tree, rules, judgement, calculation."""
    check_can_write(out)
    check_one_output(out, as_json=as_json)
    check_one_input(model, table)
    output = Output(quiet=quiet)
    fitted = load_tree_model(model, output)
    with output.warnings_as_notes():
        rows = judged_table(fitted, table, target, options, output)
    wishes = {"folds": folds, "repeats": repeats, "random_state": seed, "title": title or ""}
    page = write_report(fitted, rows, table, out, output, **wishes)
    if as_json:
        output.json({"file": str(out), "evaluation": page.facts.evaluation.to_dict()})
