"""What runs in a process of its own: a library reads a model file, and predicts.

`library_process.py` starts this file by its path. It imports nothing of treewright, so it starts
fast. Each request is pickled; each reply is a letter, a number of bytes, and as many bytes.
"""

import io
import os
import pickle
import signal
import struct
import sys
import tempfile
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

READY, FAILED, PREDICTED = b"R", b"F", b"P"
HEAD = struct.Struct("<cQ")  # of a reply
# Predictions do not need them, and to import them takes longer than all else.
NOT_NEEDED = ("matplotlib", "sklearn")
Predict = Callable[..., Any]  # takes rows, and settings by name


def lightgbm_reader(content: bytes) -> Predict:
    booster = import_module("lightgbm").Booster(model_str=content.decode())
    predict: Predict = booster.predict
    return predict


def xgboost_reader(content: bytes) -> Predict:
    booster = import_module("xgboost").Booster()
    booster.load_model(bytearray(content))
    return xgboost_predict(booster)


def xgboost_predict(booster: Any) -> Predict:
    """Predictions of rows: of a frame as it is, of an array by the types of its columns."""
    matrix_of = import_module("xgboost").DMatrix

    def predict(rows: Any, types: Sequence[str], **settings: Any) -> Any:
        own: dict[str, Any] = {"enable_categorical": True}
        if not hasattr(rows, "columns"):
            own |= {"feature_names": booster.feature_names, "feature_types": list(types)}
        return booster.predict(matrix_of(rows, **own), **settings)

    return predict


def catboost_reader(content: bytes) -> Predict:
    booster = import_module("catboost").CatBoost()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.json"
        path.write_bytes(content)
        booster.load_model(str(path), format="json")
    predict: Predict = booster.predict
    return predict


def onnxruntime_reader(content: bytes) -> Predict:
    runtime = import_module("onnxruntime")
    options = runtime.SessionOptions()
    options.log_severity_level = 4
    session = runtime.InferenceSession(content, options, providers=["CPUExecutionProvider"])

    def predict(rows: Any, labels: Sequence[Any]) -> Any:
        found = session.run(None, rows)[-1]
        if isinstance(found, list):  # of ZipMap
            found = np.array([[row[label] for label in labels] for row in found])
        return found

    return predict


READERS: dict[str, Callable[[bytes], Predict]] = {
    "lightgbm": lightgbm_reader,
    "xgboost": xgboost_reader,
    "catboost": catboost_reader,
    "onnxruntime": onnxruntime_reader,
}


def run(requests: BinaryIO, replies: BinaryIO) -> None:
    """Import a library, read a file, then predict as long as there are rows."""

    def reply(kind: bytes, content: bytes = b"") -> None:
        replies.write(HEAD.pack(kind, len(content)))
        replies.write(content)
        replies.flush()

    try:
        sys.path[:] = pickle.load(requests)
        library: str = pickle.load(requests)
        for name in NOT_NEEDED:
            sys.modules[name] = None  # type: ignore[assignment]
        import_module(library)
        reply(READY)
        predict = READERS[library](pickle.load(requests))
        reply(READY)
        while True:
            rows, settings = pickle.load(requests)
            predictions = io.BytesIO()
            np.save(predictions, np.asarray(predict(rows, **settings)), allow_pickle=False)
            reply(PREDICTED, predictions.getvalue())
    except EOFError:  # no more rows
        return
    except Exception as error:
        reply(FAILED, (str(error) or type(error).__name__).encode("utf-8", "replace"))


def main() -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C ends compiled code at once, too
    # Libraries print to the standard output: replies have another one.
    with os.fdopen(os.dup(1), "wb") as replies:
        os.dup2(2, 1)
        run(sys.stdin.buffer, replies)


if __name__ == "__main__":
    main()
