"""How Sphinx makes the pages: `make docs`."""

import sys
from pathlib import Path

from treewright import __version__

sys.path.insert(0, str(Path(__file__).parent))  # for the extensions below that are not installed

project = "Treewright"
author = "the Treewright engineers"
copyright = author
release = version = __version__

extensions = [
    "every_estimator",
    "formulas",
    "myst_parser",
    "notebook_pages",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
]
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 3
exclude_patterns = ["README.md", "_build", "**/.ipynb_checkpoints"]
suppress_warnings = ["myst.xref_missing"]  # links to files of the repository that are no pages
autodoc_typehints = "none"
default_role = "code"  # `name` in a docstring is code, as in Markdown
autodoc_member_order = "bysource"
smartquotes_action = "D"  # dashes only: "gini" is a value to type

html_math_renderer = "mathml"
html_theme = "pydata_sphinx_theme"
html_title = "Treewright"
html_theme_options = {
    "navbar_center": [],  # all pages are in the sidebar
    "navbar_persistent": ["search-button"],
    "footer_start": [],
    "footer_end": [],
    "secondary_sidebar_items": ["page-toc"],
    "show_prev_next": True,
    "navigation_with_keys": False,
}
html_sidebars = {"**": ["globaltoc.html"]}
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_context = {"default_mode": "auto"}  # light or dark, as the reader has it
html_show_sourcelink = False
