"""An outcome has the same figures in each form of a command's output: text, JSON, JUnit and the page that `assay report` makes."""
import json
import re
import shutil
import xml.etree.ElementTree as xml

import h5py
import numpy as np
import pytest
from conftest import SOURCE
from test_report import browser, cards, open_page  # noqa: F401: fixtures

playwright = pytest.importorskip("playwright.sync_api")
pytestmark = pytest.mark.skipif(shutil.which("chromium") is None, reason="Debian's chromium is not installed (./dev setup test)")
PROGRAMS = SOURCE / "test" / "programs"


@pytest.fixture
def page_of(assay, open_page, tmp_path):
    def page_of(document):
        made = assay("report", document, "-o", "page.html")
        assert made.returncode == 0, made.stderr
        return open_page(tmp_path / "page.html")

    return page_of


def plugin(name):
    import os
    import pathlib

    return f"plugin:{pathlib.Path(os.environ['ASSAY_BIN']).parent / 'lib' / f'libassay_{name}.so'}"


def number(text):
    return float(str(text).replace("nan", "NaN"))


def shown_points(page):
    """The rows of the panel of wrong elements: (index, expected, got, error, bound)."""
    rows = [row.locator("td").all_inner_texts() for row in page.locator("section[aria-label='wrong elements'] tr").all()]
    return [tuple(row) for row in rows if row]


def wrong_agrees(wrong, page, pattern):
    """Compares the panel of a page with `wrong` of the JSON."""
    assert wrong["pattern"] == pattern and wrong["worst"], wrong
    assert page.locator("section[aria-label='wrong elements'] p").inner_text() == pattern
    title = page.locator("section[aria-label='wrong elements'] h3").inner_text()
    assert title.startswith(f"{wrong['failures']} of {wrong['elements']} elements of '{wrong['result']}' are wrong"), title
    points = shown_points(page)
    assert len(points) == len(wrong["worst"])
    for shown, point in zip(points, wrong["worst"]):
        assert shown[0] == f"[{', '.join(map(str, point['index']))}]"
        for text, key in zip(shown[1:], ("expected", "got", "error", "bound")):
            assert text == str(point[key]) or number(text) == number(point[key]), (shown, point)


def points_in(text):
    """(index, expected, got, error) of each line of a wrong element."""
    return [(f"[{', '.join(at.split(':'))}]", *map(number, rest))
            for at, *rest in re.findall(r"^  \[([\d:]+)\] +expected +(\S+) got +(\S+) error +(\S+)", text, re.M)]


@pytest.mark.parametrize("words", [["--matmul"], ["--softmax"], ["--matmul", "--rule=benchdnn"]], ids=" ".join)
def test_verify(assay, page_of, monkeypatch, tmp_path, words):
    monkeypatch.setenv("ASSAY_EXAMPLE_FAULT", "drop_last" if "--softmax" in words else "drop_k")
    problems = {"--matmul": ["8x96:96x48", "2x2x9:9"], "--softmax": ["16x100", "4x"]}[words[0]]
    engine = plugin("drivers" if "--softmax" in words else "example")
    ran = assay("verify", f"--engine={engine}", "--json=v.json", "--junit=v.xml", *words, *problems)
    document, suite = json.loads((tmp_path / "v.json").read_text()), xml.parse(tmp_path / "v.xml").getroot().find("testsuite")
    page = page_of("v.json")
    counts = {name: int(n) for name, n in re.findall(r"(\w+):(\d+)", ran.stdout.splitlines()[-1])}
    assert ran.returncode != 0 and counts["failed"] == 1
    for name, n in counts.items():
        if name != "passed":
            assert document["counts"][name] == n, name
        assert name not in cards(page) or cards(page)[name] == str(n)
    assert counts["passed"] == sum(document["counts"][name] for name in ("passed", "initialized", "executed"))
    failures = counts["failed"] + counts["mistrusted"]
    errors = sum(counts[name] for name in ("crashed", "timeout", "invalid_arguments"))
    assert (int(suite.get("tests")), int(suite.get("failures")), int(suite.get("errors"))) == (counts["tests"], failures, errors)
    # The problem that fails: status, reason, pattern and points.
    row = next(row for row in document["problems"] if row["status"] == "FAILED")
    case = next(case for case in suite if case.find("failure") is not None)
    line = next(line for line in ran.stdout.splitlines() if line.startswith("0:FAILED"))
    assert f"({row['reason']})" in line and row["reason"] in case.find("failure").get("message")
    wrong = row["wrong"]
    assert row["reason"] == f"errors:{wrong['failures']} total:{wrong['elements']}"
    for text in (ran.stdout, case.find("failure").text, "\n".join(row["findings"])):
        assert wrong["pattern"] and wrong["pattern"] in text
        found = points_in(text)
        assert [point[0] for point in found] == [f"[{', '.join(map(str, p['index']))}]" for p in wrong["worst"]], text
        for point, due in zip(found, wrong["worst"]):
            assert np.allclose(point[1:], [number(due[key]) for key in ("expected", "got", "error")], rtol=1e-3, equal_nan=True)
    assert row["repro"] in page.locator(".detail pre").first.inner_text()
    wrong_agrees(wrong, page, wrong["pattern"])
    share = row[f"worst_fraction_{wrong['data']}"] if f"worst_fraction_{wrong['data']}" in row else None
    if share is not None and share != "inf":
        assert number(share) >= max(number(p["error"]) / number(p["bound"]) for p in wrong["worst"]) * (1 - 1e-6)


