"""`assay verify --DRIVER --help` for every driver: its grammar is the page's, its knobs have defaults, its examples run."""
import os
import pathlib
import re
import shlex
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
ASSAY = os.path.join(os.environ["ASSAY_BIN"], "assay")
DRIVERS = re.findall(r'^ASSAY_DRIVER\(\w+, "(\w+)"', (ROOT / "src/assay/verify/Drivers.def").read_text(), re.M)


def said(*words):
    run = subprocess.run([ASSAY, "verify", *words], capture_output=True, text=True, timeout=60)
    assert run.returncode == 0, run.stderr
    return run.stdout


def test_the_help_of_the_command_lists_every_driver():
    text = said("--help")
    assert len(DRIVERS) >= 21
    for name in DRIVERS:
        assert re.search(rf"^  --{name} +\w", text, re.M), name


@pytest.mark.parametrize("driver", DRIVERS)
def test_the_grammar_is_the_one_of_the_page(driver):
    text = said(f"--{driver}", "--help")
    assert text == said(driver, "--help") == said("--help", f"--{driver}", "--mode=L")
    grammar = re.search(r'^PROBLEM is "(.*)":$', text, re.M)[1]
    assert f'"{grammar}"' in (ROOT / f"docs/drivers/{driver}.md").read_text()


@pytest.mark.parametrize("driver", DRIVERS)
def test_every_knob_has_its_default_and_is_one(driver, assay, tmp_path):
    text = said(f"--{driver}", "--help")
    (tmp_path / "program.mlir").write_text("func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> { return %x : tensor<4xf32> }")
    problem = shlex.split(re.findall(r"^  assay verify (.*)$", text, re.M)[0])[-1]
    knobs = re.findall(r"^  --([\w-]+)=.*$", text, re.M)
    assert knobs and len(knobs) == len(set(knobs))
    for knob in re.finditer(r"^  --([\w-]+)=\S* .*$", text, re.M):
        assert "default" in knob[0], knob[0]
    # An empty value means the default: the driver must know and accept each of these knobs.
    listed = assay("verify", "--mode=L", f"--{driver}", *(f"--{knob}=" for knob in knobs if knob != "match"), problem)
    assert ":LISTED" in listed.stdout, listed.stdout + listed.stderr


@pytest.mark.parametrize("driver", DRIVERS)
def test_a_knob_that_is_not_in_the_help_is_refused(driver, assay):
    """Each shared knob is given a value that is not the default."""
    text = said(f"--{driver}", "--help")
    problem = shlex.split(re.findall(r"^  assay verify (.*)$", text, re.M)[0])[-1]
    values = {"dt": "bf16", "dir": "BWD_W", "bia-dt": "f16", "stag": "xba", "wtag": "xba", "dtag": "xba", "attr-scales": "dst:common:2",
              "attr-zero-points": "dst:common:2", "attr-post-ops": "relu"}
    for knob, value in values.items():
        if re.search(rf"^  --{knob}=", text, re.M):
            continue
        listed = assay("verify", "--mode=I", f"--{driver}", f"--{knob}={value}", problem)
        assert re.search(r":(INVALID_ARGUMENTS|UNIMPLEMENTED|SKIPPED)|error: ", listed.stdout + listed.stderr), f"--{knob}: {listed.stdout}"


@pytest.mark.parametrize("driver", DRIVERS)
def test_the_examples_run(driver, assay, tmp_path):
    (tmp_path / "program.mlir").write_text("func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> { %y = stablehlo.abs %x : tensor<4xf32>\n return %y : tensor<4xf32> }")
    examples = re.findall(r"^  assay verify (.*)$", said(f"--{driver}", "--help"), re.M)
    assert len(examples) == 3
    for words in examples:
        ran = assay("verify", *shlex.split(words))
        # Problems that the engine does not support on this machine (bf16 without AVX-512) are SKIPPED; others run.
        assert ran.returncode in (0, 3) and (":PASSED" in ran.stdout or "f16" in words), words + "\n" + ran.stdout + ran.stderr


def test_words_that_are_no_driver():
    run = subprocess.run([ASSAY, "verify", "--rnn", "--help"], capture_output=True, text=True, timeout=60)
    assert run.returncode == 2 and "a driver of benchdnn that Assay does not have" in run.stderr
