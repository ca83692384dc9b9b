"""A model on one page, to hand in."""
