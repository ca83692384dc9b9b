"""Load and save models, and match tables to them."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any

import typer

from treewright.cli.fitted_models import (
    check_not_other_model,
    ensemble_text,
    is_ensemble,
    is_other_model,
)
from treewright.cli.groups import flag
from treewright.cli.output import Output, check_can_read
from treewright.cli.streams import is_standard, write_content
from treewright.cli.tables import TableOptions, TargetOptions, check_column, is_sample, is_table
from treewright.errors import (
    DataError,
    ModelFileError,
    ModelTableError,
    ParameterError,
    UnknownColumnError,
    listed,
    nearest,
)

if TYPE_CHECKING:
    from treewright.data.schema import Schema
    from treewright.data.table import Table
    from treewright.estimators.base import Model
    from treewright.single_trees.rule_set import RuleSet

    LoadedModel = Model[Any] | RuleSet

LIMIT_VARIABLE = "TREEWRIGHT_MAX_MODEL_BYTES"

ModelArgument = Annotated[
    Path,
    typer.Argument(metavar="MODEL", help="Model file written by `train`, or - for standard input."),
]
TreeOption = Annotated[
    int | None, flag("Use only this tree of an ensemble, counted from 0.", "N", "--tree", min=0)
]


def load_model(path: Path, output: Output) -> Any:
    """The estimator in a file, or the rules."""

    def read(content: bytes) -> Any:
        from treewright.verbs.load import model_from_bytes

        return model_from_bytes(content)

    return model_in(path, output, read)


def load_reader(path: Path, output: Output, *, predict_only: bool = False) -> Any:
    """The model in a file, for commands that only read it: most start without scikit-learn."""

    def read(content: bytes) -> Any:
        from treewright.verbs.load import reader_from_bytes

        return reader_from_bytes(content, predict_only=predict_only)

    return model_in(path, output, read)


def model_in(path: Path, output: Output, read: Callable[[bytes], Any]) -> Any:
    """The content of a file, read by `read`."""
    if not path.exists() and is_sample(str(path)):
        raise table_for_model(path)
    if not is_standard(path):
        check_can_read(path)  # before the imports, which take time
    from treewright.data.sources.from_files import standard_input
    from treewright.files import read_at_most, read_regular
    from treewright.verbs.load import naming

    limit = max_model_bytes()
    with output.warnings_as_notes():
        if not is_standard(path):
            try:
                content = read_regular(path, ModelFileError, limit)
                with naming(path):
                    return predicting(read(content), str(path))
            except ModelFileError:
                if is_table(str(path)):
                    raise table_for_model(path) from None
                raise
        content = read_at_most(standard_input(), "standard input", ModelFileError, limit)
        try:
            return predicting(read(content), "standard input")
        except ModelFileError as error:
            raise ModelFileError(f"standard input: {error.args[0]}", hint=error.hint) from None


def predicting(model: Any, source: str) -> Any:
    """The model, unless it is a transformer, which does not predict."""
    if hasattr(model, "transform") and not hasattr(model, "predict"):
        raise ParameterError(
            f"`{source}` holds a fitted {type(model).__name__}, which transforms tables and "
            "does not predict",
            hint="use it in Python: tw.load(path).transform(X)",
        )
    return model


def max_model_bytes() -> int:
    """The size limit of model files: that of `load`, or the user's own."""
    from treewright.verbs.load import MAX_BYTES

    text = os.environ.get(LIMIT_VARIABLE, "")
    if not text:
        return MAX_BYTES
    if not text.isascii() or not text.isdigit():
        raise ParameterError(
            f"{LIMIT_VARIABLE} is {text!r}, not a whole number of bytes",
            hint=f"for 4 gigabytes: {LIMIT_VARIABLE}=4000000000",
        )
    return int(text)


def table_for_model(path: Path) -> ModelFileError:
    """The error for a table where a saved model is expected."""
    return ModelFileError(
        f"`{path}` is a table, not a saved model",
        hint=f"`treewright train {quote(str(path))} --target COLUMN --out model.json` trains one",
    )


def save_model(model: "LoadedModel", path: Path, output: Output) -> None:
    """Write a model to a file or to the standard output."""
    from treewright.ensembles.summary import size_text
    from treewright.verbs.load import model_bytes

    content = model_bytes(model)
    write_content(content, path)
    is_large = is_ensemble(model) or is_other_model(model)
    size = f" ({size_text(len(content))})" if is_large else ""
    output.wrote(path, f"saved to {path}{size}")


def check_is_one_tree(model: object, path: Path, instead: str) -> None:
    """Raise for all but one tree; `instead` is the hint for an ensemble."""
    if is_ensemble(model):
        raise ParameterError(
            f"`{path}` holds {ensemble_text(model)}, and this command needs a single tree",
            hint=instead,
        )
    check_not_other_model(model, path)
    check_no_rules(model, path)


def check_no_rules(model: object, path: Path) -> None:
    """Raise for saved rules, where trees are needed."""
    from treewright.single_trees.rule_set import RuleSet

    if isinstance(model, RuleSet):
        raise ParameterError(
            f"`{path}` holds rules, not a tree", hint="give the model that the rules were made from"
        )


