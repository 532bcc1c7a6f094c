"""docs/plugins.md has every key that problem_json has, driver by driver, and no other; the template that it names works."""
import json
import os
import pathlib
import re
import shlex
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ["ASSAY_BIN"]).parent
DRIVERS = re.findall(r'^ASSAY_DRIVER\(\w+, "(\w+)"', (ROOT / "src/assay/verify/Drivers.def").read_text(), re.M)
REQUESTS = ["--impl=x", "--check-ref-impl=true", "--attr-scratchpad=user", "--attr-deterministic=true", "--cpu-isa-hints=prefer_ymm",
            "--allow-enum-tags-only=false"]
OF_SUMS = ["--attr-fpmath=bf16", "--attr-acc-mode=relaxed"]
OF_PRODUCTS = ["--runtime_dims_masks=1:1", "--encoding=csr+0.5::", "--attr-precomputed-reductions=src:3:s32:1x4"]


def plugin(name):
    return next(path for path in BUILD.rglob(f"libassay_{name}.so"))


def keys_of_page():
    """{heading of the key's table: {driver: keys}}; "all" and "every" are drivers too."""
    keys, column = {}, None
    for line in (ROOT / "docs/plugins.md").read_text().split("## The text of the problem")[1].splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if line.startswith("| key | "):
            column = cells[1]
        elif line.startswith("| `") and column == "drivers":
            for driver in cells[1].split():
                keys.setdefault(driver, set()).update(re.findall(r"`(\w+)`", cells[0]))
        elif line.startswith("| `") and column == "in":
            keys.setdefault("entries", set()).update(re.findall(r"`(\w+)`", cells[0]))
    return keys


def problems(tmp_path, *words):
    """The problems' texts that a plugin gets."""
    said = tmp_path / "said"
    said.unlink(missing_ok=True)
    (tmp_path / "program.mlir").write_text("func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> { %y = stablehlo.abs %x : tensor<4xf32>\n return %y : tensor<4xf32> }")
    subprocess.run([os.path.join(os.environ["ASSAY_BIN"], "assay"), "verify", f"--engine=plugin:{plugin('test_says_problem')}", *words], cwd=tmp_path,
                   env=os.environ | {"ASSAY_TEST_PROBLEMS": str(said)}, capture_output=True, timeout=120)
    return [json.loads(line) for line in said.read_text().splitlines()] if said.exists() else []


def examples(driver):
    said = subprocess.run([os.path.join(os.environ["ASSAY_BIN"], "assay"), "verify", f"--{driver}", "--help"], capture_output=True, text=True).stdout
    return [[word for word in shlex.split(line) if not word.startswith("--engine")] for line in re.findall(r"^  assay verify (.*)$", said, re.M)]


@pytest.mark.parametrize("driver", DRIVERS)
def test_the_page_has_each_key_of_a_driver(driver, tmp_path):
    page, seen = keys_of_page(), set()
    contraction = driver in ("matmul", "conv", "deconv", "ip")
    more = OF_SUMS + (OF_PRODUCTS if driver == "matmul" else []) if contraction else []
    for number, words in enumerate(examples(driver)):
        for extra in [[], REQUESTS + more, ["--skip-impl=x"], ["--attr-rounding-mode=dst:stochastic"]][: 1 if number else 4 if contraction else 3]:
            for problem in problems(tmp_path, *[word for word in extra if not word.startswith("--attr-") and "runtime" not in word], words[0],
                                    *[word for word in extra if word.startswith("--attr-") or "runtime" in word], *words[1:]):
                seen |= set(problem)
    if driver == "matmul":
        for extra in OF_PRODUCTS:
            for problem in problems(tmp_path, "--matmul", extra, "64x512:512x48"):
                seen |= set(problem)
    assert seen
    told = page[driver] | (set() if driver == "op" else page["all"])
    requests = page["every"]
    assert seen - told <= requests, f"docs/plugins.md lacks {sorted(seen - told - requests)}"
    assert told <= seen, f"docs/plugins.md has {sorted(told - seen)}, which {driver} does not write"


def test_the_page_has_each_request(tmp_path):
    seen, plain = set(), set(problems(tmp_path, "--matmul", "64x512:512x48")[0])
    for words in [[one] for one in REQUESTS + OF_SUMS + OF_PRODUCTS + ["--skip-impl=x"]]:
        seen |= set(problems(tmp_path, "--matmul", *words, "64x512:512x48")[0]) - plain
    seen |= set(problems(tmp_path, "--eltwise", "--tag=aB16b", "4x20")[0]) - set(problems(tmp_path, "--eltwise", "4x20")[0])
    assert seen == keys_of_page()["every"]


def test_the_page_has_each_key_of_an_entry(tmp_path):
    seen = set()
    for words in (["--attr-post-ops=relu:0.5+sum:2:1+add:f32:per_oc+prelu:per_oc"], ["--dt=s8:s8:f32", "--attr-scales=src:common:2+wei:per_oc"],
                  ["--dt=s8:s8:f32", "--attr-zero-points=src:common:1"], ["--dt=bf16:s4:bf16", "--attr-scales=wei:3:f32:64x1"]):
        for problem in problems(tmp_path, "--matmul", *words, "64x512:512x48"):
            for entry in problem["post_ops"] + problem["scales"] + problem["zero_points"]:
                seen |= set(entry)
    assert seen == keys_of_page()["entries"]


def test_the_template_passes_and_declines(assay):
    engine = f"--engine=plugin:{plugin('template')}"
    ran = assay("verify", engine, "--matmul", "--wtag=ab,ba", "64x512:512x48", "1x1:1x1")
    assert ran.returncode == 0 and "passed:4 " in ran.stdout, ran.stdout
    for words in (["--matmul", "--bia-dt=f32"], ["--matmul", "--attr-post-ops=relu"], ["--matmul", "--dt=bf16"], ["--matmul", "--attr-post-ops=sum"],
                  ["--matmul", "--attr-scales=src:common:2"]):
        ran = assay("verify", engine, *words, "64x512:512x48")
        assert ran.returncode == 3 and "0:SKIPPED (" in ran.stdout, ran.stdout
    ran = assay("verify", engine, "--conv", "ic4ih4oc4kh3")
    assert ran.returncode == 3 and "0:SKIPPED (only matmul" in ran.stdout


def test_the_template_is_short():
    assert len((ROOT / "examples/plugin_template/template.c").read_text().splitlines()) <= 70


def drivers_with_two_types():
    helped = {driver: subprocess.run([os.path.join(os.environ["ASSAY_BIN"], "assay"), "verify", f"--{driver}", "--help"], capture_output=True, text=True).stdout
              for driver in DRIVERS}
    return [driver for driver, text in helped.items() if "--sdt" in text and "--ddt" in text]


def test_dt_names_the_types_of_sources_and_result(tmp_path):
    drivers = drivers_with_two_types()
    assert {"reduction", "resampling", "reorder", "binary"} <= set(drivers)
    for driver in drivers:
        for words in examples(driver):
            plain = [word for word in words if not re.match(r"--[sd]?dt=|--attr|--batch", word)]
            types = "bf16:bf16" if driver in ("binary", "prelu") else "bf16"
            for text in problems(tmp_path, f"--{driver}", f"--sdt={types}", "--ddt=bf16", *[word for word in plain if word != f"--{driver}"]):
                said = text["dt"] if isinstance(text["dt"], list) else [text["dt"]]
                assert said and set(said) == {"bf16"}, (driver, words, said)
