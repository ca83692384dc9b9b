"""Fuzzing: files and texts that nobody would write by hand, until something breaks.

`make fuzz SECONDS=600` runs every target; README.md says what they are.
"""
