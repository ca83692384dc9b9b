"""Least squares by descent: the closed form, the textbook's steps, holes, files, bad rates."""

import pickle
import re
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import Lasso, Ridge

import treewright as tw
from fitted_states import with_learned
from linear.linear_tables import a_mixed_table, written_out
from reference import descent_reference as reference
from treewright import DataError, ModelFileError, ParameterError
from treewright.linear.regressor import GradientDescentRegressor


def closed_form_answers(table, y, weights):
    """Predictions of least squares on columns written out, by NumPy."""
    Z = reference.one_hot(*written_out(table), [3, 2])
    roots = np.sqrt(weights)
    return Z @ np.linalg.lstsq(Z * roots[:, np.newaxis], y * roots)[0]


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 10_000))
def test_descent_comes_to_the_closed_form(seed):
    table, y, weights = a_mixed_table(seed)

    descent = GradientDescentRegressor().fit(table, y, weights)
    solved = GradientDescentRegressor(solver="normal_equations").fit(table, y, weights)

    expected = closed_form_answers(table, y, weights)
    np.testing.assert_allclose(solved.predict(table), expected, rtol=1e-11)
    np.testing.assert_allclose(descent.predict(table), expected, rtol=1e-9)
    np.testing.assert_allclose(descent.coef_, solved.coef_, rtol=1e-8, atol=1e-8)
    assert descent.intercept_ == pytest.approx(solved.intercept_, rel=1e-8)
    assert descent.converged_


def test_coefficients_agree_to_eight_digits_on_well_conditioned_numbers():
    generator = np.random.default_rng(0)
    X = generator.normal(size=(2000, 10)) * np.logspace(-3, 3, 10) + 7.0
    y = X @ (generator.uniform(1, 2, 10) / np.logspace(-3, 3, 10)) + generator.normal(size=2000)
    Z = np.column_stack([np.ones(2000), X])
    expected = np.linalg.lstsq(Z, y)[0]

    model = GradientDescentRegressor().fit(X, y)

    np.testing.assert_allclose(model.coef_, expected[1:], rtol=1e-8)
    assert model.intercept_ == pytest.approx(expected[0], rel=1e-8)


def test_plain_descent_takes_the_steps_of_the_textbook():
    generator = np.random.default_rng(1)
    X, y = generator.normal(size=(20, 2)), generator.normal(size=20)
    model = GradientDescentRegressor(
        learning_rate=0.3, momentum=0.0, standardize=False, max_iter=25, tol=0.0
    )

    with pytest.warns(UserWarning, match="did not converge in 25 steps"):
        trace = model.fit(X, y).trace_

    Z, shares = np.column_stack([np.ones(20), X]), np.full(20, 1 / 20)
    points = reference.descend(
        lambda _, at: reference.cost_and_gradient("squared_error", Z, y, shares, at)[1],
        np.zeros((1, 3)),
        0.3,
        0.0,
        25,
    )
    np.testing.assert_allclose(trace.intercepts[:, 0], [point[0, 0] for point in points])
    np.testing.assert_allclose(trace.coefficients[:, 0], [point[0, 1:] for point in points])
    costs = [np.square(Z @ point[0] - y).sum() / (2 * 20) for point in points]
    np.testing.assert_allclose(trace.costs, costs, rtol=1e-12)
    assert (trace.rates == 0.3).all()


@pytest.mark.parametrize("solver", ["gradient_descent", "normal_equations"])
def test_l2_is_ridge_regression_on_scaled_columns(solver):
    generator = np.random.default_rng(2)
    X, weights = generator.normal(5.0, 2.0, size=(60, 4)), generator.integers(1, 4, 60)
    y = X @ [1.0, -2.0, 0.5, 0.0] + generator.normal(size=60)
    mean = np.average(X, 0, weights)
    scale = np.sqrt(np.average(np.square(X - mean), 0, weights))
    peer = Ridge(alpha=0.3 * weights.sum()).fit((X - mean) / scale, y, weights)

    model = GradientDescentRegressor(l2=0.3, solver=solver).fit(X, y, weights)

    np.testing.assert_allclose(model.coef_ * scale, peer.coef_, rtol=1e-8)


