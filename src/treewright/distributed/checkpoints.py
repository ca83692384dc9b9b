"""Checkpoints of boosting: the trees so far, from which training goes on to the same bytes."""

import hashlib
import json
import os
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright._kernels.learners import PackedTrees
from treewright.arrays import Floats
from treewright.data.schema import Schema
from treewright.ensembles.boosting.partitions import trees_from
from treewright.ensembles.boosting.rounds import RoundPlan, target_for
from treewright.errors import ModelFileError, ParameterError
from treewright.estimators.training import TrainingRows
from treewright.files import open_file, open_regular
from treewright.tree.predict import schema_levels

FORMAT = 2
WITHOUT_EFFECT = ("n_jobs", "verbose", "callbacks", "random_state")  # the seed is recorded
CELLS = "values of the columns"
Record = dict[str, Any]


class Checkpoint:
    """A file with the rounds so far of one training."""

    def __init__(self, path: str | os.PathLike[str], every: int, training: Record) -> None:
        self._path = Path(path)
        self._every = every
        self._training = training
        self._read: Record | None = None  # what the file says of its training

    def read(self, schema: Schema) -> PackedTrees | None:
        """The trees so far; None without a file, an error if it is of another training."""
        try:
            with open_regular(self._path, ModelFileError) as file:
                with np.load(file, allow_pickle=False) as stored:
                    arrays: dict[str, NDArray[Any]] = {name: stored[name] for name in stored.files}
                training = json.loads(arrays.pop("training").tobytes())
                if not isinstance(training, dict):
                    raise ValueError("no record of the training")
        except FileNotFoundError:
            return None
        except (TypeError, ValueError, KeyError, EOFError, OSError, zipfile.BadZipFile):
            raise self._unreadable() from None
        self._read = training
        for name, value in self._training.items():
            self._check(name, value)
        try:
            return trees_from(arrays, schema_levels(schema))
        except ValueError:
            raise self._unreadable() from None

    def check_cells(self, digest: int) -> None:
        """Raise if the file is of other values of the columns; the digest is of all rows."""
        self._training[CELLS] = f"{digest:016x}"
        if self._read is not None:
            self._check(CELLS, self._training[CELLS])

    def _check(self, name: str, value: Any) -> None:
        found = (self._read or {}).get(name)
        if found == value:
            return
        hint = "delete the file, or pass another path as `checkpoint`"
        if name == "seed":
            hint += "; to resume later, set `random_state` to a number"
        raise ParameterError(
            f"{self._path} is the checkpoint of another training run: its {name} "
            f"{'are' if name == CELLS else 'is'} {short(found)}, but this run has {short(value)}",
            hint=hint,
        )

    def _unreadable(self) -> ModelFileError:
        return ModelFileError(
            f"{self._path} is not a checkpoint, or is damaged", hint="pass another path"
        )

    def after_round(self, number: int, trees: PackedTrees) -> None:
        """Write the trees if it is time; the file is complete or as it was before."""
        if number % self._every:
            return
        record = np.frombuffer(json.dumps(self._training).encode(), dtype=np.uint8)
        with open_file(self._path) as file:
            np.savez(file, training=record, **trees.arrays())

    def remove(self) -> None:
        """Training is complete."""
        self._path.unlink(missing_ok=True)


def check_place(path: str | os.PathLike[str]) -> None:
    """Raise before training if no checkpoint can be written."""
    folder = Path(path).parent
    if Path(path).is_dir():
        raise ParameterError(f"checkpoint: {path} is a folder", hint="name a file in it")
    if not folder.is_dir():
        raise ParameterError(
            f"checkpoint: there is no folder `{folder}`", hint="create it, or pass another path"
        )
    if not os.access(folder, os.W_OK):
        raise ParameterError(
            f"checkpoint: the folder `{folder}` cannot be written to", hint="pass another path"
        )


def short(value: Any) -> str:
    text = str(value)
    return text if len(text) <= 40 else f"{text[:37]}..."


def training_record(
    model: Any, plan: RoundPlan, rows: TrainingRows, start: Floats, bins: PackedTrees
) -> Record:
    """All that the trees depend on."""
    params = {
        name: repr(value)
        for name, value in model.get_params(deep=False).items()
        if name not in WITHOUT_EFFECT
    }
    return {
        "format": FORMAT,
        "model": type(model).__name__,
        **params,
        "seed": plan.seed,
        "number of rows": rows.n_rows,
        "data": digest_of(plan, rows, start, bins),
    }


def digest_of(plan: RoundPlan, rows: TrainingRows, start: Floats, bins: PackedTrees) -> str:
    """A digest of the target, the weights, and how columns are cut into bins."""
    digest = hashlib.sha256(repr(Schema.of(rows.table)).encode())
    digest.update(np.float64(plan.tree.learning_rate).tobytes())
    digest.update(np.int64(plan.n_rounds).tobytes())
    arrays = [target_for(plan.loss, rows), start, *bins.arrays().values()]
    for array in arrays if rows.weights is None else [*arrays, rows.weights]:
        digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()
