"""Small changes after which the program does the same, so that no test can notice; with reasons."""

from dataclasses import dataclass

from benchmarks.reliability.small_changes import Change


@dataclass(frozen=True, slots=True)
class Same:
    """A piece of a line, and what a change makes of it."""

    path: str
    before: str
    after: str
    why: str

    def is_made_by(self, change: Change, text: str) -> bool:
        """Whether a change of the file with this text is the one that is meant."""
        if str(change.path) != self.path:
            return False
        line, changed = (
            version.split("\n")[change.line - 1] for version in (text, change.applied(text))
        )
        return line.replace(self.before, self.after) == changed != line


CORE, PACKAGE = "native/core", "src/treewright"
SPEED = "a matter of speed"
SAME_ANYWAY = (
    Same(
        f"{PACKAGE}/tree/check.py",
        "tree.kind == LEAF, 0, 2",
        "tree.kind == LEAF, 1, 2",
        "the number is asked of inner nodes alone",
    ),
    Same(
        f"{PACKAGE}/concepts/fitted.py",
        "self.schema.columns, strict=True",
        "self.schema.columns, strict=False",
        "the lengths have just been compared",
    ),
    Same(
        f"{CORE}/histogram/packed/ensemble_arrays.cpp",
        "total += sum",
        "total -= sum",
        "the total is only asked whether it is finite",
    ),
    Same(
        f"{CORE}/grow/search/candidate.hpp",
        "place = 0;  // among",
        "place = 1;  // among",
        "every candidate is given its place",
    ),
    Same(
        f"{CORE}/grow/search/candidate.hpp",
        "n_children = 0;",
        "n_children = 1;",
        "whoever describes a split gives the number of children",
    ),
    Same(
        f"{CORE}/grow/search/division_search.hpp",
        "describe({true, 0, found",
        "describe({true, 1, found",
        "a description does not tell the score",
    ),
    Same(
        f"{CORE}/grow/search/criterion.hpp",
        "        return 0.0;",
        "        return 1.0;",
        "behind a switch that every measure of sums leaves",
    ),
    Same(
        f"{CORE}/grow/search/interval_search.cpp",
        "large_enough(problem, ranges, cut, to)) break;",
        "large_enough(problem, ranges, cut, to)) continue;",
        "later cuts leave even less on the right",
    ),
    Same(
        f"{CORE}/grow/search/interval_search.cpp",
        "power > 50",
        "power > 51",
        "2 is nothing beside 2 to the power of 50",
    ),
    Same(
        f"{CORE}/grow/search/scan.hpp",
        "if (limits.min_weight > 0)",
        "if (limits.min_weight >= 0)",
        "no side weighs less than 0",
    ),
    Same(
        f"{CORE}/grow/search/scan.hpp",
        "position = -1;",
        "position = -2;",
        "below 0: no cut has been found",
    ),
    Same(
        f"{CORE}/grow/search/scan.hpp",
        "double tolerance = 0;",
        "double tolerance = 1;",
        "whoever scans gives the tolerance",
    ),
    Same(f"{CORE}/grow/search/scan.hpp", "found - 2 *", "found - 3 *", SPEED),
    Same(f"{CORE}/grow/search/scan.hpp", "2 * limits.tolerance", "2 / limits.tolerance", SPEED),
    Same(f"{CORE}/grow/search/scan.hpp", "size = 128", "size = 129", SPEED),
    Same(f"{CORE}/grow/search/scan.hpp", "i += 8", "i += 9", SPEED),
    Same(f"{CORE}/grow/search/scan.hpp", "promising > 16", "promising >= 16", SPEED),
    Same(f"{CORE}/grow/search/scan.hpp", "promising > 16", "promising > 17", SPEED),
    Same(
        f"{CORE}/grow/search/subset_search.cpp",
        "return information > 0",
        "return information >= 0",
        "a level and the rest both hold rows",
    ),
    Same(
        f"{CORE}/grow/search/subset_search.cpp",
        "learned ? 2 : 0",
        "learned ? 3 : 0",
        "the third try is the second again",
    ),
    Same(
        f"{CORE}/grow/search/two_class_subset.hpp",
        "double rows[2]",
        "double rows[3]",
        "two places are used",
    ),
    Same(f"{CORE}/grow/search/two_class_subset.hpp", "few = 16", "few = 17", SPEED),
    Same(f"{CORE}/grow/search/two_class_subset.hpp", "n_ <= few", "n_ < few", SPEED),
)


def is_same_anyway(change: Change, text: str) -> bool:
    """Whether a change of a file with this text is known to change nothing."""
    return any(same.is_made_by(change, text) for same in SAME_ANYWAY)
