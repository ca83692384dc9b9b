"""The best single tree of few leaves: grown in several ways, chosen by cross-validation."""
