"""xray's whole procedure with its own command names, as a user types it: dump a vision transformer's modules on two
devices, summary, compare; trace its operators, jprof, pytest on each device, summary_diff_check.

The commands are made from [project.scripts] of python/pyproject.toml, as pip makes them.
"""
import csv
import os
import pathlib
import subprocess
import sys
import tomllib

import pytest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
FILE = "globalrank-0_localrank-0.h5"
MODEL = """
import sys
import torch
from assay.torch import PrecisionDebugger, begin_dump, end_dump
sys.path.insert(0, {vit!r})
import vit
from faults import other_rounding
model = vit.build(vit.SMALL)
if sys.argv[2] == "target":
    other_rounding(model)
"""
MODULES = MODEL + """
debugger = PrecisionDebugger(dump_path=sys.argv[1], hook_name="dump", rank=[0], step=[1], model=model, dump_torch_api=False)
debugger.start()
with torch.no_grad():
    model(*vit.inputs(vit.SMALL))
# xray's example never stops: the recording is completed when the process ends
"""
OPERATORS = MODEL + """
with torch.no_grad():
    begin_dump(X_DEBUG=0x102, X_DEDUP=True, X_DUMP_NUM=5)
    model(*vit.inputs(vit.SMALL))
    end_dump(clear_context=True)
"""


@pytest.fixture(scope="module")
def shell(tmp_path_factory):
    """shell("summary a.h5 b.txt", folder) -> standard output; a failure shows everything."""
    commands = tmp_path_factory.mktemp("bin")
    for name, target in tomllib.loads((SOURCE / "python" / "pyproject.toml").read_text())["project"]["scripts"].items():
        module, function = target.split(":")
        text = f"#!{sys.executable}\nimport sys\nfrom {module} import {function}\nsys.exit({function}())\n"
        (commands / name).write_text(text)
        (commands / name).chmod(0o755)
    path = os.pathsep.join([str(commands), os.environ["ASSAY_BIN"], str(pathlib.Path(sys.executable).parent), os.environ["PATH"]])

    def run(words, folder, expect=0):
        ran = subprocess.run(words, shell=True, cwd=folder, capture_output=True, text=True, env={**os.environ, "PATH": path})
        assert ran.returncode == expect, f"{words}\n{ran.stdout}\n{ran.stderr}"
        return ran.stdout

    return run


def python(shell, folder, script, *words):
    (folder / "script.py").write_text(script.format(vit=str(SOURCE / "examples" / "vit")))
    return shell(f"python script.py {' '.join(words)}", folder)


@pytest.fixture(scope="module")
def dumps(shell, tmp_path_factory):
    folder = tmp_path_factory.mktemp("modules")
    for device, side in (("xpu", "target"), ("gpu", "bench")):
        python(shell, folder, MODULES, f"dump-{device}", side)
        (folder / f"dump-{device}" / FILE).rename(folder / f"{device}.h5")
        assert (folder / f"dump-{device}" / FILE.replace(".h5", "_summary.csv")).stat().st_size > 71
    return folder


def test_summary(shell, dumps):
    shell("summary xpu.h5 sum.txt", dumps)
    lines = (dumps / "sum.txt").read_text().splitlines()
    titles = lines[0].split()
    assert titles[:8] == ["Index", "Step", "Rank", "Module", "Min", "Max", "Mean", "Std"]
    text = (dumps / "sum.txt").read_text()
    for name in ("patch_embed.proj.Conv3d.0.forward_params.weight", "pos_embed.Embedding.0.forward_output.0",
                 "blocks.0.norm1.LayerNorm.0.forward_input.0", "blocks.1.mlp.act_fn.GELU.0.forward_output.0"):
        assert name in text  # untruncated


def test_compare(shell, dumps):
    printed = shell("compare xpu.h5 gpu.h5 result.csv", dumps)
    assert "0 Fail" in printed
    with open(dumps / "result.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    columns = ["Index", "Status", "Module", "Cosine", "RMSE", "IsClose (%)", "Max Err (t)", "GtNum"]
    assert list(rows[0])[:8] == columns
    assert all(row["Status"] != "Fail" for row in rows)
    changed = [row for row in rows if float(row["Max Err (t)"]) > 0]
    assert changed and all(".forward_params." not in row["Module"] for row in changed)
    shell("compare xpu.h5 gpu.h5 result.csv --first-wrong | grep '^first wrong: none'", dumps)


@pytest.fixture(scope="module")
def results(shell, tmp_path_factory):
    """The operators of one device as tests, run on both devices (here twice the CPU). The second device only gets pytests/."""
    folder = tmp_path_factory.mktemp("operators")
    python(shell, folder, OPERATORS, "unused", "bench")
    (process,) = (folder / "xray_debug").iterdir()
    assert process.name.startswith("proc_") and (process / "dump.json").exists() and (process / "dump").is_dir()
    made = shell("jprof --cpu_init --blacklist --factory=load dump.json", process)
    assert "tests in" in made
    for device in ("xpu", "gpu"):
        command = f"python -m pytest -q -p no:cacheprovider --detail_compare_path=./{device}.csv {process.name}/pytests/ --seed 42"
        shell(command, folder / "xray_debug")
    return folder / "xray_debug"


def test_generated_tests_cover_the_model(results):
    with open(results / "xpu.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    operators = {row["op_name"] for row in rows}
    assert {"aten.convolution.default", "aten.native_layer_norm.default", "aten.addmm.default", "aten.gelu.default",
            "aten._softmax.default", "aten.embedding.default"} <= operators
    assert all(row["is_pass"] == "pass" for row in rows)


def test_summary_diff_check(shell, results):
    shell("summary_diff_check ./xpu.csv ./gpu.csv ./result.csv", results)
    with open(results / "result.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0])[:9] == ["name", "op_name", "dtype", "shape", "min-val", "max-val", "is_pass", "xpu_max", "gpu_max"]
    assert {f"{device}_1e-{n}" for device in ("xpu", "gpu") for n in range(1, 11)} <= set(rows[0])
    assert all(row["is_pass"] == "pass" for row in rows)


def test_summary_diff_check_names_a_worse_device(shell, results):
    with open(results / "xpu.csv", newline="") as file:
        reader = csv.DictReader(file)
        rows = list(reader)
    worse = next(row for row in rows if row["op_name"] == "aten.addmm.default")
    worse.update({"max": "0.25", "1e-1": "300", "1e-2": "900"})
    with open(results / "worse.csv", "w", newline="") as file:
        writer = csv.DictWriter(file, reader.fieldnames)
        writer.writeheader()
        writer.writerows(rows)
    shell("summary_diff_check ./worse.csv ./gpu.csv ./result2.csv", results, expect=1)
    with open(results / "result2.csv", newline="") as file:
        (failed,) = [row for row in csv.DictReader(file) if row["is_pass"] != "pass"]
    assert failed["name"] == worse["name"]
