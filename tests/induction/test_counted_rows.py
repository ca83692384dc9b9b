"""Where every row counts once the grower counts; where rows have weights it adds up.

Counting has ways of its own: tables of counts that children inherit, codes as bits, a search for
two classes. Weights of two change nothing about a tree, but go the other way.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treewright as tw

SHAPE = (
    "kind",
    "feature",
    "threshold",
    "first_child",
    "n_children",
    "missing_child",
    "n_rows",
    "level_start",
    "level_code",
    "level_child",
    "surrogate_start",
    "surrogate_kind",
    "surrogate_feature",
    "surrogate_threshold",
    "surrogate_flip",
    "surrogate_agreement",
    "surrogate_level_code",
    "surrogate_level_child",
)


def table_of_words(generator, n_rows, share_missing):
    """Few and many levels, whole numbers and fractions, holes in some columns."""
    columns = {}
    for place, n_levels in enumerate((2, 3, 9, 40, 300)):
        codes = generator.integers(n_levels, size=n_rows)
        columns[f"word{place}"] = np.array([f"l{code}" for code in codes], dtype=object)
    columns["whole"] = generator.integers(30, size=n_rows).astype(float)
    columns["fraction"] = generator.normal(size=n_rows)
    columns["copy"] = np.round(columns["fraction"], 1)
    for name in ("word2", "whole", "fraction"):
        holes = generator.random(n_rows) < share_missing
        columns[name][holes] = None if columns[name].dtype == object else np.nan
    return tw.table_from(columns)


@settings(max_examples=12)
@given(
    seed=st.integers(0, 2**32 - 1),
    n_rows=st.sampled_from((12, 80, 500, 2500)),
    n_classes=st.sampled_from((2, 2, 3)),
    share_missing=st.sampled_from((0.0, 0.1)),
    min_samples_leaf=st.sampled_from((1, 4)),
)
@pytest.mark.parametrize("missing", ["surrogate", "majority", "learned"])
@pytest.mark.filterwarnings("ignore:column:UserWarning")
def test_rows_that_count_once_and_rows_of_weight_two_give_one_tree(
    missing, seed, n_rows, n_classes, share_missing, min_samples_leaf
):
    generator = np.random.default_rng(seed)
    table = table_of_words(generator, n_rows, share_missing)
    classes = (generator.random(n_rows) ** 2 * n_classes).astype(int)
    classes[:n_classes] = range(n_classes)
    model = tw.CARTClassifier(
        prune=None, missing=missing, min_samples_leaf=min_samples_leaf, max_depth=9
    )
    twice = np.repeat(np.arange(n_rows), 2)
    counted = model.fit(table[twice], classes[twice]).tree_
    added = model.fit(table, classes, np.full(n_rows, 2.0)).tree_
    for name in SHAPE:
        times = 2 if name == "n_rows" else 1
        np.testing.assert_array_equal(
            getattr(counted, name), times * getattr(added, name), err_msg=name
        )
    np.testing.assert_array_equal(counted.value, added.value)
