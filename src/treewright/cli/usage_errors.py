"""Rewrites typer's usage errors in our format: what is wrong, then a hint."""

import re
from dataclasses import fields
from typing import TYPE_CHECKING

from treewright.cli.streams import ARGUMENTS
from treewright.cli.tables import PlanOptions, is_sample, is_table
from treewright.errors import nearest

if TYPE_CHECKING:
    import typer

# Pattern of typer's message: our message.
PHRASES = {
    r"Value error, '(.*)' is not one of .*": r"there is no `\1`",
    r"Input should be a valid integer.*": "must be a whole number",
    r"Input should be a valid number.*": "must be a number",
    r"Input should be greater than or equal to (\S+)": r"must be at least \1",
    r"Input should be less than or equal to (\S+)": r"must be at most \1",
    r"Option '(\S+)' requires an argument": r"\1 needs a value",
    r"Got unexpected extra argument\(?s?\)? \((.*)\)": r"too many arguments: \1",
    r"No such (option|command):? '?([^']+?)'?": r"there is no \1 `\2`",
}
# Flags that choose test rows; people often give them to `train` as well.
OF_JUDGING = {"--" + field.name.replace("_", "-") for field in fields(PlanOptions)}
TOO_MANY = re.compile(r"Got unexpected extra argument\(?s?\)? \((?P<words>.*)\)")
ONE_OF = re.compile(r"'(?P<given>.*)' is not one of (?P<choices>'.*')")


def usage_message(mistake: "typer.TyperException") -> str:
    """The mistake and a hint, as the text of an error."""
    return f"{problem_of(mistake)}\nhint: {near_of(mistake) or see_help(mistake)}"


def problem_of(mistake: "typer.TyperException") -> str:
    """One line, which names the flag or the argument that is wrong."""
    message = mistake.message.partition(" Did you mean")[0].rstrip(".")
    for theirs, ours in PHRASES.items():
        message = re.sub(f"^{theirs}$", ours, message)
    message = message[:1].lower() + message[1:]
    name = name_of(getattr(mistake, "param", None))
    if not name:
        return message
    return f"{name}: {message}" if message else f"{name} is missing"


def name_of(param: object) -> str:
    """The name of a parameter on the command line: the flag, or its name in the usage line."""
    if param is None:
        return ""
    flags = [flag for flag in getattr(param, "opts", ()) if flag.startswith("--")]
    return str(flags[0] if flags else getattr(param, "metavar", None) or "")


def near_of(mistake: "typer.TyperException") -> str:
    """The nearest valid choice, or a list of all."""
    choices = ONE_OF.search(mistake.message)
    if choices is not None:
        return nearest(choices["given"], re.findall(r"'([^']*)'", choices["choices"]), "choices")
    flag = getattr(mistake, "option_name", "")
    if flag in OF_JUDGING:
        return f"{flag} is for the commands evaluate, compare, tune and report"
    if flag == "--dialect":
        return "give the dialect as an option of the format: `--option dialect=NAME`"
    from treewright.cli.settings import RENAMED

    renamed = RENAMED.get(flag.removeprefix("--").replace("-", "_"))
    if renamed is not None:
        return f"did you mean --{renamed.replace('_', '-')}?"
    if hint := near_target(mistake):
        return hint
    known = list(getattr(mistake, "possibilities", None) or ())
    _, _, listed = mistake.message.partition("Did you mean ")
    known += re.findall(r"'([^']*)'", listed)
    return f"did you mean `{known[0]}`?" if known else ""


def near_target(mistake: "typer.TyperException") -> str:
    """A second argument after the table is often meant as the target; many tables are a pattern
    that the shell has expanded.
    """
    extra = TOO_MANY.search(mistake.message)
    context = getattr(mistake, "ctx", None)
    if extra is None or context is None:
        return ""
    if all(is_table(word) and not is_sample(word) for word in extra["words"].split()):
        return "to read many files as one table, quote the pattern, as in 'day*.csv'"
    if " " in extra["words"]:
        return ""
    takes_target = any("--target" in param.opts for param in context.command.params)
    has_target = any(word.startswith(("--target", "-t")) for word in ARGUMENTS.get())
    if not takes_target or has_target or is_table(extra["words"]):
        return ""
    return f"did you mean `--target {extra['words']}`?"


def see_help(mistake: "typer.TyperException") -> str:
    context = getattr(mistake, "ctx", None)
    command = context.command_path if context is not None else "treewright"
    return f"`{command} --help` lists its arguments and options"
