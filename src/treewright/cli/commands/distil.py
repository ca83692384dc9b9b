"""`treewright distil`: one readable tree that approximates another saved model."""

from pathlib import Path
from typing import Annotated

from treewright.cli.fitted_models import (
    ensemble_text,
    is_ensemble,
    is_other_model,
    print_tree,
    summary_of,
)
from treewright.cli.groups import flag, out_flag
from treewright.cli.output import Output, check_files
from treewright.cli.saved import ModelArgument, fitting, load_model, save_model, schema_of
from treewright.cli.streams import is_standard
from treewright.cli.tables import TableArgument, TableOptions
from treewright.errors import ParameterError


def distil(
    model: ModelArgument,
    table: TableArgument,
    *,
    max_leaf_nodes: Annotated[int, flag("Maximum number of leaves.", "N", min=2)] = 16,
    held_out: Annotated[
        float, flag("Share of the rows held out to measure fidelity.", "SHARE")
    ] = 0.25,
    seed: Annotated[int, flag("Random seed for choosing these rows.", min=0)] = 0,
    options: TableOptions,
    out: Annotated[Path | None, out_flag("Save the tree here (JSON).")] = None,
    output: Output,
) -> None:
    """Grow one readable tree that approximates a saved ensemble or other model."""
    import treewright as tw

    check_files([out], [model, table], as_json=output.as_json)
    large = load_model(model, output)
    if not is_ensemble(large) and not is_other_model(large):
        raise ParameterError(
            f"`{model}` already holds a tree or rules", hint="`treewright show` prints it"
        )
    with output.warnings_as_notes():
        rows = fitting(large, options.read(table, schema_of(large)), table, output)
        found = tw.distil(
            large, rows, max_leaf_nodes=max_leaf_nodes, held_out=held_out, random_state=seed
        )
    small = found.model
    small.name_target(large.target_name_)
    if out is not None:
        save_model(small, out, output)
    if output.as_json:
        facts = {"fidelity": found.fidelity, "measure": found.measure, "n_rows": found.n_rows}
        held = {"n_held_out": found.n_held_out, "file": str(out) if out else None}
        output.json({**summary_of(small), **facts, **held})
    elif not is_standard(out):
        print_tree(small, output)
        size = f" ({ensemble_text(large)})" if is_ensemble(large) else ""
        output.data(
            f"\n{found.measure} with the {found.of}{size} on"
            f" {found.n_held_out:,} held-out rows: {found.fidelity:.3f}"
        )
