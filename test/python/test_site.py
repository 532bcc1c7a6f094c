"""The site: it builds without a warning (links, headings, pages outside the navigation), its pages are short, and what the pages of tasks
show is what happens."""
import os
import subprocess
import sys

import documents
import pytest

SOURCE = documents.SOURCE
TASKS = sorted((SOURCE / "docs/tasks").glob("*.md"))

# Pages of over 200 lines that are still to be cut, with the length that they may have.
LONG = {"classic_faults.md": 300, "verify_power.md": 930, "performance.md": 560, "features.md": 390, "tune.md": 310, "verify.md": 300, "dumps.md": 300}


@pytest.mark.parametrize("page", [*sorted((SOURCE / "docs/start").glob("*.md")), *TASKS], ids=lambda page: page.stem)
def test_page_does_what_it_shows(page, tmp_path):
    assert documents.run(page.read_text(), tmp_path) > 0


def test_site_builds(tmp_path):
    environment = {**os.environ, "ASSAY_BIN": str(documents.BIN), "NO_MKDOCS_2_WARNING": "1"}
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", tmp_path]
    built = subprocess.run(command, cwd=SOURCE, env=environment, capture_output=True, text=True, timeout=300)
    assert built.returncode == 0 and not built.stderr, built.stdout + built.stderr
    assert "assay.check" in (tmp_path / "reference/python.html").read_text()
    assert "--first-wrong" in (tmp_path / "reference/commands/compare.html").read_text()
    for page in TASKS:
        assert (tmp_path / f"tasks/{page.stem}.html").exists()


def test_pages_are_short():
    lengths = {path.relative_to(SOURCE / "docs").as_posix(): len(path.read_text().splitlines()) for path in (SOURCE / "docs").rglob("*.md")}
    too_long = {name: length for name, length in lengths.items() if length > LONG.get(name, 200)}
    assert not too_long, f"a page has at most 200 lines: {too_long}"
