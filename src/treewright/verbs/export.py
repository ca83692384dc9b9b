"""Export models as program code, queries and files, and verify the result."""

import inspect
import os
import warnings
from dataclasses import dataclass
from difflib import get_close_matches
from importlib import import_module
from numbers import Real
from types import ModuleType
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from treewright.data.table import Table
from treewright.errors import ExportError, ParameterError, TreewrightError, nearest, plain
from treewright.exports import FORMATS, OF_SUMS, SYNONYMS, FormatName
from treewright.exports.compiled import SECONDS_TO_RUN
from treewright.exports.program import (
    Exported,
    Predictions,
    Program,
    ProgramError,
    error_line,
)
from treewright.exports.sql.dialects import DIALECTS, dialect_name
from treewright.exports.sums import SUM_FORMATS, treelite_model
from treewright.exports.sums.program import SumProgram, refuse_equations, sum_of_one
from treewright.exports.sums.witnesses import sum_witnesses
from treewright.exports.witnesses import has_unseen, witnesses
from treewright.files import write_file
from treewright.protocols import FittedModel
from treewright.result import Result
from treewright.single_trees.as_tree import tree_of
from treewright.single_trees.reading import TreeReading
from treewright.tree.predict import predict_values, predicted_classes
from treewright.tree.tree import Tree

MOST_SHOWN = 10


@runtime_checkable
class ManyTrees(Protocol):
    """A model whose trees add up."""

    def sum_program(self) -> SumProgram: ...


Mask = NDArray[np.bool_]


def export(
    model: FittedModel | Tree,
    to: FormatName,
    *,
    path: str | os.PathLike[str] | None = None,
    **options: Any,
) -> str | bytes:
    """Export a model as program code, a query or a file.

    Numbers, categories, missing values and unseen categories are handled as by the model itself.
    What a format cannot express raises an `ExportError`; docs/export.md lists the limits.

    Parameters
    ----------
    model
        A fitted tree estimator, a model of many trees, or a `Tree`.
    to
        The format: "python", "c", "java", "javascript", "rust", "sql", "dot", "json", ...
    path
        A file to write the result to as well.
    options
        Options of the format, such as `dialect="postgresql"` for "sql".

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.load_sample("shapes")
    >>> code = export(tw.ID3Classifier().fit(X, y), to="python")
    >>> names = {}
    >>> exec(code, names)
    >>> names["predict"]({"shape": "circle", "color": "red"})
    '+'
    """
    name = format_called(to)
    program = program_for(model, name)
    module = module_for(program, name)
    check_options(module.write, options, name)
    check_classes(program)
    code: str | bytes = module.write(program, **options)
    if path is not None:
        write_file(path, code.encode("utf-8") if isinstance(code, str) else code)
    return code


def verify_export(
    model: FittedModel | Tree,
    code: str | bytes,
    to: FormatName,
    *,
    timeout: float = SECONDS_TO_RUN,
    **options: Any,
) -> "Verification":
    """Run exported code on test rows and compare its predictions with the model's.

    The test rows (witnesses) cover all that the tree does: every leaf, the floating-point numbers
    next to each threshold, each category, missing values and unseen categories. `options` are those
    given to `export`. The result is true if nothing differs. If the code fails or does not finish,
    it is false, and `failure` says why.

    The code is executed, so do not verify code from untrusted sources. Python code runs in this
    process. Other languages run in a separate process that is stopped after `timeout` seconds, and
    so do queries of SQLite and DuckDB; compilers and LibreOffice have ten minutes.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.load_sample("tennis")
    >>> model = tw.C45Classifier().fit(X, y)
    >>> verify_export(model, export(model, to="python"), to="python")
    <Verification: python agrees with the model on all 19 witnesses>
    """
    name = format_called(to)
    program = program_for(model, name)
    module = module_for(program, name)
    if not hasattr(module, "run"):
        able = [one for one in FORMATS if hasattr(module_of(one), "run")]
        raise ExportError(
            f"a {name.upper()} picture has no predictions to verify",
            hint=f"these can be verified: {', '.join(able)}",
        )
    check_options(module.run, options, name)
    check_timeout(timeout)
    if "timeout" in inspect.signature(module.run).parameters:
        options = {**options, "timeout": timeout}
    rows = sum_witnesses(program) if isinstance(program, SumProgram) else witnesses(program.tree)
    if hasattr(module, "storable"):
        rows = module.storable(rows, **options)
    expected = expected_predictions(model, program, rows)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # of unseen categories, as above
            found: Predictions = module.run(readable(code, module, name), program, rows, **options)
    except ProgramError as error:
        return Verification(name, len(rows), (), str(error))
    except TreewrightError:
        raise
    except Exception as error:  # parsers, drivers and runtimes have errors of their own
        return Verification(name, len(rows), (), error_line(error))
    return compare(name, rows, expected, found)


