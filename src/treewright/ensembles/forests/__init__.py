"""Forests: trees grown apart, on rows and columns drawn at random."""
