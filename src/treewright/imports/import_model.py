"""tw.import_model: a model of another library becomes one of ours, compared with the original."""

import os
import warnings
from collections.abc import Callable
from dataclasses import replace
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import Floats
from treewright.data.schema import Schema
from treewright.data.table import Table
from treewright.errors import (
    DataError,
    ModelFileError,
    ParameterError,
    TreewrightError,
    kind_of,
    nearest,
)
from treewright.estimators.fitted import frozen
from treewright.files import read_regular
from treewright.imports.edge_rows import as_numbers, as_table, edge_rows
from treewright.imports.estimators import (
    ImportedClassifier,
    ImportedModelTreeRegressor,
    ImportedRegressor,
    ImportedTreeClassifier,
    ImportedTreeRegressor,
)
from treewright.imports.fitted import (
    NOT_VERIFIED,
    ON_TABLE,
    SHARES,
    VERIFIED,
    FittedImported,
    FittedImportedModelTree,
    FittedImportedTree,
    ImportReport,
)
from treewright.imports.foreign import (
    ForeignModel,
    ForeignModelTree,
    ForeignTree,
    Source,
    UnsupportedError,
    packed_of,
    trees_of,
)
from treewright.persistence.container import is_container
from treewright.persistence.file_text import FOREIGN

ImportedModel = (
    ImportedClassifier
    | ImportedRegressor
    | ImportedTreeClassifier
    | ImportedTreeRegressor
    | ImportedModelTreeRegressor
)
MAX_BYTES = 2**29  # of a file; reading takes 6 to 20 times as much memory
# By format: the module that reads it. Each has `recognizes`, and `from_content` for a file or
# `printed_tree` for a text; those of Python libraries also have `from_object`.
FORMATS = {
    "lightgbm": "treewright.imports.lightgbm_text",
    "xgboost": "treewright.imports.xgboost_model",
    "sklearn": "treewright.imports.sklearn_models",
    "catboost": "treewright.imports.catboost_json",
    "ydf": "treewright.imports.ydf_model",
    "onnx": "treewright.imports.onnx_file",
    "pmml": "treewright.imports.pmml_file",
    "rpart": "treewright.imports.rpart_text",
    "partykit": "treewright.imports.partykit_text",
    "weka": "treewright.imports.weka_text",
}
PROBABILITY_LIMIT = 2.0**-22  # two float32 steps at 1


def import_model(
    source: Any,
    *,
    format: str | None = None,
    X: Any = None,
    y: Any = None,
    verify: bool = True,
) -> Any:
    """Make a model of treewright from a fitted model or a model file of another library.

    The result predicts as the original does: comparisons, missing values, categories, sums and
    links are reproduced exactly, or the model is refused with the reason. It is compared with the
    original at once: with the object, or with the library of a file if that is installed.
    `import_report_` says what was compared.

    Files are read by treewright itself. Nothing in them is executed; pickles are refused.

    Parameters
    ----------
    source
        A fitted model of LightGBM, XGBoost, scikit-learn, CatBoost or YDF; or the path of a model
        file, or its content as bytes. Also ONNX and PMML files, and trees as rpart, partykit and
        Weka print them.
    format
        "lightgbm", "xgboost", "sklearn", "catboost", "ydf", "onnx", "pmml", "rpart", "partykit" or
        "weka". None recognizes it.
    X
        Rows to compare predictions on as well. The training rows of a printed tree restore its
        thresholds, which are rounded.
    y
        What the original predicts for the rows of X: numbers, classes or probabilities. Needed
        only if the library is not installed.
    verify
        Whether to compare with the original. The library of a file runs in a process of its own,
        so a crash is an error. False does not give the file to it: it may not be as careful with
        files of untrusted origin.

    Returns
    -------
    An `ImportedClassifier` or `ImportedRegressor`; for a single tree, an `ImportedTreeClassifier`
    or `ImportedTreeRegressor`, and for a tree with equations an `ImportedModelTreeRegressor`.

    Examples
    --------
    >>> import treewright as tw
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = import_model(DecisionTreeClassifier(max_depth=2).fit(X, y))
    >>> model.get_n_leaves(), model.import_report_.status
    (3, 'verified')
    """
    if format is not None and format not in FORMATS:
        raise ParameterError(
            f"format={format!r} is not known", hint=nearest(str(format), FORMATS, "formats")
        )
    if isinstance(source, str) and "\n" in source:
        raise ParameterError(
            "a text of several lines is no path", hint="give the content of a file as bytes"
        )
    path = source if isinstance(source, str | os.PathLike) else None
    if path is not None:
        source = read_regular(path, ModelFileError, MAX_BYTES)
    try:
        found = source_of(source, format, X, verify=verify)
        if not verify:
            found = replace(found, original=None, why_no_original="verify=False")
        try:
            found.model.check()
            model = made_of(found.model)
            return with_report(model, verified(model, found, X, y))
        finally:
            found.close()
    except ModelFileError as error:
        if path is None:
            raise
        kind = type(error)
        raise kind(f"{os.fspath(path)}: {error.args[0]}", hint=error.hint) from None


