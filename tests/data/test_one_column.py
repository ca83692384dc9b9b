"""How well one column predicts the target, against the same in loops."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import treewright as tw
from treewright.data.one_column import class_errors, explained_variance, target_of

SMALL = st.integers(0, 2**32 - 1)


def columns_of(**values):
    table = tw.table_from(values)
    return [table[name] for name in values]


def votes(category, label, row):
    """How many other rows of the row's category have each label."""
    others = [at for at in range(len(label)) if at != row and category[at] == category[row]]
    return {one: sum(label[at] == one for at in others) for one in sorted(set(label))}


@given(SMALL, st.integers(2, 40), st.integers(1, 8), st.integers(2, 4))
def test_categories_predict_by_their_other_rows(seed, n_rows, n_levels, n_classes):
    generator = np.random.default_rng(seed)
    category = [f"c{code}" for code in generator.integers(0, n_levels, n_rows)]
    label = [f"y{code}" for code in generator.integers(0, n_classes, n_rows)]
    wrong = 0
    for row in range(n_rows):
        counted = votes(category, label, row)
        ahead = [one for one in counted if one != label[row]]
        wrong += not all(counted[label[row]] > counted[one] for one in ahead)
        if not ahead:
            wrong -= counted[label[row]] == 0  # the only class there is
    column, target = columns_of(category=category, label=label)
    found = class_errors(column, target_of(target))
    if len(set(label)) > 1:
        assert found == wrong


@given(SMALL, st.integers(12, 60))
def test_numbers_that_a_threshold_decides_have_no_errors(seed, n_rows):
    generator = np.random.default_rng(seed)
    number = generator.random(n_rows)
    cut = np.sort(number)[n_rows // 2]
    column, target = columns_of(number=number, label=np.where(number < cut, "low", "high"))
    assert class_errors(column, target_of(target)) == 0


@given(SMALL, st.integers(1, 60))
def test_there_are_never_more_errors_than_by_guessing(seed, n_rows):
    generator = np.random.default_rng(seed)
    number = generator.integers(0, 9, n_rows).astype(float)
    column, target = columns_of(number=number, label=generator.choice(["x", "y", "z"], n_rows))
    values = target_of(target)
    assert 0 <= class_errors(column, values) <= values.n_wrong_guesses


@given(SMALL, st.integers(3, 40), st.integers(1, 6))
def test_categories_predict_the_mean_of_their_other_rows(seed, n_rows, n_levels):
    generator = np.random.default_rng(seed)
    category = [f"c{code}" for code in generator.integers(0, n_levels, n_rows)]
    y = generator.normal(5, 2, n_rows)
    squares = 0.0
    for row in range(n_rows):
        others = [y[at] for at in range(n_rows) if at != row and category[at] == category[row]]
        squares += (y[row] - (np.mean(others) if others else y.mean())) ** 2
    column, target = columns_of(category=category, y=y)
    found = explained_variance(column, target_of(target, of_classes=False))
    assert found == pytest.approx(1 - squares / ((y - y.mean()) ** 2).sum())


@given(SMALL, st.integers(3, 40))
def test_numbers_predict_the_mean_of_their_neighbors(seed, n_rows):
    generator = np.random.default_rng(seed)
    x, y = generator.permutation(n_rows).astype(float), generator.normal(0, 1, n_rows)
    at = {int(number): row for row, number in enumerate(x)}
    squares = 0.0
    for row in range(n_rows):
        beside = [at[place] for place in (int(x[row]) - 1, int(x[row]) + 1) if place in at]
        squares += (y[row] - np.mean([y[one] for one in beside])) ** 2
    column, target = columns_of(x=x, y=y)
    found = explained_variance(column, target_of(target, of_classes=False))
    assert found == pytest.approx(1 - squares / ((y - y.mean()) ** 2).sum())


@pytest.mark.parametrize("of_classes", [None, True, False])
def test_missing_values_are_a_category(of_classes):
    x = [None, None, None, 1.0, 2.0, 3.0] * 5
    y = [1.0, 1.0, 1.0, 0.0, 0.0, 0.0] * 5
    column, target = columns_of(x=x, y=y)
    values = target_of(target, of_classes=of_classes)
    if values.codes is None:
        assert explained_variance(column, values) == pytest.approx(1.0)
    else:
        assert class_errors(column, values) == 0
