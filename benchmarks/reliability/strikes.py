"""Ctrl-C at a chosen moment: a process of its own sends SIGINT, whatever threads and locks do."""

import os
import struct
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

# Told how long to wait, it notes the time, sends the signal, and notes that it did.
SENDER = """
import os, signal, struct, sys, time
signal.signal(signal.SIGINT, signal.SIG_IGN)
parent, notes = os.getppid(), int(sys.argv[1])
for line in sys.stdin:
    time.sleep(float(line))
    os.pwrite(notes, struct.pack("dd", time.monotonic(), 0), 0)
    os.kill(parent, signal.SIGINT)
    os.pwrite(notes, struct.pack("d", 1), 8)
"""


@dataclass(frozen=True)
class Strike:
    """What became of a call that was interrupted."""

    seconds: float  # from the signal to the end of the call
    was_over: bool = False  # the call had ended before
    was_deaf: bool = False  # it went on to its end as if nothing had been


class Striker:
    """Interrupts calls of this process."""

    def __init__(self) -> None:
        self._notes = os.memfd_create("strikes")
        command = [sys.executable, "-c", SENDER, str(self._notes)]
        self._sender = subprocess.Popen(command, stdin=subprocess.PIPE, pass_fds=[self._notes])

    def __enter__(self) -> "Striker":
        return self

    def __exit__(self, *_: object) -> None:
        self._sender.communicate()
        os.close(self._notes)

    def strike(self, call: Callable[[], Any], after: float) -> Strike:
        """Call, and send SIGINT some seconds after the call began."""
        ended = None
        os.pwrite(self._notes, bytes(16), 0)
        try:
            os.write(self._sender.stdin.fileno(), f"{after}\n".encode())
            call()
            ended = time.monotonic()
            self._await_note()
            time.sleep(0.005)  # a signal that came is heard here at the latest
        except KeyboardInterrupt:
            heard = time.monotonic()
            self._await_note()  # which else would be taken for that of the next strike
            if ended is None:
                return Strike(heard - self._noted()[0])
            return Strike(0.0, was_over=True)
        return Strike(ended - self._noted()[0], was_deaf=True)

    def _await_note(self) -> None:
        while not self._noted()[1]:
            time.sleep(0.005)

    def _noted(self) -> tuple[float, float]:
        """When the signal was sent, and whether it was."""
        return struct.unpack("dd", os.pread(self._notes, 16, 0))
