"""Run the notebooks of this folder anew and keep what they print and draw.

    python docs/notebooks/rerun.py

A notebook runs in an empty folder, so it finds no file but those that it writes itself.
"""

import os
from pathlib import Path
from tempfile import TemporaryDirectory

import nbformat
from nbclient import NotebookClient
from nbformat import NotebookNode

FOLDER = Path(__file__).parent
USERS_TABLE = "TITANIC_CSV"  # with it the notebook shows other numbers than the stored ones
SECONDS = 120  # for one cell


def notebooks() -> list[Path]:
    """The notebooks of the folder."""
    return sorted(FOLDER.glob("*.ipynb"))


def rerun(path: Path, folder: Path) -> NotebookNode:
    """The notebook with fresh outputs, run in a folder; an error in a cell is raised."""
    notebook = nbformat.read(path, as_version=4)
    client = NotebookClient(
        notebook,
        timeout=SECONDS,
        kernel_name="python3",
        record_timing=False,
        coalesce_streams=True,
        extra_arguments=["--log-level=ERROR"],
        resources={"metadata": {"path": str(folder)}},
    )
    environment = {name: text for name, text in os.environ.items() if name != USERS_TABLE}
    client.execute(env=environment)
    notebook.metadata.language_info = {"name": "python"}  # without the version of this machine
    return notebook


if __name__ == "__main__":
    for path in notebooks():
        with TemporaryDirectory() as empty:
            nbformat.write(rerun(path, Path(empty)), path)
        print(f"{path.name}: {path.stat().st_size / 1024:.0f} KB")
