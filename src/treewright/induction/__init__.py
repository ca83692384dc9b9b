"""How a tree is grown: settings in, a tree out. The work itself is in native/core."""
