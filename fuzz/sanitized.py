"""Python with the compiled module of `make asan`, built with ASan and UBSan."""

import os
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
BUILD = Path(os.environ.get("TREEWRIGHT_ASAN_BUILD", ROOT / "build" / "asan"))
PYTHON = (str(ROOT / "cmake" / "sanitized"), "asan", "python")  # PYTHON is that of `environment`


def sanitized_environment() -> dict[str, str]:
    """The environment of such a process; without the module the reason why there is none."""
    if not list(BUILD.glob("_native*.so")):
        sys.exit("the module with sanitizers is not built: make asan")
    return {**os.environ, "PYTHON": sys.executable, "OMP_NUM_THREADS": "1"}
