"""A file is written as a whole or not at all."""

import errno
import os
import subprocess
import sys
import time

import pytest

from machine import needs
from treewright import files as atomic_file
from treewright.files import open_file, write_file


def test_the_content_arrives_and_nothing_else_is_left(tmp_path):
    path = tmp_path / "model.json"
    write_file(path, b"old")
    path.chmod(0o600)
    write_file(path, b"new")
    assert path.read_bytes() == b"new"
    assert path.stat().st_mode & 0o777 == 0o600
    assert os.listdir(tmp_path) == ["model.json"]


def test_a_failure_leaves_the_old_file_and_no_temporary_one(tmp_path, monkeypatch):
    path = tmp_path / "model.json"
    write_file(path, b"old")

    def full(_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "temporary")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match=r"No space left.*model\.json"):
        write_file(path, b"new")
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["model.json"]


def test_a_file_written_in_pieces_appears_as_a_whole(tmp_path):
    path = tmp_path / "answers.csv"
    write_file(path, b"old")
    with open_file(path) as file:
        file.write(b"new, ")
        file.flush()
        assert path.read_bytes() == b"old"
        file.write(b"whole")
    assert path.read_bytes() == b"new, whole"
    with pytest.raises(ZeroDivisionError), open_file(path) as file:
        file.write(b"half" * (1 // 0))
    assert path.read_bytes() == b"new, whole"
    assert os.listdir(tmp_path) == ["answers.csv"]


def test_what_is_unfinished_can_be_removed_without_unwinding(tmp_path):
    code = """if True:
        import os
        from treewright.files import open_file, remove_unfinished
        with open_file("answers.csv") as file:
            file.write(b"half")
            file.flush()
            assert len(os.listdir()) == 1
            remove_unfinished()
            os._exit(0)
    """
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True)
    assert os.listdir(tmp_path) == []


def test_an_absent_folder_is_named_by_the_path_that_was_asked_for(tmp_path):
    path = tmp_path / "absent" / "model.json"
    with pytest.raises(FileNotFoundError) as caught:
        write_file(path, b"x")
    assert caught.value.filename == str(path)


def test_a_folder_is_not_a_file(tmp_path):
    with pytest.raises(IsADirectoryError):
        write_file(tmp_path, b"x")


def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "real.json").write_bytes(b"old")
    (tmp_path / "link.json").symlink_to("real.json")
    write_file(tmp_path / "link.json", b"new")
    assert (tmp_path / "link.json").is_symlink()
    assert (tmp_path / "real.json").read_bytes() == b"new"


def test_a_device_is_written_to_as_it_is():
    write_file(os.devnull, b"x")


def test_a_very_long_name_is_fine(tmp_path):
    path = tmp_path / ("m" * 250)
    write_file(path, b"x")
    assert path.read_bytes() == b"x"


def test_what_a_killed_process_left_is_removed_by_the_next_save(tmp_path):
    path = tmp_path / "model.json"
    code = (
        "import os\n"
        "from treewright import files as atomic_file\n"
        "os.replace = lambda *_: os.kill(os.getpid(), 9)\n"
        f"atomic_file.write_file({str(path)!r}, b'half')\n"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == -9
    assert len(os.listdir(tmp_path)) == 1
    write_file(path, b"whole")
    assert os.listdir(tmp_path) == ["model.json"]
    assert path.read_bytes() == b"whole"


WRITER = """if True:
    import os, sys
    from treewright.files import open_file
    with open_file(sys.argv[1]) as file:
        file.write(b"of the writer")
        file.flush()
        print("ready", flush=True)
        sys.stdin.readline()
"""


def writer_of(path, *before):
    """A process in the midst of writing `path`; its input lets it go on."""
    process = subprocess.Popen(
        [*before, sys.executable, "-c", WRITER, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    if process.stdout.readline() != "ready\n":
        process.communicate()
        return None
    return process


def temporaries(folder):
    return [name for name in os.listdir(folder) if name.endswith(".tmp")]


def test_a_save_leaves_the_unfinished_file_of_another_process(tmp_path, monkeypatch):
    """Whatever number the process has: another PID namespace knows no process of that number."""
    path = tmp_path / "model.json"
    writer = writer_of(path)

    def no_such_process(*_):
        raise ProcessLookupError

    monkeypatch.setattr(os, "kill", no_such_process)
    write_file(path, b"of the other")
    assert path.read_bytes() == b"of the other"
    assert len(temporaries(tmp_path)) == 1
    writer.communicate("\n")
    assert writer.returncode == 0
    assert path.read_bytes() == b"of the writer"
    assert os.listdir(tmp_path) == ["model.json"]


@needs("unshare")
def test_a_save_leaves_the_unfinished_file_of_another_pid_namespace(tmp_path):
    path = tmp_path / "model.json"
    writer = writer_of(path, "unshare", "--user", "--map-root-user", "--pid", "--fork")
    if writer is None:
        pytest.skip("this system allows no PID namespaces")
    write_file(path, b"of the other")
    assert len(temporaries(tmp_path)) == 1
    writer.communicate("\n")
    assert writer.returncode == 0
    assert path.read_bytes() == b"of the writer"


def test_a_left_over_of_another_machine_is_removed_after_a_day(tmp_path, monkeypatch):
    """Its locks may be out of sight: some network file systems keep them to one machine."""
    path = tmp_path / "model.json"
    with monkeypatch.context() as elsewhere:
        elsewhere.setattr(atomic_file, "_machine", lambda: "0123abcd")
        temporary, file = atomic_file._locked_temporary(path)
        file.close()
    write_file(path, b"x")
    assert temporary.exists()
    long_ago = time.time() - 2 * atomic_file.DAY
    os.utime(temporary, (long_ago, long_ago))
    write_file(path, b"x")
    assert not temporary.exists()


def test_a_temporary_file_that_was_removed_before_it_was_locked_is_made_again(
    tmp_path, monkeypatch
):
    path = tmp_path / "model.json"
    lock, seen = atomic_file.fcntl.flock, []

    def removed_first(file, how):
        if not seen:
            seen.append(temporaries(tmp_path)[0])
            (tmp_path / seen[0]).unlink()
        lock(file, how)

    monkeypatch.setattr(atomic_file.fcntl, "flock", removed_first)
    write_file(path, b"whole")
    assert path.read_bytes() == b"whole"
    assert os.listdir(tmp_path) == ["model.json"]
