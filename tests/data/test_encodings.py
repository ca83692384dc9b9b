"""Text files in the encodings that people have, named or recognized."""

import io
import warnings

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import treewright as tw
from treewright.cli.main import main
from treewright.data.sources import blocks
from treewright.data.sources.encodings import as_utf8, found_encoding
from treewright.data.sources.from_csv import ReadSettings

WESTERN = "name,stadt\nJörg,Köln\nRené,Besançon\n“Ana”,A Coruña\n"
UTF_16 = {
    "utf-16 with a mark": b"\xff\xfe" + WESTERN.encode("utf-16-le"),
    "big-endian with a mark": b"\xfe\xff" + WESTERN.encode("utf-16-be"),
    "without a mark": WESTERN.encode("utf-16-le"),
    "big-endian without a mark": WESTERN.encode("utf-16-be"),
    "utf-8 with a mark": b"\xef\xbb\xbf" + WESTERN.encode(),
    "utf-32 with a mark": WESTERN.encode("utf-32"),
}
OTHERS = {
    "cp1251": "имя,город\nАнна,Москва\nИван,Тула\n",
    "shift_jis": "名前,都市\n太郎,東京\n",
    "cp1253": "όνομα,πόλη\nΆννα,Αθήνα\n",
    "gb18030": "姓名,城市\n王伟,北京\n",
}
LETTERS = st.text(st.characters(min_codepoint=0xC0, max_codepoint=0xFF), min_size=1, max_size=1)
WORDS = st.lists(
    st.tuples(st.text("abcdeXYZ ", min_size=1), LETTERS, st.text("abcdeXYZ", min_size=1)).map(
        "".join
    ),
    min_size=1,
    max_size=20,
)


def read(content, **settings):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return tw.read_table(io.BytesIO(content), **settings)


@pytest.mark.parametrize("kind", UTF_16)
def test_marks_and_zeros_are_recognized_without_a_word(kind, recwarn):
    assert tw.read_table(io.BytesIO(UTF_16[kind])).same_as(read(WESTERN.encode()))
    assert not recwarn


def test_windows_files_are_read_with_a_warning_that_shows_a_word():
    with pytest.warns(UserWarning, match="cp1252") as caught:
        table = tw.read_table(io.BytesIO(WESTERN.encode("cp1252")))
    assert table["stadt"].levels == ("Köln", "Besançon", "A Coruña")
    assert str(caught[0].message) == (
        "the stream is not UTF-8 and is read as cp1252 (Windows): line 2 contains `Jörg`. "
        'If that is wrong, set the encoding, as in encoding="latin-1"'
    )


@given(WORDS)
@example(["xéy"])
def test_western_words_are_told_from_utf_8(words):
    content = ("word\n" + "\n".join(words) + "\n").encode("cp1252")
    try:
        content.decode()
    except UnicodeDecodeError:
        with pytest.warns(UserWarning, match="cp1252"):
            assert found_encoding(content, "t.csv") == "cp1252"
        assert as_utf8(content, "t.csv", "cp1252").decode("utf-8").splitlines()[1:] == words


@given(st.text(st.characters(exclude_categories=["Cs", "Cc"])), st.sampled_from(["le", "be"]))
def test_utf_16_without_a_mark_needs_only_its_line_ends(text, order):
    lines = f"a,b,c,d,e\n{text},1\n"
    name = f"utf-16-{order}"
    if 10 * sum(letter < "\x7f" for letter in lines) >= len(lines):
        assert found_encoding(lines.encode(name), "t.csv") == name


@pytest.mark.parametrize("encoding", OTHERS)
def test_other_alphabets_are_not_taken_for_western(encoding):
    content = OTHERS[encoding].encode(encoding)
    with pytest.raises(tw.DataError, match="is not UTF-8") as caught:
        read(content)
    assert 'as in encoding="latin-1"' in caught.value.hint
    named = read(content, encoding=encoding)
    assert named.same_as(read(OTHERS[encoding].encode()))


def test_a_damaged_letter_of_utf_8_is_an_error_and_not_windows():
    content = WESTERN.encode().replace("ö".encode(), b"\xc3", 1)
    with pytest.raises(tw.DataError, match="line 2: byte 0xc3 is not UTF-8"):
        read(content)


@pytest.mark.parametrize(
    ("encoding", "message", "hint"),
    [("utf-9", "encoding='utf-9' is not known", "did you mean `utf-8`"), ("base64", "base64", "")],
)
def test_unknown_encodings_are_named(encoding, message, hint):
    with pytest.raises(tw.ParameterError, match=message) as caught:
        read(b"a\n1\n", encoding=encoding)
    assert hint in caught.value.hint


def test_a_wrong_encoding_names_the_byte():
    with pytest.raises(tw.DataError, match="byte 4 is not UTF-16"):
        read(b"a,b\n1", encoding="utf-16")


@pytest.mark.parametrize("size", [1, 2, 3, 7, 1000])
@pytest.mark.parametrize("kind", [*UTF_16, "cp1252"])
def test_blocks_are_recoded_as_the_whole_is(kind, size, monkeypatch):
    content = UTF_16[kind] if kind in UTF_16 else WESTERN.encode("cp1252")
    monkeypatch.setattr(blocks, "BLOCK_BYTES", size)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = list(blocks.stream_blocks(io.BytesIO(content), ".csv", ReadSettings(), "t"))
    cities = [table["stadt"].value(row) for table in found for row in range(table.n_rows)]
    assert cities == ["Köln", "Besançon", "A Coruña"]


def test_commands_take_the_encoding_and_say_what_they_guess(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    text = "stadt,y\n" + "Köln,ja\nBonn,nein\n" * 10
    (tmp_path / "t.csv").write_bytes(text.encode("cp1252"))
    assert main(["train", "t.csv", "-t", "y", "--out", "m.json"]) == 0
    said = capsys.readouterr().err
    assert (
        "note: t.csv is not UTF-8 and is read as cp1252 (Windows): line 2 contains `Köln`" in said
    )
    assert "as in --encoding latin-1" in said
    assert main(["predict", "m.json", "t.csv", "--encoding", "cp1252"]) == 0
    found = capsys.readouterr()
    assert found.out == "prediction\n" + "ja\nnein\n" * 10
    assert found.err == ""
    assert main(["columns", "t.csv", "--encoding", "utf-8"]) != 0
    assert "line 2: byte 0xf6 is not UTF-8" in capsys.readouterr().err
