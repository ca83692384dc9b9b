"""`treewright doctor`: installed packages, and checks that the installation works."""

import platform
from collections.abc import Callable
from importlib import metadata
from typing import Any

import typer

from treewright import __version__
from treewright.cli.output import Output
from treewright.errors import TreewrightError

OPTIONAL = {
    "pandas": "data frames",
    "polars": "data frames, Parquet",
    "pyarrow": "Arrow, Parquet",
    "rich": "the command line",
    "typer": "the command line",
    "duckdb": "--sql",
    "resvg_py": "pictures as PNG",
    "matplotlib": "pictures on matplotlib axes",
    "onnx": "ONNX files",
    "onnxruntime": "running ONNX files",
}


def doctor(*, output: Output) -> None:
    """List installed packages, and check that the installation works."""
    from treewright.estimators.threads import usable_cores

    facts: dict[str, Any] = {
        "treewright": __version__,
        "python": platform.python_version(),
        "platform": platform.platform(),
        "cores": usable_cores(),
        "numpy": version_of("numpy"),
        "scikit-learn": version_of("scikit-learn"),
        "optional": {name: version_of(name) for name in OPTIONAL},
        "checks": checks(),
    }
    if output.as_json:
        output.json(facts)
    else:
        print_facts(facts, output)
    if not all(facts["checks"].values()):
        raise typer.Exit(1)


def version_of(package: str) -> str | None:
    """The installed version; None if there is none."""
    try:
        return metadata.version(package.replace("_", "-"))
    except metadata.PackageNotFoundError:
        return None


def checks() -> dict[str, bool]:
    """Small tasks with known results."""
    return {
        "the compiled core grows the expected tree": works(grows_the_lecture_tree),
        "one and two threads grow the same tree": works(threads_agree),
        "a saved model loads unchanged": works(survives_its_file),
    }


def works(check: Callable[[], bool]) -> bool:
    try:
        return check()
    except (TreewrightError, ImportError, OSError):
        return False


def grows_the_lecture_tree() -> bool:
    import treewright as tw

    X, y = tw.load_sample("tennis")
    return "outlook = Overcast: Yes (4)" in tw.ID3Classifier().fit(X, y).export_text()


def threads_agree() -> bool:
    import treewright as tw

    X, y = tw.load_sample("iris")
    one, two = (tw.CARTClassifier(prune=None, n_jobs=n).fit(X, y) for n in (1, 2))
    return one.export_text() == two.export_text()


def survives_its_file() -> bool:
    from pathlib import Path
    from tempfile import TemporaryDirectory

    import treewright as tw

    X, y = tw.load_sample("iris")
    model = tw.C45Classifier().fit(X, y)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "model.json"
        model.save(path)
        return bool((tw.load(path).predict(X) == model.predict(X)).all())


def print_facts(facts: dict[str, Any], output: Output) -> None:
    for name, value in facts.items():
        if not isinstance(value, dict):
            output.data(f"{name}: {value}")
    output.data("\noptional packages:")
    found = facts["optional"]
    output.table(
        ("package", "version", "for"),
        [(name, found[name] or "not installed", use) for name, use in OPTIONAL.items()],
    )
    output.data("\nchecks:")
    for name, is_right in facts["checks"].items():
        output.data(f"{'ok    ' if is_right else 'FAILED'} {name}")
