"""`treewright export`: a saved tree as program code, a query or a file for other programs."""

from pathlib import Path
from typing import Annotated, Any

import typer

from treewright.cli.commands.prune import named_options
from treewright.cli.output import JsonOption, Output, QuietOption, check_can_write
from treewright.cli.saved import ModelArgument, TreeOption, load_model_or_tree
from treewright.cli.streams import (
    STANDARD,
    check_one_output,
    is_standard,
    print_data,
    write_content,
)


def export(
    model: ModelArgument,
    *,
    to: Annotated[
        str, typer.Option("--to", metavar="FORMAT", help="python, c, java, sql, pmml, onnx, ...")
    ],
    tree: TreeOption = None,
    option: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=VALUE", help="Option of the format. Repeatable."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="FILE", help="Write here; default stdout."),
    ] = None,
    verify: Annotated[
        bool,
        typer.Option("--verify", help="Run the code, compare it with the model."),
    ] = False,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Write a saved tree as program code, a query, or a file for other programs."""
    import treewright as tw
    from treewright.verbs.export import format_called

    if out is not None:
        check_can_write(out, model)
    check_one_output(out, as_json=as_json)
    out = None if is_standard(out) else out
    output = Output(quiet=quiet)
    fitted = load_model_or_tree(model, tree, output)
    options = named_options(option or [])
    with output.warnings_as_notes():
        wanted: Any = to  # tw.export refuses unknown names
        code = tw.export(fitted, wanted, path=out, **options)
        verified = tw.verify_export(fitted, code, wanted, **options) if verify else None
    if as_json:
        facts = {
            "format": format_called(to),
            "file": str(out) if out else None,
            "n_bytes": len(code),
        }
        checked = None if verified is None else bool(verified)
        output.json({**facts, "verified": checked, "code": None if out else as_text(code)})
    elif out is None:
        if isinstance(code, bytes):
            write_content(code, Path(STANDARD))
        else:
            print_data(f"{code}\n")
    else:
        output.note(f"written to {out}")
    if verified is not None:
        output.note(str(verified))
        if not verified:
            raise typer.Exit(1)


def as_text(code: str | bytes) -> str:
    """The code for JSON; bytes in base64."""
    from base64 import b64encode

    return code if isinstance(code, str) else b64encode(code).decode()
