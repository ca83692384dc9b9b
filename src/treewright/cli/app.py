"""The list of commands. A new command is a file in `commands` and a line here."""

from typing import Annotated

import typer

from treewright import __version__
from treewright.cli.commands import (
    columns,
    compare,
    discretize,
    distil,
    doctor,
    elbow,
    evaluate,
    explain,
    export,
    impute,
    predict,
    prune,
    report,
    rules,
    samples,
    show,
    train,
    tune,
    worksheet,
)
from treewright.cli.flags import learning_command
from treewright.cli.groups import Command, with_groups

ABOUT = "Train, inspect and explain decision trees."

# Commands that train have a flag for every setting of the estimators, which costs an import.
LEARNING: dict[str, Command] = {
    "train": train.train,
    "evaluate": evaluate.evaluate,
    "compare": compare.compare,
    "tune": tune.tune,
}
OTHERS: dict[str, Command] = {
    "show": show.show,
    "worksheet": worksheet.worksheet,
    "explain": explain.explain,
    "predict": predict.predict,
    "prune": prune.prune,
    "distil": distil.distil,
    "rules": rules.rules,
    "export": export.export,
    "report": report.report,
    "elbow": elbow.elbow,
    "columns": columns.columns,
    "impute": impute.impute,
    "discretize": discretize.discretize,
    "samples": samples.samples,
    "doctor": doctor.doctor,
}


def make_app(*, with_settings: bool) -> typer.Typer:
    """The app with all commands, in the order in which they are usually used."""
    app = typer.Typer(
        name="treewright",
        help=ABOUT,
        no_args_is_help=True,
        add_completion=True,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(common)
    for name, command in LEARNING.items():
        app.command(name)(learning_command(command, with_settings=with_settings))
    for name, command in OTHERS.items():
        app.command(name)(with_groups(command))
    return app


def print_version(wanted: bool) -> None:  # noqa: FBT001 -- typer calls it so
    if wanted:
        print(f"treewright {__version__}")
        raise typer.Exit


def common(
    *,
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=print_version, is_eager=True, help="Show the version and exit."
        ),
    ] = False,
) -> None:
    """Options of every command."""
