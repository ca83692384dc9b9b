"""Worksheets of raised subtrees: each estimate stands beside the rows it was made from."""

import math

import numpy as np
import pytest

import treewright as tw

CONFIDENCE, Z = 0.25, 0.6744897501960817
NOTE = "Pruning raised this subtree"


def upper_limit(errors: float, weight: float) -> float:
    """N x U(E, N) by its definition."""
    if errors < 1:
        none = weight * (1 - CONFIDENCE ** (1 / weight))
        return none if errors == 0 else none + errors * (upper_limit(1, weight) - none)
    if errors + 0.5 >= weight:
        return max(weight, errors)
    f = (errors + 0.5) / weight
    spread = math.sqrt(f / weight - f * f / weight + Z * Z / (4 * weight * weight))
    return weight * (f + Z * Z / (2 * weight) + Z * spread) / (1 + Z * Z / weight)


def noisy_board(seed: int, missing: float = 0.0):
    """Categories of which few matter: their trees are raised often."""
    rng = np.random.default_rng(seed)
    cells = rng.integers(0, 3, size=(400, 7))
    y = np.where((cells[:, 0] == cells[:, 1]) ^ (rng.random(400) < 0.2), "yes", "no")
    names = np.array(["x", "o", "b"], dtype=object)[cells]
    names[rng.random(names.shape) < missing] = None
    return [dict(zip("abcdefg", row, strict=True)) for row in names.tolist()], y.tolist()


def fitted(seed: int, missing: float = 0.0):
    X, y = noisy_board(seed, missing)
    return tw.C45Classifier().fit(X, y), X, y


TABLES = [(0, 0.0), (3, 0.1), (5, 0.0), (8, 0.0), (8, 0.1), (9, 0.1)]


def test_the_tables_have_raised_subtrees_and_cuts_decided_by_other_rows():
    works = [work for case in TABLES for work in worked_out(*case)]
    assert sum(work.is_raised for work in works) > 40
    assert sum(work.pruning is not None and work.pruning.rows_came for work in works) > 3
    assert sum(bool(work.pruning and work.pruning.raised) for work in works) > 3


def worked_out(seed: int, missing: float):
    model, X, y = fitted(seed, missing)
    return list(tw.worksheet(model, X, y).nodes)


@pytest.mark.parametrize(("seed", "missing"), TABLES)
def test_inside_raised_subtrees_rows_and_errors_are_those_of_the_estimate(seed, missing):
    for work in worked_out(seed, missing):
        if work.pruning is None:
            continue
        found = work.pruning
        for one in (found.leaf, *found.branches, *found.raised):
            if one.weight > 0:
                assert one.as_leaf == pytest.approx(upper_limit(one.errors, one.weight), rel=1e-9)


@pytest.mark.parametrize(("seed", "missing"), TABLES)
def test_the_branches_of_a_raised_branch_add_up(seed, missing):
    for work in worked_out(seed, missing):
        if work.pruning is not None and work.pruning.raised:
            total = sum(branch.estimate for branch in work.pruning.raised)
            assert total + work.pruning.raised_at_node == pytest.approx(work.pruning.as_branch)
            assert work.pruning.as_branch <= work.pruning.as_subtree + 0.1 + 1e-9


def test_a_raised_node_says_why_its_margin_may_be_negative_before_its_numbers():
    for seed, missing in TABLES:
        model, X, y = fitted(seed, missing)
        sheet = tw.worksheet(model, X, y)
        for work in sheet.nodes:
            if work.chosen is None or not work.is_raised:
                continue
            section = sheet.to_text(steps=work.node).partition(f"Node {work.node}:")[2]
            assert 0 < section.index(NOTE) < section.index("Columns compared")


def test_a_negative_margin_occurs_in_raised_subtrees_only():
    works = [work for case in TABLES for work in worked_out(*case)]
    negative = [work for work in works if work.margin < -1e-12]
    assert negative
    assert all(work.is_raised for work in negative)


def test_a_leaf_of_growth_that_got_more_rows_is_not_said_to_be_pruned():
    seen = 0
    for case in TABLES:
        model, X, y = fitted(*case)
        sheet = tw.worksheet(model, X, y)
        for work in sheet.nodes:
            if work.stop_reason == "pruned" and work.cut is None:
                seen += 1
                text = " ".join(sheet.to_text(steps=work.node).split())
                assert "growth stopped here; raising the subtree then brought further rows" in text
    assert seen


def test_a_saved_model_still_knows_by_which_rows_it_decided(tmp_path):
    for case in TABLES:
        model, X, y = fitted(*case)
        model.save(tmp_path / "model.json")
        loaded = tw.load(tmp_path / "model.json")
        pairs = zip(tw.worksheet(model, X, y).nodes, tw.worksheet(loaded, X, y).nodes, strict=True)
        for work, again in pairs:
            assert (work.pruning is None) == (again.pruning is None)
            if work.pruning is not None:
                assert again.pruning.leaf == work.pruning.leaf
                assert again.pruning.rows_came == work.pruning.rows_came


def test_without_the_rows_a_raised_node_shows_the_score_of_growth_only():
    for case in TABLES:
        model, _, _ = fitted(*case)
        for work in tw.worksheet(model).nodes:
            if work.chosen is not None and work.is_raised:
                assert math.isnan(work.chosen.gain)
                assert math.isnan(work.chosen.split_information)
