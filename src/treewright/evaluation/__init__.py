"""Evaluation of models on held-out rows."""
