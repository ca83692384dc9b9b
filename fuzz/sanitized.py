"""Processes that use the compiled module of `make asan`: built with ASan and UBSan."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
BUILD = Path(os.environ.get("TREEWRIGHT_ASAN_BUILD", ROOT / "build" / "asan"))
RUNTIMES = ("libasan.so", "libubsan.so", "libstdc++.so.6")  # of g++


def sanitized_environment() -> dict[str, str]:
    """The environment of such a process; without the module the reason why there is none."""
    if not list(BUILD.glob("_native*.so")):
        sys.exit("the module with sanitizers is not built: make asan")
    runtimes = [
        subprocess.check_output(["g++", f"-print-file-name={name}"], text=True).strip()
        for name in RUNTIMES
    ]
    return {
        **os.environ,
        # A start-up file in this folder loads the runtimes first and finds the module.
        "PYTHONPATH": os.pathsep.join([str(BUILD / "python"), str(ROOT / "src"), str(ROOT)]),
        "WATCHED_PRELOAD": " ".join(runtimes),
        "ASAN_OPTIONS": "detect_leaks=0",  # Python keeps what it has at its end
        "UBSAN_OPTIONS": "print_stacktrace=1",
        "OMP_NUM_THREADS": "1",
    }
