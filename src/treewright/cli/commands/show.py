"""`treewright show`: print a saved tree, rules or model summary, or draw a tree."""

from pathlib import Path
from typing import Annotated, Any

import typer

from treewright.cli.fitted_models import (
    check_no_learned,
    is_ensemble,
    is_learned,
    print_tree,
    summary_of,
)
from treewright.cli.output import JsonOption, Output, QuietOption, check_can_write
from treewright.cli.saved import (
    ModelArgument,
    TreeOption,
    check_no_rules,
    load_model_or_tree,
)
from treewright.cli.streams import check_one_output, is_standard, print_data
from treewright.errors import ParameterError


def show(
    model: ModelArgument,
    *,
    tree: TreeOption = None,
    max_depth: Annotated[
        int | None, typer.Option(metavar="N", min=0, help="Show at most this many levels.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="FILE", help="Draw the tree: .svg, .png or .html."),
    ] = None,
    max_nodes: Annotated[
        int, typer.Option(metavar="N", min=1, help="Maximum number of nodes in a picture.")
    ] = 40,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Print a saved tree, rules or a summary of another model, or draw a tree."""
    import treewright as tw

    output = Output(quiet=quiet)
    if out is not None:
        check_can_write(out, model)
        check_one_output(out, as_json=as_json)
    fitted = load_model_or_tree(model, tree, output)
    if out is not None:
        check_can_be_drawn(fitted, model)
        limits: dict[str, Any] = {"max_depth": max_depth, "max_nodes": max_nodes}
        picture = fitted.draw(**limits) if is_learned(fitted) else tw.draw(fitted, **limits)
        draw(picture, out, output)
        if as_json:
            output.json({**summary_of(fitted), "file": str(out)})
        return
    if isinstance(fitted, tw.RuleSet):
        if as_json:
            output.json(fitted.to_dict())
        else:
            output.data(fitted.to_text())
        return
    if as_json:
        output.json(summary_of(fitted))
        return
    print_tree(fitted, output, max_depth=max_depth)


def check_can_be_drawn(fitted: Any, path: Path) -> None:
    """Raise unless there is one tree to draw."""
    if is_ensemble(fitted):
        raise ParameterError(
            f"`{path}` holds {len(fitted.trees_):,} trees, and a picture shows only one",
            hint="--tree 0 draws the first of them",
        )
    if not hasattr(fitted, "draw"):
        check_no_learned(fitted, path)
    check_no_rules(fitted, path)


def draw(picture: Any, out: Path, output: Output) -> None:
    """Write the picture in the format of the file extension, or as SVG to standard output."""
    if is_standard(out):
        print_data(f"{picture.to_svg()}\n")
        return
    picture.save(out)
    output.wrote(out, f"drawn to {out}")