def test_l1_is_the_lasso_and_leaves_terms_out():
    generator = np.random.default_rng(3)
    X = generator.normal(size=(100, 6))
    y = X @ [3.0, 0.0, 0.0, -2.0, 0.0, 0.02] + generator.normal(size=100)
    Z = (X - X.mean(0)) / X.std(0)
    peer = Lasso(alpha=0.2, tol=1e-14, max_iter=100_000).fit(Z, y)

    model = GradientDescentRegressor(l1=0.2).fit(X, y)

    np.testing.assert_allclose(model.coef_ * X.std(0), peer.coef_, atol=1e-9)
    assert (model.coef_ == 0).tolist() == (peer.coef_ == 0).tolist()
    assert "x1" not in model.equation()


@pytest.mark.parametrize(
    "settings_of_steps",
    [
        {"momentum": 0.0},
        {"momentum": 0.9},
        {"step_rule": "backtracking"},
        {"step_rule": "backtracking", "learning_rate": 1000.0},
        {"step_rule": "inverse", "decay": 0.001},
        {"standardize": False, "max_iter": 100_000},
    ],
    ids=str,
)
def test_every_way_of_stepping_comes_to_the_same_place(settings_of_steps):
    generator = np.random.default_rng(4)
    X = generator.normal(size=(100, 3))
    y = X @ [1.0, 2.0, 3.0] + 4.0 + generator.normal(size=100)
    solved = GradientDescentRegressor(solver="normal_equations").fit(X, y)

    model = GradientDescentRegressor(**settings_of_steps).fit(X, y)

    np.testing.assert_allclose(model.coef_, solved.coef_, rtol=1e-8)


@pytest.mark.parametrize("method", ["stochastic", "mini_batch"])
@pytest.mark.parametrize("step_rule", ["auto", "constant", "inverse"])
def test_few_rows_at_a_time_come_near(method, step_rule):
    table, y, weights = a_mixed_table(5, n_rows=400)
    solved = GradientDescentRegressor(solver="normal_equations").fit(table, y, weights)

    model = GradientDescentRegressor(method=method, step_rule=step_rule, max_iter=200)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # 200 epochs may be too few for the falling rate
        model.fit(table, y, weights)

    assert model.cost_ < 1.05 * solved.cost_
    assert model.trace_.costs.min() == model.cost_


def test_the_seed_decides_the_order_of_the_rows():
    table, y, _ = a_mixed_table(6)
    first, again, other = (
        GradientDescentRegressor(method="stochastic", random_state=seed).fit(table, y)
        for seed in (1, 1, 2)
    )

    assert first.coef_.tobytes() == again.coef_.tobytes()
    assert first.coef_.tobytes() != other.coef_.tobytes()


@pytest.mark.parametrize("method", ["batch", "stochastic"])
def test_a_rate_that_goes_uphill_is_named_with_one_that_does_not(method):
    table, y, _ = a_mixed_table(7)

    with pytest.raises(ParameterError, match=r"learning_rate=9 is too large") as raised:
        GradientDescentRegressor(learning_rate=9.0, method=method).fit(table, y)

    text = str(raised.value)
    assert re.search(r"after (step|epoch) \d+ it is", text)
    safe = float(re.search(r"a rate of ([\d.e-]+) is safe", text).group(1))
    GradientDescentRegressor(learning_rate=safe, method=method).fit(table, y)


def test_settings_that_do_not_go_together_are_refused():
    table, y, _ = a_mixed_table(8)
    for wrong in (
        {"method": "stochastic", "step_rule": "backtracking"},
        {"step_rule": "halving"},
        {"solver": "normal_equations", "l1": 1.0},
        {"momentum": 1.0},
        {"learning_rate": 0.0},
    ):
        with pytest.raises(ParameterError, match="hint"):
            GradientDescentRegressor(**wrong).fit(table, y)


