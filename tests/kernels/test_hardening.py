"""The compiled module carries the defenses of cmake/hardening.cmake.

Its ELF file is read here by hand: no tool has to be installed for that.
"""

import platform
import re
import struct
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from treewright._kernels import _native
from watched import IS_WATCHED

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="the module is no ELF file"),
    pytest.mark.skipif(IS_WATCHED, reason="builds that are watched have other checks"),
]

LOAD, DYNAMIC = 1, 2
GNU_STACK, GNU_RELRO = 0x6474E551, 0x6474E552
EXECUTABLE, WRITABLE = 1, 2
STRTAB, SYMTAB, TEXTREL, FLAGS, FLAGS_1 = 5, 6, 22, 30, 0x6FFFFFFB
BIND_NOW, NOW, RPATH, RUNPATH = 8, 1, 15, 29
ENDBR64 = b"\xf3\x0f\x1e\xfa"  # where an indirect branch may land
LANDING_PADS = (0xD503245F, 0xD503233F, 0xD503237F)  # bti c, paciasp, pacibsp


@dataclass(frozen=True)
class Segment:
    """A program header."""

    kind: int
    flags: int
    offset: int
    address: int
    size: int


class Module:
    """The parts of a 64-bit ELF file that the loader reads."""

    def __init__(self, content):
        assert content[:5] == b"\x7fELF\x02"
        self.content = content
        self.order = "<" if content[5] == 1 else ">"
        first, _, _, _, size, count = self.read("QQIHHH", 32)
        self.segments = [self.segment(first + at * size) for at in range(count)]
        (dynamic,) = self.of_kind(DYNAMIC)
        entries = struct.iter_unpack(
            self.order + "qQ", content[dynamic.offset : dynamic.offset + dynamic.size]
        )
        self.dynamic = dict(reversed(list(entries)))

    def read(self, layout, offset):
        return struct.unpack_from(self.order + layout, self.content, offset)

    def segment(self, at):
        kind, flags, offset, address, _, size, _, _ = self.read("IIQQQQQQ", at)
        return Segment(kind, flags, offset, address, size)

    def of_kind(self, kind):
        return [segment for segment in self.segments if segment.kind == kind]

    def offset_of(self, address):
        inside = next(s for s in self.of_kind(LOAD) if s.address <= address < s.address + s.size)
        return address - inside.address + inside.offset

    def symbols(self):
        """Dynamic symbols by name: their addresses, 0 for those of other libraries."""
        names = self.offset_of(self.dynamic[STRTAB])
        found, at = {}, self.offset_of(self.dynamic[SYMTAB])
        while at + 24 <= names:  # linkers put the names right behind the symbols
            name, _, _, _, value, _ = self.read("IBBHQQ", at)
            end = self.content.index(b"\0", names + name)
            found[self.content[names + name : end].decode()] = value
            at += 24
        return found


@pytest.fixture(scope="module")
def module():
    return Module(Path(_native.__file__).read_bytes())


def test_all_addresses_are_bound_at_the_start_and_read_only_then(module):
    """Full RELRO: the table of functions cannot be overwritten."""
    assert module.of_kind(GNU_RELRO)
    bound = module.dynamic.get(FLAGS, 0) & BIND_NOW or module.dynamic.get(FLAGS_1, 0) & NOW
    assert bound
    assert TEXTREL not in module.dynamic


def test_no_memory_is_both_writable_and_executable(module):
    (stack,) = module.of_kind(GNU_STACK)
    assert not stack.flags & EXECUTABLE
    both = EXECUTABLE | WRITABLE
    assert not [s for s in module.of_kind(LOAD) if s.flags & both == both]


def test_no_folder_is_searched_for_libraries(module):
    assert RPATH not in module.dynamic
    assert RUNPATH not in module.dynamic


def test_stacks_are_protected(module):
    assert "__stack_chk_fail" in module.symbols()


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="needs glibc")
def test_copies_of_memory_are_checked(module):
    """_FORTIFY_SOURCE: at least one function is the one that knows the size of its target."""
    assert [name for name in module.symbols() if re.fullmatch(r"__\w+_chk", name)]


def test_indices_of_vectors_are_checked_in_bindings_and_readers(module):
    """_GLIBCXX_ASSERTIONS"""
    symbols = module.symbols()
    if not any(name.startswith("_ZNSt") for name in symbols):
        pytest.skip("the standard library is not libstdc++")
    before_gcc_12 = "__printf_chk"  # what a failed check was printed by
    assert [name for name in symbols if "__glibcxx_assert_fail" in name or name == before_gcc_12]


def test_indirect_branches_land_where_they_may(module):
    """-fcf-protection on x86-64, -mbranch-protection on aarch64."""
    begin = module.offset_of(module.symbols()["PyInit__native"])
    if platform.machine() == "x86_64":
        assert module.content[begin : begin + 4] == ENDBR64
    elif platform.machine() == "aarch64":
        assert module.read("I", begin)[0] in LANDING_PADS
    else:
        pytest.skip("this processor has no such marks")
