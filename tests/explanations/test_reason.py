"""The conditions of a reason hold for more rows than the one explained, and settle them all."""

from itertools import product

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from explanations.test_explain import a_row, a_small_tree
from reference.explanations_reference import all_values, answers
from treewright.explanations.boxes import holds
from treewright.explanations.goals import OtherClass
from treewright.explanations.path import way_of
from treewright.explanations.reason import reach_text, reason_box, sufficient_reason
from treewright.explanations.search import Finder
from treewright.exports.program import Program


@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=150, deadline=None)
def test_every_row_that_fulfils_the_conditions_gets_the_answer(seed):
    rng = np.random.default_rng(seed)
    tree = a_small_tree(rng)
    row = a_row(rng, tree)
    program = Program(tree)
    own = int(answers(tree, [row])[0])
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
    assert (answers(tree, list(product(*choices))) == own).all()
    reason = sufficient_reason(finder, asked)
    texts = {reach_text(program.columns[column], reach) for column, reach in box.items()}
    assert {*reason.conditions} <= texts
