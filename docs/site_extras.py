"""What the site needs beside Sphinx: formulas, figures, members, commands, llms.txt."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml
from matplotlib.figure import Figure
from sphinx_gallery.scrapers import figure_rst

_TITLE = "halfseen"
_ABOUT = (
    "Learn from tables with missing values in the features and in the labels, with scikit-learn's "
    "interface."
)


def figure_scraper(block: Any, block_vars: dict[str, Any], gallery_conf: dict[str, Any]) -> str:
    """Save the figures that a block has drawn without pyplot, whose own have a number."""
    paths = []
    for value in list(block_vars["example_globals"].values()):
        if not isinstance(value, Figure) or hasattr(value, "number") or not value.axes:
            continue
        if not getattr(value, "is_in_gallery", False):
            path = next(block_vars["image_path_iterator"])
            value.savefig(path, dpi=120)
            value.is_in_gallery = True
            paths.append(path)
    return figure_rst(paths, gallery_conf["src_dir"])


def write_llms_txt(app: Any, exception: Exception | None) -> None:
    """List all pages, with their first sentences, for readers that are programs."""
    if exception is not None or app.builder.format != "html":
        return
    lines = [f"# {_TITLE}", "", f"> {_ABOUT}", ""]
    for group, names in _GROUPS.items():
        found = [name for name in sorted(app.env.found_docs) if names.match(name)]
        entries = []
        for name in found:
            title = app.env.titles[name].astext()
            entries.append(f"- [{title}]({name}.html){_about(app.env.get_doctree(name))}")
        lines += [f"## {group}", "", *entries, ""]
    Path(app.outdir, "llms.txt").write_text("\n".join(lines), encoding="utf-8")


_GROUPS = {
    "Start": re.compile(r"(index|getting-started)$"),
    "User guide": re.compile("guide/"),
    "How it works": re.compile("how-it-works/|paper$"),
    "Gallery": re.compile("gallery/"),
    "Benchmarks": re.compile("benchmarks/|baselines$|experiments$|reproduction$"),
    "API reference": re.compile("api/(index|commands)$"),
    "The project": re.compile("architecture$|contributing$|changelog$"),
}


def _about(tree: nodes.document) -> str:
    """The first paragraph of a page, but for what the gallery says of downloads."""
    for paragraph in tree.findall(nodes.paragraph):
        text = " ".join(paragraph.astext().split())
        if not text.startswith("Go to the end"):
            return f": {text}"
    return ""


_TAG = re.compile(r"\\tag\{(\w+)\}")  # the number of an equation


def visit_math(self: Any, node: Any) -> None:
    """Write a formula as MathML, which browsers draw without a script."""
    is_block = isinstance(node, nodes.math_block)
    formula = tex2mathml(_TAG.sub(r"\\qquad (\1)", node.astext()), as_block=is_block)
    self.body.append(f'<div class="formula">{formula}</div>' if is_block else formula)
    raise nodes.SkipNode


def skip_member(
    app: Any, what: str, name: str, member: Any, skip: bool, options: Any
) -> bool | None:
    """Leave out what is inherited from other libraries, whose own pages have it."""
    found = getattr(member, "fget", None) or getattr(member, "func", member)
    module = getattr(found, "__module__", None) or ""
    return None if module.startswith("halfseen") else True


def show_commands(app: Any, docname: str, source: list[str]) -> None:
    """Show the help of every command on the page of the commands."""
    if docname == "api/commands":
        from halfseen.cli.main import root

        source[0] += "".join(_helps(root, "halfseen"))


def _helps(command: click.Command, name: str) -> Iterator[str]:
    context = click.Context(command, info_name=name, terminal_width=88, max_content_width=88)
    yield f"\n## {name}\n\n```text\n{command.get_help(context)}\n```\n"
    if isinstance(command, click.Group):
        for word in command.list_commands(context):
            inner = command.get_command(context, word)
            assert inner is not None
            yield from _helps(inner, f"{name} {word}")


def setup(app: Any) -> dict[str, Any]:
    """Connect what is above."""
    app.connect("source-read", show_commands)
    app.connect("autodoc-skip-member", skip_member)
    app.add_html_math_renderer("mathml", (visit_math, None), (visit_math, None))
    app.connect("build-finished", write_llms_txt)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
