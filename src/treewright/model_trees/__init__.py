"""Model trees: regression trees whose leaves answer by linear equations."""
