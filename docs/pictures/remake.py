"""Redraw the pictures of README.md and the pages of docs/.

    python docs/pictures/remake.py

The pictures of pages are what Chromium shows of their first screen.
"""

import shutil
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from treewright.cli.main import main

FOLDER = Path(__file__).parent
SCREEN = {"width": 1100, "height": 1040}


def draw_trees() -> None:
    for sample, model in (("tennis", "id3"), ("loans", "c45")):
        with tempfile.TemporaryDirectory() as folder:
            file = f"{folder}/{sample}.json"
            main(["train", sample, "--model", model, "--out", file, "--quiet"])
            main(["show", file, "--out", str(FOLDER / f"{sample}_tree.svg"), "--quiet"])


def photograph_report() -> None:
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        page = Path(folder) / "report.html"
        main(["train", "loans", "--report", str(page), "--quiet"])
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        tab = browser.new_page(viewport=SCREEN)
        tab.goto(page.as_uri())
        tab.screenshot(path=FOLDER / "report.png")
        browser.close()


PAGES = {  # name -> how the page of a tree is looked at
    "tree_page": {"viewport": {"width": 1000, "height": 640}},
    "tree_page_dark": {"viewport": {"width": 1000, "height": 640}, "color_scheme": "dark"},
    "tree_page_phone": {"viewport": {"width": 390, "height": 700}},
}


def photograph_tree_page() -> None:
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        model, page = Path(folder) / "iris.json", Path(folder) / "tree.html"
        main(["train", "iris", "--model", "c45", "--out", str(model), "--quiet"])
        main(["show", str(model), "iris", "--out", str(page), "--quiet"])
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        for name, options in PAGES.items():
            tab = browser.new_page(**options)
            tab.goto(page.as_uri())
            tab.get_by_role("textbox", name="petal width").fill("1.6")
            tab.wait_for_timeout(300)
            tab.screenshot(path=FOLDER / f"{name}.png")
            tab.close()
        browser.close()


def photograph_worksheet() -> None:
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        model, page = Path(folder) / "golf.json", Path(folder) / "golf.html"
        main(["train", "golf", "--model", "c45", "--out", str(model), "--quiet"])
        main(["worksheet", str(model), "golf", "--out", str(page), "--quiet"])
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        tab = browser.new_page(viewport={"width": 1280, "height": 900})
        tab.goto(page.as_uri())
        tab.screenshot(path=FOLDER / "worksheet.png")
        browser.close()


if __name__ == "__main__":
    draw_trees()
    photograph_tree_page()
    photograph_report()
    photograph_worksheet()
