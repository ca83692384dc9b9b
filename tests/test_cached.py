"""Properties that are worked out once, by several threads too, and in a child forked meanwhile."""

import os
import select
import signal
import threading
from dataclasses import dataclass, field

import pytest

from treewright.cached import cached_property

PATIENCE = 60.0  # seconds; what waits so long waits for ever


@dataclass(frozen=True)
class Square:
    side: int
    worked_out: list[int] = field(default_factory=list)

    @cached_property
    def area(self) -> list[int]:
        """Side by side."""
        self.worked_out.append(self.side)
        return [self.side**2]


class Doubled(Square):
    @cached_property
    def area(self) -> list[int]:
        return super().area * 2


def test_a_value_is_worked_out_once_for_each_instance():
    small, large = Square(2), Square(3)
    assert small.area is small.area
    assert (small.area, large.area) == ([4], [9])
    assert (small.worked_out, large.worked_out) == ([2], [3])


def test_the_class_has_the_property_itself():
    assert isinstance(Square.area, cached_property)
    assert (Square.area.__doc__, Square.area.name) == ("Side by side.", "area")
    assert Square.area.__module__ == __name__


def test_a_property_is_kept_under_the_name_it_was_given():
    class Renamed:
        other = cached_property(lambda self: object())

    one = Renamed()
    assert one.other is one.other
    assert vars(one) == {"other": one.other}


def test_what_was_not_worked_out_for_an_error_is_asked_again():
    class Failing:
        n_asked = 0

        @cached_property
        def value(self) -> int:
            self.n_asked += 1
            return 6 // (self.n_asked - 1)

    one = Failing()
    with pytest.raises(ZeroDivisionError):
        _ = one.value
    assert (one.value, one.n_asked) == (6, 2)


def test_a_subclass_may_use_the_value_of_the_class_above():
    one = Doubled(2)
    assert one.area is one.area
    assert (one.area, one.worked_out) == ([4, 4], [2])


class Meeting:
    """Its value is there when two threads are working it out, which a lock would not allow."""

    def __init__(self):
        self.both_are_here = threading.Barrier(2)

    @cached_property
    def value(self) -> object:
        self.both_are_here.wait(PATIENCE)
        return object()


def test_two_threads_that_ask_at_once_get_the_same_value():
    meeting, found = Meeting(), []
    threads = [threading.Thread(target=lambda: found.append(meeting.value)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 2
    assert found[0] is found[1] is meeting.value


class Slow:
    """Its value takes as long as it is told to, except in a child."""

    def __init__(self):
        self.parent = os.getpid()
        self.has_begun, self.may_end = threading.Event(), threading.Event()

    @cached_property
    def value(self) -> bytes:
        if os.getpid() == self.parent:
            self.has_begun.set()
            self.may_end.wait(PATIENCE)
        return b"worked out"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_child_that_is_forked_while_a_thread_works_a_value_out_works_it_out_itself():
    """functools' property left such a child waiting for a lock that nobody opens."""
    slow = Slow()
    thread = threading.Thread(target=lambda: slow.value)
    thread.start()
    assert slow.has_begun.wait(PATIENCE)
    try:
        assert in_a_forked_child(lambda: slow.value) == b"worked out"
    finally:
        slow.may_end.set()
        thread.join()
    assert slow.value == b"worked out"


def in_a_forked_child(work):
    """What the work gives in a child; nothing if it hangs or fails."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.write(writer, work())
        finally:
            os._exit(0)
    os.close(writer)
    try:
        if not select.select([reader], [], [], PATIENCE)[0]:
            os.kill(child, signal.SIGKILL)
            return b""
        return os.read(reader, 100)
    finally:
        os.close(reader)
        os.waitpid(child, 0)
