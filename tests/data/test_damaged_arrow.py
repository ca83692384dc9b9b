"""Arrow arrays that break the rules of the format: an error with the column, never a crash.

The C data interface does not say how large most buffers are, so a producer that lies about that
cannot be found out. Everything else is checked.
"""

import ctypes
import struct

import numpy as np
import pytest

import treewright as tw
from machine import imported
from treewright.data.sources import table_from
from treewright.errors import DataError

pyarrow = imported("pyarrow")


def text_array(offsets, text, *, width="i"):
    """A string array with these offsets, unchecked."""
    array, places = harmless_array(len(offsets), text, width)
    places[:] = offsets
    return array


def damaged_table(offsets, text, *, width="i"):
    """A table with such a column, unchecked too."""
    array, places = harmless_array(len(offsets), text, width)
    table = pyarrow.table({"word": array})
    places[:] = offsets
    return table


def harmless_array(n_offsets, text, width):
    """Empty texts, and their offsets to be changed once pyarrow has checked them."""
    kind = pyarrow.string() if width == "i" else pyarrow.large_string()
    places = np.zeros(n_offsets, dtype=width)
    buffers = [None, pyarrow.py_buffer(places), pyarrow.py_buffer(text)]
    return pyarrow.Array.from_buffers(kind, n_offsets - 1, buffers), places


def refused(table, *words):
    """The error for a table, which must say all the words."""
    with pytest.raises(DataError) as caught:
        table_from(table)
    for word in words:
        assert word in str(caught.value)


class Plain:
    """Only the stream of a table, as any library may offer it: nothing pyarrow could check."""

    def __init__(self, table):
        self.table = table

    def __arrow_c_stream__(self, requested_schema=None):
        return self.table.__arrow_c_stream__(requested_schema)


def refused_as_a_stream(array, *words):
    refused(Plain(pyarrow.table({"word": array})), *words)


@pytest.mark.parametrize("width", ["i", "q"])
@pytest.mark.parametrize(
    "offsets", [[0, 4, 2, 6], [-5, 1, 2, 6], [0, -(2**31), 3, 6], [0, 2**31 - 1, 3, 6]]
)
def test_offsets_that_go_back_are_refused(offsets, width):
    """These were read as texts of 2^64 bytes."""
    table = damaged_table(offsets, b"abcdef", width=width)
    refused(table, "column `word`")
    refused(Plain(table), "column `word`, row", "offset")


def test_offsets_beyond_the_buffer_are_refused_where_it_is_known():
    refused(damaged_table([0, 1, 2, 10**9], b"abc"), "column `word`", "larger than")


def test_the_row_is_counted_over_all_chunks():
    good, bad = pyarrow.array(["a", "b"]), text_array([0, 1, 0], b"ab")
    refused_as_a_stream(pyarrow.chunked_array([good, bad]), "column `word`, row 3")


@pytest.mark.parametrize("kind", [pyarrow.string(), pyarrow.large_string()])
def test_text_that_is_not_utf8_is_an_error_with_column_and_row(kind):
    """It was a RuntimeError of the bindings."""
    width = "i" if kind == pyarrow.string() else "q"
    bad = text_array([0, 1, 4], b"a\xff\xfeb", width=width)
    refused_as_a_stream(bad, "column `word`, row 1", "byte 0xff at position 0 is not UTF-8", "hint")


