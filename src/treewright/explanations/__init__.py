"""Why one row got its answer, and what would change it."""
