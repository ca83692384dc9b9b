"""Figures about trees: what they do to the data, and how they come to be."""
