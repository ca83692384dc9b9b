"""The `treewright` command."""
