"""Boosted trees: each tree is fitted to the residuals of the previous ones."""
