"""T38 and T39: model files are read strictly, and in bounded time and memory."""

import hashlib
import json
import time

import pytest

from torture.in_a_child import can_limit_memory, done_in_a_child
from torture.saved_files import (
    content_of,
    for_every_container,
    for_every_kind,
    is_text,
    one_of_each_kind,
    parts_of,
    refused,
)
from treewright.persistence.container import MAGIC, checksum, gap_after
from treewright.persistence.file_text import FORMAT_VERSION, HEAD, TAIL, is_deep, parse
from treewright.verbs.load import model_from_bytes
from watched import IS_WATCHED, SLOWER

KINDS = one_of_each_kind()


def text_file(body: bytes) -> bytes:
    """A file of text with this JSON under `model`."""
    body += TAIL
    digest = hashlib.sha256(body).hexdigest()
    return HEAD.format(version=FORMAT_VERSION, checksum=digest).encode() + body


def container_file(text: bytes, arrays: bytes = b"") -> bytes:
    """A container with this JSON."""
    text += b" " * gap_after(len(text))
    start = MAGIC + FORMAT_VERSION.to_bytes(8, "little") + len(text).to_bytes(8, "little")
    return start + checksum(start, text + arrays) + text + arrays


FORMS = {"text": text_file, "container": container_file, "bare": bytes}
for_every_form = pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)


SECONDS = 5.0  # of processors, though the largest takes two
MOST_TIMES = 50  # as large as the text, in memory: Python's object of one key has 232 bytes


def assert_refused_at_once(content: bytes) -> None:
    """Within seconds, and in memory that the size of the file bounds."""
    if IS_WATCHED or not can_limit_memory:
        began = time.process_time()
        told = refused(content)
        seconds, megabytes = time.process_time() - began, 0.0
    else:
        outcome = done_in_a_child(lambda: model_from_bytes(content))
        assert outcome.error == "ModelFileError", outcome
        told, seconds, megabytes = outcome.told, outcome.seconds, outcome.megabytes
    assert seconds < SECONDS * SLOWER
    assert megabytes < MOST_TIMES * len(content) / 2**20 + 60
    assert len(told) < 1500


def keys(n_keys: int) -> bytes:
    return b"{" + b",".join(b'"%d":1' % key for key in range(n_keys)) + b"}"


BODIES = {
    "a million brackets": b"[" * 1_000_000,
    "a million objects": b'{"a":' * 1_000_000,
    "a million closed brackets": b"[" * 1_000_000 + b"]" * 1_000_000,
    "many empty lists": b"[" + b"[]," * 200_000 + b"[]]",
    "many objects of one key": b"[" + b'{"":{"":{"":{}}}},' * 100_000 + b"{}]",
    "a million numbers": b"[" + b"1.5," * 1_000_000 + b"1]",
    "a million escapes": b'"' + rb"\u0041\\\"" * 1_000_000 + b'"',
    "a million brackets in a text": b'"' + b"[" * 1_000_000 + b'"',
    "a long text": b'"' + b"x" * 20_000_000 + b'"',
    "a text that does not end": b'"' + b"x" * 20_000_000,
    "a long key": b'{"' + b"x" * 20_000_000 + b'":1}',
    "a long number": b"1" * 20_000_000,
    "blanks": b" " * 20_000_000 + b"1",
}


@for_every_form
@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_T38_texts_of_a_million_parts_are_refused_at_once(form, body):
    assert_refused_at_once(form(body))


@for_every_form
def test_T38_brackets_of_any_depth_are_refused_as_such(form):
    for bracket in (b"[", b'{"a":', b'{"model":[', b'[{"arrays":'):
        for n_levels in (70, 900, 20_000):
            refused(form(bracket * n_levels + b"1"))


def test_T38_a_million_keys_are_refused_at_once():
    assert_refused_at_once(text_file(keys(1_000_000)))


@pytest.mark.large
@for_every_form
def test_T38_200_megabytes_of_text_and_a_million_keys_are_refused_at_once(form):
    assert_refused_at_once(form(b'"' + b"x" * 200_000_000 + b'"'))
    assert_refused_at_once(form(keys(1_000_000)))


@pytest.mark.parametrize("n_levels", [63, 64, 65, 66])
def test_T38_the_depth_of_json_is_told_by_brackets_outside_of_words(n_levels):
    """The limit is 64, whatever stands in words: quotes, backslashes, brackets."""
    word = json.dumps('[{"\\' * 50 + "\\").encode()
    text = b"[" * n_levels + word + b"," + word + b"]" * n_levels
    assert is_deep(text) == (n_levels > 64)
    assert is_deep(b"[" + word + b"," + text + b"]") == (n_levels > 63)


