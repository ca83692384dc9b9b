"""Every model explains its witnesses, and predicts a changed row as the explanation says."""

import json

import pytest

from exports.export_models import EXPORT_MODELS, fitted
from treewright.data.table import Table
from treewright.explanations.explain import explain_row
from treewright.exports.witnesses import witnesses
from treewright.single_trees.as_tree import tree_of
from treewright.single_trees.explaining import explain
from treewright.tree.tree import Tree

# The search on a long chain takes a second for each row; a shorter one is explained elsewhere.
NAMES = [name for name in EXPORT_MODELS if "2,000 splits" not in name]


def rows_of(tree: Tree) -> list[Table]:
    rows = witnesses(tree, max_rows=5)
    return [rows[at : at + 1] for at in range(len(rows))]


@pytest.mark.filterwarnings("ignore:categories not seen", "ignore:X ")
@pytest.mark.parametrize("name", NAMES)
def test_a_changed_row_gets_the_prediction_that_was_promised(name):
    model = fitted(name)
    tree = tree_of(model)
    for row in rows_of(tree):
        if tree.unseen == "error" and any(
            column.value(0) not in (None, *spec.levels)
            for column, spec in zip(row.columns, tree.schema.columns, strict=True)
            if not spec.is_numeric
        ):
            continue  # refused, as prediction refuses it
        found = explain(model, row) if isinstance(model, Tree) else model.explain(row)
        json.loads(found.to_json())
        assert found.to_html()
        if not isinstance(model, Tree):
            assert found.prediction == model.predict(row)[0]
        if found.change is not None and not isinstance(model, Tree):
            changed = found.row | {one.column: one.new for one in found.change.columns}
            assert model.predict([changed])[0] == found.change.prediction


def test_the_same_row_is_always_explained_in_the_same_words():
    tree = tree_of(fitted("costs and fractions"))
    for row in rows_of(tree):
        encoded = tree.schema.encode(row, "missing")
        assert str(explain_row(tree, encoded)) == str(explain_row(tree, encoded))