def test_a_hole_in_a_number_is_its_mean_and_a_nominal_hole_a_level_of_its_own():
    table, y, _ = a_mixed_table(9, holes=0.2)
    area, color = table["area"], table["color"]
    filled = np.where(np.isnan(area.values), np.nanmean(area.values), area.values)
    words = [str(color.value(row)) for row in range(80)]
    plain = tw.table_from(
        {
            "area": filled.tolist(),
            "color": words,
            "age": table["age"].values.tolist(),
            "wall": [str(table["wall"].value(row)) for row in range(80)],
        }
    )

    with_holes = GradientDescentRegressor(solver="normal_equations").fit(table, y)
    without = GradientDescentRegressor(solver="normal_equations").fit(plain, y)

    np.testing.assert_allclose(with_holes.predict(table), without.predict(plain), rtol=1e-9)
    assert "color missing" in with_holes.term_names_


def test_holes_and_levels_that_training_never_met_count_as_a_mean_row():
    table, y, weights = a_mixed_table(10)
    model = GradientDescentRegressor().fit(table, y, weights)
    numbers = {"area": [model.term_means_[0]], "age": [model.term_means_[4]]}

    hole = tw.table_from(numbers | {"color": [None], "wall": [None]}).select(list(table.names))
    assert model.predict(hole)[0] == pytest.approx(np.average(y, weights=weights), rel=1e-8)
    strange = tw.table_from(numbers | {"color": ["pink"], "wall": [None]})
    strange = strange.select(list(table.names))
    with pytest.warns(UserWarning, match="pink"):
        assert model.predict(strange)[0] == model.predict(hole)[0]
    usual = GradientDescentRegressor(handle_unknown="majority").fit(table, y, weights)
    color = max(("red", "blue", "green"), key=lambda name: shares_of(model)[f"color = {name}"])
    like = tw.table_from(numbers | {"color": [color], "wall": [None]})
    assert usual.predict(strange)[0] == usual.predict(like.select(list(table.names)))[0]


def shares_of(model):
    return dict(zip(model.term_names_, model.term_means_.tolist(), strict=True))


def test_levels_count_against_a_mean_row_and_the_equation_says_so():
    table, y, weights = a_mixed_table(11)
    model = GradientDescentRegressor().fit(table, y, weights)
    effects = dict(zip(model.term_names_, model.coef_.tolist(), strict=True))
    shares = shares_of(model)

    mean = sum(shares[f"color = {c}"] * effects[f"color = {c}"] for c in ("red", "blue", "green"))
    assert mean == pytest.approx(0.0, abs=1e-9)
    assert model.equation().startswith(f"y = {model.intercept_:.4g} + {effects['area']:.4g} area")
    assert "[color = blue]" in model.equation()
    row = {"area": 90.0, "color": "blue", "age": 0.4, "wall": "wood"}
    by_hand = model.intercept_ + 90 * effects["area"] + 0.4 * effects["age"]
    by_hand += effects["color = blue"] + effects["wall = wood"]
    assert model.predict(tw.table_from([row]))[0] == pytest.approx(by_hand)
    told = model.explain(row)
    assert told.scores["y"] == pytest.approx(by_hand)
    assert sum(term.adds[0] for term in told.terms) + model.intercept_ == pytest.approx(by_hand)
    assert "blue" in str(told)


def test_ordered_levels_count_by_their_place():
    sizes = ["S", "L", "M", "L", "S", "M"]
    table = tw.table_from({"size": sizes}).with_order("size", ("S", "M", "L"))
    y = [1.0, 5.0, 3.0, 5.0, 1.0, 3.0]

    model = GradientDescentRegressor(solver="normal_equations").fit(table, y)

    assert model.coef_ == pytest.approx([2.0])
    assert model.intercept_ == pytest.approx(1.0)


def test_constant_and_empty_columns_and_targets_do_no_harm():
    X = np.column_stack([np.full(6, 1e9), np.arange(6.0), np.full(6, np.nan)])

    with pytest.warns(UserWarning, match="without any value"):
        model = GradientDescentRegressor().fit(X, 2 * np.arange(6.0) + 1)
    assert model.coef_ == pytest.approx([0.0, 2.0, 0.0], abs=1e-9)
    flat = GradientDescentRegressor().fit(X[:, :2], np.full(6, 4.0))
    assert flat.predict(X[:, :2]) == pytest.approx(np.full(6, 4.0))
    assert GradientDescentRegressor().fit([[1.0]], [3.0]).predict([[9.0]]) == pytest.approx([3.0])


