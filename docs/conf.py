"""The site's settings. Build it with `python -m docs.build`."""

import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[1]), str(Path(__file__).parents[1] / "src")]

import tensorplay
from docs.reference import PUBLIC_TYPES

project = "tensorplay"
author = "the tensorplay developers"
copyright = f"2026, {author}"
version = release = tensorplay.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "sphinx_copybutton",
    "docs.reference",
    "docs.pages",
]
exclude_patterns = ["site", "**/__pycache__"]
default_role = "py:obj"

# ---- pages

myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 4

# ---- docstrings

autosummary_generate = False  # docs/reference.py writes the pages
autodoc_typehints = "signature"
autodoc_type_aliases = PUBLIC_TYPES
autodoc_member_order = "bysource"
numpydoc_show_class_members = False
numpydoc_xref_param_type = False
python_maximum_signature_line_length = 88

# ---- looks: nothing is loaded from the network

html_theme = "furo"
html_title = f"tensorplay {release}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sourcelink = False
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#0b5cad", "color-brand-content": "#0b5cad"},
    "dark_css_variables": {"color-brand-primary": "#7cb7ff", "color-brand-content": "#7cb7ff"},
    "navigation_with_keys": True,
}
pygments_style = "friendly"
pygments_dark_style = "monokai"
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
