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
from treewright.verbs.load import model_bytes, model_from_bytes

FUZZ = Path(__file__).parents[2] / "fuzz"

# Files that were once accepted though no fit gives such a model, and what is now said of them.
REFUSED = {
    "forest_leaf_beyond_sums": "tree 0: leaf 14: value: so large that sums over the trees",
    "boosted_leaf_beyond_sums": "tree 0: leaf 2: value: so large that sums over the trees",
    "boosted_start_beyond_sums": "`start_` is so large that sums",
    "isolation_splits_below_zero": "tree 0: node 2: value: a number of splits below 0",
    "linear_coefficient_beyond_sums": "a coefficient of `color = ",
    "linear_mean_beyond_sums": r"`term_means_` has -1e\+308 for `size`",
    "neighbors_scale_changes_levels": "`width_` of `color` change codes of categories",
    "rule_shares_sum_to_two": "`shares` of rule 0 sum to 2, not to 1",
}


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


@pytest.mark.parametrize("name", REFUSED)
def test_T35_a_file_that_no_fit_gives_is_refused_with_its_name_and_the_place(name):
    path = FUZZ / "regressions" / "model_file" / name
    with pytest.raises(tw.ModelFileError, match=REFUSED[name]) as raised:
        tw.load(path)
    assert name in str(raised.value)


def test_T35_more_neighbors_than_rows_are_refused_when_rows_come():
    """Not before: `set_params` takes any number, and a model is saved as it is."""
    model = tw.load(FUZZ / "regressions" / "model_file" / "neighbors_more_than_rows")
    with pytest.raises(tw.DataError, match="n_neighbors=49, but there are n_samples=48 rows"):
        model.predict(np.zeros((1, 3)))


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
    model = tw.CARTRegressor(
        prune=None, criterion=criterion, min_samples_split=2, min_samples_leaf=1
    ).fit(X, y)
    assert np.isfinite(model.tree_.gain).all()
    assert model.feature_importances_.tolist() == [1.0]
    content = model_bytes(model)
    assert model_bytes(model_from_bytes(content)) == content
    np.testing.assert_array_equal(model.predict(X), y)
