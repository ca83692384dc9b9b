"""Preprocessing: impute missing values, cut numbers into intervals."""
