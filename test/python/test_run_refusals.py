"""What `assay run` and its relatives refuse or warn of, by the kind: types, sizes, members of files, promises of a program."""
import os
import pathlib
import subprocess

import numpy as np
import pytest

BIN = pathlib.Path(os.environ.get("ASSAY_BIN", pathlib.Path(__file__).resolve().parents[2] / "build/release/bin"))


def assay(*words):
    ran = subprocess.run([BIN / "assay", *map(str, words)], capture_output=True, text=True)
    return ran.returncode, ran.stdout + ran.stderr


def program(folder, text, name="p.mlir"):
    path = folder / name
    path.write_text(text)
    return path


UNSPECIFIED = ["f128", "f80", "tf32", "complex<f16>", "complex<bf16>", "complex<f8E5M2>", "complex<f128>", "i3", "i128", "si8", "ui1",
               "!quant.uniform<i8:f128, 0.5>"]


@pytest.mark.parametrize("element", UNSPECIFIED)
def test_types_outside_the_specification_are_refused_before_anything_runs(tmp_path, element):
    path = program(tmp_path, f"func.func @main(%a: tensor<2x{element}>) -> tensor<2x{element}> {{\n  return %a : tensor<2x{element}>\n}}\n")
    for words in (["run", path, "--input", "iota"], ["run", path, "--input", "random", "--engine", "native"], ["verify", "--op", path],
                  ["audit", path, "--rule", "exact"], ["reduce", path, "-o", tmp_path / "o.mlir"], ["triage", path]):
        code, said = assay(*words)
        assert code in (1, 2), (words, said)
        assert "no element type" in said, (words, said)
