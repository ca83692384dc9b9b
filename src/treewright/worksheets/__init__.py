"""The calculation behind every node of a tree, done again step by step and printed."""
