"""Settings that hold for every test."""

import signal
from pathlib import Path

import pytest
from hypothesis import settings

from browser import browser, chromium  # noqa: F401 -- fixtures
from examples import N_EXAMPLES
from skip_summary import pytest_terminal_summary  # noqa: F401 -- a hook
from treewright.estimators import threads

# The same examples at every run, and no limit on one example: the machine may be busy.
settings.register_profile(
    "steady", max_examples=N_EXAMPLES, deadline=None, derandomize=True, print_blob=True
)
settings.load_profile("steady")

# Threads beyond the cores of the machine find what few threads hide.
threads.most_threads = lambda: 64

signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job ignores it

collect_ignore = ["files"]  # data, and the programs that made them

# What `make test` leaves to `make test-full`: hostile input by the thousand, comparisons with other
# programs and with the reference implementation, builds, browsers, whole command lines. A folder or
# a file, relative to tests.
FULL = (
    "oracles",
    "test_docs.py",
    "test_notebooks.py",
    "test_pages_in_browser.py",
    "test_wheel.py",
    "torture",
    "cli/test_exit_codes.py",
    "cli/test_inputs_are_kept.py",
    "cli/test_interrupts.py",
    "cli/test_newcomer.py",
    "cli/test_progress.py",
    "cli/test_quick_start.py",
    "cli/test_streaming.py",
    "contracts/test_core_matches_reference.py",
    "contracts/test_every_model_explains.py",
    "contracts/test_every_pruning_method.py",
    "contracts/test_pruning_matches_reference.py",
    "contracts/test_short_cuts.py",
    "contracts/test_worksheet_matches_tree.py",
    "contracts/test_worksheet_numbers.py",
    "contracts/test_worksheet_print.py",
    "contracts/test_worksheet_pruning.py",
    "contracts/test_worksheet_recounted.py",
    "documents/test_html_in_browser.py",
    "exports/test_c_code.py",
    "exports/test_excel_file.py",
    "exports/test_java_code.py",
    "exports/test_javascript_code.py",
    "exports/test_onnx_file.py",
    "exports/test_pmml_file.py",
    "exports/test_rust_code.py",
    "exports/test_sql_engines.py",
    "exports/test_sql_plain.py",
    "exports/test_sql_transpiled.py",
    "exports/test_sums.py",
    "figures/test_figures_in_browser.py",
    "imports/test_libraries.py",
    "imports/test_library_process.py",
    "imports/test_onnx_files.py",
    "kernels/test_memory.py",
    "pictures/test_page_answers.py",
    "pictures/test_page_design.py",
    "pictures/test_page_for_all.py",
    "pictures/test_page_looks.py",
    "pictures/test_page_unfolds.py",
    "reports/test_report_design.py",
    "reports/test_report_in_browser.py",
    "typing/test_user_script.py",
    "worksheets/test_bootstrap.py",
    "worksheets/test_calculate.py",
    "worksheets/test_large.py",
    "worksheets/test_pruning_work.py",
)

# Files of which it leaves only one model to `make test-full`: its fit compares many trees.
SLOW_MODEL = "ReadableTree"
HAVE_SLOW_MODEL = (
    "contracts/test_every_costly_class.py",
    "contracts/test_every_estimator.py",
    "contracts/test_model_properties.py",
    "contracts/test_row_weights.py",
    "contracts/test_stateful_properties.py",
    "contracts/test_units_of_columns.py",
)


def is_among(path: Path, names: tuple[str, ...]) -> bool:
    here = Path(__file__).parent
    return not {here / name for name in names}.isdisjoint({path, *path.parents})


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Files of which -m would take no test are not even read."""
    wanted = config.option.markexpr
    if not collection_path.is_file() or "full" not in wanted:
        return None
    if is_among(collection_path, FULL):
        return True if "not full" in wanted else None
    return None if "not full" in wanted or has_full_tests(collection_path) else True


def has_full_tests(path: Path) -> bool:
    """Whether some tests of a file are for `make test-full`."""
    return is_among(path, HAVE_SLOW_MODEL) or "mark.full" in path.read_text(encoding="utf-8")


@pytest.hookimpl(tryfirst=True)  # before -m chooses by marks
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        is_slow = is_among(item.path, HAVE_SLOW_MODEL) and SLOW_MODEL in item.name
        if is_slow or is_among(item.path, FULL):
            item.add_marker("full")
