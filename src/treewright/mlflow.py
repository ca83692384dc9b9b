"""MLflow flavor: models of treewright in MLflow's folders, tracking server and registry.

The folder holds the model file of `model.save`, so loading executes no code from it. MLflow's
generic functions (`mlflow.pyfunc.load_model`, serving) predict with it, too.
"""

import json
import os
import platform
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from treewright import __version__
from treewright.errors import ParameterError, kind_of, nearest
from treewright.estimators.base import Model
from treewright.optional import optional_module
from treewright.protocols import FittedModel
from treewright.verbs.load import load

FLAVOR = "treewright"
MODEL_FILE = "model.tw"
METHODS = ("predict", "predict_proba")
SAVE_EXAMPLE = "_save_example"  # MLflow's own flavors call it; there is no public one


def library(name: str = "mlflow") -> Any:
    return optional_module(name, extra="mlflow", purpose="tw.mlflow")


def save_model(  # noqa: PLR0913 -- the arguments of MLflow's flavors
    model: FittedModel,
    path: str | os.PathLike[str],
    *,
    pyfunc_predict_fn: str = "predict",
    signature: Any = None,
    input_example: Any = None,
    pip_requirements: Sequence[str] | None = None,
    extra_pip_requirements: Sequence[str] = (),
    metadata: dict[str, Any] | None = None,
    mlflow_model: Any = None,
) -> None:
    """Save a fitted model as an MLflow folder.

    Parameters
    ----------
    model
        A fitted model of treewright.
    path
        The folder to make; it must be new or empty.
    pyfunc_predict_fn
        What `predict` of the generic model returns: "predict" or "predict_proba".
    signature
        What `mlflow.models.infer_signature` returns. None infers it from `input_example`, if that
        is given.
    input_example
        Some rows, which MLflow keeps with the model.
    pip_requirements, extra_pip_requirements
        The packages that a server needs, and further ones. None means treewright and MLflow in
        the versions used here.
    metadata
        Values of your own, kept in the file `MLmodel`.
    mlflow_model
        The `mlflow.models.Model` to add to; `log_model` gives it.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.load_sample("iris")
    >>> model = tw.CARTClassifier().fit(X, y)
    >>> tw.mlflow.save_model(model, "iris_model")  # doctest: +SKIP
    >>> tw.mlflow.load_model("iris_model").predict(X[:1])  # doctest: +SKIP
    array(['setosa'], dtype='<U10')
    """
    mlflow, models = library(), library("mlflow.models")
    if not isinstance(model, Model):
        raise ParameterError(
            f"{kind_of(model)} is not a fitted model of treewright",
            hint="tw.import_model(model) makes one of many models of other packages",
        )
    check_method(model, pyfunc_predict_fn)
    folder = Path(path)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise ParameterError(f"{folder} is not an empty folder", hint="give a new path")
    folder.mkdir(parents=True, exist_ok=True)
    model.save(folder / MODEL_FILE)
    entry = models.Model() if mlflow_model is None else mlflow_model
    if input_example is not None:
        getattr(library("mlflow.models.utils"), SAVE_EXAMPLE)(entry, input_example, str(folder))
        if signature is None:
            predictions = getattr(model, pyfunc_predict_fn)(input_example)
            signature = models.infer_signature(input_example, predictions)
    if signature is not None:
        entry.signature = signature
    if metadata is not None:
        entry.metadata = metadata
    library("mlflow.pyfunc").add_to_model(
        entry, loader_module=__name__, conda_env="conda.yaml", python_env="python_env.yaml"
    )
    entry.add_flavor(
        FLAVOR,
        treewright_version=__version__,
        model_file=MODEL_FILE,
        estimator=type(model).__name__,
        pyfunc_predict_fn=pyfunc_predict_fn,
    )
    entry.save(str(folder / "MLmodel"))
    needed = [f"mlflow=={mlflow.__version__}", f"treewright=={__version__}"]
    needed = [*(needed if pip_requirements is None else pip_requirements), *extra_pip_requirements]
    write_environment(folder, needed)


def write_environment(folder: Path, needed: Sequence[str]) -> None:
    """The files from which MLflow makes an environment to serve the model in."""
    python = platform.python_version()
    (folder / "requirements.txt").write_text("\n".join([*needed, ""]), encoding="utf-8")
    own = {
        "python": python,
        "build_dependencies": ["pip"],
        "dependencies": ["-r requirements.txt"],
    }
    conda = {
        "name": "mlflow-env",
        "channels": ["conda-forge"],
        "dependencies": [f"python={python}", "pip", {"pip": [*needed]}],
    }
    for name, content in {"python_env.yaml": own, "conda.yaml": conda}.items():
        # JSON is YAML, too.
        (folder / name).write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")


def log_model(
    model: FittedModel,
    name: str = "model",
    *,
    registered_model_name: str | None = None,
    **options: Any,
) -> Any:
    """Log a fitted model to the active MLflow run, or to a new one.

    Parameters
    ----------
    model
        A fitted model of treewright.
    name
        The name of the model in the run.
    registered_model_name
        Register it under this name as well.
    options
        Those of `save_model`, and those of `mlflow.models.Model.log`, such as `tags` and `step`.

    Returns
    -------
    The `ModelInfo` of MLflow; `load_model(info.model_uri)` gives the model back.
    """
    return library("mlflow.models").Model.log(
        artifact_path=None,
        name=name,
        flavor=sys.modules[__name__],
        model=model,
        registered_model_name=registered_model_name,
        **options,
    )


def load_model(model_uri: str, dst_path: str | None = None) -> Any:
    """Load a model of treewright from MLflow: a folder, `models:/name/1`, `runs:/...`.

    The file is read by `treewright.load`, which executes nothing in it.

    Parameters
    ----------
    model_uri
        Where the model is.
    dst_path
        A folder to download it to; None uses a temporary one.
    """
    download = library("mlflow.artifacts").download_artifacts
    return from_folder(download(artifact_uri=str(model_uri), dst_path=dst_path))[0]


def from_folder(path: str | os.PathLike[str]) -> tuple[Any, str]:
    """The model of a folder, and the method that the generic model calls."""
    flavors = library("mlflow.models").Model.load(str(path)).flavors
    if FLAVOR not in flavors:
        raise ParameterError(
            f"the model in {path} was not saved by treewright",
            hint=f"its flavors are: {', '.join(sorted(flavors))}",
        )
    method = str(flavors[FLAVOR].get("pyfunc_predict_fn", METHODS[0]))
    model = load(Path(path) / MODEL_FILE)
    check_method(model, method)
    return model, method


def check_method(model: object, method: str) -> None:
    if method not in METHODS or not hasattr(model, method):
        raise ParameterError(
            f"pyfunc_predict_fn is {method!r}, which {kind_of(model)} cannot do",
            hint=nearest(method, [one for one in METHODS if hasattr(model, one)], "methods"),
        )


class GenericModel:
    """What MLflow's generic functions call."""

    def __init__(self, model: Any, method: str) -> None:
        self.model, self.method = model, method

    def predict(self, model_input: Any, params: dict[str, Any] | None = None) -> Any:
        """Predictions for rows: a data frame, an array, or a dict of columns."""
        return getattr(self.model, self.method)(model_input)

    def get_raw_model(self) -> Any:
        """The model of treewright."""
        return self.model


def _load_pyfunc(path: str) -> GenericModel:
    """Called by `mlflow.pyfunc.load_model`."""
    return GenericModel(*from_folder(path))