def test_infinite_numbers_are_named():
    with pytest.raises(DataError, match="inf in column `x0`, row 1"):
        GradientDescentRegressor().fit([[1.0], [np.inf], [2.0]], [1.0, 2.0, 3.0])
    with pytest.raises(DataError, match="row 2"):
        GradientDescentRegressor().fit([[1.0], [3.0], [2.0]], [1.0, 2.0, 1e200])


def test_squares_that_overflow_without_scaling_are_an_error():
    X = np.arange(6.0)[:, np.newaxis] * 1e140

    with pytest.raises(DataError, match="standardize=True"):
        GradientDescentRegressor(standardize=False).fit(X, np.arange(6.0))
    assert GradientDescentRegressor().fit(X, np.arange(6.0)).coef_ == pytest.approx([1e-140])


@pytest.mark.parametrize("scale", [1e-310, 1e-185])
def test_numbers_too_small_for_a_coefficient_are_an_error(scale):
    X = np.random.default_rng(0).normal(size=(20, 2)) * [1.0, scale]
    with pytest.raises(DataError, match=r"column `x1` differ by .* only: .* beyond 1e\+300"):
        GradientDescentRegressor().fit(X, np.arange(20.0) * 1e120)


@pytest.mark.parametrize("name", ["l1", "l2", "decay", "learning_rate"])
def test_infinite_settings_are_refused(name):
    with pytest.raises(ParameterError, match=r"=inf is not allowed.*\n.*below 1e\+100"):
        GradientDescentRegressor(**{name: np.inf}).fit([[1.0], [2.0]], [1.0, 2.0])


@pytest.mark.parametrize("method", ["batch", "stochastic"])
def test_the_largest_settings_still_come_to_an_end(method):
    for settings_of_descent in (
        {"l2": 9e99},
        {"l1": 9e99},
        {"step_rule": "inverse", "decay": 9e99},
    ):
        model = GradientDescentRegressor(method=method, max_iter=5, **settings_of_descent)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                model.fit([[1.0], [2.0], [4.0]], [1.0, 2.0, 5.0])
            except DataError:
                continue
        assert np.isfinite(model.predict([[1.0]])).all()


def test_the_equation_tells_the_unit_of_dates():
    days = np.arange("2020-01-01", "2020-01-11", dtype="datetime64[D]")
    table = tw.table_from({"day": days.tolist()})

    model = GradientDescentRegressor().fit(table, 2.0 * np.arange(10.0))

    assert model.equation().endswith("+ 2 [day in D]")


def test_an_interrupted_fit_leaves_the_model_as_it_was(monkeypatch):
    table, y, _ = a_mixed_table(16)
    model = GradientDescentRegressor().fit(table, y)
    before = pickle.dumps(model)

    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("treewright.linear.base.descend", interrupt)
    with pytest.raises(KeyboardInterrupt):
        model.fit(table, 2 * y)

    assert pickle.dumps(model) == before


def test_the_number_of_threads_changes_no_byte_of_the_file(tmp_path):
    table, y, weights = a_mixed_table(12, n_rows=6000)
    files = []
    for n_jobs in (1, 2, 3):
        path = tmp_path / f"{n_jobs}.tw"
        GradientDescentRegressor(n_jobs=n_jobs).fit(table, y, weights).save(path)
        files.append(path.read_bytes())

    assert len(set(files)) == 1


def test_files_and_pickles_answer_as_the_model(tmp_path):
    table, y, _ = a_mixed_table(13, holes=0.1)
    model = GradientDescentRegressor().fit(table, y)
    model.save(tmp_path / "model.tw")

    for other in (tw.load(tmp_path / "model.tw"), pickle.loads(pickle.dumps(model))):
        assert other.predict(table).tobytes() == model.predict(table).tobytes()
        assert other.summary() == model.summary()
        assert other.trace_.costs.tobytes() == model.trace_.costs.tobytes()


