"""What a model learnt that is no tree, and the first steps of how it did."""

from collections.abc import Iterator

from treewright.documents.page import Block, Listing
from treewright.reports.facts import ReportFacts

LONGEST_SUMMARY = 80  # lines


def model_section(facts: ReportFacts) -> Iterator[Block]:
    """The model in its own words."""
    lines = facts.learned_model.summary().splitlines()
    if len(lines) > LONGEST_SUMMARY:
        lines = [*lines[:LONGEST_SUMMARY], f"... {len(lines) - LONGEST_SUMMARY:,} more lines"]
    yield Listing("\n".join(lines))
