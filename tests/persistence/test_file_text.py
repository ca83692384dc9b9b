"""The outer form of a model file is strict: head, checksum, JSON."""

import gzip
import hashlib
import io
import json
import pickle
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treewright.errors import ModelFileError
from treewright.persistence.file_text import HEAD, document, model_in, parse

MODEL = {"estimator": "X", "tree": {"kind": [0, 1], "name": "größe\u2028\n\"'"}, "none": None}


def with_right_checksum(body: bytes, version: int = 1) -> bytes:
    """A file whose content is `body`, as an attacker would make it."""
    checksum = hashlib.sha256(body).hexdigest()
    return HEAD.format(version=version, checksum=checksum).encode() + body


def test_what_is_written_is_read():
    assert model_in(document(MODEL)) == MODEL


def test_a_file_is_plain_json_with_one_line_for_each_key():
    content = document(MODEL)
    found = json.loads(content)
    assert found["format"] == "treewright model"
    assert found["format_version"] == 2
    assert found["model"] == MODEL
    assert content.count(b"\n") > 10


def test_a_file_cut_anywhere_is_refused():
    content = document(MODEL)
    for length in range(len(content)):
        with pytest.raises(ModelFileError):
            model_in(content[:length])


def test_any_changed_byte_is_noticed():
    content = document(MODEL)
    for at in range(len(content)):
        changed = bytearray(content)
        changed[at] ^= 1
        with pytest.raises(ModelFileError):
            model_in(bytes(changed))


@pytest.mark.parametrize("extra", [b" ", b"\n", b"x", b"{}", b"\0"])
def test_anything_after_the_end_is_refused(extra):
    with pytest.raises(ModelFileError):
        model_in(document(MODEL) + extra)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "empty"),
        (pickle.dumps({"a": 1}), "a pickle"),
        (gzip.compress(b"{}", mtime=0), "a gzip file"),
        (b"not a model", "not a treewright model"),
        (b"[" * 1_000_000, "not a treewright model"),
        (b'{"a": ' + b"[" * 1_000_000, "not a treewright model"),
        (b'{"a": 1}', "not a treewright model"),
        (b'{"format": "treewright model", "format_version": 7}', "file format 7, this version"),
        (b'{"format": "treewright model", "format_version": 0}', "no file format 0"),
        (b'{"format": "treewright model", "format_version": 1}', "layout"),
        (b"\xff\xfe{", "not a treewright model"),
    ],
)
def test_other_files_are_told_by_their_content(content, words):
    with pytest.raises(ModelFileError, match=words):
        model_in(content)


def test_a_zip_archive_is_told_by_its_content():
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("model.json", document(MODEL))
    with pytest.raises(ModelFileError, match="zip archive"):
        model_in(buffer.getvalue())


def test_a_later_format_asks_for_an_upgrade():
    with pytest.raises(ModelFileError, match="file format 7, this version reads up to 2") as caught:
        model_in(with_right_checksum(b'{"anything": 1}\n}\n', version=7))
    assert "upgrade treewright" in str(caught.value)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b'{"a": 1, "a": 2}', "the key `a` occurs twice"),
        (b'{"a": NaN}', "NaN is not a number"),
        (b'{"a": -Infinity}', "-Infinity is not a number"),
        (b'{"a": 1} {"b": 2}', "not JSON: Extra data"),
        (b'{"a": ' + b"[" * 100_000 + b"]" * 100_000 + b"}", "nested deeper than 64 levels"),
        (b'{"a": ' + b"9" * 10_000 + b"}", "not JSON"),
        (b'{"a": "\xff"}', "byte 7 is not UTF-8"),
        (b"{'a': 1}", "not JSON"),
        (b"", "not JSON"),
    ],
)
def test_json_is_read_strictly_even_with_a_right_checksum(body, words):
    with pytest.raises(ModelFileError, match=words):
        model_in(with_right_checksum(body + b"\n}\n"))


def test_the_end_belongs_to_the_form():
    with pytest.raises(ModelFileError, match="end"):
        model_in(with_right_checksum(b'{"a": 1}}'))


@given(st.binary(max_size=200))
def test_no_bytes_lead_to_any_other_error(content):
    with pytest.raises(ModelFileError):
        model_in(content)


@given(
    st.recursive(
        st.none()
        | st.booleans()
        | st.integers()
        | st.floats(allow_nan=False, allow_infinity=False)
        | st.text(st.characters()),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
        max_leaves=8,
    )
)
def test_any_json_value_survives(value):
    assert model_in(document({"value": value})) == {"value": value}


def test_half_a_surrogate_pair_survives():
    model = {"tree": {"name": "\ud800"}, "größe": 1}
    assert model_in(document(model)) == model


def test_parse_is_fast_on_many_keys():
    many = b"{" + b", ".join(b'"%d": 1' % key for key in range(200_000)) + b"}"
    assert len(parse(many)) == 200_000
