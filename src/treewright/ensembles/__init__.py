"""Forests and boosted trees: many trees that predict together."""
