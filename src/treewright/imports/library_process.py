"""The library of a model file, in a process of its own: when it crashes, the user's goes on."""

import io
import pickle
import struct
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from importlib.util import find_spec
from threading import Timer
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import ModelFileError
from treewright.exports.compiled import how_it_ended
from treewright.imports import library_script
from treewright.imports.foreign import ForeignModel, Source
from treewright.imports.library_script import FAILED, HEAD, Predict

SECONDS = 120.0  # to start, to read a file, and to predict the rows at the thresholds
SECONDS_BY_BYTE = 2.0**-20  # of a file, in addition


class LibraryError(Exception):
    """What a library raised in its process."""


class NoLibraryError(Exception):
    """A library that does not start, whatever the file."""


@dataclass(frozen=True, slots=True)
class Library:
    """What a library is called."""

    package: str
    name: str


def with_library(
    library: Library,
    words: str,
    content: bytes,
    read: Callable[[], ForeignModel],
    beside: Callable[[Predict, str, ForeignModel], Source],
) -> Source:
    """A model beside its library, which runs in another process; alone if it cannot run.

    `read` reads the content. The library gets it only if that succeeds.
    """
    if find_spec(library.package) is None:
        return Source(words, read(), why_no_original=f"{library.name} is not installed")
    try:
        process = LibraryProcess(library)
    except NoLibraryError as error:
        return Source(words, read(), why_no_original=str(error))
    try:
        model = read()  # meanwhile the library is imported
        process.read(content)
        return replace(beside(process.predict, words, model), close=process.close)
    except NoLibraryError as error:
        process.close()
        return Source(words, model, why_no_original=str(error))
    except BaseException:  # also Ctrl-C
        process.close()
        raise


class LibraryProcess:
    """A library that reads a file in another process, and predicts there."""

    def __init__(self, library: Library) -> None:
        self.name, self.is_late = library.name, False
        self.seconds: float | None = SECONDS
        self.process = started(self.name)
        with suppress(OSError):  # `read` finds out
            self.send(sys.path, library.package)

    def read(self, content: bytes) -> None:
        """Wait until the library is imported, and let it read a file."""
        try:
            self.ask("started")
        except (LibraryError, ModelFileError) as error:
            raise NoLibraryError(f"{self.name} cannot be imported: {error.args[0]}") from None
        self.seconds = SECONDS + len(content) * SECONDS_BY_BYTE
        try:
            self.ask("read the file", content)
        except LibraryError as error:
            raise ModelFileError(f"{self.name} cannot load it: {error}") from None

    def predict(self, rows: Any, **settings: Any) -> NDArray[Any]:
        """What the library predicts."""
        reply = self.ask("predicted", (rows, settings))
        self.seconds = None  # it does predict: a large table may take long
        found: NDArray[Any] = np.load(io.BytesIO(reply), allow_pickle=False)
        return found

    def close(self) -> None:
        """End the process."""
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()

    def send(self, *requests: Any) -> None:
        assert self.process.stdin is not None
        for one in requests:
            pickle.dump(one, self.process.stdin, protocol=5)
        self.process.stdin.flush()

    def ask(self, doing: str, *requests: Any) -> bytes:
        """Send requests, and wait for the reply."""
        assert self.process.stdout is not None
        timer = Timer(self.seconds or 0.0, self.stop_late)
        timer.daemon = True
        if self.seconds is not None:
            timer.start()
        try:
            self.send(*requests)
            kind, size = HEAD.unpack(self.process.stdout.read(HEAD.size))
            reply = self.process.stdout.read(size)
        except (OSError, struct.error):
            raise self.ended(doing) from None
        finally:
            timer.cancel()
        if len(reply) < size:
            raise self.ended(doing)
        if kind == FAILED:
            line = (reply.decode("utf-8", "replace").splitlines() or [""])[0]
            raise LibraryError(line[:200])
        return reply

    def stop_late(self) -> None:
        self.is_late = True
        self.process.kill()

    def ended(self, doing: str) -> ModelFileError:
        """The error for a process that is no longer there."""
        code = self.process.wait()
        how = how_it_ended(code) if code < 0 else f"ended with exit code {code}"
        problem = f"{self.name} {how} while it {doing}"
        if self.is_late:
            problem = f"{self.name} was ended: it had not {doing} after {self.seconds:.0f} seconds"
        return ModelFileError(
            problem,
            hint="the file may be damaged: save the model again; verify=False reads it without "
            f"{self.name}, and does not compare predictions",
        )


def started(library: str) -> "subprocess.Popen[bytes]":
    """A process of this Python that waits for requests."""
    if not sys.executable or getattr(sys, "frozen", False):  # Python is a part of a program
        raise NoLibraryError(f"there is no Python program to run {library} in")
    try:
        return subprocess.Popen(
            [sys.executable, "-P", library_script.__file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )
    except OSError as error:
        raise NoLibraryError(f"no process can be started to run {library} in: {error}") from None
