"""How hard Treewright is to break, counted: each module is one command and one figure."""
