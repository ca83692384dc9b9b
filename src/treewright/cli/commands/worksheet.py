"""`treewright worksheet`: the calculation behind a saved model."""

from dataclasses import asdict
from math import isfinite
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from treewright.cli.fitted_models import check_flags_of_trees, is_other_model
from treewright.cli.groups import flag, out_flag
from treewright.cli.output import (
    Output,
    QuietOption,
    check_files,
    page_text,
    write_text,
)
from treewright.cli.saved import (
    ModelArgument,
    TreeOption,
    check_is_one_tree,
    load_model,
    rows_for,
)
from treewright.cli.tables import Repeated, TableOptions, TargetOptions
from treewright.errors import ParameterError
from treewright.plain_text import json_text

Format = Literal["text", "markdown", "latex", "html"]
Steps = Literal["full", "summary"]
MOST_COLUMNS = 40  # of all nodes together, shown in full by default
MOST_NODES, MOST_ROUNDS = 30, 10  # shown by default
INSTEAD = "`treewright train --model cart` grows a single tree with a complete worksheet"
BY_ENDING = {".md": "markdown", ".tex": "latex", ".html": "html"}


def worksheet(
    model: ModelArgument,
    table: Annotated[
        str | None,
        typer.Argument(metavar="TABLE", help="Training table; default: what the model stores."),
    ] = None,
    *,
    judged: TargetOptions,
    options: TableOptions,
    steps: Annotated[
        Steps | None, flag("full: all columns of a node; summary: one table; default by size.")
    ] = None,
    node: Annotated[list[int] | None, flag("Show only this node. Repeatable.", min=0)] = None,
    number: Annotated[
        list[int] | None,
        flag("Show only this round of boosted trees. Repeatable.", "--round", min=1),
    ] = None,
    tree: TreeOption = None,
    decimals: Annotated[int, flag("Number of decimals.", min=0, max=15)] = 4,
    max_nodes: Annotated[
        int | None, flag("Maximum number of nodes (30), rounds (10) or steps to show.", min=1)
    ] = None,
    measure: Annotated[Repeated, flag("Additional measure to show. Repeatable.", "NAME")] = None,
    stability: Annotated[int, flag("Resamples to test the choice at each node.", min=0)] = 0,
    to: Annotated[Format | None, flag("Default: by the extension of --out.", "--format")] = None,
    out: Annotated[Path | None, out_flag("Write here; default stdout.")] = None,
    as_json: Annotated[bool, flag("Print the numbers of each node as JSON.", "--json")] = False,
    quiet: QuietOption = False,
) -> None:
    """Show the calculation behind a tree, a forest, rounds of boosted trees, or another model."""
    import treewright as tw

    check_files([out], [model, table])
    output = Output(quiet=quiet)
    fitted = load_model(model, output)
    has_rounds = is_boosted(fitted)
    kind = to or BY_ENDING.get(out.suffix if out else "", "text")
    if is_other_model(fitted):
        of_trees = {"steps": steps, "node": node, "round": number, "measure": measure}
        check_flags_of_trees(fitted, {**of_trees, "stability": stability})
        with output.warnings_as_notes():
            page = tw.worksheet(fitted, **rows_for(fitted, table, judged, options, output))
            form = "json" if as_json else kind
            text = page_text(page, form, decimals=decimals, max_steps=max_nodes)
            write_text(text, out, output, for_programs=form != "text")
        return
    check_what_is_asked(fitted, model, node, number)
    if table is None and (has_rounds or is_forest(fitted)):
        what = "boosted trees" if has_rounds else "a forest"
        raise ParameterError(
            f"the worksheet of {what} needs the training table",
            hint=f"treewright worksheet {model} TABLE",
        )
    with output.warnings_as_notes():
        given: dict[str, Any] = rows_for(fitted, table, judged, options, output)
        if stability:
            given["stability"] = stability
        if tree is not None:
            given["tree"] = tree
        sheet = tw.worksheet(fitted, **given, measures=tuple(measure or ()))
        if as_json:
            text = json_text(numbers_of(sheet, number or node))
            write_text(text, out, output, for_programs=True)
            return
        most = max_nodes or (MOST_ROUNDS if has_rounds else MOST_NODES)
        if has_rounds:
            shown: Any = number or steps or "full"
        else:
            own = sheet.work.tree if is_forest(fitted) else fitted.tree_
            chosen_nodes(sheet, node)
            shown = node or steps or usual_steps(own, most, output)
        text = getattr(sheet, f"to_{kind}")(steps=shown, decimals=decimals, max_nodes=most)
    write_text(text, out, output, for_programs=kind != "text")


