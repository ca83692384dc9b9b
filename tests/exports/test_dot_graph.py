"""DOT draws every node and every branch, and quotes whatever names there are."""

import re
import subprocess

import pytest

from exports.export_models import EXPORT_MODELS, fitted
from exports.machine import needs
from treewright.errors import ParameterError
from treewright.models.answering import answering_tree
from treewright.models.exporting import export

STRING = r'"(?:[^"\\\n]|\\.)*"'
NODE = re.compile(rf"    (\d+) \[label=({STRING})(?:, fillcolor=gray92)?\];")
EDGE = re.compile(rf"    (\d+) -> (\d+) \[label=({STRING})\];")


@pytest.mark.parametrize("name", EXPORT_MODELS)
def test_every_node_and_every_branch_is_drawn(name):
    tree = answering_tree(fitted(name))
    head, *lines, end, nothing = export(fitted(name), to="dot").split("\n")
    assert (head, end, nothing) == ("digraph tree {", "}", "")
    nodes = [match for line in lines[2:] if (match := NODE.fullmatch(line))]
    edges = [match for line in lines[2:] if (match := EDGE.fullmatch(line))]
    assert len(nodes) + len(edges) == len(lines) - 2  # nothing else stands there
    assert [int(node[1]) for node in nodes] == list(range(tree.n_nodes))
    assert [int(tree.parent[int(edge[2])]) for edge in edges] == [int(edge[1]) for edge in edges]
    assert len(edges) == tree.n_nodes - 1


@needs("dot")
@pytest.mark.parametrize("name", ["odd names", "odd levels and classes", "missing by surrogates"])
def test_graphviz_draws_it(name):
    drawn = subprocess.run(
        ["dot", "-Tsvg"], input=export(fitted(name), to="dot"), capture_output=True, text=True
    )
    assert drawn.returncode == 0, drawn.stderr


def test_where_missing_values_go_is_told():
    assert "or missing" in export(fitted("tennis by CART"), to="dot")
    assert "if missing: all branches, in parts" in export(fitted("tennis by C4.5"), to="dot")
    assert "if missing: Yes (14/5)" in export(fitted("tennis by ID3"), to="dot")
    assert "first" in export(fitted("missing by surrogates"), to="dot")


def test_a_large_tree_may_be_cut_off():
    drawn = export(fitted("tennis by ID3"), to="dot", max_depth=1)
    assert "wind" not in drawn
    assert '1 [label="No\\n(5/2)\\n...", fillcolor=gray92];' in drawn


def test_a_negative_depth_is_refused():
    with pytest.raises(ParameterError, match="max_depth is -1"):
        export(fitted("one leaf"), to="dot", max_depth=-1)
