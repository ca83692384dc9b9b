"""The counts of `benchmarks/reliability` count what they say: they notice what they look for."""

import tempfile
import time

import pytest
from benchmarks.reliability import interrupts, under_fire


@pytest.fixture
def call(monkeypatch, tmp_path):
    """Puts a call in the place of the long ones, and temporary files where no one else has any."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))

    def install(made):
        monkeypatch.setitem(under_fire.LONG_CALLS, "made", made)

    return install


def test_interrupts_that_came_too_late_are_sent_again(call, monkeypatch):
    call(lambda _scale: lambda: time.sleep(0.05))
    monkeypatch.setattr(interrupts, "BEYOND", 2)
    outcome = interrupts.interrupted("made", 6, 1.0, 0)
    assert outcome.n_over > 0
    assert len(outcome.seconds) == 6
    assert not outcome.failed(1.0)


def test_a_call_that_was_never_interrupted_fails(call):
    call(lambda _scale: lambda: None)
    outcome = interrupts.interrupted("made", 6, 1.0, 0)
    assert outcome.failed(1.0)
    assert "interrupts were in time" in outcome.faults[-1]


def test_calls_are_interrupted_from_beginning_to_end(call, monkeypatch):
    """Also those that take long here, which are made smaller."""
    call(lambda scale: lambda: time.sleep(scale))
    monkeypatch.setattr(interrupts, "LONGEST", 0.1)
    outcome = interrupts.interrupted("made", 16, 0.3, 0)
    assert outcome.duration < 0.25
    assert outcome.latest > 0.08


def test_a_call_that_returns_something_else_after_an_interrupt_fails(call):
    def spoilt(_scale):
        state = ["whole"]

        def run():
            before = state[0]
            state[0] = "half"
            time.sleep(0.1)
            state[0] = before
            return before

        return run

    call(spoilt)
    outcome = interrupts.interrupted("made", 2, 1.0, 0)
    assert "after an interrupt the call returns something else" in outcome.faults
