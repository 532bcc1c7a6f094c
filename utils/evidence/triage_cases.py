#!/usr/bin/env python3
"""Plants faults for `assay triage`: in the engine under test, in the fast reference, in both, in neither; a row per case.

usage: triage_cases.py [--build DIR] [--only REGEX] [--json FILE]

A case holds when the closing line names the side where the fault was planted, and, where the case requires it, when a step
names what the outcome depends on. "unsure" in place of the right side is counted separately, because it is not a wrong answer.
"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

import numpy as np

from verify_driver_faults import ROWS

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAMS = ROOT / "test" / "programs"

KERNELS = '''
import os, time
import numpy as np

def right(src, wei):
    return np.matmul(src.astype(np.float64), wei.astype(np.float64)).astype(src.dtype)

def flaky(src, wei):
    out = right(src, wei)
    if time.time_ns() // 1000 % 2:
        out[..., 0] += 1
    return out

def elsewhere(src, wei):
    out = right(src, wei)
    out.flat[time.time_ns() // 1000 % out.size] += 1
    return out

def wide_only(src, wei):
    out = right(src, wei)
    if os.environ.get("ASSAY_ISA", "avx512") != "baseline":
        out[..., 0] += 1
    return out

def raises(src, wei):
    raise ValueError("no such kernel")

def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / (e.sum(-1, keepdims=True) + 1e-3)
'''

SOFTMAX = '''func.func @main(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<4xf32>) -> tensor<4x8xf32>
  %2 = stablehlo.subtract %x, %1 : tensor<4x8xf32>
  %3 = stablehlo.exponential %2 : tensor<4x8xf32>
  %4 = stablehlo.reduce(%3 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
  %5 = stablehlo.broadcast_in_dim %4, dims = [0] : (tensor<4xf32>) -> tensor<4x8xf32>
  %6 = stablehlo.divide %3, %5 : tensor<4x8xf32>
  return %6 : tensor<4x8xf32>
}
'''

# (the side at fault, fault, words with {e} for the example engine, {d} for that of the other drivers, {k} for the Python kernels; a pattern for
# the report)
LARGE = "64x512:512x48"
CASES = [
    *(("engine", fault, f"--matmul --engine={{e}} {LARGE}", "") for fault in (
        "drop_k", "double_k", "edge_m", "edge_n", "stale", "acc_bf16", "previous_row", "unwritten", "segv", "write_after")),
    *(("engine", fault, f"--matmul --dt=bf16 --engine={{e}} {LARGE}", "") for fault in ("drop_k", "truncate", "every_16th")),
    *(("engine", fault, "--conv --dir=FWD_D --engine={e} ic8ih9oc8oh9kh3ph1", "") for fault in ("drop_k", "padding", "unwritten")),
    *(("engine", fault, f"--matmul --dt=s8:s8:s32 --engine={{e}} {LARGE}", "") for fault in ("drop_k", "acc_s16")),
    ("engine", "hang", "--matmul --timeout=1 --engine={e} 4x5:5x6", ""),
    ("engine", "bias_dropped", f"--matmul --bia-dt=f32 --bia_mask=2 --engine={{e}} {LARGE}", ""),
    ("engine", "scale_ignored", f"--matmul --attr-scales=src:common:0.5 --engine={{e}} {LARGE}", ""),
    ("engine", "relu_missing", f"--matmul --attr-post-ops=relu --engine={{e}} {LARGE}", ""),
    *(("reference", fault, f"--matmul --dt=bf16 --engine=onednn --trust={{e}} {LARGE}", "") for fault in (
        "drop_k", "edge_n", "stale", "previous_row")),
    *(("reference", fault, f"--matmul --engine=native --trust={{e}} {LARGE}", "") for fault in ("double_k", "edge_m", "tf32")),
    *(("reference", fault, "--conv --dir=FWD_D --engine=onednn --trust={e} mb1ic16ih14oc16oh14kh3ph1", "") for fault in ("padding", "drop_k")),
    *(("both", fault, f"--matmul --engine={{e}} --trust={{e}} {LARGE}", "") for fault in ("drop_k", "edge_n", "previous_row")),
    ("both", "drop_k", f"--matmul --engine={{k}}:flat --trust={{e}} {LARGE}", ""),
    ("both", "padding", "--conv --dir=FWD_D --engine={e} --trust={e} mb1ic16ih14oc16oh14kh3ph1", ""),
    ("tolerance", "", "--matmul --rule=benchdnn --fill=normal --engine=onednn 64x4096:4096x64", "too tight"),
    ("tolerance", "", "--op --rule=exact --engine=native {p}/mlp_inference.mlir", "too tight"),
    ("tolerance", "", "--op --rule=ulp:0 --engine=native {p}/transformer_block.mlir", "too tight"),
    ("tolerance", "", "--op --rule=close:1,1 --engine={k}:softmax {f}/softmax.mlir", "too loose"),
    ("tolerance", "", "{p}/transformer_block.mlir --expect {p}/transformer_block.npz --engine native --rule exact", "too tight"),
    ("engine", "", f"--matmul --engine={{k}}:flaky 8x8:8x8", "not deterministic"),
    ("engine", "", f"--matmul --engine={{k}}:elsewhere 8x8:8x8", "not deterministic"),
    ("engine", "", f"--matmul --engine={{k}}:wide_only 8x8:8x8", "depends on the instruction set"),
    ("engine", "", f"--matmul --engine={{k}}:raises 8x8:8x8", ""),
    ("engine", "", "--op --engine={k}:softmax {f}/softmax.mlir", ""),
    *(("engine", fault, f"{{p}}/{program}.mlir --expect {{p}}/{program}.npz --engine {{e}}", "first operation at fault") for program, fault in (
        ("transformer_block", "drop_k"), ("transformer_block", "acc_bf16"), ("cnn_gradients", "padding"), ("lstm_scan", "previous_row"),
        ("mlp_train_step", "segv"), ("transformer_block_bf16", "edge_k"))),
    *(("reference", "", f"{{p}}/{program}.mlir --input {{p}}/{program}.npz --expect {{f}}/{program}.npz --engine native", "") for program in (
        "mlp_inference", "transformer_block", "lstm_scan")),
    *(("both", "drop_k", f"{{p}}/{program}.mlir --input {{p}}/{program}.npz --expect {{f}}/{program}.npz --engine {{e}}", "") for program in (
        "mlp_inference", "transformer_block")),
    *(("nobody", "", words, "") for words in (
        "--matmul --engine=onednn 64x512:512x48", "--conv --engine=native ic8ih9oc8oh9kh3ph1",
        "{p}/mlp_inference.mlir --expect {p}/mlp_inference.npz --engine native")),
]


def driver_cases():
    """One fault of each driver that is not a contraction."""
    seen = set()
    for driver, words, faults in ROWS:
        if driver not in seen and "--fill" not in words:
            seen.add(driver)
            fault = next(fault for fault in faults if fault not in ("unwritten", "nan_swallowed"))
            yield "engine", fault, f"--{driver} --engine={{d}} {words}", ""


def prepare(folder):
    (folder / "kernels.py").write_text(KERNELS + "\n\ndef flat(src, wei):\n    return np.zeros_like(right(src, wei))\n")
    (folder / "softmax.mlir").write_text(SOFTMAX)
    for program in ("mlp_inference", "transformer_block", "lstm_scan"):
        data = dict(np.load(PROGRAMS / f"{program}.npz"))
        out = data["out0"].copy()
        out.flat[0] += 3 * np.sqrt(np.mean(np.square(out))) + 1
        np.savez(folder / f"{program}.npz", **{**data, "out0": out})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "release")
    parser.add_argument("--only", default="")
    parser.add_argument("--json", type=pathlib.Path)
    options = parser.parse_args()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="assay-triage-"))
    prepare(folder)
    lib = options.build / "lib"
    places = {"e": f"plugin:{lib / 'libassay_example.so'}", "d": f"plugin:{lib / 'libassay_drivers.so'}",
              "k": f"python:{folder / 'kernels.py'}", "p": PROGRAMS, "f": folder}
    rows, right, unsure = [], 0, 0
    print(f"{'planted in':10} {'fault':16} {'said':10} {'seconds':>7}  problem")
    cases = [case for case in (*CASES, *driver_cases()) if re.search(options.only, " ".join(case))]
    for side, fault, words, pattern in cases:
        start = time.time()
        ran = subprocess.run([str(options.build / "bin" / "assay"), "triage", "--budget", "10", *words.format(**places).split()],
                             env={**os.environ, "ASSAY_EXAMPLE_FAULT": fault, "ASSAY_PYTHON": sys.executable,
                                  "PYTHONPATH": f"{ROOT / 'python'}:{options.build / 'python'}"}, capture_output=True,
                             text=True, timeout=300)
        seconds = time.time() - start
        found = re.search(r"^at fault: (\w+) \((.*)\)$", ran.stdout, re.M)
        said = found[1] if found else f"exit {ran.returncode}"
        holds = said == side and re.search(pattern, ran.stdout) is not None and seconds < 60
        right += holds
        unsure += said == "unsure" != side
        rows.append({"side": side, "fault": fault, "words": words, "said": said, "why": found[2] if found else ran.stderr, "seconds": seconds})
        print(f"{side:10} {fault:16} {said:10} {seconds:7.1f}  {words}{'' if holds else '   <--- ' + rows[-1]['why'].strip()[-300:]}", flush=True)
    print(f"triage: {right} of {len(rows)} named rightly, {unsure} unsure, {len(rows) - right - unsure} wrong")
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1))
    return 0 if right == len(rows) else 1


if __name__ == "__main__":
    sys.exit(main())
