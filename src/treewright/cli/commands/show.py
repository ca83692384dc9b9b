"""`treewright show`: print a saved tree, rules or model summary, or draw a tree."""

from pathlib import Path
from typing import Annotated, Any

import typer

from treewright.cli.fitted_models import (
    check_not_other_model,
    is_ensemble,
    is_other_model,
    print_tree,
    summary_of,
)
from treewright.cli.groups import flag, out_flag
from treewright.cli.output import Output, check_files
from treewright.cli.saved import (
    ModelArgument,
    TreeOption,
    check_no_rules,
    load_model_or_tree,
    rows_for,
)
from treewright.cli.streams import is_standard, print_data
from treewright.cli.tables import TableOptions, TargetOptions
from treewright.errors import ParameterError


def show(
    model: ModelArgument,
    table: Annotated[
        str | None,
        typer.Argument(metavar="TABLE", help="Training table, to show its rows in a picture."),
    ] = None,
    *,
    judged: TargetOptions,
    options: TableOptions,
    tree: TreeOption = None,
    max_depth: Annotated[int | None, flag("Show at most this many levels.", "N", min=0)] = None,
    out: Annotated[Path | None, out_flag("Draw the tree: .svg, .png, .pdf or .html.")] = None,
    max_nodes: Annotated[int, flag("Maximum number of nodes in a picture.", "N", min=1)] = 40,
    color: Annotated[
        list[str] | None, flag("Color of a class in a picture. Repeatable.", "CLASS=COLOR")
    ] = None,
    output: Output,
) -> None:
    """Print a saved tree, rules or a summary of another model, or draw a tree."""
    import treewright as tw

    check_files([out], [model, table], as_json=output.as_json)
    check_for_picture(out, {"TABLE": table, "--color": color})
    fitted = load_model_or_tree(model, tree, output, with_rows=table is not None)
    if out is not None:
        check_can_be_drawn(fitted, model)
        limits: dict[str, Any] = {"max_depth": max_depth, "max_nodes": max_nodes}
        if color:
            limits["colors"] = colors_of(color)
        if is_other_model(fitted):
            picture = fitted.draw(**limits)
        else:
            rows = rows_for(fitted, table, judged, options, output)
            picture = tw.draw(fitted, **rows, **limits)
        draw(picture, out, output)
        if output.as_json:
            output.json({**summary_of(fitted), "file": str(out)})
    elif output.as_json:
        is_rules = isinstance(fitted, tw.RuleSet)
        output.json(fitted.to_dict() if is_rules else summary_of(fitted))
    elif isinstance(fitted, tw.RuleSet):
        output.data(fitted.to_text())
    else:
        print_tree(fitted, output, max_depth=max_depth)


def check_for_picture(out: Path | None, given: dict[str, Any]) -> None:
    """Raise if an option is given that only pictures use."""
    for name, value in given.items():
        if value and out is None:
            raise ParameterError(
                f"{name} is for pictures", hint="add --out tree.html or --out tree.svg"
            )


def colors_of(given: list[str]) -> dict[str, str]:
    """`yes=teal` as a pair of class and color."""
    pairs = [text.rpartition("=") for text in given]
    for text, (label, _, _) in zip(given, pairs, strict=True):
        if not label:
            raise ParameterError(f"--color {text}", hint="write --color CLASS=COLOR")
    return {label: color for label, _, color in pairs}


def check_can_be_drawn(fitted: object, path: Path) -> None:
    """Raise unless there is one tree to draw."""
    if is_ensemble(fitted):
        raise ParameterError(
            f"`{path}` holds {len(fitted.trees_):,} trees, and a picture shows only one",
            hint="--tree 0 draws the first of them",
        )
    if not hasattr(fitted, "draw"):
        check_not_other_model(fitted, path)
    check_no_rules(fitted, path)


def draw(picture: Any, out: Path, output: Output) -> None:
    """Write the picture in the format of the file extension, or as SVG to standard output."""
    if is_standard(out):
        print_data(f"{picture.to_svg()}\n")
        return
    picture.save(out)
    output.wrote(out, f"drawn to {out}")
