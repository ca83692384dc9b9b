"""Trees taken apart into drafts and put together again."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import builders
from treewright.tree.as_json import tree_to_json
from treewright.tree.check import check_tree
from treewright.tree.drafting import assemble, become, drafts_of
from treewright.tree.predict import predict_values


@given(seed=st.integers(0, 2**32 - 1))
def test_a_tree_put_together_from_its_drafts_is_the_same_tree(seed):
    rng = np.random.default_rng(seed)
    schema = builders.a_mixed_schema(rng)
    tree = builders.a_random_tree(rng, schema, is_classifier=bool(seed % 2))
    again = assemble(drafts_of(tree)[0], tree)
    check_tree(again)
    in_its_order = assemble(drafts_of(again)[0], again)  # nodes are numbered level by level now
    assert tree_to_json(in_its_order) == tree_to_json(again)
    assert str(again) == str(tree)
    table = builders.a_random_table(rng, schema, n_rows=20)
    assert np.array_equal(predict_values(again, table), predict_values(tree, table))


def test_a_draft_that_becomes_its_child_takes_the_childs_place():
    tree = builders.a_tennis_tree()
    root = drafts_of(tree)[0]
    become(root, root.children[0])
    assert str(assemble(root, tree)).splitlines() == [
        line.removeprefix("|   ") for line in str(tree).splitlines()[1:3]
    ]
