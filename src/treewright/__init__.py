"""Decision trees that people can read."""
