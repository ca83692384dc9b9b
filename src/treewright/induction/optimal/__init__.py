"""The best tree of small depth: questions, rows, the search, and what it proves."""