@pytest.mark.parametrize(
    "text",
    [b"\x80", b"\xc3", b"\xc0\xaf", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xe2\x82", b"a\xf8"],
)
def test_every_kind_of_text_that_is_not_utf8_is_refused(text):
    with pytest.raises(UnicodeDecodeError):
        text.decode()
    refused_as_a_stream(text_array([0, len(text)], text), "column `word`, row 0", "is not UTF-8")


@pytest.mark.parametrize("text", ["", "naïve", "€", "😀", "\x00", "\ud7ff\ue000\U0010ffff"])
def test_every_kind_of_valid_text_is_read(text):
    assert table_from(pyarrow.table({"a": [text, "b"]}))["a"].levels == (text, "b")


def test_views_beyond_their_buffers_are_refused():
    """The sizes of these buffers are known, so nothing beyond them is read."""
    text = b"a text of more than twelve letters"

    def views(*places):
        packed = b"".join(
            struct.pack("<i4sii", size, text[:4], at, begin) for size, at, begin in places
        )
        buffers = [None, pyarrow.py_buffer(packed), pyarrow.py_buffer(text)]
        return pyarrow.Array.from_buffers(pyarrow.string_view(), len(places), buffers)

    whole = (len(text), 0, 0)
    levels = table_from(pyarrow.table({"word": views(whole)}))["word"].levels
    assert levels == (text.decode(),)
    for place in [(34, 1, 0), (34, -1, 0), (34, 0, 1), (34, 0, -1), (-1, 0, 0), (2**31 - 1, 0, 0)]:
        refused_as_a_stream(views(whole, place), "column `word`, row 1")


def test_a_category_that_its_dictionary_lacks_is_refused():
    for code in [3, -1, 127, -128]:
        indices = pyarrow.array([0, code], pyarrow.int8())
        bad = pyarrow.DictionaryArray.from_arrays(indices, ["a", "b", "c"], safe=False)
        refused_as_a_stream(bad, "column `word`, row 1", "3 categories", str(code))


def test_a_damaged_dictionary_is_refused():
    codes = pyarrow.array([0, 1], pyarrow.int32())
    for entries in (text_array([0, 4, 2], b"abcd"), text_array([0, 1, 2], b"a\xff")):
        bad = pyarrow.DictionaryArray.from_arrays(codes, entries, safe=False)
        refused_as_a_stream(bad, "column `word`, category")


def test_a_name_that_is_not_utf8_is_refused():
    with pytest.raises(DataError, match="name of column 0: byte 0xff at position 0 is not UTF-8"):
        table_from(
            Changed(pyarrow.table({"ab": [1.0]}), schema=lambda s: s.child(0).rename(b"\xff"))
        )


# ------------------------------------------------------------------ what structs themselves say


class ArrowArray(ctypes.Structure):
    """As the specification lays it out."""

    _fields_ = [
        ("length", ctypes.c_int64),
        ("null_count", ctypes.c_int64),
        ("offset", ctypes.c_int64),
        ("n_buffers", ctypes.c_int64),
        ("n_children", ctypes.c_int64),
        ("buffers", ctypes.POINTER(ctypes.c_void_p)),
        ("children", ctypes.POINTER(ctypes.c_void_p)),
        ("dictionary", ctypes.c_void_p),
        ("release", ctypes.c_void_p),
        ("private_data", ctypes.c_void_p),
    ]


class ArrowSchema(ctypes.Structure):
    """As the specification lays it out."""

    _fields_ = [
        ("format", ctypes.c_void_p),
        ("name", ctypes.c_void_p),
        ("metadata", ctypes.c_void_p),
        ("flags", ctypes.c_int64),
        ("n_children", ctypes.c_int64),
        ("children", ctypes.POINTER(ctypes.c_void_p)),
        ("dictionary", ctypes.c_void_p),
        ("release", ctypes.c_void_p),
        ("private_data", ctypes.c_void_p),
    ]

    def child(self, at):
        return ctypes.cast(self.children[at], ctypes.POINTER(ArrowSchema)).contents

    def rename(self, name):
        self.name = ctypes.cast(ctypes.create_string_buffer(name), ctypes.c_void_p)


GetNext = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
Release = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class ArrowArrayStream(ctypes.Structure):
    """As the specification lays it out."""

    _fields_ = [
        ("get_schema", GetNext),
        ("get_next", GetNext),
        ("get_last_error", ctypes.c_void_p),
        ("release", ctypes.c_void_p),
        ("private_data", ctypes.c_void_p),
    ]


class Changed:
    """A table whose stream is changed on its way: `array` and `schema` change the structs."""

    def __init__(self, table, *, array=None, schema=None):
        self.table, self.change_array, self.change_schema = table, array, schema

    def __arrow_c_stream__(self, requested_schema=None):
        capsule = self.table.__arrow_c_stream__()
        pointer = ctypes.pythonapi.PyCapsule_GetPointer
        pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
        stream = ArrowArrayStream.from_address(pointer(capsule, b"arrow_array_stream"))
        self.kept = []
        if self.change_array:
            stream.get_next = self.changed(stream.get_next, ArrowArray, self.change_array)
        if self.change_schema:
            stream.get_schema = self.changed(stream.get_schema, ArrowSchema, self.change_schema)
        return capsule

    def changed(self, inner, struct_type, change):
        address = ctypes.cast(inner, ctypes.c_void_p).value
        inner = GetNext(address)

        def get(stream, out):
            status = inner(stream, out)
            found = struct_type.from_address(out)
            if status == 0 and found.release:
                restore = self.restoring(found)
                change(found)
                found.release = ctypes.cast(restore, ctypes.c_void_p)
            return status

        self.kept.append(GetNext(get))
        return self.kept[-1]

    def restoring(self, found):
        """A release that first puts back what was changed: pyarrow reads it."""
        kept = [(ctypes.addressof(found), bytes(found))]
        if found.n_children:
            size = ctypes.sizeof(type(found))
            kept.append((found.children[0], ctypes.string_at(found.children[0], size)))
        inner = Release(found.release)

        def release(struct_address):
            for address, content in kept:
                ctypes.memmove(address, content, len(content))
            inner(struct_address)

        self.kept.append(Release(release))
        return self.kept[-1]


def column_of(array):
    return ctypes.cast(array.children[0], ctypes.POINTER(ArrowArray)).contents


def set_field(name, value, *, of_column):
    def change(array):
        setattr(column_of(array) if of_column else array, name, value)

    return change


def without_buffer(at):
    def change(array):
        column_of(array).buffers[at] = None

    return change


def without_dictionary(array):
    column_of(array).dictionary = None


WORDS = pyarrow.table({"a": ["x", None, "y"]})
NUMBERS = pyarrow.table({"a": [1.0, None, 3.0]})
CATEGORIES = pyarrow.table({"a": pyarrow.array(["x", None, "y"]).dictionary_encode()})
NO_COLUMN = ctypes.POINTER(ctypes.c_void_p)()


@pytest.mark.parametrize("table", [WORDS, NUMBERS, CATEGORIES], ids=["text", "numbers", "category"])
@pytest.mark.parametrize(
    "change",
    [
        set_field("length", -1, of_column=False),
        set_field("length", 2**62, of_column=False),
        set_field("length", 4, of_column=False),
        set_field("offset", -1, of_column=False),
        set_field("offset", 2**63 - 1, of_column=False),
        set_field("offset", 1, of_column=False),
        set_field("n_children", 0, of_column=False),
        set_field("n_children", -1, of_column=False),
        set_field("n_children", 2, of_column=False),
        set_field("children", NO_COLUMN, of_column=False),
        set_field("length", -1, of_column=True),
        set_field("length", 2, of_column=True),
        set_field("length", 2**62, of_column=True),
        set_field("offset", -1, of_column=True),
        set_field("offset", 2**62, of_column=True),
        set_field("null_count", 4, of_column=True),
        set_field("null_count", -2, of_column=True),
        set_field("n_buffers", 0, of_column=True),
        set_field("n_buffers", 1, of_column=True),
        set_field("n_buffers", -1, of_column=True),
        set_field("buffers", NO_COLUMN, of_column=True),
        without_buffer(0),  # and a null count of one
        without_buffer(1),
    ],
)
def test_impossible_lengths_counts_and_pointers_are_refused(table, change):
    before = table_from(Plain(table))
    with pytest.raises(DataError, match=r"column `a`|batch of rows"):
        table_from(Changed(table, array=change))
    assert table_from(Plain(table))["a"].levels == before["a"].levels if table is WORDS else True


def test_a_category_without_its_dictionary_is_refused():
    with pytest.raises(DataError, match="column `a` lacks its dictionary"):
        table_from(Changed(CATEGORIES, array=without_dictionary))


def test_text_without_its_buffer_is_refused():
    with pytest.raises(DataError, match="column `a`, row 0: there is no buffer of text"):
        table_from(Changed(WORDS, array=without_buffer(2)))


def test_a_schema_without_format_or_columns_is_refused():
    def without_format(schema):
        schema.child(0).format = None

    def without_children(schema):
        schema.children = NO_COLUMN

    for change in (without_format, without_children):
        with pytest.raises(DataError, match="an Arrow schema without"):
            table_from(Changed(NUMBERS, schema=change))


def test_a_damaged_target_is_refused_too():
    X = np.arange(4.0).reshape(-1, 1)
    for y in (text_array([0, 4, 2, 3, 4], b"abcd"), text_array([0, 1, 2, 3, 4], b"ab\xffd")):
        with pytest.raises(DataError, match="column `y`, row"):
            tw.CARTClassifier(prune=None).fit(X, y)
    with pytest.raises(DataError, match="column `y`"):
        tw.CARTClassifier(prune=None).fit(X, text_array([0, 1, 2, 3, 10**9], b"abcd"))
