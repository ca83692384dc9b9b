"""The format of a model file: head, checksum, and strictly read JSON.

    {
    "format": "treewright model",
    "format_version": 2,
    "checksum": "sha256:...",
    "model": {
    ...
    }
    }

The checksum covers all bytes after `"model": `, so a file that was cut, edited or damaged is
recognized before its content is used.
"""

import hashlib
import json
import re
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, NoReturn

import numpy as np

from treewright._kernels import StandardArithmetic
from treewright.errors import ModelFileError

FORMAT = "treewright model"
FORMAT_VERSION = 2
TAIL = b"\n}\n"
IN_LINES = ("tree", "nodes", "rules")  # sections with one line for each key
MAX_DEPTH = 64  # nested lists and objects; a model has fewer than ten
MAX_GUESSED = 1 << 20  # bytes; larger files that do not begin as ours are not examined

NO_MARKS = bytes(set(range(256)) - set(b'"[]{}'))
PIECE = 1 << 20  # brackets and quotes counted at once

HEAD = """{{
"format": "treewright model",
"format_version": {version},
"checksum": "sha256:{checksum}",
"model": """
HEAD_PATTERN = re.compile(
    rb'\{\n"format": "treewright model",\n"format_version": (\d{1,9}),\n'
    rb'"checksum": "sha256:([0-9a-f]{64})",\n"model": '
)
FOREIGN = {
    b"\x80": "a pickle",
    b"PK": "a zip archive",
    b"\x1f\x8b": "a gzip file",
    b"BZh": "a bzip2 file",
    b"\xfd7zXZ": "an xz file",
    b"\x28\xb5\x2f\xfd": "a zstd file",
}


def document(model: Mapping[str, Any]) -> bytes:
    """The bytes of a file that holds `model`."""
    with StandardArithmetic():
        try:
            body = as_lines(model).encode() + TAIL
        except UnicodeEncodeError:  # half of a surrogate pair in a name: not UTF-8, but JSON
            body = as_lines(model, ascii_only=True).encode() + TAIL
    head = HEAD.format(version=FORMAT_VERSION, checksum=hashlib.sha256(body).hexdigest())
    return head.encode() + body


def as_lines(section: Mapping[str, Any], *, ascii_only: bool = False) -> str:
    """JSON with one line for each key, so that two models can be compared line by line."""
    lines = []
    for key, value in section.items():
        if key in IN_LINES and isinstance(value, Mapping):
            text = as_lines(value, ascii_only=ascii_only)
        else:
            text = json.dumps(value, ensure_ascii=ascii_only, allow_nan=False)
        lines.append(f"{json.dumps(key, ensure_ascii=ascii_only)}: {text}")
    return "{\n" + ",\n".join(lines) + "\n}"


def model_in(content: bytes) -> Any:
    """The value of `model` in a file, if head and checksum are correct."""
    head = HEAD_PATTERN.match(content)
    if head is None:
        refuse(content)
    check_version(int(head[1]), FORMAT_VERSION)
    body = content[head.end() :]
    check_checksum(hashlib.sha256(body).hexdigest().encode(), head[2])
    if not body.endswith(TAIL):
        raise ModelFileError("the file does not end as a model file does")
    return parse(body[: -len(TAIL)])


def check_version(version: int, latest: int) -> None:
    if version > latest:
        raise ModelFileError(
            f"file format {version}, this version reads up to {latest}",
            hint="upgrade treewright",
        )
    if version < 1:
        raise ModelFileError(f"there is no file format {version}")


def check_checksum(found: bytes, stated: bytes) -> None:
    if found != stated:
        raise ModelFileError(
            "the content does not fit its checksum: the file was cut, edited or damaged",
            hint="save the model again",
        )


def refuse(content: bytes) -> NoReturn:
    """Raise an error that says what a file is that does not begin as a model file."""
    if not content:
        raise ModelFileError("the file is empty")
    for start, name in FOREIGN.items():
        if content.startswith(start):
            raise ModelFileError(f"this is {name}, not a treewright model")
    head = HEAD.format(version=FORMAT_VERSION, checksum="").encode()
    if content[:20] == head[:20] or head.startswith(content):
        _check_stated_version(content)
        raise ModelFileError("the head of the file is cut, edited or damaged")
    if content[:1] == b"{" and len(content) <= MAX_GUESSED:
        _check_stated_version(content)
    raise ModelFileError("this is not a treewright model")


def _check_stated_version(content: bytes) -> None:
    """Raise if the file has a later format, or the format of a model but another layout."""
    found: Any = None
    with suppress(ModelFileError):
        found = parse(content[:MAX_GUESSED])
    if isinstance(found, dict) and found.get("format") == FORMAT:
        version = found.get("format_version")
        if type(version) is int:
            check_version(version, FORMAT_VERSION)
        raise ModelFileError(
            "the layout is not that of a model file: it was edited or rewritten",
            hint="save the model again",
        )


def parse(text: bytes) -> Any:
    """JSON without duplicate keys, infinities, deep nesting or anything after it."""
    if is_deep(text):
        raise ModelFileError(f"the content is nested deeper than {MAX_DEPTH} levels")
    try:
        with StandardArithmetic():
            return json.loads(
                text.decode(), object_pairs_hook=_unique_keys, parse_constant=_refuse_constant
            )
    except UnicodeDecodeError as error:
        raise ModelFileError(f"byte {error.start} is not UTF-8 text") from None
    except json.JSONDecodeError as error:
        is_cut = not error.doc[error.pos :].strip()
        raise ModelFileError(
            f"not JSON: {error.msg} in line {error.lineno}, column {error.colno}",
            hint="the file ends there: it may have been cut" if is_cut else "",
        ) from None
    except ModelFileError:
        raise
    except ValueError as error:  # a number of thousands of digits
        raise ModelFileError(f"not JSON: {error}") from None


def is_deep(text: bytes) -> bool:
    """Whether JSON is nested deeper than any model; without recursion."""
    # A regular expression would need memory for every piece.
    marks = text.replace(rb"\\", b"").replace(rb"\"", b"").translate(None, NO_MARKS)
    depth = n_quotes = 0
    for start in range(0, len(marks), PIECE):
        codes = np.frombuffer(marks[start : start + PIECE], dtype=np.uint8)
        is_quote = codes == ord('"')
        quotes = n_quotes + np.cumsum(is_quote)
        opens = (codes == ord("[")) | (codes == ord("{"))
        steps = np.where(is_quote | (quotes % 2 == 1), 0, np.where(opens, 1, -1))
        depths = depth + np.cumsum(steps)
        if depths.max() > MAX_DEPTH:
            return True
        depth, n_quotes = int(depths[-1]), int(quotes[-1])
    return False


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        twice = Counter(key for key, _ in pairs).most_common(1)[0][0]
        raise ModelFileError(f"the key `{twice[:50]}` occurs twice")
    return found


def _refuse_constant(name: str) -> NoReturn:
    raise ModelFileError(f"{name} is not a number that a model holds")
