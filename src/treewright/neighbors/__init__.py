"""Nearest neighbors: predictions by the closest training rows, for columns of any type."""