@pytest.fixture
def judged(tmp_path):
    """A program of two results, and expected ones of which one has column 3 wrong and a NaN."""
    (tmp_path / "two.mlir").write_text("""func.func @main(%x: tensor<6x8xf32>) -> (tensor<6x8xf32>, tensor<6xf32>) {
  %0 = stablehlo.tanh %x : tensor<6x8xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<6x8xf32>, tensor<f32>) -> tensor<6xf32>
  func.return %0, %1 : tensor<6x8xf32>, tensor<6xf32>
}""")
    x = np.random.default_rng(2).normal(size=(6, 8)).astype(np.float32)
    out = np.tanh(x.astype(np.float64))
    wrong = out.astype(np.float32)
    wrong[:, 3] += 0.25
    np.savez(tmp_path / "in.npz", in0=x)
    np.savez(tmp_path / "out.npz", out0=wrong, out1=out.sum(1).astype(np.float32))


@pytest.mark.parametrize("rule", ["dtype", "bound", "shadow", "exact", "close:1e-3,1e-3", "ulp:8"])
def test_run(assay, page_of, judged, tmp_path, rule):
    ran = assay("run", "two.mlir", "--input", "in.npz", "--expect", "out.npz", "--rule", rule, "--json", "r.json")
    document, page = json.loads((tmp_path / "r.json").read_text()), page_of("r.json")
    passed, failed = map(int, re.search(r"checks: (\d+) passed, (\d+) failed", ran.stdout).groups())
    assert ran.returncode == 1 and failed >= 1
    assert (document["checks_passed"], document["checks_failed"], len(document["failed_checks"])) == (passed, failed, failed)
    assert cards(page) == {"checks passed": str(passed), "checks failed": str(failed)}
    shown = page.locator("section[aria-label='failed checks'] li").all_inner_texts()
    assert shown == [f"{row['location']} {row['message']}" for row in document["failed_checks"]]
    for row in document["results"]:
        line = next(line for line in ran.stdout.splitlines() if line.startswith(row["result"] + " "))
        assert line.split()[-1] == row["verdict"] and (row["worst"] in line or not row["worst"])
        assert f"{row['max_abs']:.2e}" in line.lower() or f"{row['max_abs']:.2E}" in line
        assert row["passed"] or f"{row['result']}: {row['text']}" in ran.stdout
        assert row["passed"] == (row["failures"] == 0) == ("wrong" not in row)
    wrong = document["results"][0]["wrong"]
    assert wrong["pattern"] in ran.stdout and wrong["elements"] == 48
    if rule not in ("exact",):
        assert wrong["pattern"] == "only index 3 of dimension 1, every element there" and wrong["failures"] == 6
        assert {point["index"][1] for point in wrong["worst"]} == {3}
    wrong_agrees(wrong, page, wrong["pattern"])


PARTS = """func.func @main() {
  %0 = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  check.expect_eq_const %0, dense<[1, 3]> : tensor<2xi32>
  check.expect_eq_const %0, dense<[1, 2]> : tensor<2xi32>
  func.return
}
// -----
func.func @main() {
  %0 = stablehlo.constant dense<[4, 2]> : tensor<2xi32>
  check.expect_eq_const %0, dense<[5, 2]> : tensor<2xi32>
  func.return
}
// -----
func.func @main() {
  %0 = stablehlo.constant dense<7> : tensor<2xi32>
  check.expect_eq_const %0, dense<7> : tensor<2xi32>
  func.return
}
"""