def to_treelite(model: FittedModel | Tree) -> Any:
    """Return a `treelite.Model` that predicts as a tree or a model of many trees does.

    Categories are given to it as their positions in the model's lists. What Treelite cannot express
    raises an `ExportError`.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.load_sample("iris")
    >>> forest = tw.RandomForestClassifier(n_estimators=5).fit(X, y)
    >>> tw.to_treelite(forest).num_tree  # doctest: +SKIP
    5
    """
    content = export(model, "treelite")
    assert isinstance(content, bytes)
    return treelite_model.library("to_treelite").Model.deserialize_bytes(content)


def check_timeout(timeout: float) -> None:
    if not isinstance(timeout, Real) or isinstance(timeout, bool) or not timeout > 0:
        raise ParameterError(f"timeout must be a number of seconds above 0, not {timeout!r}")


def readable(code: str | bytes, module: ModuleType, to: str) -> str | bytes:
    """The code as its format is: bytes of a file, or text."""
    is_file = inspect.signature(module.run).parameters["code"].annotation is bytes
    if is_file and not isinstance(code, bytes):
        raise ParameterError(f"{to} is verified from bytes, not from a {type(code).__name__}")
    if not isinstance(code, str | bytes):
        raise ParameterError(f"{to} is verified from text, not from a {type(code).__name__}")
    return code.decode("utf-8") if isinstance(code, bytes) and not is_file else code


@dataclass(frozen=True, slots=True)
class Difference:
    """A row for which the exported program predicts something else."""

    row: dict[str, Any]
    expected: Any  # (label, probabilities), or the number
    got: Any


@dataclass(frozen=True, slots=True, repr=False)
class Verification(Result):
    """The result of running exported code against the model; true if nothing differs."""

    to: str
    n_rows: int
    differing: tuple[Difference, ...]
    failure: str = ""  # why the code has no predictions to compare

    def __bool__(self) -> bool:
        return not (self.differing or self.failure)

    def __repr__(self) -> str:
        return f"<Verification: {self}>"

    def to_text(self) -> str:
        """Whether the code agrees, and where it does not."""
        if self.failure:
            return f"{self.to} has no predictions to compare: {self.failure}"
        if not self.differing:
            return f"{self.to} agrees with the model on all {self.n_rows} witnesses"
        lines = [f"{self.to} differs on {len(self.differing)} of {self.n_rows} witnesses"]
        lines += [
            f"  {shown.row}: expected {shown.expected}, got {shown.got}"
            for shown in self.differing[:MOST_SHOWN]
        ]
        return "\n".join(lines + (["  ..."] if len(self.differing) > MOST_SHOWN else []))


def format_called(to: object) -> str:
    """The name of a format from any of its names; an unknown one is an error.

    >>> format_called("xlsx"), format_called("JavaScript")
    ('excel', 'javascript')
    """
    simple = plain(str(to))
    known = SYNONYMS.get(simple, simple)
    if known in FORMATS:
        return known
    hint = nearest(str(to).lower(), FORMATS, "formats")
    near = get_close_matches(str(to).lower(), DIALECTS, n=1)
    if dialect := dialect_name(to) or (near[0] if near else None):
        hint = f'did you mean to="sql", dialect="{dialect}"?'
    raise ParameterError(f"no export to {to!r}", hint=hint)


def module_of(to: str) -> ModuleType:
    """The module that writes a format."""
    return import_module(FORMATS[to])


def module_for(program: Program | SumProgram, to: str) -> ModuleType:
    """The module that writes a format for one tree, or for many."""
    if isinstance(program, Program):
        return module_of(to)
    if to not in SUM_FORMATS and program.terms:
        refuse_equations(program, to)
    if to not in SUM_FORMATS:
        kind = "is many" if len(program.trees) != 1 else "is exported as a sum"
        raise ExportError(
            f"{to} is for one tree, and {program.title} {kind}",
            hint="use one of its trees: trees_[0] is the first; or "
            f"one of {', '.join(SUM_FORMATS)}",
        )
    return import_module(SUM_FORMATS[to])


def check_options(function: Any, options: dict[str, Any], to: str) -> None:
    """Raise unless the function takes all these options."""
    known = {
        parameter.name: parameter.default
        for parameter in inspect.signature(function).parameters.values()
        if parameter.kind is parameter.KEYWORD_ONLY and parameter.name != "timeout"
    }
    for name, value in options.items():
        if name not in known:
            raise ParameterError(
                f"export to {to} has no option `{name}`", hint=nearest(name, [*known], "options")
            )
        if isinstance(known[name], bool) and not isinstance(value, bool):
            raise ParameterError(f"option `{name}` of {to} is {value!r}", hint="use true or false")


