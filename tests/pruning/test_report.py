"""The report of a pruning: arrays inside, cuts and a table outside, JSON in files."""

import copy
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import treewright as tw
from builders import a_chain, a_tennis_tree, build, leaf, numeric_schema, threshold
from treewright.errors import ModelFileError
from treewright.pruning.report import Grounds, PruningReport, cut_to_leaves, path_text


def a_report(*cut):
    """The tennis tree (splits 0, 1 and 3) cut at these nodes."""
    tree = a_tennis_tree()
    mask = np.zeros(tree.n_nodes, dtype=bool)
    mask[list(cut)] = True
    estimates = np.arange(tree.n_nodes) + 0.5
    grounds = Grounds("pessimistic", {"standard_errors": 1.0}, "errors", estimates, -estimates)
    return cut_to_leaves(tree, mask, grounds).report


def raised(report):
    """The report as if its first cut had raised a branch."""
    arrays = {name: getattr(report, name) for name in PruningReport.__slots__}
    as_branch = report.as_branch.copy()
    as_branch[0] = 0.25
    return PruningReport(**arrays | {"raised": np.array([True]), "as_branch": as_branch})


def test_cuts_tell_where_a_subtree_was_and_what_it_is_now():
    report = a_report(1, 3)
    first, second = report.cuts
    assert (first.node, first.was, first.became, first.n_leaves) == (1, 1, "leaf", 2)
    assert (second.as_leaf, second.as_subtree) == (3.5, -3.5)
    assert math.isnan(second.as_branch)
    assert (report.n_leaves_before, report.n_leaves_after) == (5, 3)
    assert len(report) == 2
    assert [cut.was for cut in report] == [1, 3]
    assert repr(report) == "<PruningReport: pessimistic, 5 to 3 leaves, 2 cuts>"


def test_a_cut_inside_a_larger_one_is_swallowed():
    report = a_report(0, 1)
    assert report.was.tolist() == [0]
    assert report.n_leaves.tolist() == [5]


def test_leaves_in_the_mask_are_no_cuts():
    assert a_report(2, 4).n_cuts == 0
    report = a_report(2)
    assert report.tree is report.before


def test_the_numbers_of_nodes_follow_the_cuts_before_them():
    tree = tw.ID3Classifier().fit(*tw.load_sample("weekend")).tree_
    inner = np.flatnonzero(~tree.is_leaf)
    mask = np.zeros(tree.n_nodes, dtype=bool)
    mask[inner[-2:]] = True
    nothing = np.zeros(tree.n_nodes)
    pruned = cut_to_leaves(tree, mask, Grounds("mdl", {}, "bits", nothing, nothing))
    for cut in pruned.report:
        assert pruned.tree.node(cut.node).condition == tree.node(cut.was).condition


def test_the_table_names_the_place_and_the_estimates():
    assert str(a_report(1)).splitlines() == [
        "pessimistic: 5 leaves became 4 by 1 cut",
        "options: standard_errors=1",
        "compared: errors",
        "leaves  as leaf  as subtree  became  at",
        "     2      1.5        -1.5  leaf    outlook = Sunny",
    ]


def test_a_raised_branch_has_a_column_of_its_own():
    lines = str(raised(a_report(1))).splitlines()
    assert lines[-2:] == [
        "leaves  as leaf  as subtree  as branch  became  at",
        "     2      1.5        -1.5       0.25  branch  outlook = Sunny",
    ]


def test_nothing_cut_is_said_so():
    assert str(a_report()) == "pessimistic: 5 leaves, nothing cut\noptions: standard_errors=1"


def test_a_long_report_is_abridged_the_largest_cuts_first():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(2000, 3)), rng.integers(0, 2, 2000)
    report = tw.prune(tw.TreeClassifier().fit(X, y), "pessimistic").pruning_
    lines = str(report).splitlines()
    assert len(lines) == 4 + 20 + 1
    assert lines[-1] == f"... {report.n_cuts - 20} smaller cuts"
    sizes = [int(line.split()[0]) for line in lines[4:-1]]
    assert sizes == sorted(report.n_leaves.tolist(), reverse=True)[:20]
    assert max(map(len, lines)) <= 110


