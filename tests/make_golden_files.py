"""Writes the golden files of a new release: `python tests/make_golden_files.py`.

With `--add`, only models that a release lacks which is not out yet.

Each release has a folder of its own in tests/files/golden. What a release wrote is never written
again: if a later version cannot read it, that version is wrong.
"""

import json
import sys
import warnings
from pathlib import Path

import numpy as np

import treewright as tw
from golden.files import FOLDER, MANIFEST, digests, predictions_of, rows_to_json, this_machine
from golden.models import GOLDENS, Golden, GoldenImport
from golden.tables import as_input
from treewright.model_trees.reading import ModelTreeReading


def write(folder: Path, golden: Golden | GoldenImport) -> None:
    """One model, the rows that are asked, and its answers."""
    model, rows = golden.fitted()
    has_names = golden.has_names
    folder.mkdir(parents=True)
    is_text = hasattr(model, "tree_") and not isinstance(model, ModelTreeReading)
    model.save(folder / ("model.json" if is_text or isinstance(model, tw.RuleSet) else "model.tw"))
    write_json(folder / "rows.json", rows_to_json(rows, has_names))
    write_json(folder / "expected.json", predictions_of(model, as_input(rows, has_names)))


def write_json(path: Path, content: object) -> None:
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
    path.write_text(text + "\n", encoding="utf-8")


def main() -> int:
    folder = FOLDER / tw.__version__
    if folder.exists() and sys.argv[1:] != ["--add"]:
        print(f"{folder} is there: golden files are never written again", file=sys.stderr)
        return 1
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, golden in GOLDENS.items():
            if not (folder / name).exists():
                write(folder / name, golden)
    content = {
        "machine": this_machine(),
        "numpy": np.__version__,
        "files": digests(folder),
    }
    text = json.dumps(content, indent=1)
    (folder / MANIFEST).write_text(text + "\n", encoding="utf-8")
    print(f"{len(GOLDENS)} models in {folder}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
