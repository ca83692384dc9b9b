"""The only door to compiled code."""
