"""Imports point one way and never in circles, and the compiled core knows no Python."""

import ast
import functools
import graphlib
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import treewright
from treewright.registry import ESTIMATORS

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "treewright"
CORE = ROOT / "native" / "core"
BINDINGS = ROOT / "native" / "bindings"
MOST_LINES = 600  # more than anybody reads at once
TABLE_PACKAGES = {"pandas", "polars", "pyarrow", "narwhals"}
TERMINAL_PACKAGES = {"typer", "rich"}

# A layer may import those before it, and itself.
LAYERS = [
    "plain_text",
    "errors",
    "param",
    "optional",
    "files",
    "cached",
    "arrays",
    "_kernels",
    "distributions",
    "intervals",
    "result",
    "registry",
    "protocols",
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
    "preprocessing",
    "single_trees",
    "linear",
    "neighbors",
    "clustering",
    "concepts",
    "model_trees",
    "ensembles",
    "distributed",
    "readable_trees",
    "imports",
    "verbs",
    "mlflow",
    "growth",
    "evaluation",
    "figures",
    "reports",
    "cli",
    "__main__",
]

MODULES = {
    ".".join(path.relative_to(ROOT / "src").with_suffix("").parts).removesuffix(".__init__"): path
    for path in sorted(PACKAGE.rglob("*.py"))
}
PUBLIC_MODULES = {name: one.module for name, one in ESTIMATORS.items()} | treewright._MODULES


def layer_of(dotted_name: str) -> str | None:
    """`data` for `treewright.data.table`; None for another package."""
    package, _, rest = dotted_name.partition(".")
    return rest.partition(".")[0] if package == "treewright" and rest else None


@functools.cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def is_for_types(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)


