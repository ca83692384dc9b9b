"""Shortened rules, chosen subsets, and the order of classes."""

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treewright as tw
from treewright.intervals import pessimistic_rate
from treewright.rulesets.omit_rules import Shortener
from treewright.rulesets.post_pruning import (
    ClassRows,
    class_by_class,
    error_rate,
    listed_rules,
    masks_of,
    rules_by_accuracy,
    rules_by_mdl,
    shares_for,
)
from treewright.rulesets.row_masks import Part, RowMasks, packed
from treewright.rulesets.select_by_mdl import Choices, log2_factorial, selected_rules

seeds = st.integers(0, 2**32 - 1)


def noisy_rows(seed=0, n_rows=200):
    """A class that two columns decide; a third is noise."""
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(n_rows, 3)).round(1)
    codes = ((values[:, 0] > 0) & (values[:, 1] > 0)).astype(np.int32)
    flipped = rng.random(n_rows) < 0.05
    return tw.table_from(values), np.where(flipped, 1 - codes, codes)


def masks_for(table, codes, weights=None):
    return RowMasks(table, tw.C45Classifier().fit(table, codes).schema_, codes, 2, weights)


def test_a_piece_of_noise_is_dropped_and_the_true_ones_stay():
    table, codes = noisy_rows()
    rows = masks_for(table, codes)
    parts = [Part(2, high=1.5), Part(0, low=0.0), Part(2, low=-1.5), Part(1, low=0.0)]

    def badness(weight, errors):
        return pessimistic_rate(weight, errors, 0.25)

    found = Shortener(rows, badness, until_worse=True).shorten(parts, 1)
    assert found == (Part(0, low=0.0), Part(1, low=0.0))


def slow_generalized(parts, prediction, table, codes, *, until_worse):
    """The same in plain Python."""
    parts = list(parts)

    def badness(some):
        mask = np.ones(len(codes), dtype=bool)
        for part in some:
            values = table.columns[part.feature].values
            mask &= values > part.low if part.low is not None else values <= part.high
        weight, errors = float(mask.sum()), float((mask & (codes != prediction)).sum())
        if until_worse:
            return pessimistic_rate(weight, errors, 0.25)
        return errors / weight if weight else 1.0

    while parts:
        tries = [badness(parts[:at] + parts[at + 1 :]) for at in range(len(parts))]
        best = min(range(len(parts)), key=tries.__getitem__)
        gain = badness(parts) - tries[best]
        if gain < -1e-12 or (gain <= 1e-12 and not until_worse):
            break
        del parts[best]
    return parts


@given(seed=seeds, until_worse=st.booleans())
def test_pieces_go_as_in_the_plain_version(seed, until_worse):
    rng = np.random.default_rng(seed)
    table, codes = noisy_rows(seed, 100)
    parts = list(
        {
            Part(int(rng.integers(3)), **{str(rng.choice(["low", "high"])): round(rng.normal(), 1)})
            for _ in range(int(rng.integers(1, 6)))
        }
    )

    def badness(weight, errors):
        if until_worse:
            return pessimistic_rate(weight, errors, 0.25)
        return error_rate(weight, errors)

    shortener = Shortener(masks_for(table, codes), badness, until_worse=until_worse)
    for _ in range(6):  # rules that share parts: they may come to the same ones
        some = [part for part in parts if rng.random() < 0.8]
        prediction = int(rng.integers(2))
        found = shortener.shorten(some, prediction)
        expected = slow_generalized(some, prediction, table, codes, until_worse=until_worse)
        assert [*found] == expected


def test_logarithms_of_factorials_are_right_for_small_large_and_broken_numbers():
    numbers = np.array([0.0, 1e-9, 0.5, 1.0, 2.0, 7.0, 7.99, 8.0, 33.3, 1e4, 1e8, 1e200])
    expected = [math.lgamma(number + 1) / math.log(2) for number in numbers]
    np.testing.assert_allclose(log2_factorial(numbers), expected, rtol=1e-10, atol=1e-9)


@pytest.mark.parametrize("are_whole", [True, False])
def test_ways_to_choose_are_those_of_the_triangle(are_whole):
    choices = Choices(20, are_whole=are_whole)
    found = choices.log2_choose(np.array([5.0, 20.0, 0.0]), np.array([2.0, 10.0, 0.0]))
    np.testing.assert_allclose(found, np.log2([10, 184756, 1]), atol=1e-9)


def bits_of(chosen, covers, of_class, rule_bits):
    """The length of a description by its definition."""
    covered = np.zeros(len(of_class), dtype=bool)
    for rule in chosen:
        covered |= covers[rule]
    false_positives = math.comb(int(covered.sum()), int((covered & ~of_class).sum()))
    false_negatives = math.comb(int((~covered).sum()), int((~covered & of_class).sum()))
    theory = sum(rule_bits[rule] for rule in chosen) - math.log2(math.factorial(len(chosen)))
    return math.log2(false_positives) + math.log2(false_negatives) + 0.5 * theory


@pytest.mark.parametrize("weighted", [False, True])
@given(seed=seeds)
@settings(max_examples=50)
def test_no_single_change_makes_the_chosen_rules_shorter(weighted, seed):
    rng = np.random.default_rng(seed)
    n_rules, n_rows = int(rng.integers(1, 8)), 150
    of_class = rng.random(n_rows) < 0.4
    covers = (rng.random((n_rules, n_rows)) < 0.1) | (
        of_class & (rng.random((n_rules, n_rows)) < 0.6)
    )
    rule_bits = rng.uniform(2, 20, n_rules)
    table = tw.table_from(np.zeros((n_rows, 1)))
    codes = of_class.astype(np.int32)
    rows = masks_for(table, codes, np.ones(n_rows) if weighted else None)
    kept = selected_rules(
        np.stack([packed(mask) for mask in covers]), rows.of_class[1], rows, rule_bits
    ).tolist()
    best = bits_of(kept, covers, of_class, rule_bits)
    assert best <= bits_of(range(n_rules), covers, of_class, rule_bits) + 1e-6
    for rule in range(n_rules):
        other = [r for r in kept if r != rule] if rule in kept else [*kept, rule]
        assert best <= bits_of(other, covers, of_class, rule_bits) + 1e-5