def load_model_or_tree(
    path: Path, tree: int | None, output: Output, *, with_rows: bool = False
) -> Any:
    """The model in a file, or one tree of the ensemble that it holds.

    `with_rows`: training rows will be shown beside the model, which takes the estimator.
    """
    model = load_model(path, output) if with_rows else load_reader(path, output)
    if tree is None:
        return model
    if not is_ensemble(model):
        raise ParameterError("--tree: the model is not an ensemble of trees", hint="leave it out")
    n_trees = len(model.trees_)
    if tree >= n_trees:
        raise ParameterError(
            f"there is no tree {tree}: the model has {n_trees:,} trees",
            hint=f"use numbers from 0 to {n_trees - 1}",
        )
    return model.trees_[tree]


def schema_of(model: "LoadedModel") -> "Schema":
    """The columns that a model reads: of a tree model, or of a rule set."""
    found: Schema = model.schema_ if hasattr(model, "schema_") else model.schema
    return found


@dataclass(frozen=True, slots=True)
class JudgedTable:
    """Rows for a model, with their target values."""

    table: "Table"  # the model's columns, in its order
    target: str
    y: Any
    weights: Any
    unused: tuple[str, ...]  # columns that the model does not know
    whole: "Table"  # with all columns but the weights


def columns_for(model: "LoadedModel", whole: "Table", source: str) -> "Table":
    """The columns that a model needs, in its order, without others."""
    schema = schema_of(model)
    if not schema.has_names:
        return whole
    whole = schema.with_date_parts(whole)
    missing = [name for name in schema.names if name not in whole.names]
    if missing:
        raise ModelTableError(
            f"{source} lacks {first_names(missing)}, which the model needs",
            hint=nearest(missing[0], whole.names, "columns"),
        )
    return whole.select(list(schema.names))


def first_names(names: list[str]) -> str:
    listed = ", ".join(f"`{name}`" for name in names[:5])
    return f"{listed} and {len(names) - 5} more" if len(names) > 5 else listed


def fitting(model: "LoadedModel", whole: "Table", source: str, output: Output) -> "Table":
    """The columns that a model needs, of the right type; a note lists the others."""
    table = columns_for(model, whole, source)
    used = {*table.names, getattr(model, "target_name_", None)}
    used |= {spec.format.of for spec in schema_of(model).columns}  # dates whose parts are used
    ignored = [name for name in whole.names if name not in used]
    if ignored:
        output.note(f"the model does not use {first_names(ignored)}")
    try:
        with output.warnings_as_notes():
            schema_of(model).encode(table, getattr(model, "handle_unknown", "missing"))
    except UnknownColumnError:
        raise
    except DataError as error:
        raise ModelTableError(f"{source}: {error.args[0]}", hint=error.hint) from None
    return table


def judged_table(
    model: "LoadedModel", source: str, judged: TargetOptions, options: TableOptions, output: Output
) -> JudgedTable:
    """The rows of a table for a model, with its target and weights."""
    whole = options.read(source, schema_of(model))
    target = judged.target or getattr(model, "target_name_", None)
    if target is None:
        raise ParameterError(
            "--target is missing, and the model does not store the name of its target",
            hint=listed([name for name in whole.names if name != options.weight], "columns"),
        )
    check_column(target, whole, source)
    whole = judged.known_rows(target, whole, source, output)
    whole, weights = options.weights_in(whole, source)
    table = fitting(model, whole, source, output)
    _, y = with_model_classes(model, whole, target).split_target(target)
    unused = tuple(name for name in whole.names if name not in {*table.names, target})
    return JudgedTable(table, target, labels_like(model, y), weights, unused, whole)


def with_model_classes(model: object, whole: "Table", target: str) -> "Table":
    """The table whose target spells yes and no as the model does."""
    from treewright.data.column import NominalColumn
    from treewright.data.sources.type_inference import with_model_spelling

    column, classes = whole[target], getattr(model, "classes_", None)
    is_text = isinstance(column, NominalColumn) and column.level_type == "string"
    if not is_text or classes is None or classes.dtype.kind not in "UO":
        return whole
    return whole.with_column(with_model_spelling(column, tuple(map(str, classes))))


def rows_for(
    model: Any, source: str | None, judged: TargetOptions, options: TableOptions, output: Output
) -> dict[str, Any]:
    """The training rows as arguments of `treewright.worksheet` or `draw`; none without a table."""
    if source is None:
        return {}
    from treewright.verbs.predictions import has_no_target

    if has_no_target(model):
        whole, weights = options.weights_in(options.read(source, schema_of(model)), source)
        return {"X": fitting(model, whole, source, output), "sample_weight": weights}
    rows = judged_table(model, source, judged, options, output)
    return {"X": rows.table, "y": rows.y, "sample_weight": rows.weights}


def labels_like(model: object, y: Any) -> Any:
    """Labels in the type of the model's classes: a column of 0 and 1 may be read as numbers."""
    import numpy as np

    classes = getattr(model, "classes_", None)
    if classes is None or np.asarray(y).dtype.kind == np.asarray(classes).dtype.kind:
        return y
    by_text = {str(label): label for label in classes.tolist()}
    texts = [text_of(value) for value in np.asarray(y).tolist()]
    return np.array([by_text.get(text, text) for text in texts])


def text_of(value: Any) -> str:
    """A label as written in a file: 1.0 is 1."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
