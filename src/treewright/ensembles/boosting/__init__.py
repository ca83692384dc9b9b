"""Boosted trees: each is grown on what those before it leave."""
