"""A Python target under atheris: `python -m fuzz.atheris_run csv_table [options of libFuzzer]`.

Only treewright itself is instrumented: fuzzing is to find ways through its code, not through NumPy.
"""

import sys

import atheris

from fuzz.targets import NAMES, target


def main() -> None:
    name = sys.argv[1]
    if name not in NAMES:
        sys.exit(f"there is no target `{name}`: targets are {', '.join(NAMES)}")
    with atheris.instrument_imports(include=["treewright"]):
        import treewright

        for public in treewright.__all__:  # which load on first use, too late to be instrumented
            getattr(treewright, public)
        module = target(name)
    options = {}
    if hasattr(module, "StructuredMutator"):
        options["custom_mutator"] = module.StructuredMutator()
    atheris.Setup([sys.argv[0], *sys.argv[2:]], module.check, **options)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
