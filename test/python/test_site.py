"""The site: it builds without a warning (links, headings, pages outside the navigation), its pages are short, and the pages of tasks show
what really happens."""
import os
import subprocess
import sys

import documents
import preloaded
import pytest

preloaded.load("torch", "jax", "jax.numpy", "h5py", "assay.torch")
SOURCE = documents.SOURCE
TASKS = sorted((SOURCE / "docs/tasks").glob("*.md"))


@pytest.mark.parametrize("page", [*sorted((SOURCE / "docs/start").glob("*.md")), *TASKS], ids=lambda page: page.stem)
def test_page_does_what_it_shows(page, tmp_path):
    assert documents.run(page.read_text(), tmp_path) > 0


def tables():
    """{page: its links to tables}; every table of docs/tables must be on one."""
    pages = {path: site_tables.LINK.findall(path.read_text()) for path in (SOURCE / "docs").rglob("*.md")}
    shown = {(path.parent / file).resolve() for path, found in pages.items() for _, file in found}
    assert shown == {path.resolve() for path in (SOURCE / "docs/tables").glob("*.json")}
    return {path: found for path, found in pages.items() if found}


def build(folder, site):
    """mkdocs's run. Not with --quiet, which drops the warnings that --strict counts."""
    environment = {**os.environ, "ASSAY_BIN": str(documents.BIN), "NO_MKDOCS_2_WARNING": "1"}
    return subprocess.run([sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", site], cwd=folder, env=environment, capture_output=True,
                          text=True, timeout=300)  # fmt: skip


def test_a_link_to_a_missing_heading_fails_the_build(tmp_path):
    (tmp_path / "docs").mkdir()
    (tmp_path / "mkdocs.yml").write_text("site_name: x\nvalidation: {links: {anchors: warn}}\n")
    for heading, code in (("there", 0), ("gone", 1)):
        (tmp_path / "docs/index.md").write_text(f"# There\n\n[a](other.md#{heading})\n")
        (tmp_path / "docs/other.md").write_text("# There\n")
        built = build(tmp_path, tmp_path / "site")
        assert built.returncode == code, built.stderr


def test_site_builds(tmp_path):
    built = build(SOURCE, tmp_path)
    assert built.returncode == 0 and "WARNING" not in built.stderr, built.stdout + built.stderr
    assert "assay.check" in (tmp_path / "reference/python.html").read_text()
    assert "--first-wrong" in (tmp_path / "reference/commands/compare.html").read_text()
    for page in TASKS:
        assert (tmp_path / f"tasks/{page.stem}.html").exists()
    power = (tmp_path / "verify_power.html").read_text()
    assert power.count('<div class="assay-table"') == 4 and "assets/tables.js" in power
    assert power.count("<td>benchdnn</td>") * 3 == len((SOURCE / "docs/tables/fault_power.json").read_text().splitlines()) - 3


def test_pages_are_short():
    lengths = {path.relative_to(SOURCE / "docs").as_posix(): len(path.read_text().splitlines()) for path in (SOURCE / "docs").rglob("*.md")}
    too_long = {name: length for name, length in lengths.items() if length > 200}
    assert not too_long, f"a page has at most 200 lines: {too_long}"