def test_T38_brackets_within_words_are_no_levels():
    word = "[" * 500 + '"' + "{" * 500 + "\\"
    assert parse(json.dumps([word, [word]]).encode()) == [word, [word]]


@pytest.mark.parametrize("name", [name for name in KINDS if "params" in parts_of(name).model])
@pytest.mark.parametrize("n_levels", [50, 300, 900])
def test_T38_nested_parameters_are_refused_as_such(name, n_levels):
    parts = parts_of(name)
    value: object = 1
    for _ in range(n_levels):
        value = [value]
    for path in (("params", next(iter(parts.model["params"]))), ("notes",), ("estimator",)):
        refused(parts.with_value(path, value).to_bytes())


def json_in(name: str) -> tuple[bytes, bytes]:
    """The JSON of a file, and what follows it in a container."""
    content = content_of(name)
    if is_text(name):
        start = HEAD.format(version=1, checksum="0" * 64)
        return content[len(start) : -len(TAIL)], b""
    length = int.from_bytes(content[24:32], "little")
    return content[64 : 64 + length].rstrip(b" "), content[64 + length :]


def rebuilt(name: str, text: bytes) -> bytes:
    """The file with other JSON and the right checksum."""
    return text_file(text) if is_text(name) else container_file(text, json_in(name)[1])


@for_every_kind
def test_T39_the_sound_file_itself_is_rebuilt(name):
    """So that what the next tests refuse is refused for what they changed."""
    assert rebuilt(name, json_in(name)[0]) == content_of(name)


@for_every_kind
def test_T39_keys_that_occur_twice_are_refused(name):
    text, _ = json_in(name)
    key = b'"estimator":'
    assert "twice" in refused(rebuilt(name, text.replace(key, key + b' "x", ' + key, 1)))


@for_every_kind
def test_T39_what_stands_after_the_json_is_refused(name):
    text, _ = json_in(name)
    for garbage in (b"1", b"{}", b" null", b",", b"]", b"\0", b"\xff", b"//"):
        refused(rebuilt(name, text + garbage))


@for_every_kind
def test_T39_numbers_that_json_does_not_have_are_refused(name):
    text, _ = json_in(name)
    for number in (b"NaN", b"Infinity", b"-Infinity", b"01", b"1_0", b"0x1", b"9" * 5000):
        message = refused(rebuilt(name, text[:-1] + b', "more": ' + number + b"}"))
        assert "more" not in message  # the number is what is wrong, before all keys


@for_every_kind
def test_T39_unknown_and_missing_keys_are_refused(name):
    parts = parts_of(name)
    assert "surprise" in refused(parts.with_value(("surprise",), 1).to_bytes())
    sometimes = {"pruning", "target", "optimality", "shrinkage"}  # kept only if there is cause
    for key, value in parts.model.items():
        if isinstance(value, dict) and key not in sometimes:
            assert "surprise" in refused(parts.with_value((key, "surprise"), 1).to_bytes())
        if key not in sometimes:
            fewer = {other: parts.model[other] for other in parts.model if other != key}
            refused(type(parts)(fewer, parts.arrays).to_bytes())


# A name, the number of a column, a strength.
MEANINGFUL = (("target", "3"), ("categorical_features", [3]), ("shrinkage", 3.5))


@for_every_kind
def test_T39_wrong_types_are_refused(name):
    parts = parts_of(name)
    for key in parts.model:
        for odd in ("3", 3, 3.5, True, [3], {"a": 3}):
            if (key, odd) not in MEANINGFUL:
                refused(parts.with_value((key,), odd).to_bytes())


@pytest.mark.parametrize("name", [name for name in KINDS if "tree" in parts_of(name).model])
def test_T39_facts_of_nodes_are_of_their_types(name):
    parts = parts_of(name)
    for fact in parts.model["tree"]["nodes"]:
        for odd in ("3", None, True, [], {}):
            refused(parts.with_value(("tree", "nodes", fact, 0), odd).to_bytes())


@for_every_container
def test_T39_arrays_are_listed_once_and_all_of_them(name):
    text, arrays = json_in(name)
    entry = json.loads(text)
    listed = entry["arrays"]
    for other in ([*listed, listed[0]], listed[:-1], listed[1:], [], {}, [["x"]], [*listed, 1]):
        refused(container_file(json.dumps({**entry, "arrays": other}).encode(), arrays))
    for odd in ("object", "float128", "complex128", "V8", ">f8", "O", 8):
        kinds = [[listed[0][0], odd, listed[0][2]], *listed[1:]]
        refused(container_file(json.dumps({**entry, "arrays": kinds}).encode(), arrays))
