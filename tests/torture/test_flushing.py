"""T08 once more: a library that makes the processor take small numbers for 0."""

import platform
import subprocess
import sys

from machine import found_program

FLUSHING = r"""
#if defined(__aarch64__)
void flush(void) {
    unsigned long mode;
    __asm__ volatile("mrs %0, fpcr" : "=r"(mode));
    __asm__ volatile("msr fpcr, %0" : : "r"(mode | (1UL << 24)));
}
#else
#include <xmmintrin.h>
void flush(void) { _mm_setcsr(_mm_getcsr() | 0x8040); }
#endif
"""
SMALL_NUMBERS_LATER = """
import ctypes, sys, warnings
import numpy as np, treewright as tw
from treewright.verbs.load import model_bytes, model_from_bytes

draw = np.random.default_rng(0)
X = draw.normal(size=(12_000, 8)) * np.where(np.arange(8) % 2, 1.0, 1e-310)
y = X[:, 1] + (X[:, 0] > 0)

def models(n_jobs):
    parted = y > 0.5
    yield tw.CARTClassifier(prune=None, max_depth=4, n_jobs=n_jobs).fit(X, parted)
    yield tw.TreeRegressor(max_depth=4, n_jobs=n_jobs).fit(X, y)
    yield tw.RandomForestClassifier(n_estimators=4, max_depth=4, n_jobs=n_jobs).fit(X, parted)
    yield tw.BoostedTreesRegressor(n_estimators=4, max_depth=4, n_jobs=n_jobs).fit(X, y)
    yield tw.IsolationForest(n_estimators=4, n_jobs=n_jobs).fit(X)

def found(n_jobs):
    return [(model_bytes(model), model.predict(X).tobytes()) for model in models(n_jobs)]

warnings.simplefilter("error")
expected = found(4)
assert np.float64(1e-310) / 2 > 0
if len(sys.argv) > 1:
    ctypes.CDLL(sys.argv[1]).flush()
    assert np.float64(1e-310) / 2 == 0
    warnings.filterwarnings("ignore", ".*2.2e-308")
    for n_jobs in (1, 2, 4):
        assert found(n_jobs) == expected, n_jobs
    again = model_from_bytes(expected[0][0])
    assert (model_bytes(again), again.predict(X).tobytes()) == expected[0]
    assert np.float64(1e-310) / 2 == 0  # as the other library wants it
    warnings.simplefilter("error")
    try:
        tw.KMeans(2).fit(X)
    except UserWarning as warning:
        assert "2.2e-308" in str(warning)
    else:
        raise AssertionError("numbers have vanished without a word")
"""


def test_T08_flushing_by_others_changes_no_model_on_any_number_of_threads(tmp_path):
    """Nothing here flushes subnormal numbers to zero, nor minds a library that does.

    Such a library changes the threads it knows: those of the pool are older, and keep them.
    """
    flushing = []
    if found_program("gcc") and platform.machine() in ("x86_64", "aarch64"):
        (tmp_path / "flush.c").write_text(FLUSHING)
        made = ["gcc", "-shared", "-fPIC", "-o", "flush.so", "flush.c"]
        subprocess.run(made, cwd=tmp_path, check=True)
        flushing = [str(tmp_path / "flush.so")]
    subprocess.run([sys.executable, "-c", SMALL_NUMBERS_LATER, *flushing], check=True)
