"""How a tree is grown whose questions may sum up several columns.

At each node the best split by one column is found as ever, and beside it sums of two columns, of
three and so on; a further column is taken only if the split gains enough by it.
"""
