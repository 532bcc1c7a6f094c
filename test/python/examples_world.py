"""The files that the examples of the help and of the docs name: small, and made by the tools that usually make such files."""
import json
import os
import pathlib
import re
import shutil
import struct
import subprocess

import numpy as np
import preloaded
import test_dumps
import test_import
import test_merge
import test_saved_folder
import torch
from torch import nn

from assay.torch import PrecisionDebugger, begin_dump, end_dump

SOURCE = pathlib.Path(__file__).resolve().parents[2]
BIN = pathlib.Path(os.environ["ASSAY_BIN"])
FILE = "globalrank-0_localrank-0.h5"

SOFTMAX = """
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %m = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<4x16xf32>, tensor<f32>) -> tensor<4xf32>
  %mb = stablehlo.broadcast_in_dim %m, dims = [0] : (tensor<4xf32>) -> tensor<4x16xf32>
  %d = stablehlo.subtract %x, %mb : tensor<4x16xf32>
  %e = stablehlo.exponential %d : tensor<4x16xf32>
  %s = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<4x16xf32>, tensor<f32>) -> tensor<4xf32>
  %sb = stablehlo.broadcast_in_dim %s, dims = [0] : (tensor<4xf32>) -> tensor<4x16xf32>
  %r = stablehlo.divide %e, %sb : tensor<4x16xf32>
  return %r : tensor<4x16xf32>
}
"""
ADD = """
func.func public @main(%a: tensor<2xi32>, %b: tensor<2xi32>) -> tensor<2xi32> {
  %r = stablehlo.add %a, %b : tensor<2xi32>
  return %r : tensor<2xi32>
}
"""
TEST = """
func.func private @{name}_bf16() {{
  %a = stablehlo.constant dense<[1.5, 2.5]> : tensor<2xbf16>
  %r = stablehlo.{name} %a, %a : tensor<2xbf16>
  check.expect_eq_const %r, dense<{expected}> : tensor<2xbf16>
  return
}}
"""
MODEL = """
func.func @main(%x: tensor<4x16xf32>) -> tensor<4x16xf32> {
  %w = stablehlo.iota dim = 1 : tensor<16x16xf32>
  %p = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4x16xf32>, tensor<16x16xf32>) -> tensor<4x16xf32>
  %r = stablehlo.tanh %p : tensor<4x16xf32> loc("layer3/tanh")
  return %r : tensor<4x16xf32>
}
"""
SHARDED = """
func.func @work(%x: tensor<4x16xf32>) -> tensor<4x16xf32> {
  %sum = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
    ^bb0(%l: tensor<f32>, %r: tensor<f32>):
      %s = stablehlo.add %l, %r : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<4x16xf32>) -> tensor<4x16xf32>
  return %sum : tensor<4x16xf32>
}
func.func @main(%x: tensor<4x16xf32>) -> (tensor<4x16xf32>, tensor<4x16xf32>) {
  %0:2 = "interpreter.run_parallel"(%x, %x) {programs = [[@work], [@work]]} : (tensor<4x16xf32>, tensor<4x16xf32>) -> (tensor<4x16xf32>, tensor<4x16xf32>)
  return %0#0, %0#1 : tensor<4x16xf32>, tensor<4x16xf32>
}
"""


def run(folder, *words):
    ran = subprocess.run([BIN / "assay", *map(str, words)], cwd=folder, capture_output=True, text=True)
    assert ran.returncode == 0, f"{words}\n{ran.stdout}{ran.stderr}"


def programs(folder):
    head = "func.func public @{}(%x: tensor<4x16xf32>) -> tensor<4x16xf32> {{"
    texts = {"softmax": head.format("main") + SOFTMAX, "program": head.format("main") + SOFTMAX, "ops": head.format("softmax") + SOFTMAX,
             "add": ADD + TEST.format(name="add", expected="[3.0, 5.0]"), "dot": TEST.format(name="multiply", expected="[2.25, 6.25]"),
             "model": MODEL, "sharded": SHARDED, "test": TEST.format(name="subtract", expected="0.0").replace("private @subtract_bf16", "public @main")}
    for name, text in texts.items():
        (folder / f"{name}.mlir").write_text(text)
    for name, source in (("mlp", "mlp_inference"), ("attention", "transformer_block"), ("transformer_block", "transformer_block")):
        for end in (".mlir", ".npz"):
            shutil.copy(SOURCE / "test" / "programs" / (source + end), folder / (name + end))
    x = np.random.default_rng(0).standard_normal((4, 16)).astype("f")
    rest = {"in0": x, "out0": np.tanh(x @ np.tile(np.arange(16, dtype="f"), (16, 1)))}
    np.savez(folder / "in.npz", **rest)
    np.savez(folder / "model.npz", **rest)
    np.savez(folder / "kernel_out.npz", out0=torch.softmax(torch.from_numpy(x), 1).numpy())
    with open(folder / "model.mlirbc", "wb") as out:
        subprocess.run([BIN / "assay-opt", "--emit-bytecode", folder / "model.mlir"], stdout=out, check=True)
    (folder / "test" / "reference").mkdir(parents=True)
    for name in ("abs", "add"):
        shutil.copy(SOURCE / "test" / "reference" / f"{name}.mlir", folder / "test" / "reference")
    (folder / "inputs").symlink_to(SOURCE / "inputs")
    for name in ("models", "data"):
        (folder / name).mkdir(exist_ok=True)
    (folder / "models" / "gemm_f32_rcr").symlink_to(SOURCE / "models" / "gemm_f32_rcr")


