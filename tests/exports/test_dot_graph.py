"""DOT draws every node and every branch, and quotes whatever names there are."""

import subprocess

import pytest

from exports.dot_walk import EDGE, NODE, Graph, NotTold
from exports.export_models import EXPORT_MODELS, fitted
from machine import needs
from treewright.errors import ParameterError
from treewright.exports.program import row_dicts
from treewright.exports.witnesses import has_unseen, witnesses
from treewright.single_trees.as_tree import tree_of
from treewright.verbs.export import expected_predictions, export, program_of

DIGITS = 20  # after the point: as many as tell a double from its neighbors

NOT_READ_BACK = (
    "names of 10,000 letters",  # of which sixty are drawn
    "dates and durations",  # are drawn as such, and rows count them
    "odd names",  # look like conditions
    "odd levels and classes",
    "regression of extreme numbers",  # is drawn with six digits
    "everything, other classes",  # begin with a sum that is cut off
    "300 levels",  # are slow
    "a chain of 1,200 splits",
)
READ_BACK = [name for name in EXPORT_MODELS if name not in NOT_READ_BACK]


@pytest.mark.parametrize("name", EXPORT_MODELS)
def test_every_node_and_every_branch_is_drawn(name):
    tree = tree_of(fitted(name))
    head, *lines, end, nothing = export(fitted(name), to="dot").split("\n")
    assert (head, end, nothing) == ("digraph tree {", "}", "")
    nodes = [match for line in lines[2:] if (match := NODE.fullmatch(line))]
    edges = [match for line in lines[2:] if (match := EDGE.fullmatch(line))]
    assert len(nodes) + len(edges) == len(lines) - 2  # nothing else stands there
    assert [int(node[1]) for node in nodes] == list(range(tree.n_nodes))
    assert [int(tree.parent[int(edge[2])]) for edge in edges] == [int(edge[1]) for edge in edges]
    assert len(edges) == tree.n_nodes - 1


@pytest.mark.parametrize("name", READ_BACK)
def test_P16_a_reader_of_the_graph_predicts_as_the_model(name):
    model = fitted(name)
    program = program_of(model)
    rows = witnesses(program.tree)
    expected = expected_predictions(model, program, rows)
    columns = program.tree.schema.columns
    graph = Graph(
        export(model, to="dot", decimals=DIGITS),
        {column.name: column.levels for column in columns if column.kind == "ordered"},
    )
    is_unseen = has_unseen(program, rows)
    n_told = 0
    for at, row in enumerate(row_dicts(rows)):
        if is_unseen[at] and program.tree.unseen != "missing":
            continue  # the graph does not say where such a level goes
        try:
            found = graph.prediction(as_missing_if_unseen(row, columns))
        except NotTold:
            continue
        n_told += 1
        if expected.labels is None:
            assert float(found) == pytest.approx(expected.values[at, 0], rel=1e-12), row
        else:
            assert found == str(expected.labels[at]), row
    assert n_told >= len(rows) / 4


def as_missing_if_unseen(row, columns):
    return {
        column.name: row[column.name]
        if column.kind == "numeric" or row[column.name] in column.levels
        else None
        for column in columns
    }


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
