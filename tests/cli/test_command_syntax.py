"""Hints on the command line are written in the syntax of the command line."""

import ast
import re
from pathlib import Path

import pytest

from treewright.cli.command_syntax import SENTENCES, in_command_syntax

SOURCE = Path(__file__).parents[2] / "src" / "treewright"
# Modules whose hints no command prints, or that speak of Python because only Python can do it.
ONLY_PYTHON = {
    "mlflow.py",
    "growth",  # no command grows a tree by hand
    "data/scanned_table.py",  # no command learns from a scan
    "data/survey.py",
    "data/scan.py",  # nor says where a scan puts its files
    "imports/estimators.py",  # why `fit` is refused
    "imports/import_model.py",  # how other libraries save a model
    "imports/sklearn_models.py",
    "verbs/importance.py",
    "verbs/predictions.py",
    "data/sources/__init__.py",  # what is no file
    "data/sources/from_arrays.py",
    "data/sources/from_pandas.py",
    "data/target.py",
    "ensembles/boosting/validation_rows.py",
    "ensembles/boosting/fitting.py",
    "ensembles/forests/growth.py",
    "ensembles/packed.py",  # warm_start
    "ensembles/forests/shrinkage.py",
    "evaluation/frontier.py",  # a model that is no readable tree
    "verbs/shap.py",  # a model of another package
    "evaluation/cv_and_scoring.py",  # cv= and scoring= of scikit-learn
    "evaluation/missing_study.py",
    "preprocessing/fitted.py",
    "preprocessing/imputer.py",
    "evaluation/usual_grids.py",  # a model without a usual grid
    "evaluation/rows.py",
    "evaluation/scaling_study.py",
    "explanations/change.py",
    "exports/sql/dialect.py",  # a connection to a database
    "figures",
    "model_trees/m5.py",
    "verbs/draw.py",
    "verbs/exercise.py",
    "estimators/params.py",
    "verbs/prune.py",
    "estimators/rows.py",
    "param.py",  # a function in a loaded model
    "estimators/base.py",
    "estimators/training.py",
    "preprocessing/base.py",
    "single_trees/as_tree.py",
    "single_trees/explaining.py",
    "single_trees/written.py",
    "pictures",
    "reports/judging.py",
    "rulesets/sheet.py",
    "tree/written.py",
    "tree/written_forms.py",
}
PYTHON = re.compile(
    r"\btw\.|\btreewright\.[A-Za-z]|\b(?<!-)[a-z_]+=(?![A-Z])|\b\w+\(|\b[Xy]\b|\bsample_weight\b"
    r"|\b(None|True|False|dict|tuples?)\b|\bfit\b|(Classifier|Regressor)\b|\bset_params\b"
)
TYPED = re.compile(r"--(option|grid) ('[^']*'|\S+)|`[^`]*`")  # NAME=VALUE is right there


def written(node):
    """The text of an expression, without what is put into it."""
    if isinstance(node, ast.JoinedStr):
        return "".join(written(part) for part in node.values)
    if isinstance(node, ast.BinOp):
        return written(node.left) + written(node.right)
    if isinstance(node, ast.IfExp):
        return f"{written(node.body)} / {written(node.orelse)}"
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else "..."


def hints():
    for path in sorted(SOURCE.rglob("*.py")):
        name = path.relative_to(SOURCE).as_posix()
        if name in ONLY_PYTHON or name.partition("/")[0] in {*ONLY_PYTHON, "cli"}:
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            for keyword in node.keywords if isinstance(node, ast.Call) else ():
                if keyword.arg == "hint":
                    yield f"{name}:{node.lineno}", written(keyword.value)


def test_no_hint_that_a_command_prints_is_in_the_syntax_of_python():
    found = dict(hints())
    assert len(found) > 200
    printed = {
        at: in_command_syntax(f"hint: {text}").removeprefix("hint: ") for at, text in found.items()
    }
    assert {at: text for at, text in printed.items() if PYTHON.search(TYPED.sub("", text))} == {}


@pytest.mark.parametrize(
    ("of_python", "typed"),
    [
        ("use bootstrap=True, or max_samples=0.8", "use --bootstrap, or --max-samples 0.8"),
        ("use standardize=False", "use --no-standardize"),
        ('use "gain_ratio" or "information_gain"', "use gain_ratio or information_gain"),
        ('did you mean to="sql", dialect="tsql"?', "did you mean --to sql --option dialect=tsql?"),
        ('use form="tables"', "use --option form=tables"),
        (
            "give X, y and sample_weight of the fit",
            "give the table that the model was trained on, with the same --weight if it had one",
        ),
        ("fit a model with subsample=1.0", "train a model with --subsample 1.0"),
    ],
)
def test_python_becomes_what_is_typed(of_python, typed):
    assert in_command_syntax(f"wrong\nhint: {of_python}") == f"wrong\nhint: {typed}"


def test_a_value_is_named_as_it_was_typed(treewright):
    run = treewright("train", "tennis", "--criterion", "jini")
    assert run.err.startswith("error: --criterion jini is not allowed\nhint: use gain_ratio or ")


def test_a_value_of_another_model_names_the_models_that_take_it(treewright):
    run = treewright("train", "tennis", "--criterion", "gini")
    assert run.code == 2
    assert run.err == (
        "error: --criterion gini is not allowed for --model c45\n"
        "hint: use --model id3, cart, tree, oblique, forest or extra_trees; or with --model c45: "
        "gain_ratio or information_gain\n"
    )
    assert treewright("train", "tennis", "--criterion", "gini", "--model", "cart").code == 0


def test_a_setting_of_another_model_names_the_models_that_have_it(treewright):
    run = treewright("train", "tennis", "--n-estimators", "5")
    assert "--n-estimators is not a setting of C45Classifier" in run.err
    assert (
        "hint: use --model forest, extra_trees, boosted or isolation; --model c45 has " in run.err
    )


def test_an_option_may_be_json(treewright):
    treewright("train", "tennis", "--out", "m.json")
    words = ("export", "m.json", "--to", "sql", "--option")
    assert "sky" in treewright(*words, 'columns={"outlook": "sky"}').out
    broken = treewright(*words, "columns={outlook}")
    assert broken.code == 2
    assert "is not JSON" in broken.err


def test_every_sentence_that_is_rewritten_is_in_a_message():
    texts = []
    for path in SOURCE.rglob("*.py"):
        if path.name != "command_syntax.py":
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Constant) and isinstance(node.value, str):
                    texts.append(node.value)
                elif isinstance(node, ast.JoinedStr):
                    values = [part.value for part in node.values if isinstance(part, ast.Constant)]
                    texts.append("{}".join(map(str, values)))
    assert [sentence for sentence in SENTENCES if sentence not in "\n".join(texts)] == []