def test_run_of_several_programs(assay, page_of, tmp_path):
    (tmp_path / "parts.mlir").write_text(PARTS)
    ran = assay("run", "parts.mlir", "--split-input-file", "--json", "p.json")
    document = json.loads((tmp_path / "p.json").read_text())
    assert "checks: 2 passed, 2 failed" in ran.stdout and ran.returncode == 1
    assert (document["checks_passed"], document["checks_failed"]) == (2, 2)
    said = re.findall(r"^(\S+): check failed: (.*)$", ran.stdout, re.M)
    assert [(row["location"], row["message"]) for row in document["failed_checks"]] == said and len(said) == 2
    assert [row["of_program"] for row in document["failed_checks"]] == [0, 1]
    assert [(one["checks_passed"], one["checks_failed"]) for one in document["programs"]] == [(1, 1), (0, 1), (1, 0)]
    assert cards(page_of("p.json")) == {"checks passed": "2", "checks failed": "2"}


def test_a_run_that_ends_early_keeps_its_failed_checks(assay, page_of, tmp_path):
    text = PARTS.split("// -----")[0].replace("  func.return", '  interpreter.probe %0, probe_id = "a" : tensor<2xi32>\n  func.return')
    (tmp_path / "ends.mlir").write_text(text)
    ran = assay("run", "ends.mlir", "--json", "e.json")
    document = json.loads((tmp_path / "e.json").read_text())
    assert ran.returncode == 2 and document["error"] in ran.stderr and document["error"]
    assert document["checks_failed"] == len(document["failed_checks"]) == 1 and "check failed" in ran.stdout
    assert document["error"] in page_of("e.json").locator("main").inner_text()


def test_nothing_judged_is_no_pass(assay, page_of, judged):
    assert assay("run", "two.mlir", "--input", "in.npz", "--json", "n.json", "--quiet").returncode == 0
    assert cards(page_of("n.json")) == {"was judged": "nothing"}


@pytest.mark.parametrize("words", [["--split-input-file"], ["--repeat", "2"], ["--profile"], ["--interpret"], ["--watch", "2"], ["--print-dense"]], ids=lambda words: words[0])
def test_standard_output_is_the_document_alone(assay, tmp_path, words):
    (tmp_path / "parts.mlir").write_text(PARTS if words[0] == "--split-input-file" else PARTS.split("// -----")[0])
    ran = assay("run", "parts.mlir", "--json", "-", *words)
    # Each run of a repeated program counts its checks.
    assert json.loads(ran.stdout)["checks_failed"] == (2 if words[0] in ("--split-input-file", "--repeat") else 1), ran.stdout
    assert "check failed" in ran.stderr


def triage_agrees(ran, one, page):
    """Text, JSON and page of a diagnosis."""
    assert f"triage of {one['subject']}\n" in ran.stdout
    assert f"at fault: {one['at_fault']} ({one['why']})\n" in ran.stdout
    for number_, step in enumerate(one["steps"], 1):
        assert f"{number_:>3}. {step['question']}: {step['answer']}\n" in ran.stdout
    assert len(re.findall(r"^ *\d+\. ", ran.stdout, re.M)) == len(one["steps"])
    assert page.locator("ol.steps li").all_inner_texts() == [f"{step['question']}: {step['answer']}" for step in one["steps"]]
    assert page.locator(".detail h2").inner_text() == f"at fault: {one['at_fault']}"
    assert cards(page) == {f"at fault: {one['at_fault']}": "1"}
    for command in filter(None, (one["repro"], one["smallest"])):
        assert f"repro: {command}\n" in ran.stdout and command in page.locator(".detail").inner_text()
    for file in one["files"]:
        assert f"smallest test: {file}\n" in ran.stdout and file in page.locator(".detail").inner_text()


def test_triage_of_a_problem(assay, page_of, monkeypatch, tmp_path):
    monkeypatch.setenv("ASSAY_EXAMPLE_FAULT", "drop_k")
    ran = assay("triage", "-o", "issue", "--json", "t.json", "--matmul", f"--engine={plugin('example')}", "8x96:96x48")
    (one,), page = json.loads((tmp_path / "t.json").read_text())["triage"], page_of("t.json")
    triage_agrees(ran, one, page)
    wrong = one["wrong"]
    assert one["at_fault"] == "engine" and one["files"]
    assert f"Where it is wrong: {wrong['failures']} of {wrong['elements']} elements of 'dst': {wrong['pattern']}\n" in ran.stdout
    wrong_agrees(wrong, page, wrong["pattern"])


