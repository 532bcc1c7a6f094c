"""`assay report` and `compare --html` in a real browser: as a user sees, clicks and types; nothing is loaded from elsewhere."""
import json
import os
import pathlib
import shutil
import subprocess

import h5py
import numpy
import pytest

playwright = pytest.importorskip("playwright.sync_api")
ASSAY = str(pathlib.Path(os.environ["ASSAY_BIN"]) / "assay")
CHROMIUM = shutil.which("chromium")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="Debian's chromium is not installed (./dev setup test)")
HOSTILE = "blocks.2.</script><img src=x onerror=boom()>.Linear.0.forward_output.0"


def assay(*words, expect=0):
    ran = subprocess.run([ASSAY, *map(str, words)], capture_output=True, text=True)
    assert ran.returncode == expect, f"{words}\n{ran.stdout}\n{ran.stderr}"
    return ran.stdout + ran.stderr


def write_dump(path, tensors):
    with h5py.File(path, "w", track_order=True) as file:
        group = file.create_group("1", track_order=True)
        for name, values in tensors.items():
            group.create_dataset(name.replace("/", "\u2215"), data=values)


def model(columns=True):
    """Three blocks; the target's second has column 5 off by 5 %, the third a NaN, and a name that tries to be markup."""
    random = numpy.random.default_rng(3)
    bench = {f"blocks.{b}.{layer}.{kind}.0.{io}.0": random.standard_normal((40, 64), dtype=numpy.float32)
             for b in range(3) for layer, kind in (("norm", "LayerNorm"), ("act", "GELU")) for io in ("forward_input", "forward_output")}
    bench[HOSTILE] = random.standard_normal((4, 4), dtype=numpy.float32)
    target = {name: values.copy() for name, values in bench.items()}
    target["blocks.1.act.GELU.0.forward_output.0"][:, 5] *= 1.05
    target["blocks.2.act.GELU.0.forward_output.0"][3, 7] = numpy.nan
    return target, bench


@pytest.fixture(scope="module")
def pair(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pair")
    for name, tensors in zip(("target", "bench"), model()):
        write_dump(folder / f"{name}.h5", tensors)
    return folder


@pytest.fixture(scope="module")
def browser():
    with playwright.sync_playwright() as p:
        running = p.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield running
        running.close()


@pytest.fixture
def open_page(browser):
    """open_page(path, "#row=3") -> page; at the end: no console error and no request except for the file itself."""
    problems, contexts = [], []

    def open_it(path, address=""):
        context = browser.new_context(viewport={"width": 1300, "height": 1000}, color_scheme="light")
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda m: problems.append(m.text) if m.type in ("error", "warning") else None)
        page.on("pageerror", lambda e: problems.append(str(e)))
        page.on("request", lambda r: problems.append(r.url) if not r.url.startswith("file:") or r.url.split("#")[0] != f"file://{path}" else None)
        page.goto(f"file://{path}{address}")
        return page

    yield open_it
    for context in contexts:
        context.close()
    assert problems == []


@pytest.fixture(scope="module")
def compared(pair):
    assay("compare", pair / "target.h5", pair / "bench.h5", "--first-wrong", "--html", pair / "pair.html", expect=1)
    return pair / "pair.html"


def cards(page):
    return {card.locator("span").inner_text(): card.locator("b").inner_text() for card in page.locator(".card").all()}


def test_comparison_counts_names_and_where_the_error_lies(compared, open_page):
    page = open_page(compared)
    shown = cards(page)
    assert shown["pass"] == "11" and shown["fail"] == "2" and shown["with NaN or Inf on one side"] == "1"
    assert page.locator("section[aria-label='first wrong'] h2").inner_text() == "First wrong: blocks.1.act"
    assert "blocks.2.act.GELU.0.forward_output.0" in page.locator("section[aria-label='NaN and Inf'] h2").inner_text()
    # The first failing tensor is open: its map shows only the wrong column.
    assert page.locator(".detail h2").inner_text() == "blocks.1.act.GELU.0.forward_output.0"
    wrong = page.evaluate("""() => {
      const map = data.sources[0].document.maps.find((m) => m.row === 7), bytes = Uint8Array.from(atob(map.cells), (c) => c.charCodeAt(0));
      return { shape: [map.cell_rows, map.cell_cols], columns: [...new Set([...bytes].map((b, i) => (b ? i % map.cell_cols : -1)))], most: Math.max(...bytes) };
    }""")
    assert wrong == {"shape": [40, 64], "columns": [-1, 5], "most": 254}
    assert page.locator("canvas.heat").get_attribute("aria-label") == "where the error lies"