def test_a_long_path_and_a_long_name_are_cut_short():
    deep = a_chain(3000)
    text = path_text(deep.node(deep.n_nodes - 1))
    assert text == "... and x > 2997 and x > 2998 and x > 2999 and x > 3000"
    named = build(threshold(0, 1.0, leaf(1, 0), leaf(0, 1)), numeric_schema("n" * 10_000), (0, 1))
    assert len(path_text(named.node(1))) == 60


def test_json_gives_the_report_again():
    for report in (a_report(1, 3), a_report(), a_report(0), raised(a_report(1))):
        again = PruningReport.from_dict(report.to_dict(), report.tree)
        assert again.to_dict() == report.to_dict()
        assert str(again) == str(report)
        assert again.before is None


def test_an_estimate_that_was_not_made_is_null():
    assert a_report(1).to_dict()["cuts"]["as_branch"] == [None]


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("method",), "guess"),
        (("method",), 3),
        (("measure",), None),
        (("options",), []),
        (("options",), {"guess": 1}),
        (("options", "standard_errors"), {"a": 1}),
        (("options", "standard_errors"), ["a"]),
        (("options", "standard_errors"), [1.0, "a"]),
        (("options", "standard_errors"), [1.0, 1e999]),
        (("options", "standard_errors"), 1e999),
        (("n_leaves_before",), -1),
        (("n_leaves_before",), True),
        (("cuts",), None),
        (("cuts", "node"), [1]),
        (("cuts", "node"), [3, 1]),
        (("cuts", "node"), [1, 1]),
        (("cuts", "node"), [1, 99]),
        (("cuts", "node"), [1, 2.0]),
        (("cuts", "node"), [0, 1]),
        (("cuts", "was"), [1, 2**31]),
        (("cuts", "was"), [1, 2**40]),
        (("cuts", "was"), 7),
        (("cuts", "became"), ["leaf", "twig"]),
        (("cuts", "became"), ["leaf", []]),
        (("cuts", "as_leaf"), [1.0, "2"]),
        (("cuts", "as_leaf"), [1.0, 1e999]),
        (("cuts", "n_leaves"), [1, None]),
        (("cuts", "more"), []),
    ],
)
def test_a_damaged_report_is_refused(path, value):
    report = a_report(1, 3)
    data = copy.deepcopy(report.to_dict())
    *above, last = path
    entry = data
    for key in above:
        entry = entry[key]
    entry[last] = value
    with pytest.raises(ModelFileError, match="pruning"):
        PruningReport.from_dict(data, report.tree)


def test_a_report_may_hold_both_leaves_and_branches():
    """Of a leaf there is no estimate as a branch."""
    report = a_report(1, 3)
    data = report.to_dict()
    data["cuts"] |= {"became": ["leaf", "branch"], "as_branch": [None, 0.25]}
    data["options"]["standard_errors"] = [0.5, 1.0]
    assert PruningReport.from_dict(data, report.tree).to_dict() == data


def test_a_report_may_count_as_far_as_the_numbers_of_nodes_go():
    report = a_report(1, 3)
    data = report.to_dict()
    data["cuts"]["was"] = [1, 2**31 - 1]
    assert PruningReport.from_dict(data, report.tree).to_dict() == data


@given(data=st.data())
def test_a_report_with_odd_numbers_is_refused_or_can_be_shown(data):
    report = a_report(1, 3)
    content = report.to_dict()
    name = data.draw(st.sampled_from([*content["cuts"], "n_leaves_before"]))
    odd = data.draw(st.sampled_from([-1, 0, 3, 2**31, 2**63, 1e308, -1e308, 0.5, None, "leaf", []]))
    if name == "n_leaves_before":
        content[name] = odd
    else:
        content["cuts"][name][data.draw(st.integers(0, 1))] = odd
    try:
        again = PruningReport.from_dict(content, report.tree)
    except ModelFileError:
        return
    assert str(again)
    assert again.to_dict() == content
