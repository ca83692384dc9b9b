"""At the end of a test run: how many tests were skipped for each reason, what to install first."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

PREFIX = "Skipped: "


def summary_lines(reasons: Iterable[str]) -> list[str]:
    """One line for each reason: first what to install, then all others; the most frequent first.

    >>> summary_lines(["no /proc", "install Rust (apt install rustc)", "no /proc"])
    ['1 skipped: install Rust (apt install rustc)', '2 skipped: no /proc']
    """
    counts = Counter(reason.removeprefix(PREFIX) for reason in reasons)
    ordered = sorted(
        counts.items(), key=lambda one: (not one[0].startswith("install "), -one[1], one[0])
    )
    return [f"{count} skipped: {reason}" for reason, count in ordered]


def pytest_terminal_summary(terminalreporter: Any) -> None:
    reports = terminalreporter.stats.get("skipped", [])
    lines = summary_lines(str(report.longrepr[2]) for report in reports)
    if lines:
        terminalreporter.section("skipped tests")
        for line in lines:
            terminalreporter.write_line(line)
