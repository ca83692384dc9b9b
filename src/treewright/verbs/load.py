"""Load: model files of every kind."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from treewright.errors import ModelFileError
from treewright.estimators.reading import reader_of
from treewright.files import read_regular
from treewright.persistence import model_file
from treewright.persistence.container import is_container
from treewright.persistence.model_file import SavedModel
from treewright.protocols import FittedModel
from treewright.single_trees.rule_set import RuleSet
from treewright.single_trees.rule_set_file import NAME as RULE_SET

MAX_BYTES = 2**31  # of a model file, unless the caller allows more


def load(path: str | os.PathLike[str], *, max_bytes: int | None = MAX_BYTES) -> FittedModel:
    """Load the estimator, the transformer or the rules that `save` wrote to `path`.

    A file that is not a valid model of this or an earlier version raises a `ModelFileError`. So
    does a pipe or a device: only regular files are read.

    Parameters
    ----------
    path
        The file.
    max_bytes
        A larger file is refused before it is read. The default is 2 GiB; None is no limit. Use a
        smaller number for files from untrusted sources.

    Returns
    -------
    The estimator or the `RuleSet`, with `predict` and `save`; or the `Imputer` or `Discretizer`,
    with `transform` and `save`.
    """
    saved = load_state(path, max_bytes=max_bytes)
    with naming(path):
        model: FittedModel = as_estimator(saved)
    return model


def load_state(
    path: str | os.PathLike[str], *, max_bytes: int | None = MAX_BYTES
) -> SavedModel | RuleSet:
    """Load what a model file holds without importing scikit-learn.

    The result predicts the same as the estimator that `load` gives, and needs less time to load
    and less memory. `state` is all that `fit` learned, as one frozen value.

    Parameters
    ----------
    path
        The file.
    max_bytes
        A larger file is refused before it is read, as in `load`.

    Examples
    --------
    >>> import os, tempfile
    >>> import treewright as tw
    >>> X, y = tw.load_sample("tennis")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "tennis.json")
    ...     tw.ID3Classifier().fit(X, y).save(path)
    ...     saved = tw.load_state(path)
    >>> saved.predict(X[:2]).tolist()
    ['No', 'No']
    >>> saved.state.tree.n_leaves
    5
    """
    content = read_regular(path, ModelFileError, max_bytes)
    with naming(path):
        return saved_in(content)


@contextmanager
def naming(path: str | os.PathLike[str]) -> Iterator[None]:
    """Errors of a model file name the file."""
    try:
        yield
    except ModelFileError as error:
        raise ModelFileError(f"{os.fspath(path)}: {error.args[0]}", hint=error.hint) from None


def model_bytes(model: FittedModel) -> bytes:
    """The content of the file of a fitted model: the same for any number of threads."""
    return model.file_bytes() if isinstance(model, RuleSet) else model_file.model_bytes(model)


def model_from_bytes(content: bytes) -> Any:
    """The model in the content of a file of either form."""
    return as_estimator(saved_in(content))


def saved_in(content: bytes) -> SavedModel | RuleSet:
    """What the content of a file of either form holds."""
    data, arrays = model_file.parts_in(content)
    is_text = not is_container(content)
    if is_text and type(data) is dict and data.get("estimator") == RULE_SET:
        return RuleSet.from_json(data)
    return model_file.saved_from_parts(data, arrays, is_text=is_text)


def as_estimator(saved: SavedModel | RuleSet) -> Any:
    """The estimator of a saved model; rules as they are."""
    return saved if isinstance(saved, RuleSet) else saved.as_estimator()


def as_reader(saved: SavedModel | RuleSet) -> Any:
    """A saved model for reading only, without scikit-learn; rules as they are.

    It predicts, describes and explains as the estimator does. If only the estimator has these
    methods, it is the estimator: one that is not of treewright.
    """
    if isinstance(saved, RuleSet):
        return saved
    return reader_of(saved) if saved.state.reading else saved.as_estimator()
