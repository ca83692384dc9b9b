"""Data: whatever the user has becomes a table of typed columns."""
