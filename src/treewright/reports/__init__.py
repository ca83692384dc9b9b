"""Reports on a model, as one page."""
