"""How rounds are watched, stopped, told of and grown on."""

import math
import pickle

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes

import treewright as tw
from fitted_states import scores_of
from treewright.ensembles.boosting.validation_rows import EarlyStopping
from treewright.errors import DataError, ParameterError


@pytest.fixture(scope="module")
def diabetes():
    return load_diabetes(return_X_y=True)


@pytest.fixture(scope="module")
def cancer():
    return load_breast_cancer(return_X_y=True)


def test_P13_stages_end_with_the_prediction_and_have_as_many_steps_as_rounds(diabetes):
    X, y = diabetes
    model = tw.BoostedTreesRegressor(n_estimators=7).fit(X, y)
    stages = list(model.staged_predict(X))
    assert len(stages) == 7
    np.testing.assert_array_equal(stages[-1], model.predict(X))
    errors = [((stage - y) ** 2).mean() for stage in stages]
    assert errors == sorted(errors, reverse=True)


def test_stages_of_probabilities_are_probabilities(cancer):
    X, y = cancer
    model = tw.BoostedTreesClassifier(n_estimators=5).fit(X, y)
    shares = list(model.staged_predict_proba(X))
    np.testing.assert_array_equal(shares[-1], model.predict_proba(X))
    np.testing.assert_array_equal(list(model.staged_predict(X))[-1], model.predict(X))
    assert not np.array_equal(shares[0], shares[1])


def test_patience_keeps_the_rounds_up_to_the_best_one(diabetes):
    X, y = diabetes
    model = tw.BoostedTreesRegressor(n_estimators=500, n_iter_no_change=5)
    model.fit(X[:300], y[:300], validation=(X[300:], y[300:]))
    losses = model.validation_losses_
    assert model.n_estimators_ == losses.argmin() + 1 == len(losses) - 5
    errors = 0.5 * ((model.predict(X[300:]) - y[300:]) ** 2).mean()
    assert errors == pytest.approx(losses.min())


def test_validation_weights_count(diabetes):
    X, y = diabetes
    weights = np.arange(len(y) - 300.0)
    model = tw.BoostedTreesRegressor(n_estimators=3)
    model.fit(X[:300], y[:300], validation=(X[300:], y[300:], weights))
    errors = 0.5 * np.average((model.predict(X[300:]) - y[300:]) ** 2, weights=weights)
    assert errors == pytest.approx(model.validation_losses_[-1])


def test_class_weights_count_for_validation_rows_as_for_training_rows(cancer):
    X, y = cancer
    kept, others = slice(400), slice(400, None)
    model = tw.BoostedTreesClassifier(n_estimators=3, class_weight="balanced")
    model.fit(X[kept], y[kept], validation=(X[others], y[others]))
    share = model.predict_proba(X[others])[np.arange(len(y) - 400), y[others]]
    factor = 400 / (2 * np.bincount(y[kept]))
    expected = np.average(-np.log(share), weights=factor[y[others]])
    assert model.validation_losses_[-1] == pytest.approx(expected)


def test_validation_rows_are_targets_that_the_loss_is_for(diabetes):
    X, y = diabetes
    model = tw.BoostedTreesRegressor(loss="gamma", n_estimators=3)
    with pytest.raises(DataError, match="validation y is -1 in row 1"):
        model.fit(X, y, validation=(X[:3], [1.0, -1.0, 2.0]))
    model.set_params(validation_fraction=0.5)
    with pytest.raises(DataError, match="y is -5 in row 7"):
        model.fit(X, np.where(np.arange(len(y)) == 7, -5.0, y))
    model = tw.BoostedTreesClassifier(class_weight={0: 0})
    with pytest.raises(DataError, match="every validation row has weight 0"):
        model.fit(X, y > 100, validation=(X[:2], [False, False]))


@pytest.mark.parametrize("loss", ["squared_error", "huber"])
def test_patience_ends_where_there_is_nothing_to_learn(loss):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(400, 4)), rng.normal(size=400)
    model = tw.BoostedTreesRegressor(
        loss=loss, n_iter_no_change=5, n_estimators=300, learning_rate=0.1
    )
    model.fit(X[:200], y[:200], validation=(X[200:], y[200:]))
    assert model.n_estimators_ < 50


def test_a_loss_that_is_no_number_does_not_stop_training():
    stopping = EarlyStopping(2, 0.0)
    assert [stopping.is_over(at + 1, loss) for at, loss in enumerate([math.nan, 3, 4, 5])] == [
        False,
        False,
        False,
        True,
    ]
    assert stopping.best_round == 2