def test_strips_say_where_along_each_dimension(compared, open_page):
    page = open_page(compared)
    captions = [caption.inner_text() for caption in page.locator("canvas.strip + figcaption").all()]
    assert len(captions) == 2 and captions[0].startswith("dimension 0 (40): worst at ") and captions[1] == "dimension 1 (64): worst at 5, 1 of 64 differ"
    target, bench = model()
    name = "blocks.1.act.GELU.0.forward_output.0"
    rows = numpy.abs(target[name] - bench[name]).max(1)
    assert captions[0] == f"dimension 0 (40): worst at {rows.argmax()}, {(rows > 0).sum()} of 40 differ"
    heads = page.get_by_label("heads in dimension 1", exact=True)
    heads.fill("16")
    assert page.locator("canvas.strip + figcaption").last.inner_text() == "dimension 1 in 16 heads: worst at 1, 1 of 16 differ"
    heads.fill("5")
    assert page.locator("canvas.strip").count() == 2 and page.get_by_text("64 does not divide into 5").count() == 1


def test_window_around_the_worst_element_has_both_sides(compared, open_page, pair):
    page = open_page(compared)
    target, bench = model()
    name = "blocks.1.act.GELU.0.forward_output.0"
    error = numpy.abs(target[name] - bench[name])
    row = int(numpy.unravel_index(error.argmax(), error.shape)[0])
    window = page.evaluate("data.sources[0].document.maps.find((m) => m.row === 7).window")
    assert window["row"] <= row < window["row"] + 9 and window["col"] <= 5 < window["col"] + 9
    there = numpy.s_[window["row"]:window["row"] + 9, window["col"]:window["col"] + 9]
    assert numpy.array_equal(numpy.array(window["target"], numpy.float32), target[name][there])
    assert numpy.array_equal(numpy.array(window["bench"], numpy.float32), bench[name][there])
    assert page.locator("table.small td").count() == 81


def test_tree_search_and_status_narrow_the_table(compared, open_page):
    page = open_page(compared)
    status = page.locator("[role=status]")
    assert status.inner_text() == "13 rows"
    page.get_by_role("treeitem").filter(has_text="blocks").first.click()
    page.get_by_role("treeitem").filter(has_text="1").nth(1).wait_for()
    page.locator(".tree .node", has=page.get_by_text("1", exact=True)).first.click()
    assert status.inner_text() == "4 of 13 rows"
    page.get_by_role("button", name="Fail").click()
    assert status.inner_text() == "1 of 13 rows"
    page.get_by_role("button", name="all", exact=True).click()
    page.get_by_role("treeitem").first.click()
    page.keyboard.press("/")
    page.keyboard.type("norm input")
    assert status.inner_text() == "3 of 13 rows"


def test_keys_and_address_keep_what_is_shown(compared, open_page):
    page = open_page(compared, "#row=0")
    assert page.locator(".detail h2").inner_text() == "blocks.0.norm.LayerNorm.0.forward_input.0"
    page.keyboard.press("j")
    assert page.locator(".detail h2").inner_text() == "blocks.0.norm.LayerNorm.0.forward_output.0"
    assert "row=1" in page.url
    page.keyboard.press("t")
    assert page.evaluate("document.documentElement.classList.contains('dark')")
    again = open_page(compared, page.url[page.url.index("#"):])
    assert again.evaluate("document.documentElement.classList.contains('dark')")
    assert again.locator(".detail h2").inner_text() == "blocks.0.norm.LayerNorm.0.forward_output.0"


def test_names_cannot_be_markup(compared, open_page):
    page = open_page(compared, "#q=onerror")
    assert page.locator("[role=status]").inner_text() == "1 of 13 rows"
    assert page.locator("img").count() == 0


