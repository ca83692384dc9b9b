"""Rewrites messages about Python arguments in the syntax of the command line."""

import re

# Flags with another name than the argument, and arguments that are not settings.
PLAIN = (
    *("hold_out", "folds", "repeats", "groups", "times", "measure", "method", "na", "encoding"),
    *("min_recall", "min_precision"),
)
OF_STEPS = ("strategy", "fill_value", "by_class", "add_indicator", "cut_points")
FLAGS = {"n_candidates": "candidates"} | {
    name: name.replace("_", "-") for name in (*PLAIN, *OF_STEPS)
}
DESCENTS = ("batch", "stochastic", "mini_batch")  # a method of linear models, not of a search
SENTENCES = {
    'Give na=["?", ...] to make it missing, na=[] to keep it as categories': (
        "--na TEXT makes a text missing in every column"
    ),
    "see the delimiter= setting": (
        "every line must use the separator of the first line, with quotes around cells that "
        "contain it; --delimiter sets another separator"
    ),
    "use CARTRegressor or TreeRegressor": "use --model cart --task regression",
    "categorical_features takes its values": "--categorical COLUMN takes its values",
    "cut_points names": "--cut-points names",
    "use KPrototypes, which handles": "use --model kprototypes, which handles",
    "tw.ID3Classifier grows": "--model id3 grows",
    "tw.distil(model, X) makes": "`treewright distil MODEL TABLE` makes",
    "use one of its trees: trees_[0] is the first": "--tree 0 takes the first of its trees",
    "if it is data, give header=False": "if it is data, add --no-header",
    'as in encoding="latin-1"': "as in --encoding latin-1",
    'sheet="NAME"': "--sheet NAME",
    "set `memory_map` of the scan to another folder": "set TMPDIR to another folder",
    'to="sql", dialect="': '--to sql --option dialect="',
    "say what one is called there: columns={'model name': 'table name'}": (
        """--option 'columns={"model name": "table name"}' says what one is called there"""
    ),
    "say what it is called there: columns={'model name': 'table name'}": (
        """--option 'columns={"model name": "table name"}' says what it is called there"""
    ),
    "give a DB-API connection to a scratch database: connection=...": (
        "only Python can: tw.verify_export takes a connection to a scratch database"
    ),
    "`missing_text=` sets": "--option missing_text=TEXT sets",
    "summary() describes the fitted model": "`treewright show MODEL` describes the fitted model",
    "fit a C45Classifier; model.rules_ has the rules": (
        "train with --model c45, or print the rules by `treewright rules MODEL`"
    ),
    "the tree that the rules were made from is `tree_`": (
        "`treewright rules MODEL` prints its rules"
    ),
    'give a grid such as {"max_depth": [2, 4, 8]}': "use --grid max-depth=2,4,8",
    'use a list such as ["id3", "c45", "cart"]': "use --inductors id3,c45,cart",
    "give it to the inductors: inductors=[tw.CARTClassifier(max_depth=5), ...]": (
        "leave it out, or leave out --inductors"
    ),
    "fit with an integer random_state, or give the rows that growth used": (
        "train with --random-state NUMBER, or give the rows that the tree was grown on"
    ),
    "fit more rows": "train on more rows",
    "or a dict from column to direction": "or an object from column to direction, as JSON",
    "or a dict from column to value": "or an object from column to value, as JSON",
    'table="data", or ("schema", "data")': "--option table=data",
    "give the rows of the fit, and their weights if it had some": (
        "give the table that the model was trained on, with the same --weight if it had one"
    ),
    'write "up", "down", or a pair such as (100, 200) or (100, None)': (
        "use --wanted up or --wanted down"
    ),
    "rename that column, or use add_indicator=False": (
        "rename that column, or leave out --add-indicator"
    ),
    "verify=False reads": "--no-verify reads",
    "give X and y, or neither": "give the table that the model was trained on, or none",
}
# The same for messages with variable parts.
PATTERNS = {
    r"give (the )?X(, y and sample_weight| and y|, and y,)?( of (the )?fit| that `fit` was given)"
    r"( too)?(, or fit again|, rows and columns as they were)?": (
        "give the table that the model was trained on, with the same --weight if it had one"
    ),
    r"read it with \S+ and pass the frame": "save it as a CSV file first",
    r"\bfit (a model|it) with\b": r"train \1 with",
    r"""columns=\{"([\w.+-]*)": "([\w-]+)"\}( to `read_table`)?""": r"--column \1=\2",
    r"""columns=\{"([^"]+)": "([\w-]+)"\}""": r"--column '\1=\2'",
}
EXPORT_OPTIONS = ("dialect", "form", "missing_text", "order_by", "table")
ARGUMENT = re.compile(
    r"(?<![`\w])(?<!--grid )(?<!--option )"
    r"(?P<name>[a-z]\w*)="
    r'(?:"(?P<word>[^"]*)"|(?P<truth>True|False)\b|(?=(?P<next>.?)))'
)
TYPED_VALUE = re.compile(r"(--[a-z][a-z-]* )'([\w.+-]+)'")
QUOTED_WORD = re.compile(r'"([\w.+-]+)"')
BEGINS_VALUE = re.compile(r"[\w\[{'.+-]")


def in_command_syntax(text: str) -> str:
    """The message with flags in place of arguments.

    >>> print(in_command_syntax('hold_out=3.0 is not allowed'))
    --hold-out 3.0 is not allowed
    >>> print(in_command_syntax('hint: use 1 or None, or method="random" with n_candidates='))
    hint: use 1 or none, or --method random with --candidates
    >>> print(in_command_syntax('hint: use "gini" or bootstrap=True'))
    hint: use gini or --bootstrap
    """
    for in_python, in_command in SENTENCES.items():
        text = text.replace(in_python, in_command)
    for in_python, in_command in PATTERNS.items():
        text = re.sub(in_python, in_command, text)
    if "=" in text:
        text = ARGUMENT.sub(flag_for, text)
    problem, mark, hint = TYPED_VALUE.sub(r"\1\2", text).partition("hint: ")
    if "[" not in hint and "{" not in hint:  # quotes of JSON stay
        hint = QUOTED_WORD.sub(r"\1", hint)
    return problem + mark + re.sub(r"\bNone\b", "none", hint)


def flag_for(argument: re.Match[str]) -> str:
    """The flag for an argument and its value; other text stays as it is."""
    from treewright.cli.settings import RENAMED, every_setting

    name = argument["name"]
    if name in EXPORT_OPTIONS and argument["word"] is not None:
        return f"--option {name}={argument['word']}"
    settings = {setting.name for setting in every_setting()}
    is_of_search = name in FLAGS and argument["word"] not in DESCENTS
    flag = FLAGS[name] if is_of_search else RENAMED.get(name, name).replace("_", "-")
    if name not in FLAGS and RENAMED.get(name, name) not in settings:
        return argument[0]
    if argument["truth"] is not None:
        return f"--{flag}" if argument["truth"] == "True" else f"--no-{flag}"
    if argument["word"] is not None:
        return f"--{flag} {argument['word']}"
    return f"--{flag} " if BEGINS_VALUE.match(argument["next"]) else f"--{flag}"
