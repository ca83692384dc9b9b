"""Golden files: models that a release wrote, with rows and the answers that it gave.

<release>/manifest.json        machine, and the SHA-256 of every other file
<release>/<name>/model.json    the model (model.tw: in a container)
                 rows.json     rows that are asked of it: missing, unseen, at the borders
                 expected.json its answers, numbers as hexadecimal text
"""

import hashlib
import json
import math
import platform
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from golden.tables import GoldenColumn, Rows, as_input, hexadecimal

FOLDER = Path(__file__).parents[1] / "files" / "golden"
MANIFEST = "manifest.json"
ANSWERS = ("predict", "predict_proba", "decision_function", "score_samples", "transform", "apply")
THROUGH_EXP = (  # whose files hold the digits of NumPy's exp, which ours may round otherwise
    "BoostedTreesClassifier",
    "BoostedTreesRegressor",
    "GradientDescentClassifier",
    "IsolationForest",
)
LAST_BITS = 4  # units in the last place
DIFFERENCES_OF = {"decision_function": 1.0}  # numbers of that size, whose last bits are theirs


def releases() -> list[str]:
    """The releases that left golden files."""
    return sorted(path.name for path in FOLDER.iterdir() if path.is_dir())


def models_of(release: str) -> list[Path]:
    """The folders of the models of a release."""
    return sorted(path for path in (FOLDER / release).iterdir() if path.is_dir())


def model_file(folder: Path) -> Path:
    (found,) = folder.glob("model.*")
    return found


def manifest_of(release: str) -> dict[str, Any]:
    return json.loads((FOLDER / release / MANIFEST).read_text(encoding="utf-8"))


def digests(folder: Path) -> dict[str, str]:
    """SHA-256 of every file of a release but its manifest."""
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*.*"))
        if path.is_file() and path.name != MANIFEST
    }


def rows_in(folder: Path) -> Any:
    """The rows that are asked of a model, as a user would hand them over."""
    entry = json.loads((folder / "rows.json").read_text(encoding="utf-8"))
    rows = {name: GoldenColumn.from_json(column) for name, column in entry["columns"].items()}
    return as_input(rows, entry["has_names"])


def rows_to_json(rows: Rows, has_names: bool) -> dict[str, Any]:
    columns = {name: column.to_json() for name, column in rows.items()}
    return {"has_names": has_names, "columns": columns}


def predictions_of(model: Any, X: Any) -> dict[str, Any]:
    """What a model says of rows, every way in which it can be asked."""
    found = {}
    for name in ANSWERS:
        ask: Callable[[Any], Any] | None = getattr(model, name, None)
        if ask is not None:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of values that were not seen in training
                found[name] = exact(np.asarray(ask(X)))
    return found


def exact(predictions: np.ndarray) -> Any:
    """Answers as JSON: floats as hexadecimal text, so that every bit is kept."""
    if predictions.dtype.kind != "f":
        return predictions.tolist()
    texts = np.array([hexadecimal(value) for value in predictions.ravel()], dtype=object)
    return texts.reshape(predictions.shape).tolist()


def differences(found: dict[str, Any], expected: dict[str, Any], *, last_bits: int) -> list[str]:
    """The ways of asking whose answers are not the expected ones."""
    return [
        name
        for name in sorted(found.keys() | expected.keys())
        if not same_answers(
            found.get(name), expected.get(name), last_bits, DIFFERENCES_OF.get(name, 0.0)
        )
    ]


def same_answers(found: Any, expected: Any, last_bits: int, size: float) -> bool:
    """Whether answers are the same text, or numbers so near to each other, at `size` at least."""
    if found == expected:
        return True
    if isinstance(found, list) and isinstance(expected, list) and len(found) == len(expected):
        pairs = zip(found, expected, strict=True)
        return all(same_answers(one, other, last_bits, size) for one, other in pairs)
    try:
        one, other = float.fromhex(found), float.fromhex(expected)
    except (TypeError, ValueError):
        return False
    return abs(one - other) <= last_bits * math.ulp(max(abs(other), size))


def this_machine() -> str:
    return f"{platform.machine()} {platform.system()}"


def expected_in(folder: Path) -> dict[str, Any]:
    return json.loads((folder / "expected.json").read_text(encoding="utf-8"))
