"""The cases of `benchmarks.robustness`, by what goes wrong; to import it registers them."""

from benchmarks.robustness_cases import (
    concurrency,
    files,
    numbers,
    parameters,
    schema,
    sizes,
    values,
)

__all__ = ["concurrency", "files", "numbers", "parameters", "schema", "sizes", "values"]
