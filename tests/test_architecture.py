"""Imports point one way, the compiled core knows no Python, and no module outgrows its reader."""

import ast
import functools
import graphlib
import re
from pathlib import Path

import pytest

import treewright

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "treewright"
CORE = ROOT / "native" / "core"
BINDINGS = ROOT / "native" / "bindings"
MAX_LINES = 400
MAX_NATIVE_LINES = 450
TABLE_PACKAGES = {"pandas", "polars", "pyarrow", "narwhals"}
TERMINAL_PACKAGES = {"typer", "rich"}

# A layer may import those before it, and itself.
LAYERS = [
    "plain_text",
    "errors",
    "param",
    "optional",
    "atomic_file",
    "input_file",
    "cached",
    "distinct",
    "registry",
    "_kernels",
    "measures",
    "data",
    "tree",
    "induction",
    "pruning",
    "rulesets",
    "exports",
    "documents",
    "worksheets",
    "pictures",
    "explanations",
    "persistence",
    "estimators",
    "models",
    "linear",
    "neighbors",
    "clustering",
    "concepts",
    "model_trees",
    "ensembles",
    "any_model",
    "evaluation",
    "figures",
    "reports",
    "cli",
    "__main__",
]

for_every_module = pytest.mark.parametrize(
    "module", sorted(PACKAGE.rglob("*.py")), ids=lambda path: str(path.relative_to(PACKAGE))
)
for_every_script = pytest.mark.parametrize(
    "script", sorted(PACKAGE.rglob("*.js")), ids=lambda path: path.name
)
for_every_core_file = pytest.mark.parametrize(
    "source", sorted(CORE.rglob("*.?pp")), ids=lambda path: path.name
)
for_every_native_file = pytest.mark.parametrize(
    "source",
    sorted([*CORE.rglob("*.?pp"), *BINDINGS.glob("*.?pp")]),
    ids=lambda path: f"{path.parent.name}/{path.name}",
)


def layer_of(dotted_name: str) -> str | None:
    """`data` for `treewright.data.table`; None for another package."""
    package, _, rest = dotted_name.partition(".")
    return rest.partition(".")[0] if package == "treewright" and rest else None


@functools.cache
def imported_names(module: Path) -> frozenset[str]:
    """Every module that `module` imports, also inside functions."""
    names = set()
    for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module}: write imports in full"
            names.add(node.module)
            if node.module == "treewright":  # through the public face: count where it leads
                public = {alias.name for alias in node.names} - {"__version__"}
                names |= {treewright._HOMES.get(name, "treewright") + f".{name}" for name in public}
    return frozenset(names)


@for_every_module
def test_module_keeps_to_its_layer(module):
    own_layer = module.relative_to(PACKAGE).parts[0].removesuffix(".py")
    if own_layer == "__init__":
        return  # the public face gathers from everywhere
    allowed = LAYERS[: LAYERS.index(own_layer) + 1]
    used = {layer_of(name) for name in imported_names(module)} - {None}
    assert used <= {*allowed}


@for_every_module
def test_table_packages_stay_at_the_door(module):
    used = {name.partition(".")[0] for name in imported_names(module)} & TABLE_PACKAGES
    assert not used or module.parent.name == "sources"


@for_every_module
def test_only_the_command_line_knows_the_terminal(module):
    used = {name.partition(".")[0] for name in imported_names(module)} & TERMINAL_PACKAGES
    assert not used or PACKAGE / "cli" in module.parents


def test_cached_properties_are_those_without_a_lock():
    """functools' own holds a lock while it works, which a forked child finds shut for ever."""
    texts = {module: module.read_text(encoding="utf-8") for module in PACKAGE.rglob("*.py")}
    users = [module for module in texts if "cached_property\n    def" in texts[module]]
    ours = "\nfrom treewright.cached import cached_property\n"
    assert users
    assert not [module for module in users if ours not in texts[module]]


@for_every_module
def test_module_is_short_enough_to_read(module):
    assert len(module.read_text(encoding="utf-8").splitlines()) <= MAX_LINES


@for_every_script
def test_script_is_short_enough_to_read(script):
    assert len(script.read_text(encoding="utf-8").splitlines()) <= MAX_LINES


@for_every_native_file
def test_native_file_is_short_enough_to_read(source):
    assert len(source.read_text(encoding="utf-8").splitlines()) <= MAX_NATIVE_LINES


@for_every_core_file
def test_the_compiled_core_knows_no_python(source):
    included = re.findall(r'#\s*include\s*[<"]([^>"]+)', source.read_text(encoding="utf-8"))
    strangers = [name for name in included if re.match(r"nanobind|bindings/|Python\.h|numpy", name)]
    assert not strangers


def test_folders_of_the_core_do_not_include_in_circles():
    """A folder with its subfolders is one subject; `short_cuts.hpp` belongs to all of them."""
    included = {}
    for source in CORE.rglob("*/*.?pp"):
        folder = source.relative_to(CORE).parts[0]
        names = re.findall(r'#include "core/(\w+)/', source.read_text(encoding="utf-8"))
        included.setdefault(folder, set()).update({*names} - {folder})
    graphlib.TopologicalSorter(included).prepare()  # raises CycleError


def test_every_native_source_is_compiled():
    listed = (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")
    sources = [*CORE.rglob("*.cpp"), *BINDINGS.glob("*.cpp")]
    left_out = [s.name for s in sources if str(s.relative_to(ROOT)) not in listed]
    assert not left_out
