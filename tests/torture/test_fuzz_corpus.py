"""What fuzzing began with and what it broke once, replayed: T35, T39 and T51.

`fuzz/corpus` holds the files that fuzzers start from, `fuzz/regressions` every input that was once
answered by anything but a model, a table or an error that says what is wrong.
"""

from pathlib import Path

import numpy as np
import pytest
from fuzz.judging import judged
from fuzz.mutants import Mutator
from fuzz.seeds import seed_files
from fuzz.targets import NAMES, target

import treewright as tw
from treewright.any_model.saved_model import model_bytes, model_from_bytes

FUZZ = Path(__file__).parents[2] / "fuzz"


def inputs(name: str) -> list[Path]:
    """Kept inputs of a target."""
    folders = (FUZZ / "corpus" / name, FUZZ / "regressions" / name)
    return sorted(path for folder in folders if folder.is_dir() for path in folder.iterdir())


@pytest.mark.parametrize("name", NAMES)
def test_kept_inputs_do_no_harm(name):
    found = inputs(name)
    assert found
    for path in found:
        target(name).check(path.read_bytes())


def test_T35_sound_files_pass_the_judge():
    for name, content in seed_files().items():
        assert judged(content), name


def test_T35_mutants_of_every_golden_file_are_refused_or_answer_rows():
    files = seed_files()
    mutator = Mutator(files)
    n_accepted = 0
    for index in range(4 * len(files)):
        mutant = mutator.mutant(20_000, index)
        is_raw = mutant.is_raw and mutant.content != files[mutant.origin]
        n_accepted += judged(mutant.content, must_be_refused=is_raw)
    assert 0 < n_accepted < len(files)


def test_T35_a_mutant_has_a_number():
    files = dict(list(seed_files().items())[:5])
    again = [Mutator(files).mutant(7, index) for index in range(50)]
    assert again == [Mutator(files).mutant(7, index) for index in range(50)]
    assert len({mutant.content for mutant in again}) > 40


@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error"])
def test_T63_a_tree_of_numbers_whose_squares_overflow_can_be_saved(criterion):
    X, y = np.arange(10.0)[:, np.newaxis], np.where(np.arange(10) > 4, 1e200, -1e200)
    model = tw.CARTRegressor(criterion=criterion, min_samples_split=2, min_samples_leaf=1).fit(X, y)
    assert np.isfinite(model.tree_.gain).all()
    assert model.feature_importances_.tolist() == [1.0]
    content = model_bytes(model)
    assert model_bytes(model_from_bytes(content)) == content
    np.testing.assert_array_equal(model.predict(X), y)
