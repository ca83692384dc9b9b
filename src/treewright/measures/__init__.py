"""How mixed a node is, and how much a split helps: readable definitions."""