class Bent(nn.Module):
    """A layer followed by a tanh."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.linspace(-1, 1, 16 * 8).reshape(16, 8))

    def forward(self, x):
        return torch.tanh(x @ self.weight)


def exported_model(folder):
    """The file that torch.export saves for a module, with its results for in.npz."""
    x = torch.from_numpy(np.load(folder / "in.npz")["in0"])
    model = Bent().eval()
    torch.export.save(torch.export.export(model, (x,)), folder / "model.pt2")
    np.savez(folder / "out.npz", out0=model(x).detach().numpy())


def saved_model(folder):
    """The folder that torch_xla saves for a module with one weight."""
    for part in ("functions", "data", "constants"):
        (folder / part).mkdir(parents=True)
    with open(folder / "data" / "w", "wb") as file:
        np.save(file, np.ones((2, 2), "f"))
    sign, at = test_saved_folder.signature, test_saved_folder.location
    meta = {"name": "forward", "stablehlo_version": "0.0.0", "input_signature": [sign(2, 2), sign(2, 2)], "output_signature": [sign(2, 2)],
            "input_locations": [at("parameter", name="w"), at("input_arg", 0)], "unused_inputs": [], "input_pytree_spec": None, "output_pytree_spec": None}
    (folder / "functions" / "forward.meta").write_text(json.dumps(meta))
    (folder / "functions" / "forward.mlir").write_text(ADD.replace("2xi32", "2x2xf32"))
    np.save(folder.parent / "image.npy", np.eye(2, dtype="f"))


def kernels(folder):
    for name, library in (("libmykernels", "libassay_example"), ("libassay_example", "libassay_example"), ("mine", "libassay_example"), ("fast", "libassay_onednn"),
                          ("libmine", "libassay_test_custom_calls"), ("libtemplate", "libassay_template")):
        shutil.copy(BIN.parent / "lib" / f"{library}.so", folder / f"{name}.so")
    (folder / "kernels.py").write_text("def matmul(a, b):\n    return a @ b\n")
    np.save(folder / "acts.npy", np.random.default_rng(1).standard_normal((128, 768)).astype("f"))
    weight = np.random.default_rng(2).standard_normal((768, 3072)).astype("f")
    header = json.dumps({"layer0.weight": {"dtype": "F32", "shape": [768, 3072], "data_offsets": [0, weight.nbytes]}}).encode()
    (folder / "model.safetensors").write_bytes(struct.pack("<Q", len(header)) + header + weight.tobytes())


def recordings(folder):
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(4, 8), nn.GELU(), nn.Linear(8, 2))
    with PrecisionDebugger(dump_path=str(folder), model=model):
        model(torch.randn(3, 4))
    for name in ("xpu", "gpu", "cpu_f32"):
        shutil.copy(folder / FILE, folder / f"{name}.h5")
    for side in ("target", "bench"):
        (folder / side).mkdir()
        shutil.copy(folder / FILE, folder / side)
    for name in ("run", "target", "bench"):
        run(folder, "run", "model.mlir", "--input", "in.npz", "--record", f"{name}.h5", "--quiet")
    for kind in ("dtensor", "whole-tensor"):
        preloaded.ranks(1 if kind.startswith("whole") else 2, test_merge.WORKER, kind, folder, 0)
    shutil.copy(folder / "bench" / FILE, folder / "one_process.h5")
    shutil.copy(folder / FILE, folder / "bench")
    for name in ("run", "xpu_dumps", "gpu_dumps", "ranks", "tp2_run"):
        shutil.copytree(folder / "clean", folder / name)
    tensors = [{**rule, "tp": "replicate"} if rule["tp"] == "sum" else rule for rule in test_merge.TENSOR["tensors"]]  # DTensor has summed them
    (folder / "megatron.json").write_text(json.dumps({**test_merge.TENSOR, "tensors": tensors}))


def traces(folder):
    here = os.getcwd()
    os.chdir(folder)
    try:
        begin_dump(X_DEBUG=0x102, X_DUMP_NUM=9)
        torch.softmax(torch.addmm(torch.ones(8), torch.ones(6, 8), torch.eye(8)), dim=-1)
        end_dump(clear_context=True)
    finally:
        os.chdir(here)
    (process,) = (folder / "xray_debug").iterdir()
    for name in ("xpu", "gpu"):
        shutil.copytree(process, folder / name)
    shutil.copytree(process, folder, dirs_exist_ok=True)
    run(folder, "extract", "dump.json", "--format", "mlir")
    for name in ("xpu", "gpu"):
        (folder / f"{name}.csv").write_text(f"{test_dumps.HEADER}\na,aten.add,float32,[2],0,1,pass,0" + ",0" * 10 + "\n")


def of_others(folder):
    np.save(folder / "logits.npy", np.ones((2, 3), np.float32))
    torch.save({"x": torch.ones(2)}, folder / "activations.pt")
    np.savez(folder / "outputs.npz", x=np.ones(2, "f"))
    shutil.copy(test_import.INPUTS / "polygraphy_results.json", folder / "results.json")
    shutil.copytree(test_import.INPUTS / "onnx", folder / "model" / "test_data_set_0")
    for rank in (0, 1):
        test_import.write_rank(folder / "msprobe_dump" / "step0" / f"rank{rank}", test_import.save_npy)


def convertible():
    """name -> text of the files that docs/tune_data.md shows for `assay tune convert`."""
    section = (SOURCE / "docs" / "tune_data.md").read_text().partition("## What convert reads")[2].partition("\n## ")[0]
    return dict(re.findall(r"`(\w+\.(?:json|log|csv))`.*?```\w+\n(.*?)```", section, re.S))


def tuning(folder):
    for name, text in convertible().items():
        (folder / name).write_text(text)
    for name in ("shapes", "unseen", "s"):
        (folder / f"{name}.csv").write_text("m,n,k\n32,64,48\n8,96,128\n")
    (folder / "layers.txt").write_text("mb1ic16ih8oc16kh3ph1\nMIOpenDriver conv -n 1 -c 8 -H 9 -W 9 -k 16 -y 1 -x 1 -F 1\n")
    (folder / "m").symlink_to(SOURCE / "models" / "gemm_f32_rcr")
    for name in ("mine", "v1", "v2"):
        (folder / "models" / name).symlink_to(SOURCE / "models" / "gemm_f32_rcr")
    run(folder, "verify", "--matmul", "8x8:8x8", "--json=v.json", "--quiet")
    run(folder, "compare", "xpu.h5", "gpu.h5", "result.csv", "--quiet")
    run(folder, "tune", "validate", "--model_dir", "m", "--shapes", "s.csv", "--json", "t.json", "--quiet")
    (folder / "list").write_text("--matmul 8x16:16x4\n")


# A program, the same with other operations, one with a fault, and one that rounds to bf16.
EQUAL = """func.func @main(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %a = stablehlo.add %x, %y : tensor<4x8xf32>
  %b = stablehlo.multiply %a, %x : tensor<4x8xf32>
  %c = stablehlo.subtract %b, %y : tensor<4x8xf32>
  return %c : tensor<4x8xf32>
}
"""
SAME = EQUAL.replace("%a, %x", "%x, %a")
SWAPPED = EQUAL.replace("%b, %y", "%y, %b")
ROUNDED = EQUAL.replace("%b = stablehlo.multiply %a, %x", "%h = stablehlo.convert %a : (tensor<4x8xf32>) -> tensor<4x8xbf16>\n  "
                        "%w = stablehlo.convert %h : (tensor<4x8xbf16>) -> tensor<4x8xf32>\n  %b = stablehlo.multiply %w, %x")


def equivalence(folder):
    for name, text in {"before": EQUAL, "after": SAME, "a": EQUAL, "b": SAME, "loop": EQUAL, "loop2": SAME, "v1": EQUAL, "v2": SAME, "v3": SAME,
                       "right": EQUAL, "wrong": SWAPPED, "f32": EQUAL, "bf16": ROUNDED}.items():
        (folder / f"{name}.mlir").write_text(text)
    np.savez(folder / "loop.npz", in0=np.ones((4, 8), "f"), in1=np.ones((4, 8), "f"))
    for name in ("dump", "tree"):
        (folder / name).mkdir(exist_ok=True)
        (folder / name / "module_0001.f.before_optimizations.mlir").write_text(EQUAL)
        (folder / name / "module_0001.f.0000.simplification.after_algsimp.mlir").write_text(SAME)


def make(folder):
    """Makes all files in `folder`."""
    programs(folder)
    exported_model(folder)
    saved_model(folder / "saved")
    kernels(folder)
    recordings(folder)
    traces(folder)
    of_others(folder)
    tuning(folder)
    equivalence(folder)
