"""Text files as UTF-8, whatever encoding they are written in.

Without a name for the encoding: a byte order mark decides, then whether every other byte is zero
(UTF-16), then whether the bytes are valid UTF-8. What is left is cp1252, in which Windows programs
of Western Europe and America write, if the text then looks like words of those languages.
"""

import codecs
import re
from typing import Any

from treewright.errors import DataError, ParameterError, nearest, warn_user

MARKS = {
    b"\xef\xbb\xbf": "utf-8",
    b"\xff\xfe\x00\x00": "utf-32",
    b"\x00\x00\xfe\xff": "utf-32",
    b"\xff\xfe": "utf-16",
    b"\xfe\xff": "utf-16",
}
USUAL = ("utf-8", "utf-16", "cp1252", "latin-1", "cp1250", "cp1251", "shift_jis", "gb18030", "big5")
HEAD = 2**16  # bytes by which UTF-16 is recognized
NAME_IT = 'set the encoding, as in encoding="latin-1"'
CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]")
NOT_ASCII = re.compile(r"[^\x00-\x7f]+")
LONGEST_RUN = 2.0  # letters beyond ASCII in a row, on average; `é` stands alone, `ж` does not


def as_utf8(content: bytes, source: str, encoding: str | None = None) -> bytes:
    """The bytes of a text file as UTF-8, without a byte order mark."""
    name = found_encoding(content, source) if encoding is None else codec_name(encoding)
    if name == "utf-8":
        content = content.removeprefix(codecs.BOM_UTF8)
        check_is_utf8(content, source)
    else:
        content = recoded(content, name, source)
    if (at := content.find(b"\0")) >= 0:
        raise DataError(
            f"{source} is not a text file: line {line_of(content, at)} contains a NUL byte",
            hint="was the file damaged, or written in another encoding? save it as UTF-8",
        )
    return content


def codec_name(encoding: str) -> str:
    """Python's name of an encoding of text."""
    try:
        "".encode(encoding)  # unlike a lookup, it refuses what is no encoding of text, as base64
        name = codecs.lookup(encoding).name
    except (LookupError, ValueError, TypeError):
        raise ParameterError(
            f"encoding={encoding!r} is not known", hint=nearest(str(encoding), USUAL, "usual ones")
        ) from None
    return "utf-8" if name == "utf-8-sig" else name


def found_encoding(
    content: bytes, source: str, *, is_whole: bool = True, lines_before: int = 0
) -> str:
    """The encoding of a text; of one that goes on, the last letter may be incomplete."""
    if name := start_encoding(content[:HEAD]):
        return name
    if content.isascii():
        return "utf-8"
    try:
        codecs.getincrementaldecoder("utf-8")().decode(content, final=is_whole)
    except UnicodeDecodeError as error:
        if not is_cp1252(content):
            raise not_utf8(content, error.start, source, lines_before) from None
        warn_of_cp1252(content, error.start, source, lines_before)
        return "cp1252"
    return "utf-8"


def start_encoding(head: bytes) -> str:
    """The encoding that the first bytes show; "" if they leave it open."""
    for mark, name in MARKS.items():
        if head.startswith(mark):
            return name
    return utf16_without_mark(head) if b"\0" in head else ""


