"""Treewright beside its peers: same arrays, same threads, one run. See README.md."""
