"""Mutants of model files: number `index` of a seed is always the same file.

Three sorts. Bytes changed anywhere, which the checksum must tell; bytes changed behind a checksum
that was made to fit; and files that were parsed, changed as documents and arrays, spliced with
others, and written again with the right checksum, so that all checks behind it are reached.
"""

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fuzz.mutated_values import changed_array, changed_json
from treewright.persistence import container, file_text

N_RAW, N_REPAIRED = 4, 1  # of ten mutants; the others are changed as documents
HEX = re.compile(rb"sha256:[0-9a-f]{64}")
JSON_LINE = re.compile(r'^("\w+": .*),$', re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Mutant:
    """A changed file, and whether its checksum was left as it was."""

    content: bytes
    origin: str
    is_raw: bool


@dataclass(frozen=True, slots=True)
class Parsed:
    """A model file as what it says."""

    model: Any
    arrays: dict[str, NDArray[Any]] | None  # None: a file of text


def parsed(content: bytes) -> Parsed:
    """The document and the arrays of a sound file."""
    if container.is_container(content):
        found = container.read_container(content)
        return Parsed(found.model, found.arrays)
    return Parsed(file_text.model_in(content), None)


class Mutator:
    """Makes mutants of some files."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        self.files = dict(files)
        self.names = sorted(files)
        self.parsed = {name: parsed(content) for name, content in files.items()}

    def mutant(self, seed: int, index: int) -> Mutant:
        """Mutant number `index`."""
        rng = Random(seed << 32 ^ index)
        name = self.names[index % len(self.names)]
        sort = rng.randrange(10)
        if sort < N_RAW:
            return Mutant(changed_bytes(self.files[name], rng), name, is_raw=True)
        if sort < N_RAW + N_REPAIRED:
            return Mutant(with_checksum(changed_bytes(self.files[name], rng)), name, is_raw=False)
        return Mutant(self.changed_document(name, rng), name, is_raw=False)

    def changed_document(self, name: str, rng: Random) -> bytes:
        """The file with one to three changes of what it says."""
        here, donor = self.parsed[name], self.parsed[rng.choice(self.names)]
        model, arrays = here.model, here.arrays
        for _ in range(rng.choice((1, 1, 1, 2, 3))):
            if arrays and rng.random() < 0.6:
                arrays = changed_arrays(arrays, rng, donor.arrays or {})
            else:
                model = changed_json(model, rng, donor.model if rng.random() < 0.3 else None)
        if arrays is not None:
            return packed(model, arrays, rng)
        return written(model, rng)


def changed_arrays(
    arrays: dict[str, NDArray[Any]], rng: Random, donor: Mapping[str, NDArray[Any]]
) -> dict[str, NDArray[Any]]:
    """Arrays of which one is changed, gone or renamed."""
    copy = arrays.copy()
    name = rng.choice(list(copy))
    match rng.randrange(12):
        case 0:
            del copy[name]
        case 1:
            other = rng.choice(list(copy))
            copy[name], copy[other] = copy[other], copy[name]
        case 2:
            copy[rng.choice(("more", "trees.more", "learned.oob_prediction_"))] = copy[name]
        case _:
            copy[name] = changed_array(copy[name], rng, donor.get(name))
    return copy


def written(model: Any, rng: Random) -> bytes:
    """A file of text that holds `model`, now and then with a line that stands there twice."""
    try:
        text = file_text.as_lines(model) if isinstance(model, dict) else json.dumps(model)
        body = text.encode(errors="surrogatepass") + file_text.TAIL
    except AttributeError:  # a section that is no longer one
        body = json.dumps(model).encode() + file_text.TAIL
    if rng.random() < 0.03:
        body = JSON_LINE.sub(r"\1,\n\1,", body.decode(errors="replace"), count=1).encode()
    head = file_text.HEAD.format(version=1, checksum=hashlib.sha256(body).hexdigest())
    return head.encode() + body


def packed(model: Any, arrays: Mapping[str, NDArray[Any]], rng: Random) -> bytes:
    """A container that holds `model` and `arrays`, now and then with a list that lies."""
    listed: list[Any] = [[name, a.dtype.name, list(a.shape)] for name, a in arrays.items()]
    if rng.random() < 0.05:
        listed = changed_json(listed, rng, None)
    text = json.dumps({"arrays": listed, "model": model}).encode()
    text += b" " * container.gap_after(len(text))
    parts = [text]
    for array in arrays.values():
        content = np.ascontiguousarray(array).tobytes()
        parts += [content, bytes(container.gap_after(len(content)))]
    start = (
        container.MAGIC
        + container.FORMAT_VERSION.to_bytes(8, "little")
        + len(text).to_bytes(8, "little")
    )
    body = b"".join(parts)
    return start + container.checksum(start, body) + body


def changed_bytes(content: bytes, rng: Random) -> bytes:
    """Bytes flipped, put in, taken out, moved or cut off."""
    changed = bytearray(content)
    for _ in range(rng.choice((1, 1, 2, 4))):
        at = rng.randrange(len(changed)) if changed else 0
        match rng.randrange(6) if changed else 1:
            case 0:
                changed[at] ^= 1 << rng.randrange(8)
            case 1:
                changed[at:at] = rng.randbytes(rng.choice((1, 1, 2, 8)))
            case 2:
                del changed[at : at + rng.choice((1, 1, 2, 64))]
            case 3:
                changed[at] = rng.choice(b'0123456789-.eE[]{}",:tnf \n\x00\xff')
            case 4:
                end = at + rng.choice((1, 4, 32))
                changed[at:at] = changed[at:end]
            case 5:
                del changed[at:]
    return bytes(changed)


def with_checksum(content: bytes) -> bytes:
    """The same bytes with the checksum that fits them, if there is still a place for it."""
    if container.is_container(content) and len(content) >= container.HEAD:
        start, after = content[: container.HASHED], content[container.HEAD :]
        return start + container.checksum(start, after) + after
    head = file_text.HEAD_PATTERN.match(content)
    if head is None:
        return content
    fitting = b"sha256:" + hashlib.sha256(content[head.end() :]).hexdigest().encode()
    return HEX.sub(fitting, content[: head.end()], count=1) + content[head.end() :]