def test_every_control_has_a_name(compared, open_page):
    page = open_page(compared)
    nameless = page.evaluate("""() => [...document.querySelectorAll("button, input, [role=treeitem], [role=grid], [role=img], canvas")]
      .filter((n) => !(n.getAttribute("aria-label") || n.textContent.trim() || n.getAttribute("title"))).map((n) => n.outerHTML.slice(0, 80))""")
    assert nameless == []


def test_ten_thousand_rows_stay_few_nodes(tmp_path, open_page):
    rows = [{"index": i, "status": "Fail" if i % 97 == 0 else "Pass", "target": f"blocks.{i // 10}.act.GELU.0.forward_output.{i % 10}",
             "bench": f"blocks.{i // 10}.act.GELU.0.forward_output.{i % 10}", "rel_l2": i * 1e-9, "reason": ""} for i in range(10000)]
    (tmp_path / "many.json").write_text(json.dumps({"rows": rows, "passed": 9896, "failed": 104, "target": "a.h5", "bench": "b.h5", "rule": "dtype"}))
    assay("report", tmp_path / "many.json", "-o", tmp_path / "many.html")
    page = open_page(tmp_path / "many.html")
    assert page.locator("[role=status]").inner_text() == "10000 rows"
    for at in (0, 120000, 239000):
        page.evaluate(f"document.querySelector('.grid .body').scrollTop = {at}")
        page.wait_for_function(f"[...document.querySelectorAll('.grid .row')].some((r) => Math.abs(parseInt(r.style.top) - {at}) < 600)")
        assert page.locator(".grid .row").count() < 60
    page.get_by_role("columnheader", name="rel L2").click()
    page.evaluate("document.querySelector('.grid .body').scrollTop = 0")
    page.wait_for_function("document.querySelector('.grid .row').textContent.startsWith('9999')")


def test_csv_of_compare_and_two_sources(pair, tmp_path, open_page):
    assay("compare", pair / "target.h5", pair / "bench.h5", tmp_path / "result.csv", expect=1)
    assay("report", tmp_path / "result.csv", pair / "bench.h5", "-o", tmp_path / "two.html")
    page = open_page(tmp_path / "two.html")
    assert cards(page)["fail"] == "2"
    page.get_by_role("button", name="bench.h5").click()
    assert page.locator("[role=status]").inner_text() == "13 rows"
    assert page.locator("main h2").first.inner_text() == "tensors"


def test_faults_of_verify(tmp_path, open_page):
    problems = [{"status": "PASSED" if i % 3 else "FAILED", "repro": f"assay verify --engine=x --matmul --dt={dt} {i}x4:4x5", "ms": 1.5, "reason": "" if i % 3 else "errors:3 total:5"}
                for i, dt in enumerate(["f32", "bf16"] * 6)]
    (tmp_path / "v.json").write_text(json.dumps({"counts": {"tests": 12, "passed": 8, "failed": 4}, "problems": problems, "seconds": {}}))
    assay("report", tmp_path / "v.json", "-o", tmp_path / "v.html")
    page = open_page(tmp_path / "v.html")
    assert cards(page) == {"tests": "12", "passed": "8", "failed": "4"}
    bars = page.locator("svg[aria-label='faults (red) by types'] text").all_text_contents()
    assert "2 of 6" in bars and "f32" in bars and "bf16" in bars
    assert page.locator(".detail pre").inner_text() == "assay verify --engine=x --matmul --dt=f32 0x4:4x5"


def test_what_is_no_source_is_said(tmp_path):
    (tmp_path / "broken.json").write_text('{"rows": [')
    (tmp_path / "broken.h5").write_bytes(b"no dump")
    (tmp_path / "picture.png").write_bytes(b"no report")
    for file, words in (("broken.json", "is not JSON"), ("broken.h5", "broken.h5"), ("missing.csv", "missing.csv"), ("picture.png", "cannot be shown; expected .json")):
        said = assay("report", tmp_path / file, "-o", tmp_path / "out.html", expect=2)
        assert words in said and len(said.strip().splitlines()) == 1
        assert not (tmp_path / "out.html").exists()


