"""The list of commands. A new command is a file in `commands` and a line here."""

from typing import Annotated

import typer

from treewright import __version__
from treewright.cli.commands import columns, evaluate, samples, show, train
from treewright.cli.flags import learning_command
from treewright.cli.groups import Command, with_groups

ABOUT = "Grow, read and question decision trees."


def make_app(*, with_settings: bool) -> typer.Typer:
    """The commands; only `train` needs the estimators' settings as flags, which cost an import."""
    app = typer.Typer(
        name="treewright",
        help=ABOUT,
        no_args_is_help=True,
        add_completion=False,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(common)
    learning: dict[str, Command] = {"train": train.train, "evaluate": evaluate.evaluate}
    for name, command in learning.items():
        app.command(name)(learning_command(command, with_settings=with_settings))
    app.command("show")(show.show)
    app.command("columns")(with_groups(columns.columns))
    app.command("samples")(samples.samples)
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
            "--version", callback=print_version, is_eager=True, help="Show the version and stop."
        ),
    ] = False,
) -> None:
    """Options of every command; `--version` acts by itself."""
