"""Rows that are alike: K-Means, K-Prototypes, how many clusters, and what they have in common."""
