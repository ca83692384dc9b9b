"""`treewright elbow`: choose the number of clusters."""

import shlex
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from treewright.cli.commands.show import draw
from treewright.cli.learning import KeepIdsOption, rows_alone
from treewright.cli.output import JsonOption, Output, QuietOption, check_can_write
from treewright.cli.reporting import words_without
from treewright.cli.streams import check_one_output, is_standard
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
        Clustering | None,
        typer.Option(help="Default kmeans, or kprototypes if there are nominal columns."),
    ] = None,
    least: Annotated[int, typer.Option("--from", min=1, help="Fewest clusters to try.")] = 1,
    most: Annotated[
        int | None,
        typer.Option("--to", min=3, help="Largest number of clusters to try; default 10."),
    ] = None,
    target: Annotated[
        str | None, typer.Option("--target", "-t", metavar="COLUMN", help="Leave this column out.")
    ] = None,
    keep_ids: KeepIdsOption = False,
    options: TableOptions,
    seed: Annotated[int, typer.Option(min=0, help="Random seed of the starts.")] = 0,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="FILE", help="Draw the curve: .svg, .png or .html."),
    ] = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Fit an increasing number of clusters, and find the elbow of the curve."""
    import treewright as tw

    if out is not None:
        check_can_write(out, table)
        check_ending(out)
    check_one_output(out, as_json=as_json)
    output = Output(quiet=quiet)
    with output.warnings_as_notes():
        rows = rows_alone(table, target, options, output, keep_ids=keep_ids)
        kind = model or usual_clustering(rows.table)
        estimator = getattr(tw, ESTIMATORS[kind])(random_state=seed)
        numbers = numbers_tried(least, most, rows.table.n_rows)
        curve = tw.elbow(rows.table, numbers, model=estimator, sample_weight=rows.weights)
    if out is not None:
        draw(tw.figures.elbow(curve), out, output)
    if as_json:
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
            f"--from {least} --to {last} is too short a range",
            hint=f"try {FEWEST} or more",
        )
    return range(least, last + 1)


def command_to_learn(source: str, kind: Clustering, n_clusters: int, seed: int) -> str:
    """The command that trains the clusters on the same columns."""
    words = words_without(NOT_OF_TRAINING, NOT_OF_TRAINING_ALONE) or (source,)
    own = ["--model", kind, "--n-clusters", str(n_clusters)]
    if seed:
        own += ["--random-state", str(seed)]
    return shlex.join(["treewright", "train", *words, *own])


def check_ending(out: Path) -> None:
    """Raise early if the file name of a picture has no known extension."""
    if not is_standard(out) and out.suffix.lower() not in ENDINGS:
        raise ParameterError(
            f"`{out}` is not a file name for a picture", hint=f"use one of {', '.join(ENDINGS)}"
        )


def usual_clustering(table: Any) -> Clustering:
    """k-means for numeric columns, k-prototypes if there are nominal ones."""
    has_words = any(column.kind == "nominal" for column in table.columns)
    return "kprototypes" if has_words else "kmeans"
