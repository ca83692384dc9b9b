"""Neighbors: answers by the rows that are nearest, on numbers, words and holes."""
