"""Files that never end, pipes that nobody writes to, and files that are too large."""

import io
import os
import sys
import threading

import pytest

import treewright as tw
from treewright.cli.main import main
from treewright.cli.saved import LIMIT_VARIABLE
from treewright.errors import DataError, ModelFileError

pytestmark = pytest.mark.skipif(not os.path.exists("/dev/zero"), reason="needs /dev/zero")


@pytest.fixture
def saved(tmp_path):
    path = tmp_path / "model.json"
    tw.ID3Classifier().fit(*tw.load_sample("tennis")).save(path)
    return path


def test_load_refuses_an_endless_device():
    """It read /dev/zero until memory ended."""
    with pytest.raises(ModelFileError, match="/dev/zero is a device, not a regular file"):
        tw.load("/dev/zero")


def test_load_refuses_a_pipe_at_once(tmp_path):
    """It waited forever for somebody to write."""
    os.mkfifo(tmp_path / "model.json")
    with pytest.raises(ModelFileError, match="is a pipe, not a regular file"):
        tw.load(tmp_path / "model.json")


def test_load_names_a_folder(tmp_path):
    with pytest.raises(IsADirectoryError) as caught:
        tw.load(tmp_path)
    assert caught.value.filename == str(tmp_path)


def test_load_refuses_a_file_above_its_limit_without_reading_it(tmp_path, saved):
    size = saved.stat().st_size
    tw.load(saved, max_bytes=size)
    with pytest.raises(ModelFileError, match=f"the limit is {size - 1:,} bytes") as caught:
        tw.load(saved, max_bytes=size - 1)
    assert "max_bytes" in caught.value.hint
    huge = tmp_path / "huge.json"
    with huge.open("wb") as file:
        file.truncate(2**40)  # takes no room on the disk
    with pytest.raises(ModelFileError, match="the file has 1,099,511,627,776 bytes"):
        tw.load(huge)


def test_a_file_that_grows_while_it_is_read_stays_within_the_limit(saved, monkeypatch):
    """Files of /proc state a size of 0."""
    size = saved.stat().st_size
    true_size = os.fstat

    def no_size(descriptor):
        found = list(true_size(descriptor))
        found[6] = 0
        return os.stat_result(found)

    monkeypatch.setattr(os, "fstat", no_size)
    tw.load(saved, max_bytes=size)
    with pytest.raises(ModelFileError, match="the file has more"):
        tw.load(saved, max_bytes=size - 1)


@pytest.mark.parametrize("command", ["show", "rules", "export"])
def test_commands_refuse_devices_and_pipes_in_place_of_a_model(tmp_path, capsys, command):
    more = ["--to", "python"] if command == "export" else []
    os.mkfifo(tmp_path / "pipe")
    assert main([command, "/dev/zero", *more]) != 0
    assert "/dev/zero is a device, not a regular file" in capsys.readouterr().err
    assert main([command, str(tmp_path / "pipe"), *more]) != 0
    assert "is a pipe, not a regular file" in capsys.readouterr().err


def test_the_limit_of_commands_is_an_environment_variable(saved, capsys, monkeypatch):
    monkeypatch.setenv(LIMIT_VARIABLE, "100")
    assert main(["show", str(saved)]) != 0
    assert "the limit is 100 bytes" in (told := capsys.readouterr().err)
    assert LIMIT_VARIABLE in told
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(saved.read_bytes())))
    assert main(["show", "-"]) != 0
    assert "standard input: the limit is 100 bytes" in capsys.readouterr().err
    monkeypatch.setenv(LIMIT_VARIABLE, "1000000")
    assert main(["show", str(saved)]) == 0
    monkeypatch.setenv(LIMIT_VARIABLE, "1 GB")
    assert main(["show", str(saved)]) != 0
    assert "not a whole number of bytes" in capsys.readouterr().err


@pytest.mark.parametrize("suffix", ["", ".arff", ".parquet", ".csv.gz"])
def test_tables_are_not_read_from_devices(tmp_path, suffix):
    """Whatever the name of a link to one says."""
    link = tmp_path / f"table{suffix}"
    link.symlink_to("/dev/zero")
    with pytest.raises(DataError, match="is a device, not a regular file"):
        tw.read_table(link)


@pytest.mark.parametrize("suffix", ["", ".arff", ".parquet", ".csv.gz"])
def test_tables_are_not_predicted_from_devices(tmp_path, saved, capsys, suffix):
    link = tmp_path / f"table{suffix}"
    link.symlink_to("/dev/zero")
    assert main(["predict", str(saved), str(link)]) != 0
    assert "is a device, not a regular file" in capsys.readouterr().err


def test_tables_are_still_read_from_pipes(tmp_path):
    """A shell makes one of `<(zcat table.csv.gz)`."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: pipe.write_text("a,b\n1,2\n3,4\n"))
    writer.start()
    table = tw.read_table(pipe)
    writer.join()
    assert table["a"].values.tolist() == [1.0, 3.0]