def test_a_planted_pair_of_rules_is_chosen_from_all_subsets():
    rng = np.random.default_rng(3)
    of_class = np.zeros(300, dtype=bool)
    of_class[:100] = True
    covers = rng.random((6, 300)) < 0.3
    covers[2], covers[4] = np.arange(300) < 60, (np.arange(300) >= 50) & (np.arange(300) < 100)
    rows = masks_for(tw.table_from(np.zeros((300, 1))), of_class.astype(np.int32))
    bits = np.full(6, 8.0)
    kept = selected_rules(np.stack([packed(m) for m in covers]), rows.of_class[1], rows, bits)
    assert kept.tolist() == [2, 4]
    every = [c for size in range(7) for c in combinations(range(6), size)]
    assert min(every, key=lambda c: bits_of(c, covers, of_class, bits)) == (2, 4)


def test_probabilities_put_the_answer_first():
    shares = shares_for(
        np.array([[3.0, 1.0], [2.0, 2.0], [5.0, 1.0], [0.0, 0.0]]), np.array([0, 1, 1, 0])
    )
    np.testing.assert_allclose(shares.sum(axis=1), 1)
    assert shares.argmax(axis=1).tolist() == [0, 1, 1, 0]
    assert shares[0].tolist() == [0.75, 0.25]


@given(seed=seeds)
@settings(max_examples=30)
def test_classes_stand_in_order_of_false_positives_and_the_rest_gives_the_default(seed):
    table, codes = noisy_rows(seed, n_rows=150)
    codes = codes + (table.columns[2].values > 1)  # three classes
    tree = tw.C45Classifier(prune=None).fit(table, codes).tree_
    training = ClassRows(table, codes, None)
    rows = masks_of(tree, training)
    rules = listed_rules(tree, class_by_class(tree, training, rows, 0.25), rows)
    covers = {prediction: np.zeros(150, dtype=bool) for prediction in rules.predictions.tolist()}
    for at, rule in enumerate(rules.rules()):
        covers[int(rules.predictions[at])] |= rule.shares(table) == 1
    left = np.ones(150, dtype=bool)
    order = list(covers)
    assert rules.predictions.tolist() == sorted(rules.predictions.tolist(), key=order.index)
    for at, prediction in enumerate(order):
        wrong = [(covers[other] & left & (codes != other)).sum() for other in order[at:]]
        assert wrong[0] == min(wrong)
        left &= ~covers[prediction]
    assert (rules.fired(table) == -1).tolist() == left.tolist()
    if left.any():
        counts = np.bincount(codes[left], minlength=3)
        assert counts[rules.default_class] == counts.max()


@pytest.mark.parametrize("weighted", [False, True])
@given(seed=seeds)
@settings(max_examples=30)
def test_the_finished_list_errs_no_more_than_before_nor_without_one_of_its_rules(weighted, seed):
    table, codes = noisy_rows(seed, n_rows=150)
    codes = np.where(np.random.default_rng(seed).random(150) < 0.6, 0, codes)  # skewed
    weights = np.random.default_rng(seed).uniform(0.5, 2, 150) if weighted else None
    tree = tw.C45Classifier(prune=None).fit(table, codes, sample_weight=weights).tree_
    training = ClassRows(table, codes, weights)
    rows = masks_of(tree, training)
    before = listed_rules(tree, class_by_class(tree, training, rows, 0.25), rows)
    after = rules_by_mdl(tree, training, 0.25)

    def errors(rules):
        return np.average(rules.predictions_to(table) != codes, weights=weights)

    assert errors(after) <= errors(before) + 1e-9
    for rule in range(len(after)):
        rest = np.delete(np.arange(len(after)), rule)
        without = np.append(after.predictions[rest], after.default_class)
        predictions = without[after.take(rest).fired(table)]
        assert errors(after) <= np.average(predictions != codes, weights=weights) + 1e-9


@pytest.mark.parametrize("weighted", [False, True])
@given(seed=seeds)
@settings(max_examples=30)
def test_no_rule_is_outnumbered_among_its_own_rows(weighted, seed):
    table, codes = noisy_rows(seed, n_rows=150)
    rng = np.random.default_rng(seed)
    codes = np.where(rng.random(150) < 0.6, 0, codes + (rng.random(150) < 0.2))
    weights = rng.uniform(0.5, 2, 150) if weighted else None
    tree = tw.C45Classifier(prune=None).fit(table, codes, sample_weight=weights).tree_
    rules = rules_by_mdl(tree, ClassRows(table, codes, weights), 0.25)
    for at, rule in enumerate(rules.rules()):
        covered = rule.shares(table) == 1
        counts = np.bincount(codes[covered], None if weights is None else weights[covered], 3)
        assert counts[rules.predictions[at]] >= counts.max() - 1e-9


def test_the_notes_form_sorts_by_accuracy():
    table, codes = noisy_rows(n_rows=400)
    tree = tw.C45Classifier(prune=None).fit(table, codes).tree_
    rules = rules_by_accuracy(tree, ClassRows(table, codes, None))
    assert (np.diff(rules.counts.confidence) <= 1e-12).all()
