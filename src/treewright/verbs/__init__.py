"""What you do with a fitted model, a module each: draw, export, prune, distil, load, ..."""
