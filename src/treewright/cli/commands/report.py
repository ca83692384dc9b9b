"""`treewright report`: a report on a saved model and a table, as one page."""

from pathlib import Path
from typing import Annotated

import typer

from treewright.cli.groups import PlanOptions
from treewright.cli.learning import check_has_target, check_plan
from treewright.cli.output import JsonOption, Output, QuietOption, check_can_write
from treewright.cli.reporting import check_page, write_report
from treewright.cli.saved import ModelArgument, check_no_rules, judged_table, load_model
from treewright.cli.streams import check_one_input, check_one_output
from treewright.cli.tables import TableArgument, TableOptions, TargetOptions


def report(
    model: ModelArgument,
    table: TableArgument,
    *,
    out: Annotated[
        Path,
        typer.Option(
            "--out", "-o", metavar="FILE", help="Write the report here: HTML, or Markdown (.md)."
        ),
    ],
    judged: TargetOptions,
    options: TableOptions,
    plan: PlanOptions,
    title: Annotated[str | None, typer.Option(help="Title of the report.")] = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Write a report on a saved model and a table: trees, rules, evaluation, calculation."""
    check_can_write(out, model, table)
    check_one_output(out, as_json=as_json)
    check_page(out)
    check_one_input(model, table)
    output = Output(quiet=quiet)
    fitted = load_model(model, output)
    check_no_rules(fitted, model)
    check_has_target(fitted, model)
    with output.warnings_as_notes():
        rows = judged_table(fitted, table, judged, options.keeping(plan.own_columns), output)
        in_use = {rows.target: "the target", options.weight or "": "the weight of the rows"}
        check_plan(plan, in_use)
        division = plan.arguments(rows.whole, table) | {"folds": plan.folds}
    page = write_report(fitted, rows, table, out, output, **division, title=title or "")
    if plan != PlanOptions() and not page.facts.is_resampled:
        output.note(
            "the model was not trained on these rows, so it was tested on them as it is: flags "
            "for cross-validation had no effect"
        )
    if as_json:
        output.json({"file": str(out), "evaluation": page.facts.evaluation.to_dict()})
