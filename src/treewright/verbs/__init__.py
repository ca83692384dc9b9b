"""Functions for fitted models, one module each: draw, export, prune, distil, load, ..."""
