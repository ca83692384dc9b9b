"""The MLflow flavor, with a real MLflow on local files."""

import pickletools
from pathlib import Path

import numpy as np
import pytest

import treewright as tw
from machine import imported

X, y = tw.load_sample("iris")


@pytest.fixture
def mlflow(tmp_path, monkeypatch):
    library = imported("mlflow")
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")  # a database needs more packages
    monkeypatch.chdir(tmp_path)
    library.set_tracking_uri((tmp_path / "runs").as_uri())
    yield library
    library.set_tracking_uri(None)


MODELS = {
    "tree": lambda: tw.C45Classifier().fit(X, y),
    "forest": lambda: tw.RandomForestClassifier(n_estimators=5).fit(X, y),
    "numbers": lambda: tw.BoostedTreesRegressor(n_estimators=5).fit(X, np.arange(150.0)),
}


@pytest.mark.parametrize("name", MODELS)
def test_a_saved_model_comes_back(name, mlflow, tmp_path):
    model = MODELS[name]()
    tw.mlflow.save_model(model, tmp_path / "m")
    again = tw.mlflow.load_model(str(tmp_path / "m"))
    assert type(again) is type(model)
    assert again.predict(X).tolist() == model.predict(X).tolist()
    generic = mlflow.pyfunc.load_model(str(tmp_path / "m"))
    assert generic.predict(X.to_pandas()).tolist() == model.predict(X).tolist()


def test_the_generic_model_can_give_probabilities(mlflow, tmp_path):
    model = MODELS["tree"]()
    frame = X.to_pandas()
    tw.mlflow.save_model(
        model, tmp_path / "m", pyfunc_predict_fn="predict_proba", input_example=frame[:3]
    )
    generic = mlflow.pyfunc.load_model(str(tmp_path / "m"))
    np.testing.assert_array_equal(generic.predict(frame), model.predict_proba(X))
    assert generic.metadata.signature.inputs.input_names() == list(X.names)


def test_a_logged_model_is_in_the_run(mlflow):
    model = MODELS["forest"]()
    with mlflow.start_run():
        info = tw.mlflow.log_model(model, "iris", input_example=X.to_pandas()[:2])
    again = tw.mlflow.load_model(info.model_uri)
    assert again.predict(X).tolist() == model.predict(X).tolist()
    assert info.flavors["treewright"]["estimator"] == "RandomForestClassifier"
    assert info.signature is not None


def test_nothing_in_the_folder_is_a_pickle(mlflow, tmp_path):
    tw.mlflow.save_model(MODELS["tree"](), tmp_path / "m", input_example=X.to_pandas()[:2])
    files = [path for path in Path(tmp_path / "m").rglob("*") if path.is_file()]
    assert {"MLmodel", "model.tw", "requirements.txt"} <= {path.name for path in files}
    for path in files:
        with pytest.raises(ValueError):
            list(pickletools.genops(path.read_bytes()))
    assert f"treewright=={tw.__version__}" in (tmp_path / "m" / "requirements.txt").read_text()


def test_mistakes_are_told(mlflow, tmp_path):
    from sklearn.tree import DecisionTreeClassifier

    with pytest.raises(tw.ParameterError, match="import_model"):
        tw.mlflow.save_model(DecisionTreeClassifier(), tmp_path / "m")
    with pytest.raises(tw.ParameterError, match="predict_proba"):
        tw.mlflow.save_model(MODELS["numbers"](), tmp_path / "m", pyfunc_predict_fn="predict_proba")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "a").write_text("b")
    with pytest.raises(tw.ParameterError, match="not an empty folder"):
        tw.mlflow.save_model(MODELS["tree"](), tmp_path / "full")


def test_a_changed_file_is_refused(mlflow, tmp_path):
    tw.mlflow.save_model(MODELS["tree"](), tmp_path / "m")
    path = tmp_path / "m" / "model.tw"
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(tw.ModelFileError):
        tw.mlflow.load_model(str(tmp_path / "m"))