def test_growing_on_after_an_early_stop_keeps_the_best_rounds(diabetes):
    X, y = diabetes
    model = tw.BoostedTreesRegressor(
        n_estimators=300, n_iter_no_change=5, validation_fraction=0.3, warm_start=True
    )
    first, losses = model.fit(X, y).n_estimators_, model.validation_losses_
    again = model.fit(X, y)
    assert again.n_estimators_ == first
    np.testing.assert_allclose(again.validation_losses_, losses)


def test_rows_can_be_held_back_to_stop(cancer):
    X, y = cancer
    model = tw.BoostedTreesClassifier(n_estimators=400, validation_fraction=0.2, n_iter_no_change=3)
    model.fit(X, y)
    assert model.n_estimators_ < 400
    assert model.score(X, y) > 0.95


def test_a_tenth_of_the_rows_is_held_back_if_only_early_stopping_is_asked_for(cancer):
    early = tw.BoostedTreesClassifier(n_estimators=40, n_iter_no_change=3)
    named = tw.BoostedTreesClassifier(n_estimators=40, n_iter_no_change=3, validation_fraction=0.1)
    losses = [model.fit(*cancer).validation_losses_ for model in (early, named)]
    np.testing.assert_array_equal(*losses)


def test_validation_classes_must_be_known(cancer):
    X, y = cancer
    with pytest.raises(DataError, match="the class 7 does not occur"):
        tw.BoostedTreesClassifier().fit(X, y, validation=(X[:2], [0, 7]))


def test_validation_is_two_or_three_things(cancer):
    X, y = cancer
    with pytest.raises(ParameterError, match="validation"):
        tw.BoostedTreesClassifier().fit(X, y, validation=X)


def test_callbacks_are_told_of_each_round_and_may_stop(diabetes):
    X, y = diabetes
    told = []

    def until_four(finished):
        told.append((finished.number, finished.n_rounds, finished.training_loss))
        return finished.number == 4

    model = tw.BoostedTreesRegressor(n_estimators=500, callbacks=[until_four]).fit(X, y)
    assert [number for number, _, _ in told] == [1, 2, 3, 4]
    assert model.n_estimators_ == 4
    assert told[-1][2] == pytest.approx(0.5 * ((model.predict(X) - y) ** 2).mean())
    assert told[0][1] == 500


def test_a_round_that_is_kept_knows_what_was_asked_in_time(diabetes):
    rounds = []

    def keep(finished):
        if finished.number < 3:
            finished.training_loss  # noqa: B018
        rounds.append(finished)
        return np.bool_(finished.number == 3)

    model = tw.BoostedTreesRegressor(callbacks=[keep]).fit(*diabetes)
    assert model.n_estimators_ == 3
    assert rounds[0].training_loss > pickle.loads(pickle.dumps(rounds[1])).training_loss
    with pytest.raises(ParameterError, match="within the callback"):
        rounds[2].training_loss  # noqa: B018


def test_a_callback_that_fails_leaves_the_fitted_model_as_it_was(diabetes):
    X, y = diabetes
    model = tw.BoostedTreesRegressor(n_estimators=3).fit(X, y)
    before = model.predict(X)

    def fail(finished):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        model.set_params(callbacks=[fail]).fit(X, -y)
    np.testing.assert_array_equal(model.predict(X), before)


@pytest.mark.parametrize("kind", [tw.BoostedTreesClassifier, tw.BoostedTreesRegressor])
def test_growing_on_is_the_same_as_growing_at_once(kind, cancer):
    X, y = cancer
    at_once = kind(n_estimators=9, learning_rate=0.1).fit(X, y)
    in_parts = kind(n_estimators=4, learning_rate=0.1, warm_start=True).fit(X, y)
    in_parts.set_params(n_estimators=9).fit(X, y)
    assert len(in_parts.trees_) == 9
    np.testing.assert_allclose(scores_of(in_parts, X), scores_of(at_once, X), rtol=1e-12)


def test_growing_on_needs_more_rounds_and_the_same_columns(diabetes):
    X, y = diabetes
    model = tw.BoostedTreesRegressor(n_estimators=4, warm_start=True).fit(X, y)
    with pytest.raises(ParameterError, match="less than the 4 rounds"):
        model.set_params(n_estimators=2).fit(X, y)
    with pytest.raises(DataError, match="other columns"):
        model.set_params(n_estimators=8).fit(X[:, 1:], y)
    with pytest.warns(UserWarning, match="no rounds were added"):
        model.set_params(n_estimators=4).fit(X, y)


