"""How fast exported C predicts, beside LightGBM's own predict on the same rows.

    python -m benchmarks.exported_c

100,000 rows of 28 columns, 100 boosted trees of 31 leaves, one thread. The C code is compiled with
gcc -O2; rows are given as its struct, which for numbers is a row of doubles. Processor time, the
best of several turns.
"""

import ctypes
import subprocess
import tempfile
import time
from pathlib import Path

import lightgbm
import numpy as np

import treewright as tw

N_ROWS, N_COLUMNS, N_TREES, N_LEAVES, TURNS = 100_000, 28, 100, 31, 5


def best(call, turns: int = TURNS) -> float:
    """The least processor time of some calls, in seconds."""
    found = []
    for _ in range(turns):
        start = time.process_time()
        call()
        found.append(time.process_time() - start)
    return min(found)


def compiled(code: str, folder: str) -> ctypes.CDLL:
    Path(folder, "tree.c").write_text(code)
    command = ["gcc", "-std=c99", "-O2", "-shared", "-fPIC", "-o", "tree.so", "tree.c", "-lm"]
    subprocess.run(command, cwd=folder, check=True)
    return ctypes.CDLL(str(Path(folder, "tree.so")))


def main() -> None:
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(N_ROWS, N_COLUMNS))
    target = (rows[:, :6].sum(axis=1) + rows[:, 6] * rows[:, 7] + rng.normal(size=N_ROWS) > 0) * 1
    settings = {"n_estimators": N_TREES, "learning_rate": 0.1}
    ours = tw.BoostedTreesClassifier(**settings, max_leaf_nodes=N_LEAVES, random_state=0)
    ours.fit(rows, target)
    theirs = lightgbm.LGBMClassifier(**settings, num_leaves=N_LEAVES, n_jobs=1, verbose=-1)
    theirs.fit(rows, target)
    print(f"{len(ours.trees_)} trees, {ours.get_n_leaves()} leaves; LightGBM {N_TREES} trees")
    with tempfile.TemporaryDirectory() as folder:
        tree = compiled(tw.export(ours, "c"), folder)
        given = np.ascontiguousarray(rows[:, sorted(ours.sum_program().used_columns)])
        found = np.empty((N_ROWS, 2))
        count = ctypes.c_size_t(N_ROWS)

        def predict_rows() -> None:
            tree.tree_predict_rows(given.ctypes.data_as(ctypes.c_void_p), count, found.ctypes)

        own, other, ours_own = [], [], []
        for _ in range(TURNS):  # in turn, so that both meet the same load
            own.append(best(predict_rows, 1))
            other.append(best(lambda: theirs.booster_.predict(rows, num_threads=1), 1))
            ours_own.append(best(lambda: ours.set_params(n_jobs=1).predict_proba(rows), 1))
        assert np.array_equal(found, ours.predict_proba(rows))
        print(f"exported C, all rows   {min(own):.3f} s")
        print(f"LightGBM, all rows     {min(other):.3f} s")
        print(f"treewright, all rows   {min(ours_own):.3f} s")
        one = tree.tree_predict_proba
        place = found.ctypes.data_as(ctypes.c_void_p)
        first = given.ctypes.data
        pointers = [ctypes.c_void_p(first + given.strides[0] * at) for at in range(20_000)]
        call = best(lambda: [one(pointer, place) for pointer in pointers])
        print(f"exported C, one row    {call / len(pointers) * 1e6:.2f} microseconds")


if __name__ == "__main__":
    main()
