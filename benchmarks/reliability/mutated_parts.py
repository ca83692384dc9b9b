"""The parts of the program that `mutation` changes, and the tests that stand for each.

All tests of a part may run for every change: the quick and telling ones come first.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the program, and the tests that stand for it."""

    name: str
    files: tuple[str, ...]  # patterns; of `path::name` the functions of this name alone
    tests: tuple[str, ...]
    is_native: bool = False


PARTS = (
    Part(
        "measures",
        ("src/treewright/measures/*.py",),
        ("tests/measures", "src/treewright/measures"),
    ),
    Part(
        "checks of model files",
        (
            "src/treewright/tree/check.py",
            "src/treewright/tree/as_json.py",
            "src/treewright/data/schema.py",
            "src/treewright/persistence/*.py",
            "src/treewright/estimators/fitted.py",
            "src/treewright/single_trees/fitted.py",
            "src/treewright/ensembles/fitted.py",
            "src/treewright/ensembles/tree_arrays.py",
            "src/treewright/rulesets/rule_file.py",
            "src/treewright/single_trees/rule_set_file.py",
            "src/treewright/pruning/report.py",
            "src/treewright/induction/optimal/proof.py::from_dict",
        ),
        (
            "tests/persistence/test_file_text.py",
            "tests/tree/test_check.py",
            "tests/tree/test_as_json.py",
            "tests/data/test_schema.py",
            "tests/pruning/test_report.py",
            "tests/persistence/test_rule_file.py",
            "tests/single_trees/test_rule_set.py",
            "tests/single_trees/test_c45_rules.py",
            "tests/persistence/test_model_file.py",
            "tests/estimators/test_own_estimator.py",
            "tests/persistence/test_container.py",
            "tests/single_trees/test_optimal.py::test_files_and_pickles_keep_the_proof",
            "tests/single_trees/test_optimal.py::test_a_proof_that_cannot_be_one_is_refused",
            "tests/ensembles/test_forest_files.py",
            "tests/ensembles/test_tree_arrays.py",
            "tests/ensembles/test_learned.py",
            "tests/ensembles/test_ensemble_file.py",
            "tests/torture/test_foreign_files.py",
            "tests/torture/test_golden_files.py",
            "tests/torture/test_model_files.py",
            "tests/torture/test_strict_files.py",
        ),
    ),
    Part(
        "checks of learned values",
        (
            "src/treewright/clustering/fitted.py::check",
            "src/treewright/concepts/fitted.py::check",
            "src/treewright/concepts/fitted.py::are_cuts",
            "src/treewright/concepts/fitted.py::check_hypotheses",
            "src/treewright/linear/fitted.py::check",
            "src/treewright/model_trees/coding.py::check",
            "src/treewright/model_trees/fitted.py::check",
            "src/treewright/model_trees/node_models.py::check",
            "src/treewright/neighbors/fitted.py::check_fits_together",
            "src/treewright/neighbors/fitted.py::check_codes",
        ),
        (
            "tests/clustering/test_kprototypes.py",
            "tests/neighbors/test_base.py",
            "tests/model_trees/test_m5.py",
            "tests/linear/test_regressor.py",
            "tests/linear/test_classifier.py",
            "tests/concepts/test_concepts.py",
            "tests/torture/test_golden_files.py",
        ),
    ),
    Part(
        "checks of packed trees",
        ("native/core/histogram/packed/ensemble_arrays.cpp",),
        (
            "tests/ensembles/test_packed_arrays.py",
            "tests/ensembles/test_ensemble_file.py",
            "tests/ensembles/test_forest_files.py",
            "tests/ensembles/test_packed.py",
            "tests/torture/test_golden_files.py",
        ),
        is_native=True,
    ),
    Part(
        "search for splits",
        (
            "native/core/grow/search/scan.hpp",
            "native/core/grow/search/criterion.hpp",
            "native/core/grow/search/candidate.hpp",
            "native/core/grow/split_choice.hpp",
            "native/core/grow/search/group_contest.hpp",
            "native/core/grow/search/two_class_subset.hpp",
            "native/core/grow/search/column_of_node.hpp",
            "native/core/grow/search/column_search.hpp",
            "native/core/grow/search/cut_source.hpp",
            "native/core/grow/search/division_search.hpp",
            "native/core/grow/search/threshold_search.hpp",
            "native/core/grow/search/group_search.cpp",
            "native/core/grow/search/subset_search.cpp",
            "native/core/grow/search/interval_search.cpp",
        ),
        (
            "tests/contracts/test_short_cuts.py",
            "tests/induction/test_worked_examples.py",
            "tests/induction/test_criteria_and_intervals.py",
            "tests/induction/test_many_levels.py",
            "tests/induction/test_stop_rules.py",
            "tests/contracts/test_core_matches_reference.py",
            "tests/contracts/test_cart_matches_sklearn.py",
            "tests/contracts/test_growth_properties.py",
            "tests/torture/test_numbers.py",
        ),
        is_native=True,
    ),
)
