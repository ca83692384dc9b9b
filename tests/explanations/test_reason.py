"""The conditions of a reason hold for more rows than the one explained, and settle them all."""

from itertools import product

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from explanations.test_explain import a_row, a_small_tree
from reference.explanations_reference import all_values, known_values, predictions
from treewright.explanations.boxes import holds
from treewright.explanations.conditions import condition_on
from treewright.explanations.goals import OtherClass
from treewright.explanations.path import way_of
from treewright.explanations.reason import reason_box, sufficient_reason
from treewright.explanations.search import Finder
from treewright.exports.program import Program


@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=150, deadline=None)
def test_every_row_that_fulfills_the_conditions_gets_the_prediction(seed):
    rng = np.random.default_rng(seed)
    tree = a_small_tree(rng)
    row = a_row(rng, tree)
    program = Program(tree)
    own = int(predictions(tree, [row])[0])
    finder = Finder(program, row, OtherClass.than(tree, own))
    asked = way_of(program, row).asked
    box = reason_box(finder, asked).box
    choices = []
    for column, value in enumerate(row):
        spec = tree.schema.columns[column]
        values = all_values(tree, column, value)
        if column in box:
            values = [one for one in values if holds(spec, box[column], one)]
        assert values
        choices.append(values)
    assert (predictions(tree, list(product(*choices))) == own).all()
    reason = sufficient_reason(finder, asked, {})
    for name, condition in zip(reason.columns, reason.conditions, strict=True):
        column = tree.schema.names.index(name)
        assert condition == condition_on(program.columns[column], box[column])


@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=150, deadline=None)
def test_no_condition_can_be_wider(seed):
    rng = np.random.default_rng(seed)
    tree = a_small_tree(rng)
    row = a_row(rng, tree)
    own = int(predictions(tree, [row])[0])
    finder = Finder(Program(tree), row, OtherClass.than(tree, own))
    found = reason_box(finder, way_of(finder.program, row).asked)
    assert found.is_widest
    for column in found.columns:
        for outside in just_outside(tree, column, found.box[column]):
            choices = [
                [value for value in all_values(tree, other, row[other]) if fits(found, spec, value)]
                if (spec := (other, tree.schema.columns[other]))[0] != column
                else [outside]
                for other in range(len(row))
            ]
            assert (predictions(tree, list(product(*choices))) != own).any()


def fits(found, place, value):
    column, spec = place
    return column not in found.box or holds(spec, found.box[column], value)


def just_outside(tree, column, reach):
    """The values next to a condition that do not fulfill it; of levels all."""
    spec = tree.schema.columns[column]
    known = [one for one in known_values(tree, column) if not holds(spec, reach, one)]
    if not spec.is_numeric:
        return known if reach.levels else []
    if not reach.low <= reach.high:
        return []
    below = [one for one in known if one < reach.low]
    above = [one for one in known if one > reach.high]
    return [*([max(below)] if below else []), *([min(above)] if above else [])]
