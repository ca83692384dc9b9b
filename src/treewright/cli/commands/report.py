"""`treewright report`: a report on a saved model and a table, as one page."""

from pathlib import Path
from typing import Annotated

from treewright.cli.groups import flag, out_flag
from treewright.cli.learning import check_has_target
from treewright.cli.output import Output, check_files
from treewright.cli.reporting import check_page, write_report
from treewright.cli.saved import ModelArgument, check_no_rules, judged_table, load_model
from treewright.cli.tables import PlanOptions, TableArgument, TableOptions, TargetOptions
from treewright.cli.verdicts import StrictOption, finish


def report(
    model: ModelArgument,
    table: TableArgument,
    *,
    out: Annotated[Path, out_flag("Write the report here: HTML, or Markdown (.md).")],
    judged: TargetOptions,
    options: TableOptions,
    plan: PlanOptions,
    title: Annotated[str | None, flag("Title of the report.")] = None,
    frontier: Annotated[
        bool, flag("Add what trees of different sizes score; takes longer.")
    ] = False,
    strict: StrictOption = False,
    output: Output,
) -> None:
    """Write a report on a saved model and a table: trees, rules, evaluation, calculation."""
    from treewright.evaluation.cautions import baseline_warning

    check_files([out], [model, table], as_json=output.as_json)
    check_page(out)
    fitted = load_model(model, output)
    check_no_rules(fitted, model)
    check_has_target(fitted, model)
    with output.warnings_as_notes():
        rows = judged_table(fitted, table, judged, options.keeping(plan.own_columns), output)
        plan.check({rows.target: "the target", options.weight or "": "the weight of the rows"})
        division = plan.arguments(rows.whole, table) | {"folds": plan.folds}
    page = write_report(
        fitted, rows, table, out, output, **division, title=title or "", frontier=frontier
    )
    if plan != PlanOptions() and not page.facts.is_resampled:
        output.note(
            "the model was not trained on these rows, so it was tested on them as it is: flags "
            "for cross-validation had no effect"
        )
    if output.as_json:
        output.json({"file": str(out), "evaluation": page.facts.evaluation.to_dict()})
    found = page.facts.evaluation
    finish((*found.warnings, *baseline_warning(found.verdict)), output, strict=strict)
