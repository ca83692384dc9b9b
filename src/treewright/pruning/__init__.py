"""A tree becomes a smaller tree: one module for each method."""
