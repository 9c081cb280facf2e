import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import reedsp
from docs.tools import steps

project = "reedsp"
author = "the reedsp developers"
copyright = "the reedsp developers"
release = version = reedsp.__version__
extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["_build", "gallery"]
templates_path = ["templates"]

# No intersphinx: it would fetch inventories from the internet in each build. So with -n only our own names have to lead
# somewhere.
nitpick_ignore_regex = [(r"py:.*", r"(?!reedsp).*")]

# Examples are run by each build; what they draw is shown beside them, and by the functions that they call.
sphinx_gallery_conf = {
    "examples_dirs": "gallery",
    "gallery_dirs": "auto_gallery",
    "backreferences_dir": "auto_gallery/of",
    "doc_module": ("reedsp",),
    "abort_on_example_error": True,
    "download_all_examples": False,
    "show_memory": False,
    "min_reported_time": float("inf"),
}

html_theme = "furo"
html_title = f"reedsp {release}"
html_theme_options = {"sidebar_hide_name": False}
html_copy_source = False
html_show_sphinx = False

# A page for each function and class; of two names that differ in large letters only, files of some systems know one.
autosummary_generate = True
autosummary_filename_map = {
    f"reedsp.{name}": f"reedsp.{name}-function" for name in ("betweenness", "estimate", "trace")
}
autodoc_member_order = "bysource"
autodoc_typehints = "none"  # docstrings say it
numpydoc_show_class_members = False
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 3

# Only what is typed is copied, without the prompts and the answers.
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True


def setup(app):
    """Have the pages made that some texts show in frames."""

    def made(app, exception):
        if exception is None and app.builder.format == "html":
            steps.make(Path(app.outdir) / "steps")

    app.connect("build-finished", made)
