"""Messages that speak of Python's arguments, in the words of the command line."""

import re

# Flags that are called otherwise than the argument, and arguments that are no settings.
PLAIN = ("hold_out", "folds", "repeats", "groups", "times", "measure", "method", "na")
OF_STEPS = ("strategy", "fill_value", "by_class", "add_indicator", "cut_points")
FLAGS = {"n_candidates": "candidates"} | {
    name: name.replace("_", "-") for name in (*PLAIN, *OF_STEPS)
}
DESCENTS = ("batch", "stochastic", "mini_batch")  # a method of linear models, not of a search
SENTENCES = {
    'Give na=["?", ...] to make them missing, na=[] to say that they are levels': (
        "--na WORD makes a word missing everywhere"
    ),
    "see the delimiter= setting": (
        "all lines must use the separator of the first one, and quotes around cells that hold it"
    ),
    "use CARTRegressor or TreeRegressor": "use --model cart --task regression",
    "categorical_features takes its values": "--categorical COLUMN takes its values",
    "cut_points names": "--cut-points names",
    "KPrototypes takes words": "--model kprototypes takes words",
    "tw.ID3Classifier grows": "--model id3 grows",
    "tw.distil(model, X) makes": "`treewright distil MODEL TABLE` makes",
    "use one of its trees: trees_[0] is the first": "--tree 0 takes the first of its trees",
    " (in Python: header=False)": "",
    "fit(X, y, validation=(X2, y2)), or set validation_fraction=0.1": (
        "--validation-fraction 0.1 holds a tenth of the rows back"
    ),
}
ARGUMENT = re.compile(
    r"(?<![`\w])(?<!--grid )(?<!--option )"
    r'(?P<name>[a-z]\w*)=(?:"(?P<word>[^"]*)"|(?=(?P<next>.?)))'
)
BEGINS_VALUE = re.compile(r"[\w\[{'.+-]")


def as_typed(text: str) -> str:
    """The message with flags for arguments.

    >>> print(as_typed('hold_out=3.0 is not allowed'))
    --hold-out 3.0 is not allowed
    >>> print(as_typed('hint: use 1 or None, or method="random" with n_candidates='))
    hint: use 1 or none, or --method random with --candidates
    """
    for of_python, typed in SENTENCES.items():
        text = text.replace(of_python, typed)
    if "=" in text:
        text = ARGUMENT.sub(flag_for, text)
    problem, mark, hint = text.partition("hint: ")
    return problem + mark + re.sub(r"\bNone\b", "none", hint)


def flag_for(argument: re.Match[str]) -> str:
    """The flag for an argument and its value; what is no flag stays as it is."""
    from treewright.cli.settings import RENAMED, every_setting

    name = argument["name"]
    settings = {setting.name for setting in every_setting()}
    is_of_search = name in FLAGS and argument["word"] not in DESCENTS
    flag = FLAGS[name] if is_of_search else RENAMED.get(name, name).replace("_", "-")
    if name not in FLAGS and RENAMED.get(name, name) not in settings:
        return argument[0]
    if argument["word"] is not None:
        return f"--{flag} {argument['word']}"
    return f"--{flag} " if BEGINS_VALUE.match(argument["next"]) else f"--{flag}"
