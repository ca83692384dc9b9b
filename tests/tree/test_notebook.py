"""What a notebook shows of a tree where nothing is loaded that draws."""

import builders
from treewright.tree.as_text import as_html, draw_trees_by, notebook_html


def test_a_tree_is_its_text_and_names_in_it_are_text():
    schema = builders.numeric_schema("<b>x</b>")
    root = builders.threshold(0, 1.0, builders.leaf(1, 0), builders.leaf(0, 1))
    shown = as_html(builders.build(root, schema, ("no", "yes")))
    assert shown.startswith("<pre>&lt;b&gt;x&lt;/b&gt; &lt;= 1: no (1)\n")


def test_whoever_draws_trees_is_asked(monkeypatch):
    monkeypatch.setattr("treewright.tree.as_text._drawn_by", [as_html])
    tree = builders.a_tennis_tree()
    assert notebook_html(tree) == as_html(tree)
    draw_trees_by(lambda tree: f"{tree.n_leaves} leaves")
    assert notebook_html(tree) == tree._repr_html_() == "5 leaves"
