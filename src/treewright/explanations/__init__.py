"""Explanations of single predictions: reasons, counterfactuals, Shapley values."""
