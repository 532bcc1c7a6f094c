"""Assay's own passes, printers, writers and readers keep programs: utils/evidence/equiv_house.py on a few of them (docs/equivalence.md has all)."""

import os
import pathlib
import subprocess
import sys

from assay import program

ROOT = pathlib.Path(__file__).resolve().parents[2]
HOUSE = ROOT / "utils/evidence/equiv_house.py"


def house(programs, folder):
    environment = {**os.environ, "ASSAY_BIN": str(folder)}
    run = subprocess.run([sys.executable, HOUSE, *programs], env=environment, capture_output=True, text=True)
    return run.returncode, run.stdout + run.stderr


def test_programs_are_what_is_written_read_and_rewritten_of_them():
    code, said = house(["mlp_inference.mlir", "lstm_scan.mlir", "top_products.mlir"], pathlib.Path(program.find()).parent)
    assert code == 0 and "not read by assay-opt: 0" in said, said
    assert " equal" in said.splitlines()[-1] and "differs" not in said and "not decided" not in said and "unread" not in said, said


def test_a_writer_that_changes_an_operation_is_found(tmp_path):
    real = pathlib.Path(program.find()).parent
    (tmp_path / "assay").symlink_to(real / "assay")
    broken = tmp_path / "assay-opt"  # its last argument is the file that it writes
    broken.write_text(f'#!/bin/sh\n"{real}/assay-opt" "$@" || exit 1\nfor file; do :; done\nsed -i "s/stablehlo.maximum/stablehlo.minimum/" "$file"\n')
    broken.chmod(0o755)
    code, said = house(["mlp_inference.mlir"], tmp_path)
    assert code == 1 and "mlp_inference.mlir: text.mlir: differs" in said, said


def test_a_name_that_no_program_has_is_no_pass():
    code, said = house(["nothing.mlir"], pathlib.Path(program.find()).parent)
    assert code == 2 and "no pair was asked" in said, said
