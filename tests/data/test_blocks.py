"""A file in blocks is the file as a whole, however it is written."""

import io
import warnings

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from treewright.data.sources import blocks
from treewright.data.sources.from_csv import ReadSettings, table_from_csv
from treewright.errors import DataError
from watched import SLOWER

CELLS = st.sampled_from(
    ["1", "w", "", " ", '5" pipe', '"x\ny"', '"say ""hi"""', '"a,b"', ' "b" ', '""', '"c"d"', "é"]
)
CELL_ROWS = st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=12)
LINE_ENDS = st.sampled_from(["\n", "\r\n", "\r"])


@st.composite
def files(draw):
    """Text tables with odd quotes, empty lines, any line ends, and sometimes a mistake."""
    delimiter = draw(st.sampled_from([",", ";", "\t"]))
    names = draw(st.sampled_from([("a", "b"), ('"a\nc"', "b"), ('"a"', ' "b"')]))
    lines = [delimiter.join(cells) for cells in [names, *draw(CELL_ROWS)]]
    for at in draw(st.lists(st.integers(0, len(lines)), max_size=3)):
        lines.insert(at, "")
    lines += draw(st.sampled_from([[], [], [], ["1"], ['1,"open']]))
    end = draw(LINE_ENDS)
    mark = draw(st.sampled_from(["", "\ufeff"]))
    return (mark + end.join(lines) + draw(st.sampled_from(["", end]))).encode()


def rows_of(tables):
    names, rows = (), []
    for table in tables:
        names = table.names
        values = [
            [column.value(row) for row in range(table.n_rows)]
            for column in (table[name] for name in names)
        ]
        rows += list(zip(*values, strict=True))
    return names, [tuple(map(str, row)) for row in rows]


def outcome(read):
    """The rows, or what is wrong with them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return rows_of(read())
        except DataError as error:
            return str(error)


@given(files(), st.integers(1, 80))
@example(b"\na,b\n" + b"1,2\n" * 20, 16)
@example(b'a,b\n1,5" pipe\n' + b"2,w\n" * 20, 16)
@example(b'a,b\n1,"x\ny"\n1,5" pipe\n2,"z\n\n"\n' * 3, 9)
def test_blocks_hold_the_rows_of_the_whole(content, size):
    settings = ReadSettings(text=whole_names(content))
    whole = outcome(lambda: [table_from_csv(content, settings, source="t.csv")])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(blocks, "BLOCK_BYTES", size)
        in_blocks = outcome(
            lambda: blocks.stream_blocks(io.BytesIO(content), ".csv", settings, "t.csv")
        )
    assert in_blocks == whole


def whole_names(content):
    """The columns, all to be read letter by letter: a block does not see what others hold."""
    try:
        return table_from_csv(content, ReadSettings(), source="t.csv").names
    except DataError:
        return ()


@pytest.mark.parametrize("cell", ['"{}"', '5" {}'])
def test_quotes_cost_little_time(cell):
    """Sixteen megabytes are cut in far less time than they take to be read."""
    import time

    content = ("a,b\n" + f"1,{cell.format('word')}\n" * 200_000).encode()
    began = time.process_time()
    assert blocks.record_ends(content, ",")[-1] == len(content)
    assert time.process_time() - began < 2 * SLOWER


def test_a_file_must_not_change_the_meaning_of_a_text_half_way(monkeypatch, tmp_path):
    monkeypatch.setattr(blocks, "BLOCK_BYTES", 200)
    lines = [f"{day:02}/01/2021" for day in range(1, 29)] * 2
    lines += [f"01/{day:02}/2021" for day in range(1, 29)] * 2
    (tmp_path / "t.csv").write_text("\n".join(["seen", *lines]))
    settings = ReadSettings()
    with pytest.raises(
        DataError, match="`seen` is written as MM/DD/YYYY, but as DD/MM/YYYY before"
    ):
        list(blocks.table_blocks(str(tmp_path / "t.csv"), settings))
