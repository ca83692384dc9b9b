"""The page of an explanation: what its tables show."""

import treewright as tw
from treewright.documents.page import SheetTable


def tables(explanation):
    return [one for one in explanation.document().blocks if isinstance(one, SheetTable)]


def test_the_path_of_a_divided_row_keeps_the_shape_of_the_tree():
    X, y = tw.load_sample("tennis")
    found = tw.C45Classifier().fit(X, y).explain({"outlook": "Rain"})
    path = tables(found)[0]
    conditions = [row[0] for row in path.rows]
    assert conditions == ["all rows", "outlook = Rain", "wind = Weak", "wind = Strong"]
    assert path.depths == (0, 1, 2, 2)
    assert "| &emsp;&emsp;**wind = Strong** |" in found.to_markdown()


def test_a_path_without_branches_is_not_set_in():
    X, y = tw.load_sample("tennis")
    found = tw.C45Classifier().fit(X, y).explain(X[0:1])
    assert tables(found)[0].depths == ()


def test_classes_of_weighted_rows_are_titled_by_their_weights():
    X, y = tw.load_sample("tennis")
    weighted = tw.C45Classifier().fit(X, y, sample_weight=[0.5, 1.5] * 7).explain(X[0:1])
    assert "weight of No" in tables(weighted)[0].columns
    numbers = tw.CARTRegressor(prune=None).fit([[0.0], [1.0]], [0.0, 1.0], sample_weight=[2.0, 3.0])
    assert "weight" in tables(numbers.explain([0.0]))[0].columns