def source_of(source: Any, format: str | None, X: Any, *, verify: bool) -> Source:
    """What a user gave, read."""
    if isinstance(source, bytes | bytearray | memoryview):
        return content_source(bytes(source), format, X, verify=verify)
    library = type(source).__module__.partition(".")[0]
    if library == "treewright":
        raise ParameterError(f"{kind_of(source)} is a model of treewright", hint="use it as it is")
    if isinstance(source, type):
        raise ParameterError(f"{source.__name__} is a class", hint="give a fitted model")
    for one in type(source).__mro__:  # a subclass of the user
        root = one.__module__.partition(".")[0]
        if root in FORMATS:
            library = root
            break
    name = format or library
    module: Any = import_module(FORMATS[name]) if name in FORMATS else None
    if not hasattr(module, "from_object"):
        raise ParameterError(
            f"{kind_of(source)} is no model that can be imported",
            hint="give a fitted model of LightGBM, XGBoost, scikit-learn, CatBoost or YDF, the "
            "path of a model file, or its bytes",
        )
    found: Source = module.from_object(source, **table_for(module, X))
    return found


def content_source(content: bytes, format: str | None, X: Any = None, *, verify: bool) -> Source:
    """The model in the content of a file."""
    if not content:
        raise ModelFileError("the file is empty")
    if len(content) > MAX_BYTES:
        raise ModelFileError(f"the file is larger than {MAX_BYTES:,} bytes")
    for start, words in FOREIGN.items():
        if content.startswith(start):
            raise ModelFileError(
                f"this is {words}, which is not read: it may hold code or other files",
                hint="save the model in the text or JSON format of its library, or load it and "
                "give the object to tw.import_model",
            )
    if is_container(content) or content.startswith(b'{\n"format": "treewright model"'):
        raise ModelFileError(
            "this is a model file of treewright", hint="tw.load, or `treewright show`, reads it"
        )
    module: Any = import_module(FORMATS[format_of(content, format)])
    if hasattr(module, "printed_tree"):
        found: Source = module.printed_tree(content).source(X)
    else:
        found = module.from_content(content, verify=verify, **table_for(module, X))
    return found


def format_of(content: bytes, format: str | None) -> str:
    """The format that the user gave, unless the content is of another one; or the one it is of."""
    names = [*FORMATS] if format is None else [format, *FORMATS]
    found = next((one for one in names if import_module(FORMATS[one]).recognizes(content)), format)
    if found is None:
        raise ModelFileError(
            "no known model format",
            hint="LightGBM: booster.save_model(path); XGBoost: save_model('m.json' or 'm.ubj'); "
            "CatBoost: save_model(path, format='json'); ONNX and PMML files; R: print(fit); Weka: "
            "the output of J48, REPTree, Id3 or M5P. A cut file may have lost what it is known by",
        )
    if format is not None and found != format:
        raise ModelFileError(
            f"this looks like a file of {found}, not of {format}", hint="leave out the format"
        )
    return found


def table_for(module: Any, X: Any) -> dict[str, Any]:
    """The argument of a reader that takes the table, since a model does not name categories."""
    return {"X": X} if getattr(module, "NEEDS_TABLE", False) else {}


# ---------------------------------------------------------------------------- the model