def operators():
    """Two modules around three operators, a long name, and an operator outside of them; the target's second module is wrong."""
    random = numpy.random.default_rng(5)
    long = f"encoder.{'a_name_that_is_long.' * 8}last"
    order = ["blocks.0.Linear.0.forward_input.0", "00000-aten.aten-t-default.0.forward_output.0", "00001-aten.aten-addmm-default.0.forward_output.0",
             "blocks.0.Linear.0.forward_output.0", f"{long}.GELU.0.forward_input.0", "00002-aten.aten-gelu-default.0.forward_output.0",
             f"{long}.GELU.0.forward_output.0", "00003-aten.aten-sum-default.0.forward_output.0"]
    bench = {name: random.standard_normal((4, 8), dtype=numpy.float32) for name in order}
    target = {name: values.copy() for name, values in bench.items()}
    for name in order[5:7]:
        target[name] += 1
    return target, bench, long


def test_operators_lie_under_their_modules_and_long_names_keep_their_end(tmp_path, open_page):
    target, bench, long = operators()
    write_dump(tmp_path / "target.h5", target)
    write_dump(tmp_path / "bench.h5", bench)
    assay("compare", tmp_path / "target.h5", tmp_path / "bench.h5", "--html", tmp_path / "page.html", expect=1)
    assay("report", tmp_path / "target.h5", tmp_path / "bench.h5", "-o", tmp_path / "report.html")
    for path in (tmp_path / "page.html", tmp_path / "report.html"):
        page = open_page(path)
        top = [node.text_content() for node in page.locator(".tree .node[aria-level='2']").all()]
        assert [words[1:].rstrip("0123456789 of") for words in top] == ["blocks", "encoder", "outside of modules"], top
        page.locator(".tree .node", has_text="blocks").click()
        page.locator(".tree .node[aria-level='3']", has_text="0").first.click()
        below = [node.text_content() for node in page.locator(".tree .node[aria-level='4']").all()]
        assert len(below) == 2 and "aten.t (0)" in below[0] and "aten.addmm (1)" in below[1]
        page.locator(".tree .node", has_text="aten.addmm (1)").click()
        assert page.locator("[role=status]").inner_text() == "1 of 8 rows"
        page.locator(".tree .node").first.click()
        row = page.locator(".grid .row", has_text="last.GELU.0.forward_output.0")
        cell = row.locator(".cut")
        assert cell.get_attribute("title") == f"{long}.GELU.0.forward_output.0" == cell.evaluate("n => n.textContent")
        assert cell.evaluate("""n => { const box = n.parentNode.getBoundingClientRect(), end = n.lastChild.getBoundingClientRect();
            return end.right <= box.right + 1 && n.firstChild.scrollWidth > n.firstChild.clientWidth; }""")  # the end is visible, the middle is not


def test_ranks_have_a_page(tmp_path, open_page):
    target, bench = model()
    for folder in ("target", "bench"):
        (tmp_path / folder).mkdir()
        for rank in range(3):
            write_dump(tmp_path / folder / f"globalrank-{rank}_localrank-{rank}.h5", target if folder == "target" and rank == 1 else bench)
    said = assay("compare", tmp_path / "target", tmp_path / "bench", "--first-wrong", "--html", tmp_path / "ranks.html", "--json", tmp_path / "ranks.json", expect=1)
    assert "first wrong rank: 1" in said and "maps" not in (tmp_path / "ranks.json").read_text()
    assay("report", tmp_path / "ranks.json", "-o", tmp_path / "again.html")
    for path, maps in ((tmp_path / "ranks.html", True), (tmp_path / "again.html", False)):
        page = open_page(path)
        assert cards(page)["ranks"] == "3" and cards(page)["first wrong rank"] == "1" and cards(page)["with fails"] == "1"
        assert page.get_by_role("grid", name="ranks").locator(".row").count() == 3
        assert page.locator("section[aria-label='rank'] > h2").first.inner_text() == "Rank 1"
        assert page.locator("section[aria-label='first wrong'] h2").inner_text() == "First wrong: blocks.1.act"
        assert page.locator("canvas.heat").count() == maps
        page.get_by_role("grid", name="ranks").locator(".row").nth(2).click()
        assert page.locator("section[aria-label='rank'] > h2").first.inner_text() == "Rank 2"
        assert page.locator("section[aria-label='first wrong'] h2").inner_text() == "First wrong: none"
        again = open_page(path, page.url[page.url.index("#"):])
        assert again.locator("section[aria-label='rank'] > h2").first.inner_text() == "Rank 2"
