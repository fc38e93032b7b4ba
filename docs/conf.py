"""The documentation site: `make docs` builds it into site/, which reads with or without a server."""

import sys
from importlib.metadata import version as installed
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "tools"))

project = "wizard-env"
author = "The wizard-env developers"
project_copyright = author
version = release = installed("wizard-env")

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx_copybutton",
    "sphinx_docstrings",  # tools/sphinx_docstrings.py
]

# A name in backticks, in a docstring, leads to what the page documents by that name.
default_role = "py:obj"
nitpicky = True
nitpick_ignore_regex = [
    ("py:obj", ".*"),  # such names may be those of arguments and files too
    ("py:class", r"(?!wizard_env\.).*"),  # types of other projects
    ("py:class", r"wizard_env\.train\.config\..*"),  # told on the page about learning, key by key
    ("py:class", r"wizard_env\..*\.(Actions|Episode|Opponents|Reward|_\w+)"),  # names of unions
]

myst_heading_anchors = 3  # so that a page can be linked to by its headings, as in faq.md#action-masks

add_module_names = False
autodoc_class_signature = "mixed"
autodoc_default_options = {"members": True, "member-order": "bysource"}
autodoc_typehints_format = "short"
maximum_signature_line_length = 88
napoleon_numpy_docstring = False
napoleon_use_ivar = True
python_use_unqualified_type_names = True
toc_object_entries_show_parents = "hide"

html_theme = "furo"
html_title = "wizard-env"
html_static_path = ["assets"]
html_css_files = ["felt.css"]
html_copy_source = False
html_show_search_summary = False  # a page read from a file may not fetch the others
html_show_sourcelink = False
html_theme_options = {
    "light_css_variables": {
        "color-brand-primary": "#14532d",
        "color-brand-content": "#16683a",
        "color-brand-visited": "#16683a",
    },
    "dark_css_variables": {
        "color-background-primary": "#101a14",
        "color-background-secondary": "#14201a",
        "color-background-border": "#2a3a30",
        "color-brand-primary": "#8fd3a6",
        "color-brand-content": "#8fd3a6",
        "color-brand-visited": "#8fd3a6",
    },
}

linkcheck_allowed_redirects = {r"https://doi\.org/.*": r"https://.*"}
