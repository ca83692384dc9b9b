"""Python with the compiled module of `make asan`, built with ASan and UBSan."""

import os
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
BUILD = Path(os.environ.get("TREEWRIGHT_ASAN_BUILD", ROOT / "build" / "asan"))
BUILD_IT = "cmake/sanitized asan build"
SOURCES = (ROOT / "native" / "core", ROOT / "native" / "bindings")  # native/tests is not in it
PYTHON = (str(ROOT / "cmake" / "sanitized"), "asan", "python")  # PYTHON is that of `environment`


def sanitized_environment() -> dict[str, str]:
    """The environment of such a process; the reason if there is no module of these sources."""
    built = max((path.stat().st_mtime for path in BUILD.glob("_native*.so")), default=None)
    if built is None:
        sys.exit(f"the module with sanitizers is not built: {BUILD_IT}")
    for folder in SOURCES:
        for path in folder.rglob("*"):
            if path.is_file() and path.stat().st_mtime > built:
                changed = os.path.relpath(path, ROOT)
                sys.exit(f"the module with sanitizers is older than {changed}: {BUILD_IT}")
    return {**os.environ, "PYTHON": sys.executable, "OMP_NUM_THREADS": "1"}
