"""Runs many commands, each in a process of its own that is forked from one which has all modules.

`python forked_commands.py` reads a list of jobs as JSON, and prints a list of what became of them:

words        what is typed after `treewright`
output       where the standard output goes: "file", "closed" (a pipe that nobody reads),
             "one line" (a pipe that is closed after a line), "full" (/dev/full) or "kept" (it is
             told afterwards)
streams      what a shell does to streams: {"0": "shut", "1": "shut", "2": "full"}, or "closed"
encoding     of the standard output and error, where they know no other letters
most_bytes   how long a file may grow before the system refuses, or null
kill_after   seconds until kill -9, or null
watched      a file whose content is told afterwards
without_rights  whether even root may read and write only what its files allow
"""

import contextlib
import ctypes
import io
import json
import os
import resource
import signal
import sys
import tempfile
import threading
import time
from pathlib import Path

from treewright.cli.main import main
from treewright.cli.streams import prepare_streams


def run(job):
    """Run one job in a child; its exit code (a negative one is a signal) and standard error."""
    reader, writer = os.pipe()
    printed = tempfile.TemporaryFile()  # noqa: SIM115 -- the child has it too
    begin = time.perf_counter()
    process = os.fork()
    if process == 0:
        become_command(job, writer, printed.fileno())
    os.close(writer)
    if job.get("kill_after") is not None:
        time.sleep(job["kill_after"])
        os.kill(process, signal.SIGKILL)
    with open(reader, "rb") as errors:
        said = errors.read().decode()
    _, status = os.waitpid(process, 0)
    printed.seek(0)
    return {
        "printed": printed.read().decode(),
        "code": os.waitstatus_to_exitcode(status),
        "errors": said,
        "seconds": time.perf_counter() - begin,
        "content": Path(job["watched"]).read_text() if "watched" in job else None,
    }


def become_command(job, errors, printed):
    """Be the process of a command."""
    kind = job.get("output", "file")
    os.dup2(errors, 2)
    os.dup2(printed if kind == "kept" else output_of(kind), 1)
    encoding = job.get("encoding", "utf-8")
    sys.stdout, sys.stderr = (io.TextIOWrapper(io.FileIO(at, "w"), encoding) for at in (1, 2))
    if "streams" in job or "encoding" in job:
        for number, way in job.get("streams", {}).items():
            redirect(int(number), way)
        prepare_streams()
    if job.get("most_bytes") is not None:
        limit = job["most_bytes"]
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    if job.get("without_rights"):
        give_up_rights()
    code = main(job["words"])
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except OSError:
        code = 120  # what an interpreter says that cannot flush at its end
    os._exit(code)


def redirect(number, way):
    """Do to a standard stream what a shell does."""
    if way != "shut":
        os.dup2(output_of(way), number)
        return
    os.close(number)
    setattr(sys, ("stdin", "stdout", "stderr")[number], None)


def give_up_rights():
    """Have no capabilities of Linux any more."""
    header = (ctypes.c_uint32 * 2)(0x20080522, 0)  # version 3 of the call, this process
    nothing = (ctypes.c_uint32 * 6)()
    if ctypes.CDLL(None).capset(header, nothing) != 0:
        raise OSError("capset failed")


def output_of(kind):
    """The file descriptor that a command writes to."""
    if kind == "file":
        return os.open(os.devnull, os.O_WRONLY)
    if kind == "full":
        return os.open("/dev/full", os.O_WRONLY)
    reader, writer = os.pipe()
    if kind == "closed":
        os.close(reader)
    else:
        threading.Thread(target=read_a_line, args=(reader,), daemon=True).start()
    return writer


def read_a_line(reader):
    while os.read(reader, 1) not in (b"\n", b""):
        pass
    os.close(reader)


if __name__ == "__main__":
    with contextlib.redirect_stdout(io.StringIO()):
        main(["train", "tennis"])  # so small that it needs no threads, and loads what all need
    jobs = json.load(sys.stdin)
    print(json.dumps([run(job) for job in jobs]))
