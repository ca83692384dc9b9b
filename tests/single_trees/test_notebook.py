"""What notebooks show: scikit-learn's diagram with the tree below it, and trees themselves."""

import pytest
import sklearn
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils import estimator_html_repr

import builders
import treewright as tw


def tennis(model):
    return model.fit(*tw.load_sample("tennis"))


@pytest.mark.parametrize(
    "model", [tw.ID3Classifier(), tw.C45Classifier(), tw.CARTClassifier(prune=None)]
)
def test_a_fitted_model_is_its_diagram_and_its_picture(model):
    assert "<svg xmlns" not in model._repr_html_()
    shown = tennis(model)._repr_html_()
    assert type(model).__name__ in shown
    assert model.draw().to_svg() in shown
    assert model._repr_mimebundle_()["text/html"].endswith(
        f"{model.draw().to_svg()}</figure></div>"
    )


def test_a_model_of_rules_shows_its_rules():
    shown = tennis(tw.C45Rules())._repr_html_()
    assert ">R1: if " in shown
    assert "<svg xmlns" not in shown


def test_scikit_learn_decides_whether_there_is_html():
    model = tennis(tw.ID3Classifier())
    with sklearn.config_context(display="text"):
        assert not hasattr(model, "_repr_html_")
        assert "text/html" not in model._repr_mimebundle_()


def test_in_a_pipeline_scikit_learn_draws_its_own_diagram():
    steps = make_pipeline(FunctionTransformer(), tennis(tw.ID3Classifier()))
    assert "ID3Classifier" in estimator_html_repr(steps)
    assert "data-node" not in estimator_html_repr(steps)


def test_a_tree_is_its_picture():
    tree = tennis(tw.ID3Classifier()).tree_
    assert tw.draw(tree).to_svg() in tree._repr_html_()


def test_names_in_a_notebook_are_text():
    schema = builders.numeric_schema("<b>x</b>")
    tree = builders.build(
        builders.threshold(0, 1.0, builders.leaf(1, 0), builders.leaf(0, 1)), schema, ("<i>", "b")
    )
    assert "<b>" not in tree._repr_html_()
    assert "<i>" not in tree._repr_html_()
