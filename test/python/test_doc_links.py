"""Every relative link of the README and the docs leads to a file, and to an existing heading."""
import re

import examples_world
import pytest

SOURCE = examples_world.SOURCE
PAGES = [SOURCE / "README.md", SOURCE / "CONTRIBUTING.md", *sorted((SOURCE / "docs").rglob("*.md")), *sorted((SOURCE / "examples").rglob("*.md"))]
_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")


def _prose(path):
    """The text of a page without code blocks and inline code."""
    return re.sub(r"^```.*?^```$|^ {4}.*$|`[^`\n]*`", "", path.read_text(), flags=re.M | re.S)


def _anchors(path):
    """The names that a renderer gives to the headings of a page: lower case, spaces as hyphens, without other characters."""
    headings = re.findall(r"^#+ (.*)$", path.read_text(), re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(SOURCE)))
def test_links_lead_somewhere(page):
    wrong = []
    for link in _LINK.findall(_prose(page)):
        if re.match(r"[a-z]+:", link):
            continue
        file, _, anchor = link.partition("#")
        target = page if not file else page.parent / file
        if not target.exists():
            wrong.append(f"{link}: no such file")
        elif anchor and target.suffix == ".md" and anchor not in _anchors(target):
            wrong.append(f"{link}: no such heading")
    assert not wrong, wrong


def test_there_are_links():
    assert sum(len(_LINK.findall(_prose(page))) for page in PAGES) > 100
