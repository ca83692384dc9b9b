"""T41: files of every release load and answer as they did on the day they were written.

Golden files are kept of each estimator and of settings that matter; `golden/files.py` tells what is
in them, `make_golden_files.py` writes those of a new release.
"""

import inspect
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import make_golden_files
import treewright as tw
from golden import files
from golden.models import GOLDENS
from machine import found_program, how_to_install
from treewright.verbs.load import model_bytes, model_from_bytes

EVERY = [
    pytest.param(release, folder, id=f"{release}/{folder.name}")
    for release in files.releases()
    for folder in files.models_of(release)
]
TESTS = Path(__file__).parents[1]

for_every_file = pytest.mark.parametrize(("release", "folder"), EVERY)


@for_every_file
def test_T41_answers_are_the_recorded_ones(release, folder):
    """Bit for bit, but for the last digits of models through exp: it was NumPy's at the time."""
    model = tw.load(files.model_file(folder))
    is_exact = type(model).__name__ not in files.THROUGH_EXP
    found = files.predictions_of(model, files.rows_in(folder))
    expected = files.expected_in(folder)
    last_bits = 0 if is_exact else files.LAST_BITS
    assert files.differences(found, expected, last_bits=last_bits) == []


@for_every_file
def test_T41_saving_what_was_loaded_gives_the_same_bytes(release, folder):
    """Of this release; files of earlier ones come to rest after one save."""
    content = files.model_file(folder).read_bytes()
    saved = model_bytes(model_from_bytes(content))
    if release == tw.__version__:
        assert saved == content
    assert model_bytes(model_from_bytes(saved)) == saved


def test_T41_settings_of_format_1_have_their_new_names_and_the_values_of_their_time():
    """Settings were renamed, and a setting that a file lacks has the value that it stood for."""
    folder = files.FOLDER / "0.1.0"
    early = tw.load(files.model_file(folder / "boosted_early")).get_params()
    assert early["n_iter_no_change"] is not None
    assert early["handle_unknown"] == "missing"
    rising = tw.load(files.model_file(folder / "boosted_monotone")).get_params()
    assert rising["monotonic_cst"] is not None
    near = tw.load(files.model_file(folder / "neighbors_manhattan")).get_params()
    assert near["metric"] == "manhattan"
    quinlan = tw.load(files.model_file(folder / "c45_subsets"))
    assert quinlan.get_params()["j48_gaps"] is True


@pytest.mark.parametrize("release", files.releases())
def test_T41_golden_files_are_never_written_again(release):
    assert files.digests(files.FOLDER / release) == files.manifest_of(release)["files"]


def test_T41_this_release_has_a_golden_file_of_every_kind_of_model():
    folders = files.models_of(tw.__version__)
    assert {folder.name for folder in folders} == set(GOLDENS)
    kept = {type(tw.load(files.model_file(folder))).__name__ for folder in folders}
    public = [name for name in tw.__all__ if inspect.isclass(getattr(tw, name))]
    saved = {
        name
        for name in public
        if hasattr(getattr(tw, name), "predict") and hasattr(getattr(tw, name), "save")
    }
    assert kept == saved
    assert len(folders) >= 60


def test_T41_golden_files_of_a_release_are_not_overwritten(capsys):
    before = files.digests(files.FOLDER)
    assert make_golden_files.main() == 1
    assert "never written again" in capsys.readouterr().err
    assert files.digests(files.FOLDER) == before


ELSEWHERE = """
import json, locale
locale.setlocale(locale.LC_ALL, "")
from golden import files
import treewright as tw
from treewright.verbs.load import model_bytes
wrong = []
for folder in files.models_of(tw.__version__):
    model = tw.load(files.model_file(folder))
    if model_bytes(model) != files.model_file(folder).read_bytes():
        wrong.append(folder.name)
    found = files.predictions_of(model, files.rows_in(folder))
    if files.differences(found, files.expected_in(folder), last_bits=files.LAST_BITS):
        wrong.append(folder.name)
print(json.dumps([locale.localeconv()["decimal_point"], wrong]))
"""


@pytest.fixture
def german(tmp_path) -> dict[str, str]:
    """A locale with decimal commas, made here and known to one process."""
    made = ["localedef", "-i", "de_DE", "-f", "UTF-8", str(tmp_path / "de_DE.UTF-8")]
    if not found_program("localedef") or subprocess.run(made, check=False).returncode != 0:
        pytest.skip(how_to_install("localedef"))
    return {"LOCPATH": str(tmp_path), "LC_ALL": "de_DE.UTF-8", "TZ": "Asia/Tokyo"}


def test_T41_locale_and_time_zone_are_no_information(german):
    path = os.pathsep.join([str(TESTS), *sys.path])
    done = subprocess.run(
        [sys.executable, "-c", ELSEWHERE],
        env={**os.environ, **german, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(done.stdout) == [",", []]
