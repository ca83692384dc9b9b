"""Database servers for tests: started in a temporary directory, reached by a socket, stopped.

A server that is not installed, or does not start, gives the reason to skip what needs it. As root
the servers run under the account that Debian's packages made for them.
"""

import contextlib
import os
import pwd
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from machine import found_program, how_to_install, package_to_install

SECONDS_TO_START = 60
BYTES_NEEDED = 2**30


class NoServerError(Exception):
    """Why there is no server."""


@contextlib.contextmanager
def postgresql() -> Iterator[Any]:
    """A connection to a PostgreSQL server of its own."""
    psycopg = driver("psycopg")
    programs = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    initdb = program("initdb", [str(path) for path in programs])
    with home("postgres") as (folder, account):
        data = folder / "data"
        run(account, initdb, "-D", data, "-U", "postgres", "--auth=trust", "-E", "UTF8", "-N")
        command = [Path(initdb).with_name("postgres"), "-D", data, "-k", folder, "-h", ""]
        with server(account, [*command, "-F", "-c", "jit=off"], folder / "log"):
            connection = connected(
                lambda: psycopg.connect(
                    host=str(folder), user="postgres", dbname="postgres", autocommit=True
                ),
                folder / "log",
            )
            with connection:  # a server waits for its clients before it stops
                yield connection


@contextlib.contextmanager
def mariadb() -> Iterator[Any]:
    """A connection to a MariaDB server of its own."""
    pymysql = driver("pymysql")
    mariadbd = program("mariadbd", ["/usr/sbin"])
    with home("mysql") as (folder, account):
        data, socket = folder / "data", folder / "socket"
        install = [program("mariadb-install-db"), "--no-defaults", f"--datadir={data}"]
        run(account, *install, "--auth-root-authentication-method=normal", "--skip-test-db")
        command = [mariadbd, "--no-defaults", f"--datadir={data}", f"--socket={socket}"]
        command += ["--skip-networking", f"--pid-file={folder / 'pid'}"]
        with server(account, command, folder / "log"):
            connection = connected(
                lambda: pymysql.connect(unix_socket=str(socket), user="root", charset="utf8mb4"),
                folder / "log",
            )
            with connection:
                yield connection


def driver(name: str) -> Any:
    try:
        return __import__(name)
    except ModuleNotFoundError:
        raise NoServerError(package_to_install(name)) from None


def program(name: str, further: list[str] | None = None) -> str:
    found = found_program(name, *(further or []))
    if found is None:
        raise NoServerError(how_to_install(name))
    return found


@contextlib.contextmanager
def home(account: str) -> Iterator[tuple[Path, str | None]]:
    """A directory that is gone afterwards, and the account that owns it; None: our own."""
    with tempfile.TemporaryDirectory(prefix="tw", dir=fast_folder()) as name:
        folder = Path(name)
        if os.geteuid() != 0:
            yield folder, None
            return
        try:
            entry = pwd.getpwnam(account)
        except KeyError:
            raise NoServerError(f"there is no account {account} to run the server") from None
        os.chown(folder, entry.pw_uid, entry.pw_gid)
        folder.chmod(0o755)
        yield folder, account


def fast_folder() -> str | None:
    """Memory if there is enough: servers wait for the disk when they set up their files.

    Either way a short path, since that of a socket is limited.
    """
    memory = Path("/dev/shm")
    is_roomy = memory.is_dir() and shutil.disk_usage(memory).free > BYTES_NEEDED
    return str(memory) if is_roomy and os.access(memory, os.W_OK) else None


def run(account: str | None, *command: Any) -> None:
    done = subprocess.run(
        list(map(str, command)), user=account, capture_output=True, text=True, cwd="/", check=False
    )
    if done.returncode:
        raise NoServerError(f"{Path(str(command[0])).name} failed: {done.stderr.strip()[-300:]}")


@contextlib.contextmanager
def server(account: str | None, command: list[Any], log: Path) -> Iterator[None]:
    """The server while it runs."""
    with log.open("wb") as output:
        process = subprocess.Popen(
            list(map(str, command)), user=account, stdout=output, stderr=output, cwd="/"
        )
    try:
        yield
    finally:
        process.terminate()
        try:
            process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def connected(connect: Callable[[], Any], log: Path) -> Any:
    """The connection, as soon as the server takes one."""
    last = time.monotonic() + SECONDS_TO_START
    while True:
        try:
            return connect()
        except Exception as error:  # drivers have their own kinds
            if time.monotonic() > last:
                end = log.read_text(errors="replace")[-300:]
                raise NoServerError(f"the server does not answer: {error}; {end}") from error
            time.sleep(0.1)
