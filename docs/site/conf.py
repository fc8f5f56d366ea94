"""How the documentation becomes a site: Sphinx reads the Markdown pages as they are.

    make docs

The pages are written for people who read them in the repository, too. So nothing in them is
Sphinx's own: navigation comes from the lists of docs/index.md, links may lead to any file of the
project, and diagrams are drawn here, into the page, for a reader without a network.
"""

import re
import tomllib
from pathlib import Path
from typing import ClassVar

import mermaidx
from docutils import nodes
from docutils.parsers.rst import Directive
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx

project = html_title = "ataxxd"
html_theme = "furo"
html_theme_options: dict[str, object] = {"navigation_with_keys": True}
html_static_path = ["static"]
html_css_files = ["site.css"]
html_extra_path = ["root"]
html_logo = html_favicon = "../../clients/ataxxd_clients/web/static/icon.svg"
html_show_copyright = html_show_sphinx = html_show_sourcelink = html_copy_source = False

extensions = ["myst_parser"]
root_doc = "docs/index"
include_patterns = [
    "docs/**.md",
    "protocol/SPEC.md",
    "README.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "CHANGELOG.md",
]

# With the public address, each page leads to its source.
_PROJECT = tomllib.loads(Path(__file__).parents[2].joinpath("pyproject.toml").read_text("utf-8"))
if _ADDRESS := _PROJECT["project"].get("urls", {}).get("Repository"):
    html_theme_options["source_view_link"] = f"{_ADDRESS}/blob/HEAD/{{filename}}"

# The same anchors as where the repository is read.
myst_heading_anchors = 6
myst_fence_as_directive = ["mermaid"]
# What a block without a language holds is for people.
highlight_language = "none"

_LINKED = re.compile(r"^- \[[^\]]*\]\(([^)#]+)\.md\)", re.MULTILINE)
# Text and not pages in the picture, so that it looks the same everywhere.
_PLAIN = {"htmlLabels": False, "flowchart": {"htmlLabels": False}, "class": {"htmlLabels": False}}


class Diagram(Directive):
    """A block of the language ``mermaid``, drawn while the site is built.

    The library has Mermaid itself inside: nothing is fetched, neither now nor by the reader.
    """

    has_content: ClassVar[bool] = True

    def run(self) -> list[nodes.Node]:
        """Draw it; a fault in it is a warning, and so ends the build."""
        try:
            drawn = mermaidx.render("\n".join(self.content), config=_PLAIN).svg()
        except Exception as error:  # noqa: BLE001 -- whatever the library raises, the page is wrong
            return [self.state_machine.reporter.warning(f"mermaid: {error}", line=self.lineno)]
        # Ids name parts of one page, and a page may have several diagrams.
        number = self.state.document.settings.env.new_serialno("mermaid")
        drawn = drawn.replace("my-svg", f"diagram{number}")
        html = f'<figure class="diagram" role="img">{drawn}</figure>'
        return [nodes.raw("", html, format="html")]


def add_navigation(_app: Sphinx, page: str, source: list[str]) -> None:
    """Make a part of the navigation of every list of links below a heading of the index."""
    if page != root_doc:
        return
    parts = []
    for section in source[0].split("\n## ")[1:]:
        heading, _, body = section.partition("\n")
        if pages := _LINKED.findall(body):
            parts += ["", "```{toctree}", ":hidden:", f":caption: {heading}", "", *pages, "```"]
    source[0] += "\n".join(["", *parts, ""])


def leave_folders(app: Sphinx, page: nodes.document) -> None:
    """A link to a folder of the project is of use in the repository only: its text stays."""
    here = Path(app.srcdir, app.env.docname).parent
    for link in list(page.findall(pending_xref)):
        if (here / link["reftarget"]).is_dir():
            link.replace_self(link.children)


def setup(app: Sphinx) -> None:
    """Called by Sphinx."""
    app.add_directive("mermaid", Diagram)
    app.connect("source-read", add_navigation)
    app.connect("doctree-read", leave_folders)
