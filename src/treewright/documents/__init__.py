"""Printed pages: one neutral form, and the same page as text, Markdown, LaTeX or HTML."""
