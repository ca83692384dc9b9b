"""Whatever columns are called, programs get distinct names that compile."""

import re

from hypothesis import given
from hypothesis import strategies as st

from exports.export_models import ODD_NAMES
from treewright.exports.languages.identifiers import C_WORDS, JAVA_WORDS, identifiers

names = st.lists(st.text(st.characters(exclude_categories=[])) | st.sampled_from(ODD_NAMES))
styles = st.sampled_from(["snake", "camel", "upper"])


@given(names, styles)
def test_identifiers_are_distinct_and_plain(names, style):
    made = identifiers(names, C_WORDS | JAVA_WORDS, style=style)
    assert len(set(made)) == len(names)
    assert all(re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", name) for name in made)
    assert not {*made} & (C_WORDS | JAVA_WORDS)


def test_what_nested_ifs_call_their_own_is_left_to_them():
    assert identifiers(["share 3", "branch_12", "share"]) == ["share_3_", "branch_12_", "share"]
    assert identifiers(["share", "Share"]) == ["share", "share_no_2"]


def test_a_name_of_any_length_stays_short():
    (made,) = identifiers(["x" * 10_000])
    assert len(made) <= 40
