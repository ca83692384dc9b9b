"""An ensemble says what it is: on the terminal and in notebooks."""

import treewright as tw
from treewright.ensembles.summary import importances, summary_text

X, Y = tw.load_sample("iris")


def test_the_summary_tells_size_scores_and_columns():
    model = tw.RandomForestClassifier(n_estimators=30, oob_score=True).fit(X, Y)
    text = summary_text(model)
    assert text.startswith("RandomForestClassifier: 30 trees, ")
    assert f"{model.get_n_leaves():,} leaves" in text
    assert f"out-of-bag score: {model.oob_score_:.4f}" in text
    assert "petal width" in text


def test_a_notebook_shows_the_summary_once_there_are_trees():
    model = tw.BoostedTreesClassifier(n_estimators=2)
    assert "column importances" not in model._repr_html_()
    assert ">BoostedTreesClassifier: 6 trees" in model.fit(X, Y)._repr_html_()


def test_of_many_columns_the_first_are_told():
    table = [[row * (at + 1) % 7 for at in range(25)] for row in range(50)]
    model = tw.RandomForestRegressor(n_estimators=2).fit(table, [row[0] for row in table])
    assert "and 5 others" in summary_text(model)


def test_a_forest_without_importances_tells_its_size():
    model = tw.IsolationForest(n_estimators=3).fit(X)
    assert model.summary().startswith("IsolationForest: 3 trees, ")
    assert "importance" not in model.summary()
    assert ">IsolationForest: 3 trees" in model._repr_html_()
    assert importances(model) == {}
