"""Command-line flags from parameter declarations: `max_depth` becomes `--max-depth`.

Several estimators may share a flag and declare it with different limits. So a flag arrives as text
and is parsed by the declaration of the chosen estimator; a wrong value gets the same message as in
Python. A flag that is not given is not passed on: each estimator uses its own default.
"""

import inspect
import json
from collections.abc import Container, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

from treewright.cli.groups import Command, called_with, flag, with_groups
from treewright.errors import ParameterError

if TYPE_CHECKING:
    from treewright.param import Param

Families = Mapping[str, Mapping[str, str]]  # flag: family of models: what it does there
MANY_FAMILIES = 3  # if so many share a flag's meaning, they are not named
MAX_METAVAR = 32
# Settings of algorithms that help shows unless it is asked for more.
USUAL = (
    "criterion",
    "max_depth",
    "max_leaf_nodes",
    "min_samples_leaf",
    "prune",
    "confidence",
    "missing",
    "n_estimators",
    "learning_rate",
    "n_neighbors",
    "n_clusters",
)
HELP_ALL = inspect.Parameter(
    "help_all",
    inspect.Parameter.KEYWORD_ONLY,
    default=False,
    annotation=Annotated[
        bool,
        flag("Show the settings of all algorithms (of one: --model NAME --help).", "--help-all"),
    ],
)
OF_NAMES = {"inductors", "column_order"}  # lists of names, given without brackets and quotes


def learning_command(command: Command, *, with_settings: bool, shown: str | None = None) -> Command:
    """`command` with its groups of flags, and on request a flag for every setting of estimators.

    Settings cost an import, so only the command that is called has them. Its help shows those of
    the algorithm `shown`, of none ("") the usual ones, or all of them (None).
    """
    params: Sequence[Param] = ()
    families: Families = {}
    hidden: Container[str] = ()
    if with_settings:
        from treewright.cli.settings import every_setting, families_of_settings, names_of_settings

        params, families = every_setting(), families_of_settings()
        if shown is not None:
            visible = names_of_settings(shown) or USUAL
            hidden = {param.name for param in params if param.name not in visible}
    return with_param_flags(with_groups(command), params, families, hidden)


def with_param_flags(
    command: Command, params: Iterable["Param"], families: Families, hidden: Container[str] = ()
) -> Command:
    """`command` with one more flag for each parameter; it gets those given as `settings`."""
    by_name: dict[str, list[Param]] = {}
    for param in params:
        by_name.setdefault(param.name, []).append(param)

    def run(*, help_all: bool = False, **values: Any) -> Any:
        flags = {name: values.pop(name) for name in by_name}
        given = {name: value for name, value in flags.items() if value is not None}
        return command(**values, settings=given)

    own = [p for p in inspect.signature(command).parameters.values() if p.name != "settings"]
    flags = [
        as_flag(each, families[name], is_hidden=name in hidden) for name, each in by_name.items()
    ]
    return called_with([*own, *flags, HELP_ALL], run, command)


def as_flag(
    declarations: Sequence["Param"], by_family: Mapping[str, str], *, is_hidden: bool = False
) -> inspect.Parameter:
    """The flag of one parameter, which several estimators may declare."""
    param = declarations[0]
    name = param.name.replace("_", "-")
    is_switch = param.type is bool
    option = flag(
        help_text(declarations, by_family),
        *([f"--{name}/--no-{name}"] if is_switch else [metavar(declarations), f"--{name}"]),
        show_default=False,
        hidden=is_hidden,
    )
    kind: Any = bool | None if is_switch else str | None
    return inspect.Parameter(
        param.name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=Annotated[kind, option]
    )


def help_text(declarations: Sequence["Param"], by_family: Mapping[str, str]) -> str:
    """The summary as a sentence, and the choices if they are too many to stand by the flag."""
    summary = summary_by_family(by_family)
    choices = all_choices(declarations)
    return f"{summary}. One of: {', '.join(choices)}." if are_many(choices) else f"{summary}."


def summary_by_family(by_family: Mapping[str, str]) -> str:
    """What a flag does: first for most models, then for the others by name."""
    families: dict[str, list[str]] = {}
    for family, summary in by_family.items():
        families.setdefault(summary, []).append(family)
    of_many = [summary for summary, names in families.items() if len(names) >= MANY_FAMILIES]
    of_few = [
        f"{', '.join(names).capitalize()}: {after_colon(one)}"
        for one, names in families.items()
        if one not in of_many
    ]
    return ". ".join([*of_many, *of_few])


def after_colon(text: str) -> str:
    """With a small first letter, unless the first word is a name such as L1."""
    is_word = text[1:2].islower() or text[1:2] == " "
    return f"{text[:1].lower()}{text[1:]}" if is_word else text


def metavar(declarations: Sequence["Param"]) -> str:
    """The values that the flag takes: `INTEGER|none`, `gini|entropy`."""
    choices = all_choices(declarations)
    kinds = {param.type for param in declarations}
    takes_shares = any(param.share or "share" in param.accepts_text for param in declarations)
    has_fractions = float in kinds or takes_shares
    numbers = ["NUMBER"] if has_fractions else ["INTEGER"] if int in kinds else []
    words = ["WORD"] if str in kinds and not choices else []
    structure = ["JSON"] if object in kinds else []
    none = ["none"] if any(param.optional for param in declarations) else []
    return "|".join(
        [*(["NAME"] if are_many(choices) else choices), *numbers, *words, *structure, *none]
    )


def all_choices(declarations: Sequence["Param"]) -> list[str]:
    return list(dict.fromkeys(choice for param in declarations for choice in param.choices))


def are_many(choices: Sequence[str]) -> bool:
    return len("|".join(choices)) > MAX_METAVAR


def as_value(param: "Param", given: object) -> object:
    """The value that a flag stands for, or the error that Python would raise."""
    value = read_value(param, given) if isinstance(given, str) else given
    param.check(value)
    return value


def read_value(param: "Param", text: str) -> object:
    if text in param.choices:
        return text
    if param.optional and text.lower() == "none":
        return None
    is_structure = param.accepts is not None and text.lstrip().startswith(("[", "{"))
    if param.type is object or is_structure:
        if param.name in OF_NAMES and not text.lstrip().startswith("["):
            return [name.strip() for name in text.split(",")]
        return read_json(text, f"{param.name}={text!r}", f"use {param.allowed}")
    return read_number(text) if param.type in (int, float) else text


def read_json(text: str, where: str, hint: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise ParameterError(f"{where} is not JSON: {error.msg.lower()}", hint=hint) from None


def read_number(text: str) -> object:
    """A number if `text` is one; otherwise the text itself, for the declaration to refuse."""
    for read in (int, float):
        try:
            return read(text)
        except ValueError:
            continue
    return text
