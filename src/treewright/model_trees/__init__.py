"""Model trees: regression trees with linear equations in their leaves."""
