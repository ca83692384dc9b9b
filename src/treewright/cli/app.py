"""The list of commands. A new command is a file in `commands` and a line here."""

from collections.abc import Sequence
from importlib import import_module
from itertools import pairwise
from keyword import iskeyword
from typing import Annotated

import typer

from treewright import __version__
from treewright.cli.flags import learning_command
from treewright.cli.groups import Command, with_groups

ABOUT = "Train, inspect and explain decision trees."

# Commands that train have a flag for every setting of the estimators, which costs an import.
LEARNING = {
    "train": "Train a model on a table, print it, and save it.",
    "evaluate": "Estimate how well a model predicts new rows.",
    "compare": "Compare algorithms on the same rows.",
    "tune": "Choose settings by cross-validation.",
    "threshold": "Choose from which probability on a class is predicted.",
}
OTHERS = {
    "show": "Print or draw a saved model.",
    "worksheet": "Show the calculation behind a saved model.",
    "exercise": "Make a worksheet with blanks to fill in.",
    "explain": "Explain a prediction, and what would change it.",
    "predict": "Predict the rows of a table.",
    "prune": "Prune a saved tree, and report what was cut.",
    "distil": "Approximate a saved model by one readable tree.",
    "rules": "Print a saved model as rules.",
    "export": "Write a saved tree or forest as program code or a query.",
    "import": "Read a model of another library, and compare it with the original.",
    "report": "Write a page about a saved model and a table.",
    "frontier": "Compare trees by their number of leaves.",
    "elbow": "Find a good number of clusters.",
    "columns": "Report what each column of a table was read as.",
    "impute": "Fill in the missing values of a table.",
    "discretize": "Cut numeric columns into intervals.",
    "samples": "List the bundled tables, or write one of them.",
    "doctor": "Check the installation.",
}
COMMANDS = LEARNING | OTHERS  # in the order in which they are usually used
HELP_ALL = "--help-all"  # the settings of all algorithms, too


def make_app(words: Sequence[str], *, completing: bool = False) -> typer.Typer:
    """The app that handles this command line.

    Commands take time to load, so it holds only the one that is called. Help and the correction
    of a wrong name need only summaries; completion needs all commands.
    """
    called = next((word for word in words if not word.startswith("-")), "")
    app = typer.Typer(
        name="treewright",
        help=ABOUT,
        no_args_is_help=True,
        add_completion=True,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(common)
    for name, summary in COMMANDS.items():
        if completing or called == name:
            app.command(name)(build_command(name, words, completing=completing))
        elif called not in COMMANDS:
            app.command(name, short_help=summary)(listed_only)
    return app


def build_command(name: str, words: Sequence[str], *, completing: bool) -> Command:
    """The function of a command with all its flags; help hides most settings of algorithms."""
    if name not in LEARNING:
        return with_groups(command_named(name))
    shown = None if completing or HELP_ALL in words else model_in(words)
    return learning_command(command_named(name), with_settings=name in words, shown=shown)


def model_in(words: Sequence[str]) -> str:
    """The algorithm that the words name; "" for none."""
    given = [*(word.split("=", 1) for word in words if word.startswith("--model="))]
    given += [[word, after] for word, after in pairwise(words) if word == "--model"]
    return given[0][1] if given else ""


def listed_only() -> None:
    """In the place of a command that is only listed."""


def command_named(name: str) -> Command:
    """The function of a command."""
    own = f"{name}_" if iskeyword(name) else name
    command: Command = getattr(import_module(f"treewright.cli.commands.{own}"), own)
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
