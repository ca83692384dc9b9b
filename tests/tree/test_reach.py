"""What may still come of ordered levels below a cut."""

import sys

import pytest

from treewright.tree.reach import up_to


@pytest.mark.parametrize(
    ("cut", "bits"), [(-1.0, 0b0), (-0.5, 0b0), (0.0, 0b1), (1.5, 0b11), (2.0, 0b111), (9.0, 0b111)]
)
def test_levels_up_to_a_cut(cut, bits):
    assert up_to(cut, 0b111) == bits


@pytest.mark.parametrize("cut", [2e9, sys.float_info.max, -sys.float_info.max])
def test_a_cut_beyond_all_levels_asks_for_no_memory(cut):
    assert up_to(cut, 0b111) == (0b111 if cut > 0 else 0)
