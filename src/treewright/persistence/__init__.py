"""Model files: how fitted models become bytes, and strictly checked bytes become models."""
