"""Trees as rules: conditions, what they do with missing values, and lists of rules."""