def utf16_without_mark(head: bytes) -> str:
    """Which UTF-16 a text with zero bytes is in; "" if it is in neither.

    Read in the right order, it has line ends and letters of ASCII; in the wrong one it has not.
    """
    head = head[: len(head) // 2 * 2]
    for name in ("utf-16-le", "utf-16-be"):
        text = head.decode(name, "ignore")
        n_ascii = sum(letter < "\x7f" for letter in text)
        has_lines = "\n" in text or "\r" in text or not (b"\n" in head or b"\r" in head)
        if has_lines and 10 * n_ascii >= len(text) > 0 and not CONTROLS.search(text):
            return name
    return ""


def is_cp1252(content: bytes) -> bool:
    """Whether text that is not UTF-8 looks like cp1252."""
    try:
        text = content.decode("cp1252")
    except UnicodeDecodeError:  # five bytes have no meaning
        return False
    as_if_utf8 = content.decode("utf-8", "replace")
    n_wrong = as_if_utf8.count("\ufffd")
    runs = NOT_ASCII.findall(text)
    n_right = sum(map(len, NOT_ASCII.findall(as_if_utf8))) - n_wrong
    if n_right > n_wrong:
        return False  # UTF-8 with a few damaged letters
    return sum(map(len, runs)) <= LONGEST_RUN * len(runs) and not CONTROLS.search(text)


def warn_of_cp1252(content: bytes, at: int, source: str, lines_before: int) -> None:
    word = re.search(rb"[^\s,;\t|\"]{0,20}$", content[:at])
    rest = re.match(rb"[^\s,;\t|\"]{1,20}", content[at:])
    shown = (word[0] if word else b"") + (rest[0] if rest else b"")
    line = lines_before + line_of(content, at)
    warn_user(
        f"{source} is not UTF-8 and is read as cp1252 (Windows): line {line} "
        f"contains `{shown.decode('cp1252')}`. If that is wrong, {NAME_IT}"
    )


def check_is_utf8(content: bytes, source: str) -> None:
    if content.isascii():
        return
    try:
        content.decode()
    except UnicodeDecodeError as error:
        raise not_utf8(content, error.start, source) from None


def not_utf8(content: bytes, at: int, source: str, lines_before: int = 0) -> DataError:
    line = lines_before + line_of(content, at)
    return DataError(
        f"{source}, line {line}: byte 0x{content[at]:02x} is not UTF-8",
        hint=f"{NAME_IT}, or save it as UTF-8",
    )


def recoded(content: bytes, name: str, source: str) -> bytes:
    """The bytes in UTF-8."""
    try:
        text = content.decode(name)
    except UnicodeDecodeError as error:
        raise wrong_byte(name, source, error.start) from None
    return as_bytes(text.removeprefix("\ufeff"), source)


def as_bytes(text: str, source: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError as error:  # halves of UTF-16 pairs, as utf-7 lets through
        raise DataError(
            f"{source}: character {error.start} is half of a UTF-16 surrogate pair"
        ) from None


def wrong_byte(name: str, source: str, at: int) -> DataError:
    upper = name.upper() if name.startswith("utf") else name
    return DataError(
        f"{source}: byte {at} is not {upper}",
        hint="was the file cut off, or is it in another encoding? save it as UTF-8",
    )


class Utf8Reader:
    """A stream of text as UTF-8, recoded while it is read. The stream can `peek`.

    While there is nothing but ASCII the encoding stays open.
    """

    def __init__(self, stream: Any, source: str, encoding: str | None) -> None:
        self._stream, self._source = stream, source
        start = stream.peek(HEAD)[:HEAD]
        self._name = codec_name(encoding) if encoding is not None else start_encoding(start)
        if self._name in ("", "utf-8") and start.startswith(codecs.BOM_UTF8):
            stream.read(len(codecs.BOM_UTF8))
        self._is_start = True
        self._decoder: Any = None
        self._held_back = b""  # part of a letter
        self._n_bytes = 0
        self._n_lines = 0  # read while the encoding is unknown

    def read(self, size: int = -1) -> bytes:
        """Up to `size` bytes of the stream, recoded; nothing at its end only."""
        while True:
            content = self._stream.read(size)
            recoded = self._recoded(self._held_back + content, is_last=not content or size < 0)
            if recoded or not content:
                return recoded

    def _recoded(self, content: bytes, *, is_last: bool) -> bytes:
        self._held_back = b""
        if not self._name and not content.isascii():
            tail = b"" if is_last else incomplete_letter(content)
            if tail and content[: -len(tail)].isascii():
                self._held_back = tail
                content = content[: -len(tail)]
                self._n_lines += count_lines(content)
                return content
            self._name = found_encoding(
                content, self._source, is_whole=is_last, lines_before=self._n_lines
            )
        if self._name in ("", "utf-8"):
            if not self._name:
                self._n_lines += count_lines(content)
            return content
        if self._decoder is None:
            self._decoder = codecs.getincrementaldecoder(self._name)()
        self._n_bytes += len(content)
        try:
            text = self._decoder.decode(content, final=is_last)
        except UnicodeDecodeError as error:
            at = self._n_bytes - len(error.object) + error.start
            raise wrong_byte(self._name, self._source, at) from None
        if self._is_start and text:
            self._is_start = False
            text = text.removeprefix("\ufeff")
        return as_bytes(text, self._source)


def incomplete_letter(content: bytes) -> bytes:
    """The bytes at the end that begin a letter of UTF-8."""
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    decoder.decode(content[-4:])
    return decoder.getstate()[0]


def line_of(content: bytes, at: int) -> int:
    """The number of the line that a byte is in, whichever way lines end."""
    return count_lines(content[:at]) + 1


def count_lines(content: bytes) -> int:
    """How many lines end in the content, by whichever of the three line ends."""
    return content.count(b"\n") + content.count(b"\r") - content.count(b"\r\n")
