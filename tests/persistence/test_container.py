"""A container gives back what was put in; a broken or hostile one is refused."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as of_numpy

from treewright.errors import ModelFileError
from treewright.persistence.container import (
    ALIGNMENT,
    FORMAT_VERSION,
    HEAD,
    MAGIC,
    TYPES,
    checksum,
    container_bytes,
    is_container,
    read_container,
)

arrays = st.dictionaries(
    st.text(max_size=5),
    st.sampled_from(sorted(TYPES)).flatmap(
        lambda kind: of_numpy.arrays(kind, of_numpy.array_shapes(max_dims=3, min_side=0))
    ),
    max_size=4,
)
values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=8,
)
SMALL = container_bytes({"name": "x"}, {"numbers": np.arange(3.0), "codes": np.zeros((0, 2), "u1")})


def hostile(text: bytes, body: bytes = b"", *, length: int | None = None) -> bytes:
    """A file with a right checksum around any content, as an attacker would make it."""
    text += b" " * (-len(text) % ALIGNMENT)
    stated = len(text) if length is None else length
    start = MAGIC + FORMAT_VERSION.to_bytes(8, "little") + stated.to_bytes(8, "little")
    return start + checksum(start, text + body) + text + body


def listing(*listed: object) -> bytes:
    return json.dumps({"arrays": listed, "model": {}}).encode()


@given(st.dictionaries(st.text(max_size=5), values, max_size=3), arrays)
@settings(max_examples=30, deadline=None)
def test_what_is_written_is_read(model, held):
    found = read_container(container_bytes(model, held))
    assert found.model == model
    assert list(found.arrays) == list(held)
    for name, array in held.items():
        assert found.arrays[name].dtype == array.dtype
        np.testing.assert_array_equal(found.arrays[name], array)


def test_arrays_lie_aligned_and_are_not_copied():
    content = container_bytes({}, {"a": np.arange(5, dtype=np.uint8), "b": np.arange(4.0)})
    assert len(content) % ALIGNMENT == 0
    found = read_container(content).arrays["b"]
    assert not found.flags.owndata
    assert not found.flags.writeable


def test_the_order_of_memory_does_not_matter():
    table = np.arange(6.0).reshape(2, 3)
    assert container_bytes({}, {"t": table}) == container_bytes({}, {"t": np.asfortranarray(table)})


def test_a_file_cut_anywhere_is_refused():
    for length in range(len(SMALL)):
        with pytest.raises(ModelFileError):
            read_container(SMALL[:length])


@given(st.integers(0, len(SMALL) - 1), st.integers(1, 255))
def test_any_changed_byte_is_noticed(at, change):
    broken = bytearray(SMALL)
    broken[at] ^= change
    with pytest.raises(ModelFileError):
        read_container(bytes(broken))


def test_anything_after_the_end_is_refused():
    with pytest.raises(ModelFileError, match="checksum"):
        read_container(SMALL + b"\0")
    with pytest.raises(ModelFileError, match="more in it"):
        read_container(hostile(listing(), bytes(64)))


def test_a_later_format_asks_for_an_upgrade():
    later = SMALL[:16] + (7).to_bytes(8, "little") + SMALL[24:]
    with pytest.raises(ModelFileError, match="file format 7, this version reads up to 2"):
        read_container(later)
    with pytest.raises(ModelFileError, match="no file format 0"):
        read_container(SMALL[:16] + bytes(8) + SMALL[24:])


@pytest.mark.parametrize(
    ("listed", "words"),
    [
        ("a", "a name, a type and a shape"),
        (["a", "float64"], "a name, a type and a shape"),
        ([1, "float64", [1]], "not text"),
        (["a", "object", [1]], "type of array `a` is not known"),
        (["a", "<f8", [1]], "type of array `a` is not known"),
        (["a", [], [1]], "type of array `a` is not known"),
        (["a", "float64", []], "shape"),
        (["a", "float64", [1, 1, 1, 1]], "shape"),
        (["a", "float64", [-1]], "shape"),
        (["a", "float64", [True]], "shape"),
        (["a", "float64", [1.0]], "shape"),
        (["a", "float64", [0, 10**30]], "shape"),
        (["a", "float64", [9]], "does not fit"),
        (["a", "float64", [64, 64, 64]], "does not fit"),
        (["a", "uint8", [63]], "more than padding"),
    ],
)
def test_arrays_that_cannot_be_are_refused(listed, words):
    with pytest.raises(ModelFileError, match=words):
        read_container(hostile(listing(listed), b"\1" * 64))


def test_no_array_occurs_twice():
    one = ["a", "uint8", [1]]
    with pytest.raises(ModelFileError, match="twice"):
        read_container(hostile(listing(one, one), bytes(128)))


@pytest.mark.parametrize(
    "text",
    [b"", b"{}", b"[1]", b"nonsense", b'{"arrays": 1, "model": 2}', b"[" * 100_000, b"\xff"],
)
def test_json_that_is_no_head_is_refused(text):
    with pytest.raises(ModelFileError):
        read_container(hostile(text))


@pytest.mark.parametrize("length", [1, 63, 2**63, 10**6 * ALIGNMENT])
def test_the_stated_length_of_the_json_is_checked(length):
    with pytest.raises(ModelFileError, match="length of the JSON"):
        read_container(hostile(listing(), length=length))


@given(values, st.binary(max_size=200))
@settings(max_examples=80, deadline=None)
def test_any_listing_is_read_or_refused(listed, body):
    content = hostile(json.dumps({"arrays": listed, "model": 0}).encode(), body)
    try:
        read_container(content)
    except ModelFileError:
        return


def test_arrays_that_no_file_holds_are_refused_before_writing():
    with pytest.raises(ModelFileError, match="complex128"):
        container_bytes({}, {"z": np.zeros(1, complex)})
    with pytest.raises(ModelFileError, match="4 axes"):
        container_bytes({}, {"z": np.zeros((1, 1, 1, 1))})


def test_containers_are_told_by_their_first_bytes():
    assert is_container(SMALL)
    assert is_container(SMALL[: len(MAGIC)])
    assert not is_container(b'{"format": "treewright model"}')
    assert not is_container(b"")
    assert len(SMALL[:HEAD]) == HEAD