def import_nodes(node: ast.AST, *, for_types: bool) -> Iterator[ast.Import | ast.ImportFrom]:
    """Every import, also inside functions; those under TYPE_CHECKING only if asked for."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import | ast.ImportFrom):
            yield child
        elif for_types or not is_for_types(child):
            yield from import_nodes(child, for_types=for_types)


@functools.cache
def imported_names(path: Path, *, for_types: bool = True) -> frozenset[str]:
    """Every module that a module imports."""
    names = set()
    for node in import_nodes(parsed(path), for_types=for_types):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
            continue
        assert node.level == 0, f"{path}: write imports in full"
        assert node.module is not None
        for alias in node.names:
            full = f"{node.module}.{alias.name}"
            names.add(full if full in MODULES or alias.name == "_native" else node.module)
            if node.module == "treewright" and alias.name in PUBLIC_MODULES:
                names.add(PUBLIC_MODULES[alias.name])  # the public face: where it leads
    return frozenset(names)


def modules_that(break_a_rule: Callable[[Path], object]) -> list[str]:
    return [str(p.relative_to(PACKAGE)) for p in MODULES.values() if break_a_rule(p)]


def test_every_module_keeps_to_its_layer():
    def reaches_up(path: Path) -> set[str | None]:
        own = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
        if own == "__init__":
            return set()  # the public face gathers from everywhere
        used = {layer_of(name) for name in imported_names(path)} - {None}
        return used - {*LAYERS[: LAYERS.index(own) + 1]}

    assert modules_that(reaches_up) == []


# What is learned or predicted; pages that show it are left out by name.
SAME_EVERYWHERE = (
    *("induction", "pruning", "tree", "single_trees", "linear", "model_trees", "ensembles"),
    *("clustering", "neighbors", "concepts", "rulesets", "preprocessing", "estimators"),
)
# Products that are whole numbers, or of factors that are 1: in any order nothing is rounded.
EXACT_PRODUCTS = {"concepts/agreement.py", "ensembles/forests/predictions.py"}
PAGES = {"linear/step_blocks.py", "model_trees/node_work.py", "ensembles/boosting/round_work.py"}
BY_PROCESSOR = {
    *("exp", "exp2", "expm1", "log", "log1p", "log2", "log10", "power", "tanh", "logaddexp"),
    *("sin", "cos", "dot", "matmul", "einsum", "inner", "vdot", "interp", "linalg", "lgamma"),
    *("normal", "standard_normal", "exponential", "pow", "cbrt", "erf", "erfc"),
}


def uses_of_the_processor_s_digits(path: Path) -> list[str]:
    """Functions and products whose last digits differ between processors."""
    own = path.relative_to(PACKAGE).as_posix()
    if own.partition("/")[0] not in SAME_EVERYWHERE or own in PAGES | EXACT_PRODUCTS:
        return []
    found = []
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.BinOp | ast.AugAssign) and isinstance(node.op, ast.MatMult):
            found.append(f"line {node.lineno}: @")
        elif isinstance(node, ast.Attribute) and node.attr in BY_PROCESSOR:
            of = ast.unparse(node.value)
            if of in ("np", "math") or node.attr in ("normal", "standard_normal", "exponential"):
                found.append(f"line {node.lineno}: {of}.{node.attr}")
    return found


def test_training_and_prediction_use_arithmetic_that_is_the_same_on_every_processor():
    assert {
        path.relative_to(PACKAGE).as_posix(): found
        for path in MODULES.values()
        if (found := uses_of_the_processor_s_digits(path))
    } == {}


def test_no_imports_in_circles():
    """Also not by imports inside functions; what only a type checker reads does not count."""
    graph = {
        name: {other for other in imported_names(path, for_types=False) if other in MODULES}
        - {name, "treewright"}
        for name, path in MODULES.items()
        if name != "treewright"
    }
    graphlib.TopologicalSorter(graph).prepare()  # raises CycleError, which names the circle


def test_nobody_reads_the_private_attributes_of_another_module():
    assert modules_that(private_reads) == []


def private_reads(path: Path) -> list[str]:
    """`model._learn` where no class or function of the module itself is called `_learn`."""
    nodes = [*ast.walk(parsed(path))]
    own = {node.name for node in nodes if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    own |= {node.id for node in nodes if isinstance(node, ast.Name)}
    own |= {n.attr for n in nodes if isinstance(n, ast.Attribute) and is_self(n.value)}
    return [
        ast.unparse(node)
        for node in nodes
        if isinstance(node, ast.Attribute)
        and node.attr.startswith("_")
        and not node.attr.startswith("__")
        and node.attr not in own
        and ast.unparse(node.value) not in ("os", "sys", "_native", "super()")
    ]


def is_self(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and node.id in ("self", "cls")


def test_nobody_writes_into_another_value():
    """A frozen value is changed by nobody: not through `__dict__`, not by `object.__setattr__`."""

    def writes(path: Path) -> list[str]:
        found = []
        for node in ast.walk(parsed(path)):
            if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
                found.append(ast.unparse(node.value))
            elif isinstance(node, ast.Call) and ast.unparse(node.func) == "object.__setattr__":
                found.append(ast.unparse(node.args[0]) + ".__dict__")
        return [
            name
            for name in found
            if name.endswith(".__dict__") and name not in ("self.__dict__", "instance.__dict__")
        ]

    assert modules_that(writes) == []


def test_table_packages_stay_at_the_door():
    def knows_them(path: Path) -> bool:
        used = {name.partition(".")[0] for name in imported_names(path)} & TABLE_PACKAGES
        return bool(used) and path.parent.name != "sources"

    assert modules_that(knows_them) == []


def test_only_the_command_line_knows_the_terminal():
    def knows_it(path: Path) -> bool:
        used = {name.partition(".")[0] for name in imported_names(path)} & TERMINAL_PACKAGES
        return bool(used) and PACKAGE / "cli" not in path.parents

    assert modules_that(knows_it) == []


def test_cached_properties_are_those_without_a_lock():
    """functools' own holds a lock while it works, which a forked child finds shut for ever."""
    texts = {module: module.read_text(encoding="utf-8") for module in PACKAGE.rglob("*.py")}
    users = [module for module in texts if "cached_property\n    def" in texts[module]]
    ours = "\nfrom treewright.cached import cached_property\n"
    assert users
    assert not [module for module in users if ours not in texts[module]]


def test_every_file_is_short_enough_to_read():
    files = [*PACKAGE.rglob("*.py"), *PACKAGE.rglob("*.js")]
    files += [*CORE.rglob("*.?pp"), *BINDINGS.glob("*.?pp")]
    lines = {path.name: len(path.read_text(encoding="utf-8").splitlines()) for path in files}
    assert {name: n for name, n in lines.items() if n > MOST_LINES} == {}


def test_the_compiled_core_knows_no_python():
    strangers = []
    for source in CORE.rglob("*.?pp"):
        included = re.findall(r'#\s*include\s*[<"]([^>"]+)', source.read_text(encoding="utf-8"))
        strangers += [
            f"{source.name}: {name}"
            for name in included
            if re.match(r"nanobind|bindings/|Python\.h|numpy", name)
        ]
    assert strangers == []


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
