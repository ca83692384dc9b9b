"""One module for each kind of input, each of which makes a Table."""
