"""What is left of a version space, against trying every hypothesis."""

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from reference import version_space_reference as slow
from treewright.concepts.agreement import (
    Counted,
    can_be_covered,
    conflict_among,
    covered,
    emptied_by,
    general_boundary,
    near_misses,
    specific_of,
)
from treewright.concepts.version_space import VersionSpace


@st.composite
def examples(draw):
    """Rows of few levels, some of them missing, and classes that follow a conjunction loosely."""
    n_levels = tuple(draw(st.lists(st.integers(1, 3), min_size=1, max_size=4)))
    one_row = st.tuples(*(st.integers(-1, n - 1) for n in n_levels))
    rows = draw(st.lists(one_row, min_size=1, max_size=8))
    concept = draw(st.sampled_from(slow.all_hypotheses(n_levels)))
    noise = draw(st.lists(st.integers(0, 6), min_size=len(rows), max_size=len(rows)))
    is_positive = [
        slow.covers(concept, row) != (n == 0) for row, n in zip(rows, noise, strict=True)
    ]
    return n_levels, rows, is_positive


def arrays(rows, is_positive):
    return np.array(rows, dtype=np.int64), np.array(is_positive)


@given(found=examples())
def test_the_row_that_empties_the_space_is_the_first_after_which_nothing_is_left(found):
    n_levels, rows, is_positive = found
    expected = slow.emptied_by(n_levels, rows, is_positive)
    assert emptied_by(*arrays(rows, is_positive)) == expected


@settings(max_examples=60)
@given(found=examples(), data=st.data())
def test_boundaries_counts_and_votes_are_those_of_all_hypotheses(found, data):
    n_levels, rows, is_positive = found
    left = slow.agreeing(n_levels, rows, is_positive)
    assume(left and any(is_positive))
    codes, positive = arrays(rows, is_positive)
    specific = specific_of(codes[positive])
    misses = near_misses(specific, codes[~positive])
    general = general_boundary(specific, misses, most=1000)
    assert slow.from_codes([specific.tolist()]) == slow.most_specific(left)
    assert slow.from_codes(general.tolist()) == slow.most_general(left)
    counted = Counted(specific, misses)
    assert counted.total == len(left)
    assert slow.from_codes(counted.hypotheses().tolist()) == set(left)
    new = data.draw(st.lists(st.tuples(*(st.integers(-1, n - 1) for n in n_levels)), min_size=1))
    asked = np.array(new, dtype=np.int64)
    expected = slow.shares(left, new)
    np.testing.assert_allclose(counted.covering(asked) / counted.total, expected)
    np.testing.assert_array_equal(can_be_covered(specific, misses, asked), expected > 0)
    np.testing.assert_array_equal(covered(specific, asked), expected == 1)


@settings(max_examples=60)
@given(found=examples())
def test_boundaries_after_each_example_are_those_of_all_hypotheses(found):
    n_levels, rows, is_positive = found
    space = VersionSpace.whole(n_levels)
    for end, (row, positive) in enumerate(zip(rows, is_positive, strict=True), start=1):
        space = space.after(row, is_positive=positive)
        left = slow.agreeing(n_levels, rows[:end], is_positive[:end])
        if any(is_positive[:end]):
            assert space.is_empty == (not left)
            if not left:
                return
            assert slow.from_codes(space.specific) == slow.most_specific(left)
            assert slow.from_codes(space.general) == slow.most_general(left)
        else:
            assert space.specific == ((-2,) * len(n_levels),)


@given(found=examples())
def test_a_conflict_shows_rows_that_no_conjunction_tells_apart(found):
    n_levels, rows, is_positive = found
    end = slow.emptied_by(n_levels, rows, is_positive)
    if end is None:
        return
    codes, positive = arrays(rows[: end + 1], is_positive[: end + 1])
    conflict = conflict_among(codes, positive)
    chosen = [*conflict.positives, conflict.negative]
    assert not slow.agreeing(
        n_levels, [rows[at] for at in chosen], [is_positive[at] for at in chosen]
    )


def test_general_hypotheses_that_are_too_many_are_not_written_down():
    # Each pair of columns tells one negative row apart: 2 ** 12 ways to do so.
    specific = np.zeros(24, dtype=np.int64)
    negatives = np.zeros((12, 24), dtype=np.int64)
    for at in range(12):
        negatives[at, 2 * at : 2 * at + 2] = 1
    misses = near_misses(specific, negatives)
    assert general_boundary(specific, misses, most=1000) is None
    assert can_be_covered(specific, misses, specific[np.newaxis]).all()
    assert not Counted.is_possible(specific)
