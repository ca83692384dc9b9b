"""The sound model files from which mutants are made: the golden files of every release."""

from pathlib import Path

GOLDEN = Path(__file__).parents[1] / "tests" / "files" / "golden"


def seed_files() -> dict[str, bytes]:
    """Files by release and name."""
    paths = sorted(GOLDEN.glob("*/*/model.*"))
    return {f"{path.parts[-3]}_{path.parts[-2]}": path.read_bytes() for path in paths}
