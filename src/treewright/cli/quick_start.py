"""Commands start in half the time: scikit-learn loads two large libraries that they never use.

`sklearn.utils.fixes` imports `scipy.stats` for one function and pandas for none; these two are more
than half of the time of `import sklearn.base`. Only the process of the `treewright` command leaves
them out: a program that imports Treewright finds everything as usual.
"""

import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

IMPORTER = "sklearn.utils.fixes"
OPTIONAL = "pandas"  # optional for scikit-learn
NEEDED = "scipy.stats"


def start_quickly() -> None:
    """Delay scikit-learn's rarely needed imports, in this process."""
    sys.meta_path.insert(0, WithoutSlowImports())


class WithoutSlowImports(MetaPathFinder):
    """Handles imports made by one scikit-learn module; all others go to the usual finders."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname not in (OPTIONAL, NEEDED) or not is_being_imported(IMPORTER):
            return None
        if fullname == OPTIONAL:
            raise ModuleNotFoundError(f"No module named {fullname!r}", name=fullname)
        return ModuleSpec(fullname, LoaderOfStandIn())


def is_being_imported(name: str) -> bool:
    """Whether a module is being imported at the moment."""
    spec = getattr(sys.modules.get(name), "__spec__", None)
    return bool(getattr(spec, "_initializing", False))


class LoaderOfStandIn(Loader):
    """Creates a module that is loaded on first attribute access."""

    def exec_module(self, module: ModuleType) -> None:
        module.__class__ = StandIn  # not before: the import itself reads attributes


class StandIn(ModuleType):
    """Placeholder for a module until one of its attributes is used."""

    def __getattr__(self, name: str) -> Any:
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]
        return getattr(import_module(self.__name__), name)
