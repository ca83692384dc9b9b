"""Honest judgment of models: on rows that they did not learn from."""
