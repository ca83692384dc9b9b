"""Model files of every kind: trees and rules as JSON text, all others in containers."""

import os
from typing import Any

from treewright.ensembles.base import EnsembleEstimator
from treewright.errors import ModelFileError
from treewright.input_file import read_regular
from treewright.models.base import TreeEstimator
from treewright.models.container import is_container, read_container
from treewright.models.learned_estimator import LearnedEstimator
from treewright.models.learned_file import is_learned, learned_bytes, learned_from
from treewright.models.model_file import model_bytes as text_bytes
from treewright.models.model_file import model_from_bytes as model_from_text
from treewright.models.rule_set import RuleSet

MAX_BYTES = 2**31  # of a model file, unless the caller allows more


def load(path: str | os.PathLike[str], *, max_bytes: int | None = MAX_BYTES) -> Any:
    """The estimator, or the rules, that `save` wrote to `path`.

    A file that is not a sound model of this or an earlier version is a `ModelFileError`, and so is
    a pipe or a device: only regular files are read.

    Parameters
    ----------
    path
        The file.
    max_bytes
        A larger file is refused before it is read. The default is 2 GiB; None is no limit. Give a
        smaller number for files that strangers send.
    """
    content = read_regular(path, ModelFileError, max_bytes)
    try:
        return model_from_bytes(content)
    except ModelFileError as error:
        raise ModelFileError(f"{os.fspath(path)}: {error.args[0]}", hint=error.hint) from None


def model_bytes(model: TreeEstimator | RuleSet | EnsembleEstimator | LearnedEstimator) -> bytes:
    """The content of the file of a fitted model: the same for any number of threads."""
    if isinstance(model, LearnedEstimator):
        return learned_bytes(model)
    if isinstance(model, EnsembleEstimator):
        from treewright.ensembles.files.ensemble_file import ensemble_bytes

        return ensemble_bytes(model)
    return text_bytes(model)


def model_from_bytes(content: bytes) -> Any:
    """The model in the content of a file of either form."""
    if not is_container(content):
        return model_from_text(content)
    found = read_container(content)
    if is_learned(found):
        return learned_from(found)
    from treewright.ensembles.files.ensemble_file import ensemble_from

    return ensemble_from(found)