@pytest.mark.parametrize(
    ("kind", "before", "after"),
    [
        (tw.BoostedTreesRegressor, "squared_error", "poisson"),
        (tw.BoostedTreesClassifier, "logistic", "multinomial"),
    ],
)
def test_growing_on_needs_scores_of_the_same_meaning(kind, before, after, cancer):
    model = kind(loss=before, n_estimators=2, learning_rate=0.1, warm_start=True).fit(*cancer)
    with pytest.raises(ParameterError, match="the link"):
        model.set_params(loss=after, n_estimators=4).fit(*cancer)


def test_growing_on_tells_that_the_learning_rate_stays(diabetes):
    model = tw.BoostedTreesRegressor(n_estimators=50, warm_start=True).fit(*diabetes)
    rate = model.learning_rate_
    with pytest.warns(UserWarning, match="continues with its rate"):
        model.set_params(n_estimators=80).fit(*diabetes)
    assert model.learning_rate_ == rate


@pytest.mark.parametrize("delay", [0.0, 1000.0])
def test_a_progress_bar_counts_rounds(diabetes, delay, monkeypatch):
    from io import StringIO

    from rich.console import Console

    from treewright.ensembles.boosting.callbacks import ProgressBar

    monkeypatch.setattr(ProgressBar, "DELAY", delay)
    text = StringIO()
    bar = ProgressBar(Console(file=text, force_terminal=True, width=80))
    X, y = diabetes
    model = tw.BoostedTreesRegressor(n_estimators=3, callbacks=[bar])
    model.fit(X[:300], y[:300], validation=(X[300:], y[300:]))
    bar.close()
    assert ("3/3" in text.getvalue()) == (delay == 0)
    assert ("validation loss" in text.getvalue()) == (delay == 0)


def test_nothing_is_printed_where_there_is_no_terminal(diabetes, capsys):
    tw.BoostedTreesRegressor(n_estimators=2, verbose=True).fit(*diabetes)
    assert capsys.readouterr() == ("", "")


def dart(**params):
    return tw.BoostedTreesRegressor(drop_rate=0.3, n_estimators=20, learning_rate=0.3, **params)


def test_scores_of_dart_are_those_of_its_trees(diabetes):
    X, y = diabetes
    seen = []
    model = dart(callbacks=[lambda finished: seen.append(finished.training_loss)])
    model.fit(X[:300], y[:300], validation=(X[300:], y[300:]))
    losses = [
        0.5 * ((model.predict(X[part]) - y[part]) ** 2).mean()
        for part in (slice(300), slice(300, None))
    ]
    assert losses[0] == pytest.approx(seen[-1])
    assert losses[1] == pytest.approx(model.validation_losses_[-1])
    assert model.score(X, y) > 0.3


@pytest.mark.parametrize("rate", [0.1, 1.0])
def test_dart_loses_nothing_of_what_the_rounds_have_found(rate):
    """Trees that find all there is come nearer with every round, whichever are left out."""
    X = np.repeat([0.0, 1.0], 50)[:, np.newaxis]
    y = X[:, 0] * 10
    losses = []
    model = tw.BoostedTreesRegressor(
        drop_rate=0.2,
        n_estimators=300,
        learning_rate=rate,
        l2=0,
        max_features_node=1.0,
        callbacks=[lambda finished: losses.append(finished.training_loss)],
    ).fit(X, y)
    assert (np.diff(losses) <= 1e-9).all()
    np.testing.assert_allclose(model.predict(X), y, atol=0.5)


def test_dart_grows_on_as_it_grows_at_once(diabetes):
    X, y = diabetes
    at_once = dart().fit(X, y)
    in_parts = dart(warm_start=True).set_params(n_estimators=9).fit(X, y)
    in_parts.set_params(n_estimators=20).fit(X, y)
    np.testing.assert_allclose(in_parts.predict(X), at_once.predict(X), rtol=1e-6)


def test_dart_of_three_classes_predicts_shares():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    y = np.digitize(X[:, 0] + X[:, 1], [-0.5, 0.5])
    model = tw.BoostedTreesClassifier(drop_rate=0.5, n_estimators=8, learning_rate=0.5).fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)
    assert model.score(X, y) > 0.8


def test_patience_and_dart_exclude_each_other(diabetes):
    with pytest.raises(ParameterError, match="drop_rate"):
        dart(n_iter_no_change=3, validation_fraction=0.2).fit(*diabetes)
