"""`treewright report`: a saved model and a table on one page, to hand in."""

from pathlib import Path
from typing import Annotated

import typer

from treewright.cli.output import JsonOption, Output, QuietOption, check_can_write
from treewright.cli.saved import ModelArgument, judged_table, load_tree_model
from treewright.cli.streams import (
    check_one_input,
    check_one_output,
    is_standard,
    write_content,
)
from treewright.cli.tables import TableArgument, TableOptions, TargetOption


def report(
    model: ModelArgument,
    table: TableArgument,
    *,
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="FILE", help="Write the page here (HTML).")
    ],
    target: TargetOption = None,
    options: TableOptions,
    folds: Annotated[
        int | None, typer.Option(min=2, help="Folds that judge the model; 10 unless given.")
    ] = None,
    repeats: Annotated[int, typer.Option(min=1, help="How often the folds are dealt anew.")] = 1,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the folds.")] = 0,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Write one page about a saved model and a table: tree, rules, judgement, calculation."""
    import treewright as tw

    check_can_write(out)
    check_one_output(out, as_json=as_json)
    check_one_input(model, table)
    output = Output(quiet=quiet)
    fitted = load_tree_model(model, output)
    with output.warnings_as_notes():
        rows = judged_table(fitted, table, target, options, output)
    with output.warnings_hidden():
        page = tw.report(
            fitted,
            rows.table,
            rows.y,
            rows.weights,
            name=Path(table).name,
            folds=folds,
            repeats=repeats,
            random_state=seed,
            command=f"treewright report {model} {table} --out {out}",
        )
    write_content(page.to_html().encode("utf-8"), out)
    if not is_standard(out):
        output.note(f"written to {out}")
    if as_json:
        output.json({"file": str(out), "evaluation": page.facts.evaluation.to_dict()})
