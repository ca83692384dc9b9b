"""Forests and boosted trees: many trees that answer together."""
