"""What must be true of every pruning method, on every kind of tree."""

import pickle
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

import treewright as tw
from builders import a_chain, a_mixed_schema, a_random_tree
from examples import share_of_examples
from treewright.pruning.methods import METHODS, prune_tree
from treewright.tree.rebuild import below, make_leaves
from treewright.verbs.load import model_bytes, model_from_bytes


@dataclass(frozen=True)
class Way:
    """A method with options, and what is promised of it."""

    method: str
    options: Mapping[str, Any] = field(default_factory=dict)
    same_again: bool = True  # pruning the pruned tree changes nothing
    raises: bool = False  # a branch may take the place of a subtree
    in_costs: bool = False  # an option is counted in the unit of the costs

    def __str__(self) -> str:
        return ", ".join([self.method, *(f"{name}={v}" for name, v in self.options.items())])

    @property
    def needs(self) -> str:
        method = METHODS[self.method]
        return method.needs(method.checked(self.options))


WAYS = [
    Way("reduced_error"),
    Way("error_based", raises=True),
    Way("error_based", {"subtree_raising": False}),
    Way("error_based", {"confidence": 0.05}, raises=True),
    Way("pessimistic", same_again=False),
    Way("pessimistic", {"order": "bottom_up"}),
    Way("minimum_error"),
    Way("minimum_error", {"m": 4.0}),
    Way("mdl"),
    Way("critical_value", {"value": 0.1}),
    Way("critical_value", {"value": 0.1, "by": "gain"}),
    Way("cost_complexity", {"alpha": 0.02}),
    Way("cost_complexity", {"alpha": 0.02, "risk": "error"}, in_costs=True),
    Way("cost_complexity", {"folds": 3}, same_again=False),
]
GROWING_CUTS = {  # options under which more is cut the larger they are
    "pessimistic": "standard_errors",
    "mdl": "structure",
    "critical_value": "value",
    "cost_complexity": "alpha",
}
CLASSIFIERS = [
    tw.ID3Classifier(),
    tw.ID3Classifier(missing="fractional"),
    tw.C45Classifier(prune=None),
    tw.CARTClassifier(prune=None),
    tw.TreeClassifier(nominal="branches", missing="branch", criterion="entropy"),
    tw.TreeClassifier(numeric="intervals", missing="learned"),
    tw.TreeClassifier(priors=[0.2, 0.5, 0.3], costs=[[0, 1, 2], [3, 0, 1], [1, 1, 0]]),
]
REGRESSORS = [tw.CARTRegressor(prune=None), tw.TreeRegressor(nominal="branches", missing="stop")]

for_every_way = pytest.mark.parametrize("way", WAYS, ids=str)
for_every_classifier = pytest.mark.parametrize("model", CLASSIFIERS, ids=repr)
few_examples = settings(max_examples=share_of_examples(5))
seeds = st.integers(0, 2**32 - 1)


def rows_of(seed: int, n_rows: int = 120, *, holes: float = 0.1):
    """Noisy rows with a numeric, a nominal and a useless column: a table, classes, numbers."""
    rng = np.random.default_rng(seed)
    size = rng.normal(size=n_rows).round(1)
    color = rng.integers(0, 4, n_rows)
    noise = rng.normal(size=n_rows).round(2)
    number = np.where(color == 1, 1.5, 0.0) + size + rng.normal(scale=0.8, size=n_rows)
    columns = {
        "size": np.where(rng.random(n_rows) < holes, np.nan, size),
        "color": [None if rng.random() < holes else "abcd"[c] for c in color],
        "noise": noise,
    }
    classes = np.array(["low", "mid", "top"])[np.digitize(number, [-0.3, 1.2])]
    classes[:3] = ["low", "mid", "top"]
    return tw.table_from(columns), classes, number


