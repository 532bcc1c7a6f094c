"""Pages of the site besides those of docs/: the README as its first page, pages from other places of the tree, and a reference made from
`--help`, docstrings and headers. Links that leave docs/ are changed to these pages, or to the name of the file if it is not a page. A
table of docs/tables is shown where a paragraph is only a link to it."""
import os
import pathlib
import posixpath
import re
import sys

from mkdocs.structure.files import File

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import reference  # noqa: E402
import site_tables  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]

# Pages of the tree outside docs/: path in the tree -> path in the site.
ELSEWHERE = {"README.md": "index.md", "CONTRIBUTING.md": "project/contributing.md", "CHANGELOG.md": "project/changelog.md"}
ELSEWHERE |= {path.relative_to(ROOT).as_posix(): f"examples/{path.parent.name}.md" for path in sorted(ROOT.glob("examples/*/README.md"))}
# Files that a page of the site shows completely.
SHOWN = {f"{folder}/{name}": "reference/headers.md" for name, (folder, _) in reference.HEADERS.items()}

_LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s]+)\)")
_CODE = re.compile(r"(^```.*?^```$|`[^`\n]*`)", re.M | re.S)
# ```python my_file.py: the site shows the name of the file above the block.
_NAMED = re.compile(r"^```(\w+) (\S+)$", re.M)


def on_files(files, config):
    """Adds the pages that are not in docs/."""
    program = pathlib.Path(os.environ.get("ASSAY_BIN", ROOT / "build/release/bin")) / "assay"
    for source, page in ELSEWHERE.items():
        files.append(File.generated(config, page, content=(ROOT / source).read_text()))
    for page, content in reference.pages(ROOT, program).items():
        files.append(File.generated(config, page, content=content))
    return files


def on_page_markdown(markdown, page, config, files):
    """Changes links that work in the tree into links of the site."""
    site = page.file.src_uri
    source = next((tree for tree, uri in ELSEWHERE.items() if uri == site), f"docs/{site}")
    folder = (ROOT / source).parent
    markdown = site_tables.LINK.sub(lambda found: site_tables.as_html(found[1], folder / found[2]), markdown)
    parts = _CODE.split(markdown)
    text = "".join(part if i % 2 else _LINK.sub(lambda found: _link(found, source, site), part) for i, part in enumerate(parts))
    return _NAMED.sub(r'```\1 title="\2"', text)


def _link(found, source, site):
    picture, text, target = found.groups()
    if re.match(r"[a-z]+:|#", target):
        return found[0]
    path, _, anchor = target.partition("#")
    tree = posixpath.normpath(posixpath.join(posixpath.dirname(source), path))
    there = ELSEWHERE.get(tree) or SHOWN.get(tree) or (tree.removeprefix("docs/") if tree.startswith("docs/") else None)
    if there is not None and not posixpath.splitext(there)[1]:
        there += "/index.md"
    if there is None or there.endswith(".json"):
        return text if posixpath.basename(tree) in text else f"{text} (`{tree}`)"
    link = posixpath.relpath(there, posixpath.dirname(site) or ".")
    return f"{picture}[{text}]({link}{'#' + anchor if anchor else ''})"
