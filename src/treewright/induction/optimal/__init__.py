"""The best tree of small depth: candidate splits, rows, the search, and the proof."""
