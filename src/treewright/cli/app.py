"""The list of commands. A new command is a file in `commands` and a line here."""

from collections.abc import Sequence
from importlib import import_module
from typing import Annotated

import typer

from treewright import __version__
from treewright.cli.flags import learning_command
from treewright.cli.groups import Command, with_groups

ABOUT = "Train, inspect and explain decision trees."

# Commands that train have a flag for every setting of the estimators, which costs an import.
LEARNING = ("train", "evaluate", "compare", "tune")
OTHERS = (
    "show",
    "worksheet",
    "explain",
    "predict",
    "prune",
    "distil",
    "rules",
    "export",
    "report",
    "elbow",
    "columns",
    "impute",
    "discretize",
    "samples",
    "doctor",
)
COMMANDS = (*LEARNING, *OTHERS)  # in the order in which they are usually used


def make_app(words: Sequence[str], *, completing: bool = False) -> typer.Typer:
    """The app that handles this command line.

    Commands take time to load, so it holds only the one that is called. Help, completion and the
    correction of a wrong name need all of them. Only a called command has flags for settings.
    """
    called = next((word for word in words if not word.startswith("-")), "")
    names = (called,) if called in COMMANDS and not completing else COMMANDS
    app = typer.Typer(
        name="treewright",
        help=ABOUT,
        no_args_is_help=True,
        add_completion=True,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(common)
    for name in names:
        if name in LEARNING:
            made = learning_command(command_named(name), with_settings=name in words)
        else:
            made = with_groups(command_named(name))
        app.command(name)(made)
    return app


def command_named(name: str) -> Command:
    """The function of a command."""
    command: Command = getattr(import_module(f"treewright.cli.commands.{name}"), name)
    return command


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
