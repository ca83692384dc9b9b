"""Oblique trees: a split may use a weighted sum of several columns.

At each node the best split by one column is compared with sums of two columns, of three and so on.
A further column is used only if it improves the gain enough.
"""