def test_triage_of_a_program(assay, page_of, judged, tmp_path):
    ran = assay("triage", "two.mlir", "--input", "in.npz", "--expect", "out.npz", "--engine", "native", "--json", "t.json")
    (one,), page = json.loads((tmp_path / "t.json").read_text())["triage"], page_of("t.json")
    triage_agrees(ran, one, page)
    assert one["at_fault"] == "reference" and one["wrong"]["result"] == "out0"
    wrong_agrees(one["wrong"], page, "only index 3 of dimension 1, every element there")


def test_triage_of_nothing_wrong_has_no_wrong_elements(assay, page_of, tmp_path):
    ran = assay("triage", "--json", "t.json", "--matmul", "--engine=native", "4x5:5x6")
    (one,), page = json.loads((tmp_path / "t.json").read_text())["triage"], page_of("t.json")
    triage_agrees(ran, one, page)
    assert "wrong" not in one and one["at_fault"] == "nobody" and page.locator("section[aria-label='wrong elements']").count() == 0


def test_compare(assay, page_of, tmp_path):
    rng = np.random.default_rng(1)
    tensors = {f"blocks.{i}.act.GELU.0.forward_output.0": rng.normal(size=(5, 9)).astype(np.float32) for i in range(4)}
    for name, change in (("bench", 0), ("target", 0.1)):
        with h5py.File(tmp_path / f"{name}.h5", "w", track_order=True) as file:
            group = file.create_group("1", track_order=True)
            for i, (tensor, values) in enumerate(tensors.items()):
                group.create_dataset(tensor, data=values + np.float32(change if i == 2 else 0))
            own = "head.Linear" if name == "bench" else "mixer.Conv2d"
            group.create_dataset(f"{own}.0.forward_output.0", data=np.ones((3, 2) if name == "bench" else (4, 1, 5), np.float32))
    ran = assay("compare", "target.h5", "bench.h5", "result.csv", "--json", "c.json")
    document, page = json.loads((tmp_path / "c.json").read_text()), page_of("c.json")
    compared, passed, failed, target, bench = map(int, re.search(
        r"(\d+) tensors compared: (\d+) pass, (\d+) Fail; (\d+) only in the target, (\d+) only in the bench", ran.stdout).groups())
    assert (compared, passed, failed, target, bench) == (4, 3, 1, 1, 1)
    assert [document[key] for key in ("passed", "failed", "unmatched_target", "unmatched_bench")] == [passed, failed, target, bench]
    assert cards(page) == {"pass": "3", "fail": "1", "only in the target": "1", "only in the bench": "1", "with NaN or Inf on one side": "0"}
    statuses = [line.split(",")[0] for line in (tmp_path / "result.csv").read_text().splitlines()]
    rows = document["rows"]
    assert len([row for row in rows if row["status"] == "Fail"]) == failed == sum("Fail" in line for line in (tmp_path / "result.csv").read_text().splitlines()), statuses
    of_csv = page_of("result.csv")
    assert cards(of_csv)["fail"] == "1" and cards(of_csv)["pass"] == "3"


@pytest.mark.parametrize("rule", ["close:1e-1,1e-1", "bound", "exact"])
def test_audit(assay, page_of, tmp_path, rule):
    ran = assay("audit", PROGRAMS / "mlp_inference.mlir", "--rule", rule, "--json", "a.json")
    document, page = json.loads((tmp_path / "a.json").read_text()), page_of("a.json")
    accepted, faults, rejected, rights, smallest, separating = re.search(
        r"audit: (\d+) of (\d+) faults accepted, (\d+) of (\d+) right results rejected, smallest fault seen (\S+), separating tolerance (\S+)", ran.stdout).groups()
    assert [document[key] for key in ("faults_accepted", "faults", "right_results_rejected", "right_results")] == [int(accepted), int(faults), int(rejected), int(rights)]
    assert document["separating_tolerance"] == separating and f"{document['smallest_fault_seen']:.2e}" == smallest.lower()
    shown = cards(page)
    assert (shown["faults accepted"], shown["right results rejected"]) == (f"{accepted} of {faults}", f"{rejected} of {rights}")
    assert shown["separating tolerance"] == separating and np.isclose(number(shown["smallest fault seen"]), document["smallest_fault_seen"], rtol=1e-2)
    rows = document["rows"]
    assert len(rows) == int(faults) + int(rights) == len(re.findall(r"^\S+(?: of out\d)? +(?:right|wrong) ", ran.stdout, re.M))
    bad = [row["name"] for row in rows if row["right"] != row["accepted"]]
    assert len(bad) == int(accepted) + int(rejected) == len(re.findall(r" BAD$", ran.stdout, re.M))
    table = page.locator("[role=row] >> text=BAD")
    assert table.count() == len(bad) or len(rows) > 20
