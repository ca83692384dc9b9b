"""`treewright elbow`: choose the number of clusters."""

import shlex
from pathlib import Path
from typing import Annotated, Any, Literal

from treewright.cli.commands.show import draw
from treewright.cli.groups import flag, out_flag, target_flag
from treewright.cli.learning import KeepIdsOption, rows_without_target
from treewright.cli.output import Output, check_files
from treewright.cli.reporting import arguments_without
from treewright.cli.streams import is_standard
from treewright.cli.tables import TableArgument, TableOptions
from treewright.errors import ParameterError
from treewright.plain_text import plain

Clustering = Literal["kmeans", "kprototypes"]
ESTIMATORS = {"kmeans": "KMeans", "kprototypes": "KPrototypes"}
ENDINGS = (".svg", ".png", ".html")
FEWEST = 3  # points that make a curve
USUAL_MOST = 10
NOT_OF_TRAINING = ("--model", "--from", "--to", "--seed", "--out", "-o")
NOT_OF_TRAINING_ALONE = ("--json", "--quiet", "-q")


def elbow(
    table: TableArgument,
    *,
    model: Annotated[
        Clustering | None, flag("Default kmeans, or kprototypes if there are nominal columns.")
    ] = None,
    least: Annotated[int, flag("Fewest clusters to try.", "--from", min=1)] = 1,
    most: Annotated[
        int | None, flag("Largest number of clusters to try; default 10.", "--to", min=3)
    ] = None,
    target: Annotated[str | None, target_flag("Leave this column out.")] = None,
    keep_ids: KeepIdsOption = False,
    options: TableOptions,
    seed: Annotated[int, flag("Random seed of the starts.", min=0)] = 0,
    out: Annotated[Path | None, out_flag("Draw the curve: .svg, .png, .pdf or .html.")] = None,
    output: Output,
) -> None:
    """Fit an increasing number of clusters, and find the elbow of the curve."""
    import treewright as tw

    check_files([out], [table], as_json=output.as_json)
    if out is not None and not is_standard(out) and out.suffix.lower() not in ENDINGS:
        raise ParameterError(
            f"`{out}` is not a file name for a picture", hint=f"use one of {', '.join(ENDINGS)}"
        )
    with output.warnings_as_notes():
        rows = rows_without_target(table, target, options, output, keep_ids=keep_ids)
        kind = model or usual_clustering(rows.table)
        estimator = getattr(tw, ESTIMATORS[kind])(random_state=seed)
        numbers = numbers_tried(least, most, rows.table.n_rows)
        curve = tw.elbow(rows.table, numbers, model=estimator, sample_weight=rows.weights)
    if out is not None:
        draw(tw.figures.elbow(curve), out, output)
    if output.as_json:
        file = str(out) if out else None
        output.json({"model": ESTIMATORS[kind], **curve.to_dict(), "file": file})
    elif not is_standard(out):
        output.data(str(curve))
        command = command_to_learn(table, kind, curve.chosen, seed)
        output.data(f"\nto train it: {plain(command)}")


def numbers_tried(least: int, most: int | None, n_rows: int) -> range:
    """The numbers of clusters that make the curve."""
    last = min(USUAL_MOST, n_rows) if most is None else most
    if last - least + 1 < FEWEST:
        raise ParameterError(
            f"--from {least} --to {last} is too short a range", hint=f"try {FEWEST} or more"
        )
    return range(least, last + 1)


def command_to_learn(source: str, kind: Clustering, n_clusters: int, seed: int) -> str:
    """The command that trains the clusters on the same columns."""
    words = arguments_without(NOT_OF_TRAINING, NOT_OF_TRAINING_ALONE) or (source,)
    own = ["--model", kind, "--n-clusters", str(n_clusters)]
    if seed:
        own += ["--random-state", str(seed)]
    return shlex.join(["treewright", "train", *words, *own])


def usual_clustering(table: Any) -> Clustering:
    """k-means for numeric columns, k-prototypes if there are nominal ones."""
    has_nominal = any(column.kind == "nominal" for column in table.columns)
    return "kprototypes" if has_nominal else "kmeans"