def is_boosted(model: object) -> bool:
    """Whether a model was grown round by round."""
    from treewright.ensembles.boosting.base import BoostedTrees

    return isinstance(model, BoostedTrees)


def is_forest(model: object) -> bool:
    """Whether a model is a forest whose trees predict together."""
    from treewright.ensembles.forests.base import Forest

    return isinstance(model, Forest)


def check_what_is_asked(
    model: object, path: Path, nodes: list[int] | None, rounds: list[int] | None
) -> None:
    """Raise unless the model is one tree or has rounds, and the flags match it."""
    has_rounds = is_boosted(model)
    if not has_rounds and not is_forest(model):
        check_is_one_tree(model, path, instead=INSTEAD)
    if rounds and not has_rounds:
        raise ParameterError("--round is for boosted trees", hint="--node shows a node of a tree")
    if nodes and has_rounds:
        raise ParameterError("--node is for single trees", hint="--round 1 shows the first round")


def numbers_of(sheet: Any, wanted: list[int] | None) -> list[dict[str, Any]]:
    """The numbers of the nodes of a tree, or of the trees of each round."""
    if hasattr(sheet, "rounds"):
        sheet.document(steps=wanted or "summary")  # refuses rounds that are not there
        return [
            plain(facts_of_tree(work))
            for work in sheet.rounds
            if not wanted or work.round in wanted
        ]
    return [plain(asdict(sheet.nodes[at])) for at in chosen_nodes(sheet, wanted)]


def facts_of_tree(work: Any) -> dict[str, Any]:
    """The numbers of one tree of a round, leaf by leaf."""
    leaves = [
        {
            "node": leaf.node,
            "path": leaf.path,
            "n_rows": len(leaf.rows),
            "residual_sum": leaf.residual_sum,
            "hessian_sum": leaf.hessian_sum,
            "adds": leaf.adds,
        }
        for leaf in work.leaves
    ]
    facts = {name: getattr(work, name) for name in ("round", "output", "loss_before", "loss_after")}
    return {**facts, "leaves": leaves}


def usual_steps(tree: Any, max_nodes: int, output: Output) -> Steps:
    """Full steps for a small tree, otherwise one table per node and a note."""
    n_nodes = min(max_nodes, tree.n_nodes)
    if n_nodes * len(tree.schema.names) <= MOST_COLUMNS:
        return "full"
    output.note(
        f"short form of {n_nodes} nodes; --node 0 shows all columns of one, --steps full of all"
    )
    return "summary"


def chosen_nodes(sheet: Any, wanted: list[int] | None) -> list[int]:
    """The nodes that were named, all unless some were."""
    n_nodes = len(sheet.nodes)
    for at in wanted or ():
        if at >= n_nodes:
            raise ParameterError(
                f"there is no node {at}: the tree has {n_nodes} nodes",
                hint=f"use numbers from 0 to {n_nodes - 1}",
            )
    return wanted or list(range(n_nodes))


def plain(value: Any) -> Any:
    """Numbers as JSON holds them: what is not defined is null."""
    if isinstance(value, dict):
        return {name: plain(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    value = value.item() if hasattr(value, "item") else value
    return None if isinstance(value, float) and not isfinite(value) else value
