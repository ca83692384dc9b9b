"""Words to calls: the `treewright` command."""
