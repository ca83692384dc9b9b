"""`treewright train`: train a model on a table, print it, and save it."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

from treewright.cli.algorithms import ModelName, needs_no_target
from treewright.cli.clusters import DaskOption, dask_client
from treewright.cli.fitted_models import (
    is_ensemble,
    is_other_model,
    print_top_of_tree,
    size_of,
    summary_of,
)
from treewright.cli.groups import flag, out_flag
from treewright.cli.learning import (
    LearningOptions,
    LearningRows,
    ModelOption,
    estimator_for,
    rows_in,
    rows_without_target,
    task_of,
)
from treewright.cli.output import Output, check_files
from treewright.cli.reporting import check_page, write_report
from treewright.cli.saved import save_model
from treewright.cli.streams import is_standard
from treewright.cli.tables import TableArgument, TableOptions
from treewright.cli.tree_sizes import LeavesOption, other_sizes, sizes_text, with_leaves
from treewright.cli.verdicts import (
    StrictOption,
    VerdictOption,
    finish,
    timed_fit,
    trained_verdict,
)
from treewright.errors import ParameterError
from treewright.registry import NO_TARGET

FEW_FOR_A_CLUSTER = 1_000_000  # rows; see `python -m benchmarks.distributed`


def train(
    table: TableArgument,
    *,
    settings: Mapping[str, object],
    learning: LearningOptions,
    options: TableOptions,
    model: ModelOption = None,
    leaves: LeavesOption = None,
    out: Annotated[Path | None, out_flag("Save the model here.")] = None,
    report: Annotated[
        Path | None, flag("Write a report on the model here: HTML or Markdown.", "FILE")
    ] = None,
    verdict: VerdictOption = True,
    strict: StrictOption = False,
    dask: DaskOption = None,
    output: Output,
) -> None:
    """Train a model on a table, print it, and save it."""
    check_files([out, report], [table], as_json=output.as_json)
    check_page(report)
    if report is not None and needs_no_target(model):
        raise ParameterError(
            f"--report: a report scores predictions, and {model} learns without a target",
            hint="leave it out",
        )
    if model == "readable" and leaves is not None:
        if "max_leaf_nodes" in settings:
            raise ParameterError(
                "--leaves and --max-leaf-nodes say the same of readable", hint="give one of them"
            )
        if leaves < 2:
            raise ParameterError(
                "--leaves 1 is a tree without splits, and readable trees have at least two leaves",
                hint="use --leaves 2 or more",
            )
        settings = {**settings, "max_leaf_nodes": leaves}
    with output.warnings_as_notes(), dask_client(dask) as client:
        learner = model, settings
        (fitted, rows), seconds = learned(table, options, learning, learner, output, client)
        fitted = with_leaves(fitted, rows, leaves)
    if out is not None:
        save_model(fitted, out, output)
    page = None
    if report is not None:
        page = write_report(fitted, rows, rows.source, report, output)
    prints = not (output.as_json or is_standard(out) or is_standard(report))
    sizes = other_sizes(fitted, rows) if prints or output.as_json else None
    if prints:
        print_top_of_tree(fitted, output)
        for text in (sizes_text(sizes), result_text(fitted, rows)):
            if text:
                output.data(f"\n{text}")
    is_wanted = verdict and (prints or output.as_json or strict)
    found = trained_verdict(fitted, rows, output, seconds=seconds if is_wanted else None, page=page)
    if output.as_json:
        output.json(
            {
                **summary_of(fitted),
                "target": rows.target or None,
                "file": str(out) if out else None,
                "report": str(report) if report else None,
                "sizes": None if sizes is None else sizes.to_dict(),
                **found.to_dict(),
            }
        )
    elif prints and found.text:
        output.data(found.text)
    finish(found.warnings, output, strict=strict)


def learned(
    table: str,
    options: TableOptions,
    learning: LearningOptions,
    learner: tuple[ModelName | None, Mapping[str, object]],
    output: Output,
    client: Any = None,
) -> tuple[tuple[Any, LearningRows], float]:
    """The fitted model and its training rows, and the seconds that the fit took."""
    model, settings = learner
    if needs_no_target(model):
        if learning.task != "auto":
            raise ParameterError(f"--task: {model} learns without a target", hint="leave it out")
        estimator = estimator_for(model, NO_TARGET, settings)
        keep_ids = learning.keep_ids
        rows = rows_without_target(table, learning.target, options, output, keep_ids=keep_ids)
        return timed_fit(replace(rows, client=client), estimator, output)
    rows = rows_in(options.read(table), table, options, learning, output)
    task = task_of(rows, [model], learning.task, output)
    if client is not None and rows.table.n_rows < FEW_FOR_A_CLUSTER:
        n_rows = f"{rows.table.n_rows:,} rows"
        output.note(f"a table of {n_rows} probably trains faster without --dask")
    estimator = estimator_for(model, task, settings)
    return timed_fit(replace(rows, client=client), estimator, output)


def result_text(fitted: Any, rows: LearningRows) -> str:
    """Size of the model, and its score on the training rows; "" for clusters."""
    if not rows.target:
        if not hasattr(fitted, "decision_function"):
            return ""
        n_outliers = int((fitted.predict(rows.table) == -1).sum())
        return f"{n_outliers:,} of {rows.table.n_rows:,} training rows are outliers"
    if not hasattr(fitted, "classes_"):
        known = f"training R² {fitted.score(rows.table, rows.y):.3f}"
    else:
        n_right = int((fitted.predict(rows.table) == rows.y).sum())
        share = 100 * n_right / len(rows.y)
        known = f"training accuracy {share:.1f} % ({n_right} of {len(rows.y)} rows)"
    if is_ensemble(fitted) or is_other_model(fitted):  # its size is printed first
        return f"{known}, which is optimistic"
    return f"{size_of(fitted)}; {known}"