def pruned_by(way: Way, model: Any, seed: int = 0, n_rows: int = 120) -> Any:
    """The model fitted to some rows, and pruned, by rows of its own or others as is needed."""
    X, classes, numbers = rows_of(seed, n_rows)
    y = classes if hasattr(model, "predict_proba") else numbers
    fitted = clone(model).fit(X, y)
    if way.needs == "validation rows":
        X, classes, numbers = rows_of(seed + 1, n_rows)
        y = classes if hasattr(model, "predict_proba") else numbers
    rows = () if way.needs == "nothing" else (X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return fitted, tw.prune(fitted, way.method, *rows, **way.options), rows


def kept(report: tw.PruningReport) -> np.ndarray:
    """Which nodes of the tree before are still there."""
    assert report.before is not None
    return ~below(report.before, cut_mask(report))


def cut_mask(report: tw.PruningReport) -> np.ndarray:
    mask = np.zeros(report.before.n_nodes, dtype=bool)
    mask[report.was] = True
    return mask


def test_every_method_is_tested_here():
    assert {way.method for way in WAYS} == set(METHODS)


@for_every_way
@for_every_classifier
@few_examples
@given(seed=seeds)
def test_P11_a_pruned_tree_is_a_rooted_subtree(way, model, seed):
    fitted, smaller, _ = pruned_by(way, model, seed)
    report = smaller.pruning_
    assert report.before is fitted.tree_
    assert report.tree is smaller.tree_
    assert smaller.get_n_leaves() <= fitted.get_n_leaves()
    if not way.raises:
        by_the_report = make_leaves(fitted.tree_, cut_mask(report), "pruned")
        assert smaller.tree_.same_as(by_the_report)


@for_every_way
@for_every_classifier
def test_the_report_accounts_for_every_leaf(way, model):
    fitted, smaller, _ = pruned_by(way, model)
    report = smaller.pruning_
    assert report.n_leaves_before == fitted.get_n_leaves()
    assert report.n_leaves_after == smaller.get_n_leaves()
    assert np.all(np.diff(report.node) > 0)
    assert {cut.became for cut in report} <= {"leaf", "branch"}
    if not way.raises:
        gone = sum(cut.n_leaves - 1 for cut in report.cuts)
        assert gone == report.n_leaves_before - report.n_leaves_after
        for cut in report.cuts:
            assert smaller.tree_.node(cut.node).is_leaf
            assert not fitted.tree_.node(cut.was).is_leaf


@pytest.mark.parametrize("way", [way for way in WAYS if way.same_again], ids=str)
@for_every_classifier
@few_examples
@given(seed=seeds)
def test_P11_pruning_twice_is_pruning_once(way, model, seed):
    _, once, rows = pruned_by(way, model, seed)
    twice = tw.prune(once, way.method, *rows, **way.options)
    assert twice.tree_.same_as(once.tree_)
    assert twice.pruning_.n_cuts == 0


@pytest.mark.parametrize("method", GROWING_CUTS)
@for_every_classifier
@few_examples
@given(seed=seeds, low=st.floats(0, 1), more=st.floats(0, 2))
def test_P11_pruning_harder_gives_nested_trees(method, model, seed, low, more):
    option = GROWING_CUTS[method]
    _, larger, _ = pruned_by(Way(method, {option: low}), model, seed)
    _, smaller, _ = pruned_by(Way(method, {option: low + more}), model, seed)
    assert not np.any(kept(smaller.pruning_) & ~kept(larger.pruning_))


@for_every_way
@for_every_classifier
def test_a_saved_model_still_tells_how_it_was_pruned(way, model):
    _, smaller, _ = pruned_by(way, model)
    content = model_bytes(smaller)
    for loaded in (model_from_bytes(content), pickle.loads(pickle.dumps(smaller))):
        assert loaded.pruning_.to_dict() == smaller.pruning_.to_dict()
        assert str(loaded.pruning_) == str(smaller.pruning_)
        assert model_bytes(loaded) == content
        assert loaded.pruning_.before is None


@for_every_way
@for_every_classifier
def test_pruning_leaves_the_model_as_it_was(way, model):
    X, y, _ = rows_of(0)
    before = model_bytes(clone(model).fit(X, y))
    fitted, smaller, _ = pruned_by(way, model)
    assert model_bytes(fitted) == before
    assert smaller.get_params() == fitted.get_params()
    assert smaller.predict(X).shape == (len(X),)


@pytest.mark.parametrize("way", [way for way in WAYS if way.needs == "nothing"], ids=str)
@settings(max_examples=10)
@given(seed=seeds)
def test_weights_count_as_rows(way, seed):
    X, y, _ = rows_of(seed, holes=0)
    weights = np.random.default_rng(seed).integers(0, 3, len(X))
    rows = np.repeat(np.arange(len(X)), weights)
    weighted = tw.TreeClassifier().fit(X, y, sample_weight=weights)
    same_rows = tw.table_from({name: X[rows][name].to_numpy() for name in X.names})  # levels anew
    repeated = tw.TreeClassifier().fit(same_rows, y[rows])
    one = tw.prune(weighted, way.method, **way.options)
    other = tw.prune(repeated, way.method, **way.options)
    assert one.export_text() == other.export_text()
    np.testing.assert_array_equal(one.pruning_.was, other.pruning_.was)


@pytest.mark.parametrize("scale", [1e-290, 1e-3, 1e290])
@for_every_way
@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_weights_of_any_size_can_be_pruned(way, scale):
    X, y, _ = rows_of(0)
    weights = np.full(len(y), scale)
    model = tw.TreeClassifier().fit(X, y, sample_weight=weights)
    rows = () if way.needs == "nothing" else (X, y, weights)
    model_bytes(tw.prune(model, way.method, *rows, **way.options))


@pytest.mark.parametrize("way", [way for way in WAYS if not way.in_costs], ids=str)
@few_examples
@given(seed=seeds, factor=st.sampled_from([0.25, 8.0]))
def test_the_unit_of_costs_does_not_matter(way, seed, factor):
    costs = np.array([[0.0, 1, 2], [3, 0, 1], [1, 1, 0]])
    _, one, _ = pruned_by(way, tw.TreeClassifier(costs=costs), seed)
    _, other, _ = pruned_by(way, tw.TreeClassifier(costs=costs * factor), seed)
    assert one.export_text() == other.export_text()


@for_every_way
@few_examples
@given(seed=seeds)
def test_equal_costs_are_no_costs(way, seed):
    _, plain, _ = pruned_by(way, tw.TreeClassifier(), seed)
    _, equal, _ = pruned_by(way, tw.TreeClassifier(costs=1 - np.eye(3)), seed)
    assert plain.export_text() == equal.export_text()


@pytest.mark.parametrize("way", [way for way in WAYS if way.needs == "nothing"], ids=str)
@settings(max_examples=30)
@given(seed=seeds)
def test_trees_of_every_node_kind_can_be_pruned(way, seed):
    rng = np.random.default_rng(seed)
    tree = a_random_tree(rng, a_mixed_schema(rng))
    pruned = prune_tree(tree, METHODS[way.method], None, way.options)
    assert pruned.tree.same_as(make_leaves(tree, cut_mask(pruned.report), "pruned"))
    str(pruned.report)


@pytest.mark.parametrize("way", [way for way in WAYS if way.needs == "nothing"], ids=str)
def test_a_long_chain_needs_no_recursion(way):
    tree = a_chain(3000)
    pruned = prune_tree(tree, METHODS[way.method], None, way.options)
    assert pruned.report.n_leaves_before == 3001


@pytest.mark.parametrize(
    "way", [way for way in WAYS if METHODS[way.method].prunes_numbers], ids=str
)
@pytest.mark.parametrize("model", REGRESSORS, ids=repr)
def test_methods_for_numbers_prune_regression_trees(way, model):
    fitted, smaller, rows = pruned_by(way, model)
    assert 1 <= smaller.get_n_leaves() < fitted.get_n_leaves()
    if way.same_again:
        again = tw.prune(smaller, way.method, *rows, **way.options)
        assert again.tree_.same_as(smaller.tree_)


@pytest.mark.parametrize(
    "way", [way for way in WAYS if way.needs != "validation rows"], ids=str
)  # those fit chooses itself
@pytest.mark.parametrize("class_weight", [None, "balanced", {"low": 2, "mid": 0.5, "top": 1}])
def test_fit_prunes_as_prune_does(way, class_weight):
    X, y, _ = rows_of(3)
    weights = np.random.default_rng(3).integers(0, 3, len(y))
    asked = tw.TreeClassifier(
        prune=way.method, prune_options=dict(way.options), class_weight=class_weight
    ).fit(X, y, weights)
    grown = tw.TreeClassifier(class_weight=class_weight).fit(X, y, weights)
    rows = () if way.needs == "nothing" else (X, y, weights)
    by_hand = tw.prune(grown, way.method, *rows, **way.options)
    assert asked.tree_.same_as(by_hand.tree_)
    assert asked.pruning_.to_dict() == by_hand.pruning_.to_dict()


@pytest.mark.parametrize(
    "way",
    [
        Way("reduced_error"),
        Way("error_based"),
        Way("error_based", {"subtree_raising": False}),
        Way("pessimistic"),
        Way("minimum_error"),
        Way("mdl", {"structure": 3.0}),
        Way("cost_complexity", {"alpha": 0.02, "risk": "error"}),
        Way("cost_complexity", {"folds": 3}),
    ],
    ids=str,
)
@pytest.mark.parametrize("params", [{"costs": [[0, 1], [5, 0]]}, {"priors": [0.5, 0.5]}], ids=str)
def test_costs_and_priors_count(way, params):
    """Both leaves predict `no`, unless a `yes` counts more than there are: then the split pays."""
    counts = [40, 2, 10, 8]
    X = tw.table_from({"x": np.repeat(["a", "a", "b", "b"], counts)})
    y = np.repeat(["no", "yes", "no", "yes"], counts)
    rows = () if way.needs == "nothing" else (X, y)
    options = dict(way.options)
    if "folds" in options:  # equal rows would stay together
        options["folds"] = np.arange(len(y)) % options["folds"]

    def n_leaves(model):
        return tw.prune(model.fit(X, y), way.method, *rows, **options).get_n_leaves()

    assert n_leaves(tw.TreeClassifier()) == 1
    assert n_leaves(tw.TreeClassifier(**params)) == 2