def made_of(model: ForeignModel | ForeignTree) -> ImportedModel:
    """The estimator, not yet compared with the original."""
    notes = model.notes
    if isinstance(model, ForeignModelTree):
        return ImportedModelTreeRegressor().with_state(model_tree_of(model))
    if isinstance(model, ForeignTree) or model.is_single:
        tree = model.tree if isinstance(model, ForeignTree) else trees_of(model)[0]
        state = FittedImportedTree(
            tree=tree, schema=tree.schema, classes=model.classes, notes=notes
        )
        if model.classes is None:
            return ImportedTreeRegressor().with_state(state)
        return ImportedTreeClassifier(criterion=model.criterion or "gini").with_state(state)
    trees: Any = packed_of(model)
    if trees is None:
        trees = tuple(trees_of(model))
    many = FittedImported(
        trees=trees,
        schema=model.schema,
        classes=model.classes,
        notes=notes,
        start=np.asarray(model.start, dtype=np.float64),
        divisor=float(model.divisor),
        link=SHARES if model.averages_shares else model.link,
        link_scale=float(model.link_scale),
        in_float32=model.in_float32,
    )
    many.check()
    if model.classes is None:
        return ImportedRegressor().with_state(many)
    return ImportedClassifier().with_state(many)


def model_tree_of(model: ForeignModelTree) -> FittedImportedModelTree:
    """The state of a tree with equations."""
    coding, models, n_nodes = model.coding, model.models, model.tree.n_nodes
    arrays = {
        "fills": coding.fills,
        "rank_starts": coding.rank_starts,
        "level_ranks": coding.level_ranks,
        "intercepts": models.intercepts,
        "term_starts": models.starts,
        "term_columns": models.columns,
        "term_cuts": models.cuts,
        "coefficients": models.coefficients,
        # Errors are not printed.
        "model_errors": np.zeros(n_nodes),
        "subtree_errors": np.zeros(n_nodes),
        "subtree_parameters": np.zeros(n_nodes, dtype=np.int64),
    }
    learned: dict[str, Any] = {name: frozen(array) for name, array in arrays.items()}
    state = FittedImportedModelTree(
        tree=model.tree,
        schema=model.schema,
        notes=model.notes,
        target_name=model.target_name,
        is_filled=model.is_filled,
        **learned,
    )
    state.check()
    return state


def with_report(model: ImportedModel, report: ImportReport) -> ImportedModel:
    state: Any = model.state_
    found: ImportedModel = model.with_state(replace(state, import_report=report))
    return found


# ---------------------------------------------------------------------------- comparing


def verified(model: ImportedModel, source: Source, X: Any, y: Any) -> ImportReport:
    """Compare with the original; an error if a prediction differs."""
    if X is None and y is not None:
        raise DataError("y= are predictions for the rows of X", hint="give X too")
    checked: list[str] = []
    status, reason = NOT_VERIFIED, source.why_no_original
    n_edge = n_table = 0
    difference = 0.0
    if source.original is not None and isinstance(source.model, ForeignModel):
        rows = edge_rows(source.model, unseen=source.takes_unseen)
        if not source.takes_missing:
            rows = np.nan_to_num(rows)
        never = list(source.never_missing)
        rows[:, never] = np.nan_to_num(rows[:, never])
        original = predicted_by(source.original, as_numbers(source.model, rows), source)
        table = as_table(source.model.schema, rows)
        if source.gives_predictions:
            found = predictions_of(model, table)
        else:
            found = scores_of(model, table)
        difference = compared(found, np.asarray(original, dtype=np.float64), source)
        status, reason, n_edge = VERIFIED, "", len(rows)
        checked.append(words_of_rows(model, source, n_edge))
    is_compared = X is not None and (y is not None or not source.uses_table)
    if is_compared and y is None and source.predictions is None:
        raise ParameterError(
            "the original is not there to predict the rows of X",
            hint="give its predictions for them as y=",
        )
    if is_compared:
        on_table, n_table = compared_on_table(model, source, X, y)
        difference = max(difference, on_table)
        checked.append(f"predictions for {n_table:,} rows of a table")
        status = status if status == VERIFIED else ON_TABLE
        reason = ""
    return ImportReport(
        source=source.words,
        library=source.model.library,
        version=source.model.version,
        status=status,
        reason=reason,
        checked=tuple(checked),
        n_witness_rows=n_edge,
        n_table_rows=n_table,
        largest_difference=difference,
        notes=source.model.notes,
    )


