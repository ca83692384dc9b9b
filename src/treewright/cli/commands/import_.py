"""`treewright import`: a model file of another library becomes a model of ours."""

from pathlib import Path
from typing import Annotated

import typer

from treewright.cli.fitted_models import ensemble_text, is_ensemble
from treewright.cli.groups import flag, out_flag
from treewright.cli.output import Output, check_files
from treewright.cli.saved import save_model
from treewright.cli.streams import is_standard
from treewright.cli.tables import TableOptions
from treewright.errors import ParameterError


def import_(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="Model file of LightGBM, XGBoost or CatBoost, ONNX or PMML file, or tree printed "
            "by R or Weka.",
        ),
    ],
    *,
    format: Annotated[
        str | None, flag("The library that wrote the file; by default it is recognized.", "NAME")
    ] = None,
    table: Annotated[Path | None, flag("Compare predictions on these rows too.", "TABLE")] = None,
    predictions: Annotated[
        str | None, flag("Column of the table that has the predictions of the original.", "COLUMN")
    ] = None,
    no_verify: Annotated[
        bool, flag("Do not give the file to its library to compare predictions.", "--no-verify")
    ] = False,
    options: TableOptions,
    out: Annotated[Path | None, out_flag("Save the model here.")] = None,
    output: Output,
) -> None:
    """Read a model of another library, and compare it with the original.

    Files are read without the library. If it is installed, raw scores are compared on rows at,
    just below and just above every threshold. Nothing in a file is executed; pickles are refused.
    """
    import treewright as tw

    check_files([out], [file, *([] if table is None else [table])], as_json=output.as_json)
    if predictions is not None and table is None:
        raise ParameterError("--predictions is a column of --table", hint="give the table too")
    X = y = None
    with output.warnings_as_notes():
        if table is not None:
            rows = options.read(str(table))
            if predictions is not None:
                y = rows[predictions].to_numpy()
                rows = rows.drop(predictions)
            X = rows
        model = tw.import_model(file, format=format, X=X, y=y, verify=not no_verify)
    if out is not None:
        save_model(model, out, output)
    report = model.import_report_
    if output.as_json:
        classes = model.state_.classes
        facts = {
            "model": type(model).__name__,
            "classes": None if classes is None else classes.tolist(),
            "columns": list(model.schema_.names),
            "n_trees": len(model.trees_) if is_ensemble(model) else 1,
            "n_leaves": model.get_n_leaves(),
        }
        output.json({**facts, **report.to_dict(), "file": str(out) if out else None})
    elif not is_standard(out):
        size = ensemble_text(model) if is_ensemble(model) else f"{model.get_n_leaves():,} leaves"
        output.data(f"{type(model).__name__}: {size}")
        output.data(str(report))
