import reedsp

project = "reedsp"
author = "the reedsp developers"
release = version = reedsp.__version__
extensions = ["myst_parser", "numpydoc", "sphinx.ext.autodoc", "sphinx.ext.autosummary"]
html_theme = "furo"
exclude_patterns = ["_build"]
numpydoc_show_class_members = False
myst_heading_anchors = 3