@pytest.mark.parametrize(
    ("name", "change", "words"),
    [
        ("coef_", lambda a: a[:3], "one coefficient and one mean"),
        ("coef_", lambda a: a * np.nan, "`coef_` is not finite"),
        ("intercept_", lambda _: -1e301, "an intercept beyond"),
        ("term_means_", lambda a: a[:2], "one coefficient and one mean"),
        ("hole_columns_", lambda _: np.array([0]), "nominal columns"),
        ("hole_columns_", lambda _: np.array([1, 1]), "nominal columns"),
        ("n_iter_", lambda n: n + 1, "a trace of another length"),
        ("trace_costs_", lambda a: a[1:], "a trace of another length"),
        ("trace_slopes_", lambda a: a[1:], "a trace of another length"),
        ("trace_rates_", lambda a: a[1:], "a trace of another length"),
        ("trace_steps_", lambda a: a[1:], "other steps"),
        ("trace_steps_", lambda a: a - 1, "other steps"),
        ("trace_steps_", lambda a: a + 1, "other steps"),
        ("trace_steps_", lambda a: np.maximum(a, 1), "other steps"),
        ("trace_points_", lambda a: a[:, :, 1:], "other steps"),
        ("trace_points_", lambda a: a[1:], "other steps"),
    ],
)
def test_files_whose_parts_do_not_fit_are_refused(name, change, words):
    table, y, _ = a_mixed_table(14)
    model = GradientDescentRegressor().fit(table, y)
    model = with_learned(model, **{name: change(getattr(model, name))})

    with pytest.raises(ModelFileError, match=words):
        pickle.loads(pickle.dumps(model))


def test_a_file_without_points_of_the_trace_is_refused():
    table, y, _ = a_mixed_table(14)
    model = GradientDescentRegressor().fit(table, y)
    model = with_learned(
        model, trace_steps_=model.trace_steps_[:0], trace_points_=model.trace_points_[:0]
    )

    with pytest.raises(ModelFileError, match="other steps"):
        pickle.loads(pickle.dumps(model))


@pytest.mark.parametrize(
    ("name", "at", "value", "words"),
    [
        ("coef_", 0, -2e300, r"a coefficient of `size` beyond 1e\+300"),
        ("coef_", 2, 2e300, r"a coefficient of `color = blue` beyond 1e\+300"),
        ("term_means_", 0, 1e200, r"`term_means_` has 1e\+200 for `size`"),
        ("term_means_", 0, -1e200, r"`term_means_` has -1e\+200 for `size`"),
        ("term_means_", 1, 1.5, "`term_means_` has 1.5 for `color = red`"),
        ("term_means_", 1, -0.5, "`term_means_` has -0.5 for `color = red`"),
    ],
)
def test_numbers_of_a_file_that_no_fit_gives_are_named(name, at, value, words):
    table = {"size": [1.0, 2.0, 3.0], "color": ["red", "blue", "red"]}
    model = GradientDescentRegressor().fit(table, [1.0, 2.0, 3.0])
    numbers = getattr(model, name).copy()
    numbers[at] = value
    model = with_learned(model, **{name: numbers})

    with pytest.raises(ModelFileError, match=words):
        pickle.loads(pickle.dumps(model))


def test_a_row_whose_score_is_not_finite_is_named():
    X = np.arange(6.0)[:, np.newaxis] * 1e-140
    model = GradientDescentRegressor().fit(X, np.arange(6.0) * 1e100)
    assert model.coef_ == pytest.approx([1e240])

    with pytest.raises(DataError, match="row 2: its prediction overflows"):
        model.predict([[1.0], [-1.0], [1e100]])
    with pytest.raises(DataError, match="row 0: its prediction overflows"):
        model.explain([1e100])


def test_a_long_descent_keeps_few_of_its_points():
    generator = np.random.default_rng(15)
    X = generator.normal(size=(50, 2))
    model = GradientDescentRegressor(learning_rate=1e-4, momentum=0.0, max_iter=3000)

    with pytest.warns(UserWarning, match="did not converge"):
        trace = model.fit(X, X @ [1.0, 2.0]).trace_

    assert trace.n_steps == 3000
    assert 500 <= len(trace.steps) <= 1001
    assert trace.steps[-1] == 3000
    np.testing.assert_allclose(trace.coefficients[-1, 0], model.coef_)
    assert "3000 steps" in repr(trace)
