"""Pictures of trees of real tables, to be looked at; sizes and times are printed.

    python -m benchmarks.pictures                        # all, into ./pictures
    python -m benchmarks.pictures titanic --folder /tmp  # some, elsewhere

The tables are looked for as in the other benchmarks. "opens" is the time until the page stands in
Chromium, without starting it; it takes Playwright and a Chromium of the system.
"""

import argparse
import shutil
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import treewright as tw
from benchmarks.tables import real_table

TITANIC = ["Pclass", "Sex", "Age", "SibSp", "Parch", "Fare", "Embarked"]
COVER_NAMES = (
    "spruce",
    "lodgepole pine",
    "ponderosa",
    "willow",
    "aspen",
    "Douglas fir",
    "krummholz",
)


def titanic() -> Any:
    X, y = tw.read_table(real_table("titanic.csv.gz"), "Survived")
    return tw.C45Classifier().fit(X.select(TITANIC), ["survived" if one else "died" for one in y])


def adult() -> Any:
    return tw.C45Classifier().fit(*tw.read_table(real_table("adult.csv.gz"), "income"))


def cover(n_leaves: int | None) -> Any:
    table = tw.read_table(real_table("covertype.csv.gz"))
    X, y = table.split_target(table.names[-1])
    named = [COVER_NAMES[int(kind) - 1] for kind in y]
    return tw.CARTClassifier(max_leaf_nodes=n_leaves, n_jobs=2).fit(X, named)


def diamonds() -> Any:
    X, y = tw.read_table(real_table("diamonds.csv.gz"), "price")
    return tw.CARTRegressor(max_leaf_nodes=300).fit(X, y)


TREES: dict[str, Callable[[], Any]] = {
    "titanic": titanic,
    "adult": adult,
    "diamonds": diamonds,
    "cover_5000": lambda: cover(5000),
    "cover": lambda: cover(None),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", choices=[[], *TREES], help="all without a name")
    parser.add_argument("--folder", type=Path, default=Path("pictures"))
    asked = parser.parse_args()
    asked.folder.mkdir(parents=True, exist_ok=True)
    warnings.simplefilter("ignore", UserWarning)
    print(f"{'tree':<12}{'leaves':>8}{'drawn':>9}{'SVG':>9}{'size':>14}{'HTML':>10}{'opens':>9}")
    for name in asked.names or TREES:
        print(drawn(name, TREES[name](), asked.folder), flush=True)


def drawn(name: str, model: Any, folder: Path) -> str:
    """Draw a model into the folder; one line of the report."""
    started = time.perf_counter()
    picture = tw.draw(model)
    picture.save(folder / f"{name}.svg")
    picture.save(folder / f"{name}.html")
    seconds = time.perf_counter() - started
    svg, page = (folder / f"{name}{ending}" for ending in (".svg", ".html"))
    size = f"{picture.drawing.width:.0f} x {picture.drawing.height:.0f}"
    return (
        f"{name:<12}{model.get_n_leaves():>8}{seconds:>7.2f} s{svg.stat().st_size / 1e3:>6.0f} kB"
        f"{size:>14}{page.stat().st_size / 1e6:>7.2f} MB{opening_time(page):>9}"
    )


def opening_time(page: Path) -> str:
    """How long Chromium takes to show the page, and a photograph of it beside the file."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        return "-"
    browser_path = shutil.which("chromium")
    if browser_path is None:
        return "-"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=browser_path, args=["--no-sandbox"])
        sheet = browser.new_page(viewport={"width": 1400, "height": 900})
        started = time.perf_counter()
        sheet.goto(page.resolve().as_uri())
        sheet.locator("#tree .node").first.wait_for()
        seconds = time.perf_counter() - started
        sheet.screenshot(path=page.with_suffix(".png"))
        browser.close()
    return f"{seconds:.2f} s"


if __name__ == "__main__":
    main()
