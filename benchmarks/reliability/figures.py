"""Pages of figures in `benchmarks/results/reliability`, each under the command that made it."""

import re
from collections.abc import Sequence
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "results" / "reliability"
SIZE = re.compile(r"\A`[^`]* --\w+ (\d+)")


def write_figures(name: str, size: str, lines: Sequence[str], folder: Path = FOLDER) -> bool:
    """Write the page of a count, unless it holds that of a larger one; whether it was written.

    `size` is the option that says how much was counted, and others after it: `--kills 1000`.
    """
    page = folder / f"{name}.md"
    text = "\n".join([f"`python -m benchmarks.reliability.{name} {size}`".replace(" `", "`"), ""])
    text += "\n".join(["", *lines]) + "\n"
    if page.exists() and counted(page.read_text(encoding="utf-8")) > counted(text):
        print(f"{page.name} keeps the figures of a larger count")
        return False
    folder.mkdir(parents=True, exist_ok=True)
    page.write_text(text, encoding="utf-8")
    return True


def counted(page: str) -> int:
    """The size in the command of a page; 0 if it names none."""
    found = SIZE.match(page)
    return int(found[1]) if found else 0
