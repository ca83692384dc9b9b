"""T40 and T41: files of other programs, of other versions and of other machines.

Files are told by their content, whatever their name, and not a byte of them is executed.
"""

import bz2
import gzip
import io
import lzma
import pickle
import struct
import tarfile
import zipfile
from pathlib import Path

import joblib
import numpy as np
import pytest

import treewright as tw
from every_command import CALLS, filled, write_model_and_table
from torture.saved_files import content_of, for_every_kind, is_text, parts_of, refused
from treewright.cli.main import main
from treewright.persistence.container import MAGIC, container_bytes
from treewright.persistence.file_text import FORMAT_VERSION
from treewright.verbs.load import model_bytes


class Bomb:
    """Leaves a mark if it is ever unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self):
        return Path.touch, (self.path,)


def foreign_files(mark: Path) -> dict[str, bytes]:
    """Files of other kinds, those that can hold code with a mark to leave."""
    content, bomb = content_of("cart_balanced"), pickle.dumps(Bomb(mark))
    archive, tape, dumped = io.BytesIO(), io.BytesIO(), io.BytesIO()
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("../model.json", content)
    with tarfile.open(fileobj=tape, mode="w") as tar:
        entry = tarfile.TarInfo("../../model.json")
        entry.size = len(content)
        tar.addfile(entry, io.BytesIO(content))
    joblib.dump(Bomb(mark), dumped)
    arrays = io.BytesIO()
    np.savez(arrays, x=np.array([Bomb(mark)], dtype=object))
    return {
        "a pickle": bomb,
        "a pickle of text": pickle.dumps(Bomb(mark), protocol=0),
        "joblib": dumped.getvalue(),
        "zip": archive.getvalue(),
        "npz": arrays.getvalue(),
        "tar": tape.getvalue(),
        "gzip": gzip.compress(content),
        "gzip of a pickle": gzip.compress(bomb),
        "bzip2": bz2.compress(content),
        "xz": lzma.compress(content),
        "a pickle in a container": MAGIC + bomb,
        "a pickle after a container": content_of("kmeans") + bomb,
        "a pickle after a text": content + bomb,
        "a script": b"import os\nos.system('touch mark')\n",
        "a page": b"<!doctype html><script>alert(1)</script>",
        "other JSON": b'{"version": [2, 1, 0], "learner": {"gradient_booster": {}}}',
        "zeros": bytes(1000),
    }


NAMES = list(foreign_files(Path("mark")))
NAMED = {"a pickle": "a pickle", "joblib": "a pickle", "zip": "a zip", "gzip": "a gzip", "xz": "xz"}


@pytest.mark.parametrize("name", NAMES)
def test_T40_other_formats_are_told_by_content_and_nothing_is_executed(name, tmp_path):
    mark = tmp_path / "mark"
    content = foreign_files(mark)[name]
    for ending in (".json", ".tw", ".pkl", ".joblib", ""):
        path = tmp_path / f"model{ending}"
        path.write_bytes(content)
        with pytest.raises(tw.ModelFileError, match=NAMED.get(name, "model")):
            tw.load(path)
        path.unlink()
    assert list(tmp_path.iterdir()) == []


READERS = [name for name, words in CALLS.items() if "{model}" in words or "{ensemble}" in words]


@pytest.mark.parametrize("command", READERS)
def test_T40_no_command_takes_another_format_for_a_model(command, tmp_path, monkeypatch, capsys):
    write_model_and_table(tmp_path)
    monkeypatch.chdir(tmp_path)
    mark = tmp_path / "mark"
    files = foreign_files(mark)
    for name in ("a pickle", "joblib", "zip", "npz", "gzip of a pickle", "a pickle in a container"):
        for model in ("m.json", "e.tw"):
            (tmp_path / model).write_bytes(files[name])
        assert main(filled(command)) == 3
        out, err = capsys.readouterr()
        assert out == ""
        assert "Traceback" not in err
        assert "error: " in err
    assert not mark.exists()


def test_T40_a_function_of_the_users_is_kept_by_name_only(tmp_path):
    def my_impurity(weights):
        shares = weights / weights.sum()
        return 1 - shares.max()

    X, y = tw.load_sample("golf")
    model = tw.TreeClassifier(criterion=my_impurity).fit(X, y)
    model.save(tmp_path / "model.json")
    loaded = tw.load(tmp_path / "model.json")
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))
    with pytest.raises(ValueError, match=r"my_impurity`, which a model file holds by name only"):
        loaded.fit(X, y)
    loaded.set_params(criterion=my_impurity).fit(X, y)
    assert model_bytes(loaded) == model_bytes(model)


def with_version(name: str, version: int) -> bytes:
    content = content_of(name)
    if is_text(name):
        here = b'"format_version": %d,'
        return content.replace(here % FORMAT_VERSION, here % version, 1)
    return content[:16] + version.to_bytes(8, "little") + content[24:]


@for_every_kind
def test_T41_a_later_format_says_what_to_do(name, tmp_path):
    for version in (FORMAT_VERSION + 1, 7, 999_999_999):
        message = refused(with_version(name, version))
        assert f"file format {version}, this version reads up to 2" in message
        assert "upgrade treewright" in message
    refused(with_version(name, 0))


@pytest.mark.parametrize(
    "text",
    [
        '{"format": "treewright model", "format_version": 7, "anything": ["new"]}',
        '{\n"format": "treewright model",\n"format_version": 7,\n"model": 1}\n',
    ],
)
def test_T41_a_later_format_of_another_layout_says_so_too(text):
    assert "file format 7" in refused(text.encode())


def test_T41_numbers_of_a_container_are_little_endian_on_every_machine():
    parts = parts_of("kmeans")
    content = content_of("kmeans")
    at = 64 + int.from_bytes(content[24:32], "little")
    for array in parts.arrays.values():
        letter = {"float64": "d", "int64": "q", "int32": "i"}[array.dtype.name]
        found = struct.unpack_from(f"<{array.size}{letter}", content, at)
        assert list(found) == array.ravel().tolist()
        at += array.nbytes + -array.nbytes % 64
    assert at == len(content)


def test_T41_arrays_of_the_other_byte_order_give_the_same_file():
    parts = parts_of("kmeans")
    swapped = {
        name: array.astype(array.dtype.newbyteorder("S")) for name, array in parts.arrays.items()
    }
    assert container_bytes(parts.model, swapped) == content_of("kmeans")
