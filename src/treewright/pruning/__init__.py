"""Pruning: one module per method."""
