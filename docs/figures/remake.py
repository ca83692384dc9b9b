"""Draw the pictures of docs/figures.md anew, by the code that the page shows.

    python docs/figures/remake.py

A picture `figures/two_moons.svg` is what the page calls `two_moons`.
"""

import doctest
import re
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent
PAGE = FOLDER.parent / "figures.md"
SESSIONS = re.compile(r"^```python\n(>>> .*?)^```$", flags=re.MULTILINE | re.DOTALL)
IMAGES = re.compile(r"^!\[.+\]\(figures/(\w+)\.svg\)$", flags=re.MULTILINE)


def pictures_of_the_page() -> dict[str, Any]:
    """Name -> picture, of every image on the page."""
    text = PAGE.read_text(encoding="utf-8")
    names: dict[str, Any] = {}
    for example in doctest.DocTestParser().get_examples("\n".join(SESSIONS.findall(text))):
        exec(compile(example.source, str(PAGE), "exec"), names)
    return {name: names[name] for name in IMAGES.findall(text)}


if __name__ == "__main__":
    for name, picture in pictures_of_the_page().items():
        picture.save(FOLDER / f"{name}.svg")
