"""Compiled kernels. Private: call them through treewright._kernels."""
