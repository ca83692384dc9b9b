"""Trees and figures as pictures, without Graphviz."""
