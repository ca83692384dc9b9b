"""Figures that teach what trees do."""
