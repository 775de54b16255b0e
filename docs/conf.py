"""The site: Sphinx, MyST, the theme of the PyData projects, and a gallery; built by make docs."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

DOCS = Path(__file__).parent
REPOSITORY = DOCS.parent
sys.path[:0] = [str(DOCS), str(REPOSITORY / "src")]
SOURCE = "https://github.com/halfseen/halfseen/blob/main/"

import halfseen  # noqa: E402

project = "halfseen"
author = "The halfseen developers"
copyright = f"2026, {author}"
release = version = halfseen.__version__

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_gallery.gen_gallery",
    "site_extras",
]
root_doc = "index"
# Tables of studies stay files of the repository; pages link to them there.
templates_path = ["_templates"]
exclude_patterns = [
    "_build",
    "_templates",
    "results",
    "gallery/**/*.ipynb",
    "sg_execution_times.rst",
]
suppress_warnings = ["config.cache"]
nitpicky = False

myst_enable_extensions = ["dollarmath", "colon_fence", "attrs_block"]
myst_heading_anchors = 3

autosummary_generate = True
autodoc_typehints = "none"
autodoc_mock_imports = ["pyspark"]
toc_object_entries_show_parents = "hide"
numpydoc_show_class_members = False
numpydoc_validation_checks: set[str] = set()

html_theme = "pydata_sphinx_theme"
html_title = "halfseen"
html_static_path = ["_static"]
html_css_files = ["halfseen.css"]
html_copy_source = True
html_show_sourcelink = False
html_theme_options = {
    "logo": {"text": "halfseen"},
    "icon_links": [
        {
            "name": "GitHub",
            "url": "https://github.com/halfseen/halfseen",
            "icon": "fa-brands fa-github",
        }
    ],
    "header_links_before_dropdown": 6,
    "navbar_align": "left",
    "show_prev_next": True,
    "secondary_sidebar_items": ["page-toc"],
    "show_nav_level": 1,
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
    "footer_start": ["copyright"],
    "footer_end": [],
}
# The table of contents of the API reference is its first page.
html_sidebars = {
    page: []
    for page in ("index", "getting-started", "contributing", "changelog", "api/index", "api/**")
}
html_math_renderer = "mathml"

sphinx_gallery_conf = {
    "examples_dirs": str(REPOSITORY / "examples"),
    "gallery_dirs": "gallery",
    "filename_pattern": r"\.py$",
    "image_scrapers": ("matplotlib", "site_extras.figure_scraper"),
    "abort_on_example_error": True,
    "show_memory": False,
    "show_signature": False,
    "download_all_examples": False,
    "remove_config_comments": True,
    "min_reported_time": 10_000,
    "write_computation_times": False,
    "reset_modules": ("matplotlib",),
    "within_subsection_order": "ExampleTitleSortKey",
    "capture_repr": (),
}
# Figures of examples need no window, and files that they write no place in the repository.
os.environ.setdefault("MPLBACKEND", "agg")


def setup(app: object) -> None:
    """Make links to files of the repository that are no pages lead to its host."""
    app.connect("source-read", _link_to_repository)  # type: ignore[attr-defined]


_LINK = re.compile(r"\]\((?!https?:|#|mailto:)([^)\s#]+)(#[^)\s]*)?\)")
# Pages that are files of the root of the repository.
_OF_ROOT = {"contributing": "CONTRIBUTING.md", "changelog": "CHANGELOG.md"}


def _link_to_repository(app: object, docname: str, source: list[str]) -> None:
    folder = (DOCS / docname).parent
    if docname in _OF_ROOT:
        folder = REPOSITORY
        source[0] = (REPOSITORY / _OF_ROOT[docname]).read_text(encoding="utf-8")
    pages = {(REPOSITORY / name).resolve(): DOCS / f"{page}.md" for page, name in _OF_ROOT.items()}

    def linked(match: re.Match[str]) -> str:
        anchor = match[2] or ""
        path = (folder / match[1]).resolve()
        path = pages.get(path, path)
        if not path.exists() or path.suffix in {".png", ".svg"}:
            return match[0]  # an absent page is a warning, and warnings are errors
        if path.is_relative_to(DOCS) and _is_page(path):
            return f"](/{path.relative_to(DOCS).as_posix()}{anchor})"
        return f"]({SOURCE}{path.relative_to(REPOSITORY).as_posix()}{anchor})"

    source[0] = _LINK.sub(linked, source[0])


def _is_page(path: Path) -> bool:
    inside = path.relative_to(DOCS)
    return path.suffix in {".md", ".rst"} and inside.parts[0] != "results"
