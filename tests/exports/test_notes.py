"""No name, however odd, ends the comment it stands in."""

import re

from hypothesis import given
from hypothesis import strategies as st

from builders import a_stump, a_tennis_tree
from exports.export_models import ODD_NAMES
from treewright.data.schema import ColumnSpec
from treewright.exports.notes import column_note, header_lines, listed, quoted_name
from treewright.exports.program import Program

END_OF_LINE_FOR_JAVA = r"(?<!\\)(\\\\)*\\u000[aAdD]"  # also within comments
texts = st.text(st.characters(exclude_categories=[])) | st.sampled_from(ODD_NAMES)


@given(texts)
def test_a_quoted_name_stays_on_its_line_and_in_its_comment(text):
    quoted = quoted_name(text)
    assert quoted.isprintable()
    assert "*/" not in quoted
    assert quoted.endswith('"')  # so that no backslash, nor ??/, continues the line
    assert not re.search(END_OF_LINE_FOR_JAVA, quoted)


@given(st.integers(0, 30))
def test_a_long_list_says_how_many_more(n_texts):
    text = listed([str(at) for at in range(n_texts)])
    assert ("more" in text) == (n_texts > 12)


def test_a_time_says_what_it_counts():
    spec = ColumnSpec("day", "numeric", (), "datetime64[D]")
    assert column_note(spec) == '"day": a time, as the number of days since 1970-01-01'


def test_the_header_tells_columns_classes_and_policies():
    lines = list(header_lines(Program(a_tennis_tree(unseen="majority")), "None if missing"))
    assert 'Classes: "No", "Yes".' in lines
    assert '  "wind": one of "Weak", "Strong"' in lines
    assert lines[-1] == "A level that training has not seen goes where most training rows went."
    assert not any("level" in line for line in header_lines(Program(a_stump()), ""))
