"""Steps before a model sees the rows: fill missing values, cut numbers into intervals."""