def predicted_by(original: Callable[[Any], Any], rows: Any, source: Source) -> Any:
    """What the original predicts."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of columns without names
        try:
            return original(rows)
        except TreewrightError:
            raise
        except Exception as error:
            message = (str(error).splitlines() or [""])[0][:200]
            raise UnsupportedError(
                f"{source.model.library} cannot predict with the model: {message}",
                hint="verify=False reads it without comparing",
            ) from error


def words_of_rows(model: ImportedModel, source: Source, n_rows: int) -> str:
    """What was compared on the rows at the thresholds."""
    what = "probabilities" if has_shares(model) else "raw scores"
    if source.gives_predictions:
        what = "predictions"
    also = ["missing values"] if source.takes_missing else []
    if source.takes_unseen and any(not one.is_numeric for one in source.model.schema.columns):
        also.append("unknown categories")
    with_also = f", with {' and '.join(also)}" if also else ""
    return f"{what} of {n_rows:,} rows at, just below and just above every threshold{with_also}"


def has_shares(model: ImportedModel) -> bool:
    """Whether probabilities are compared, because the trees average these."""
    state: Any = model.state_
    if isinstance(state, FittedImported):
        return state.averages_shares
    return state.classes is not None


def scores_of(model: ImportedModel, rows: Any) -> Floats:
    """Raw scores, or probabilities where the trees average these."""
    state: Any = model.state_
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if has_shares(model):
            found: Floats = state.predict_proba(rows, model)
        elif isinstance(state, FittedImported):
            found = state.scores(rows, model)
        else:
            found = state.predict(rows, model)[:, None]
    return found


def predictions_of(model: ImportedModel, rows: Any) -> Floats:
    """Probabilities of classes, or numbers."""
    is_class = model.state_.classes is not None
    found: Floats = model.predict_proba(rows) if is_class else model.predict(rows)[:, None]
    return found


def compared(found: Floats, expected: Floats, source: Source) -> float:
    """The largest difference; an error if it is more than the source allows."""
    expected = expected.reshape(found.shape)
    difference = np.abs(found - expected)
    limit = 0.0 if source.is_exact else source.limit * np.maximum(np.abs(expected), 1.0)
    wrong = ~(difference <= limit)
    if wrong.any():
        row = int(wrong.any(axis=1).argmax())
        raise UnsupportedError(
            f"the imported model predicts {found[row].tolist()!r:.200} where the original predicts "
            f"{expected[row].tolist()!r:.200} (row {row} of those at the thresholds)",
            hint="the version of the library may compute differently; please report this",
        )
    return float(difference.max(initial=0.0))


def as_libraries_take(X: Any, schema: Schema) -> Any:
    """A table of ours as an array or a data frame; anything else as it is."""
    if not isinstance(X, Table):
        return X
    if schema.has_names and X.has_names and {*schema.names} <= {*X.names}:
        X = X.select(list(schema.names))
    is_numeric = all(column.kind == "numeric" for column in X.columns)
    return np.asarray(X, dtype=np.float64) if is_numeric else X.to_pandas()


def compared_on_table(model: ImportedModel, source: Source, X: Any, y: Any) -> tuple[float, int]:
    """The largest difference between predictions for a table, and its number of rows."""
    given = y
    if y is None and source.predictions is not None:
        model.state_.encode(X, model)  # an error if it lacks columns
        rows = as_libraries_take(X, source.model.schema)
        given = predicted_by(source.predictions, rows, source)
    expected: NDArray[Any] = np.asarray(given)
    is_class = model.state_.classes is not None
    is_probability = (
        is_class
        and expected.dtype.kind == "f"
        and (expected.ndim == 2 or not np.isin(expected, np.asarray(model.state_.classes)).all())
    )
    found = np.asarray(model.predict_proba(X) if is_probability else model.predict(X))
    if is_probability and expected.ndim == 1:
        found = found[:, -1]
    if found.shape != expected.shape:
        raise DataError(f"{expected.shape} predictions for rows with {found.shape}")
    if is_class and not is_probability:
        wrong = found != expected
        difference = np.zeros(1)
    else:
        difference = np.abs(found - expected)
        limit = PROBABILITY_LIMIT * np.maximum(np.abs(expected), 1.0)
        if source.rounding is not None:
            limit += source.rounding(X).reshape(-1, *[1] * (limit.ndim - 1))
        wrong = ~(difference <= limit)
        wrong = wrong.reshape(len(found), -1).any(axis=1)
    if wrong.any():
        row = int(wrong.argmax())
        raise UnsupportedError(
            f"row {row} of the table: the imported model predicts {found[row]!s:.100}, the "
            f"original {expected[row]!s:.100}"
        )
    return float(difference.max(initial=0.0)), len(found)
