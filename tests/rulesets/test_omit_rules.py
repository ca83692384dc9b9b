"""Rules that do harm leave the list."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from treewright.rulesets.omit_rules import LabeledRows, RuleQueues, helpful_rules

seeds = st.integers(0, 2**32 - 1)


def errors_of(kept, covers, predictions, rows):
    """The weight that an ordered list with its best default is wrong about, row by row."""
    wrong, uncovered = 0.0, [0.0] * rows.n_classes
    for row, (code, weight) in enumerate(zip(rows.codes, rows.weights, strict=True)):
        said = next((predictions[rule] for rule in kept if row in covers[rule]), None)
        if said is None:
            uncovered[code] += weight
        elif said != code:
            wrong += weight
    return wrong + sum(uncovered) - max(uncovered)


def slow_helpful_rules(covers, predictions, rows):
    """The same by its definition: every list without one rule is tried."""
    kept = list(range(len(covers)))
    now = errors_of(kept, covers, predictions, rows)
    while kept:
        tries = [
            errors_of([other for other in kept if other != rule], covers, predictions, rows)
            for rule in kept
        ]
        best = min(tries)
        if best >= now - 1e-9 * sum(rows.weights):
            break
        gone = next(at for at, errors in enumerate(tries) if errors <= best + 1e-9)
        del kept[gone]
        now = best
    return kept


def some_list(seed, weighted):
    """A list of random rules, of which some hit their class more often than others."""
    rng = np.random.default_rng(seed)
    n_rules, n_rows, n_classes = int(rng.integers(0, 9)), int(rng.integers(1, 60)), 3
    codes = rng.choice(n_classes, n_rows, p=[0.7, 0.2, 0.1])
    predictions = rng.integers(0, n_classes, n_rules)
    luck = rng.uniform(0, 1, n_rules)
    hits = (codes == predictions[:, np.newaxis]) | (
        rng.random((n_rules, n_rows)) < luck[:, np.newaxis]
    )
    covers = [np.flatnonzero(rule_hits & (rng.random(n_rows) < 0.3)) for rule_hits in hits]
    weights = rng.choice([0.25, 0.5, 1.0, 3.0], n_rows) if weighted else np.ones(n_rows)
    return covers, predictions, LabeledRows(codes, weights, n_classes)


@given(seed=seeds, weighted=st.booleans())
def test_the_same_rules_go_as_in_the_plain_version(seed, weighted):
    covers, predictions, rows = some_list(seed, weighted)
    found = helpful_rules(covers, predictions, rows)
    assert found == slow_helpful_rules([set(c.tolist()) for c in covers], predictions, rows)


@given(seed=seeds)
def test_a_weight_of_two_counts_as_two_rows(seed):
    covers, predictions, rows = some_list(seed, weighted=False)
    twice = np.random.default_rng(seed).random(len(rows.codes)) < 0.5
    source = np.concatenate([np.arange(len(twice)), np.flatnonzero(twice)])
    repeated = [np.flatnonzero(np.isin(source, cover)) for cover in covers]
    weighted = LabeledRows(rows.codes, 1.0 + twice, rows.n_classes)
    written_out = LabeledRows(rows.codes[source], np.ones(len(source)), rows.n_classes)
    found = helpful_rules(covers, predictions, weighted)
    assert found == helpful_rules(repeated, predictions, written_out)


@given(seed=seeds)
def test_queues_know_the_first_two_rules_of_each_row_whatever_is_dropped(seed):
    covers, _, rows = some_list(seed, weighted=False)
    queues = RuleQueues(covers, len(rows.codes))
    left = list(range(len(covers)))
    for gone in [None, *np.random.default_rng(seed).permutation(len(covers)).tolist()]:
        if gone is not None:
            queues.drop(gone)
            left.remove(gone)
        for row in range(len(rows.codes)):
            queue = [rule for rule in left if row in covers[rule]] + [len(covers)] * 2
            assert [queues.first[row], queues.second[row]] == queue[:2]


def test_a_rule_that_is_wrong_more_often_than_right_goes_and_the_first_of_equals():
    codes = np.array([0] * 8 + [1] * 2)
    rows = LabeledRows(codes, np.ones(10), 2)
    bad, bad_too, good = np.array([0, 1, 8]), np.array([2, 3, 9]), np.array([9])
    assert helpful_rules([bad, good], np.array([1, 1]), rows) == [1]
    assert helpful_rules([good, bad_too], np.array([1, 1]), rows) == [0]
    twins = [bad, np.array([2, 3, 8]), good]
    assert helpful_rules(twins, np.array([1, 1, 1]), rows) == [2]


def test_the_default_follows_the_rules_that_go():
    # Without the rule for class 0 the rows it leaves make class 1 the default, and all is right.
    codes = np.array([1, 1, 1, 0])
    rows = LabeledRows(codes, np.ones(4), 2)
    assert helpful_rules([np.array([0, 1, 2]), np.array([3])], np.array([0, 0]), rows) == [1]
