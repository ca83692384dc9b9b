"""Estimators: one base, one frozen fitted state, and what all of them share."""
