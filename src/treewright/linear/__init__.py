"""Linear models: least squares in one go, and costs lowered step by step."""