def check_classes(program: Exported) -> None:
    """Raise unless all classes are strings, or all integers, all floats, all booleans."""
    types = sorted({type(label).__name__ for label in program.classes or ()})
    if len(types) > 1:
        raise ExportError(f"classes are of several types: {', '.join(types)}")
    if not {*types} <= {"str", "int", "float", "bool"}:
        raise ExportError(
            f"no other language has classes of type {types[0]}",
            hint="use strings, numbers or booleans as classes",
        )


def program_of(model: FittedModel | Tree) -> Program | SumProgram:
    """The tree or the trees that predict as the model does, in the form for exporters."""
    program = model.sum_program() if isinstance(model, ManyTrees) else tree_program_of(model)
    for spec in program.columns:
        if spec.comparison.zero_is_missing:
            raise ExportError(
                f"zero counts as missing in column `{plain(spec.name)}`, "
                "and exported code cannot do that",
                hint="save the model and predict with treewright",
            )
    return program


def program_for(model: FittedModel | Tree, to: str) -> Program | SumProgram:
    """What the module of a format takes."""
    program = program_of(model)
    return sum_of_one(program) if to in OF_SUMS and isinstance(program, Program) else program


def tree_program_of(model: FittedModel | Tree) -> Program:
    if isinstance(model, Tree):
        return Program(model)
    if isinstance(model, TreeReading) and model.predicts_by_rules:
        tree = model.as_tree()  # one that predicts as the rules do
    else:
        tree = tree_of(model)
    return Program(tree, type(model).__name__)


def expected_predictions(
    model: FittedModel | Tree, program: Program | SumProgram, rows: Table
) -> Predictions:
    """The model's own predictions; it refuses unseen categories if that is its policy."""
    refused = np.zeros(len(rows), dtype=np.bool_)
    if program.unseen == "error":
        refused = has_unseen(program, rows)
    labels: list[Any] = [None] * len(rows)
    values = np.full((len(rows), program.n_values), np.nan)
    asked = np.flatnonzero(~refused)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of unseen levels: they are there on purpose
        predicted, values[asked] = predictions_of(model, program, rows[asked])
    for row, label in zip(asked.tolist(), predicted or (), strict=False):
        labels[row] = label
    return Predictions(None if program.classes is None else labels, values)


def predictions_of(
    model: FittedModel | Tree, program: Exported, rows: Table
) -> tuple[list[Any] | None, NDArray[np.float64]]:
    """Labels and values of rows, by the methods that a user would call."""
    if isinstance(model, Tree):
        values = predict_values(model, model.schema.encode(rows, model.unseen))  # type: ignore[arg-type]
        if model.classes is None:
            return None, values
        return [model.classes[at] for at in predicted_classes(model, values)], values
    fitted: Any = model
    if program.classes is None:
        return None, fitted.predict(rows)[:, np.newaxis]
    if getattr(program, "link", "") == "isolation":
        return fitted.predict(rows).tolist(), fitted.state_.scores(rows, fitted)[:, np.newaxis]
    return fitted.predict(rows).tolist(), fitted.predict_proba(rows)


def compare(to: str, rows: Table, expected: Predictions, found: Predictions) -> Verification:
    """The rows for which predictions differ."""
    if found.n_rows != len(rows):
        count = "not as many labels as values" if found.n_rows is None else found.n_rows
        return Verification(to, len(rows), (), f"{len(rows)} rows were given, {count} predicted")
    differs = np.zeros(len(rows), dtype=np.bool_)
    differs[[*found.errors]] = True
    if found.values is not None:
        assert expected.values is not None
        differs |= ~same_values(expected.values, found.values, found.tolerance)
    if expected.labels is not None and found.labels is not None:
        pairs = zip(expected.labels, found.labels, strict=True)
        differs |= np.array([ours != theirs for ours, theirs in pairs], dtype=np.bool_)
    differing = tuple(
        Difference(row_of(rows, row), prediction_at(expected, row), prediction_at(found, row))
        for row in np.flatnonzero(differs).tolist()
    )
    return Verification(to, len(rows), differing)


def same_values(ours: NDArray[Any], theirs: NDArray[Any], tolerance: float) -> Mask:
    """(n_rows,): whether all numbers of a row are the same."""
    if ours.shape != theirs.shape:
        return np.zeros(len(ours), dtype=np.bool_)
    same = (ours == theirs) | (np.isnan(ours) & np.isnan(theirs))
    if tolerance:
        same |= np.abs(ours - theirs) <= tolerance
    every: Mask = same.all(axis=1)
    return every


def row_of(rows: Table, row: int) -> dict[str, Any]:
    return {column.name: column.value(row) for column in rows.columns}


def prediction_at(predictions: Predictions, row: int) -> Any:
    if row in predictions.errors:
        return predictions.errors[row]
    values = None if predictions.values is None else predictions.values[row].tolist()
    if predictions.labels is None:
        return values[0] if values else None
    return predictions.labels[row], values
