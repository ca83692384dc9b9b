"""`treewright export`: a saved tree or forest as code, a query or a file for other programs."""

from pathlib import Path
from typing import Annotated, Any

import typer

from treewright.cli.commands.prune import named_options
from treewright.cli.groups import flag, out_flag
from treewright.cli.output import Output, check_files
from treewright.cli.saved import ModelArgument, TreeOption, load_model_or_tree
from treewright.cli.streams import STANDARD, is_standard, print_data, write_content
from treewright.cli.tables import Repeated


def export(
    model: ModelArgument,
    *,
    to: Annotated[str, flag("python, c, java, sql, pmml, onnx, ...", "FORMAT", "--to")],
    tree: TreeOption = None,
    option: Annotated[Repeated, flag("Option of the format. Repeatable.", "NAME=VALUE")] = None,
    out: Annotated[Path | None, out_flag("Write here; default stdout.")] = None,
    verify: Annotated[bool, flag("Run the code, compare it with the model.", "--verify")] = False,
    output: Output,
) -> None:
    """Write a saved tree or forest as program code, a query, or a file for other programs."""
    import treewright as tw
    from treewright.verbs.export import format_called

    check_files([out], [model], as_json=output.as_json)
    out = None if is_standard(out) else out
    fitted = load_model_or_tree(model, tree, output)
    options = named_options(option or [])
    with output.warnings_as_notes():
        wanted: Any = to  # tw.export refuses unknown names
        code = tw.export(fitted, wanted, path=out, **options)
        if out is not None and not output.as_json:
            output.note(f"written to {out}")
        verified = tw.verify_export(fitted, code, wanted, **options) if verify else None
    if output.as_json:
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
    if verified is not None:
        output.note(str(verified))
        if not verified:
            raise typer.Exit(1)


def as_text(code: str | bytes) -> str:
    """The code for JSON; bytes in base64."""
    from base64 import b64encode

    return code if isinstance(code, str) else b64encode(code).decode()
