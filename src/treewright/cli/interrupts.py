"""Ctrl-C ends the command at once, whatever its threads are doing.

Python handles the signal only between two steps of its main thread. Compiled code in other threads
may run on for seconds, and an interpreter that exits meanwhile can crash. So a separate thread
waits for the signal. If the command does not end soon, it removes unfinished files and exits.
"""

import os
import shutil
import signal
import sys
import threading
from contextlib import suppress
from time import sleep

from treewright.files import remove_unfinished

INTERRUPTED = 130
GRACE_SECONDS = 0.4  # time for the command to end by itself
temporary_folders: set[str] = set()  # removed if the command does not end by itself
_heard = threading.Event()  # set once Ctrl-C was pressed


def watch_for_interrupt() -> None:
    """From now on, Ctrl-C ends this process soon."""
    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        return  # the parent process wants Ctrl-C to be ignored
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    sys.unraisablehook = without_interrupts
    threading.Thread(target=leave_on_interrupt, args=(reader,), daemon=True).start()


def without_interrupts(problem: "sys.UnraisableHookArgs") -> None:
    """Ignore a Ctrl-C during Python's cleanup: the command ends anyway."""
    if not issubclass(problem.exc_type, KeyboardInterrupt):
        sys.__unraisablehook__(problem)


def leave_on_interrupt(reader: int) -> None:
    """Wait for the signal, give the command time to end, then exit."""
    while os.read(reader, 1) != bytes([signal.SIGINT]):
        pass
    _heard.set()
    sleep(GRACE_SECONDS)
    with suppress(OSError):
        os.write(sys.__stderr__.fileno() if sys.__stderr__ else 2, b"error: interrupted\n")
    leave(INTERRUPTED)


def is_interrupted() -> bool:
    """Whether Ctrl-C was pressed since `watch_for_interrupt`."""
    return _heard.wait(0.05)  # the thread that gets the signal may be slightly late


def leave(code: int) -> None:
    """End the process without waiting for threads."""
    remove_unfinished()
    for folder in tuple(temporary_folders):
        shutil.rmtree(folder, ignore_errors=True)
    os._exit(code)
