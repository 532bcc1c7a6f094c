"""The large tables of the documentation (docs/tables): each is complete on a page and can be filtered there; the statements of the pages about them
are true."""
import re
import shutil
import sys

import documents
import pytest

sys.path.insert(0, str(documents.SOURCE / "utils/site"))
import site_tables  # noqa: E402

CHROMIUM = shutil.which("chromium")
DOCS = documents.SOURCE / "docs"


def test_every_table_is_on_a_page():
    shown = {(path.parent / file).resolve() for path in DOCS.rglob("*.md") for _, file in site_tables.LINK.findall(path.read_text())}
    assert shown == {path.resolve() for path in (DOCS / "tables").glob("*.json")}


def test_cells_are_text_code_and_bold(tmp_path):
    site_tables.write(tmp_path / "one.json", ("a", "b"), [("`x<y>`", "**3x** & [2, 4]")])
    assert site_tables.read(tmp_path / "one.json") == (["a", "b"], [["`x<y>`", "**3x** & [2, 4]"]])
    shown = site_tables.as_html("All", tmp_path / "one.json")
    assert "<tr><td><code>x&lt;y&gt;</code></td><td><strong>3x</strong> &amp; [2, 4]</td></tr>" in shown
    with pytest.raises(ValueError, match="1 cells, the table 2 columns"):
        site_tables.content(("a", "b"), [("alone",)])


@pytest.mark.skipif(not CHROMIUM, reason="no chromium")
def test_filters_leave_the_rows_that_have_all(tmp_path):
    playwright = pytest.importorskip("playwright.sync_api")
    table = site_tables.as_html("All", DOCS / "tables/fault_power.json")
    (tmp_path / "page.html").write_text(f"<!doctype html>{table}<script>{(DOCS / 'assets/tables.js').read_text()}</script>")
    _, rows = site_tables.read(DOCS / "tables/fault_power.json")
    with playwright.sync_playwright() as p:
        browser = p.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_page()
        page.goto(f"file://{tmp_path}/page.html")
        count, visible = page.locator("output"), page.locator("tbody tr:visible")
        assert count.text_content() == f"{len(rows)} of {len(rows)} rows"
        page.get_by_label("type").select_option("=bf16")
        page.locator("input").fill("drop_k Normal")
        assert visible.count() == 1 and count.text_content() == f"1 of {len(rows)} rows"
        page.locator("input").fill("")
        assert visible.count() == sum(row[1] == "bf16" for row in rows)
        browser.close()


def test_counts_of_faults_are_those_of_their_tables():
    """verify_power.md: a cell stands for as many runs as the reports have rows, and the line on drivers counts the rows of its table."""
    page = (DOCS / "verify_power.md").read_text()
    _, reports = site_tables.read(DOCS / "tables/fault_reports.json")
    faults = re.findall(r"^\| (`\w+`) \| [^|]+ \| (\S+) \| (\S+) \| (\S+) \|", page, re.M)
    assert len(faults) > 20
    for fault, *cells in faults:
        for dtype, cell in zip(("f32", "bf16", "s8"), cells):
            assert int(cell.partition("/")[2] or 0) == sum(row[:2] == [fault, dtype] for row in reports), (fault, dtype)
    _, drivers = site_tables.read(DOCS / "tables/fault_drivers.json")
    assert f"**{sum(row[4] == 'FAILED' for row in drivers)} of {len(drivers)}** cells caught" in page
