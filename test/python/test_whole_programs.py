"""Programs as users export them from JAX, in every form that jaxlib writes: what utils/whole_programs runs, without those of PyTorch."""
import pathlib
import subprocess
import sys

import pytest

pytest.importorskip("jax", reason="JAX writes the programs")
SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "utils/whole_programs"


def test_every_form_of_every_program_agrees():
    ran = subprocess.run([sys.executable, SCRIPT], capture_output=True, text=True, timeout=600)
    rows = [line.split() for line in ran.stdout.splitlines() if " forms " in line]
    assert ran.returncode == 0, ran.stdout + ran.stderr
    forms = {row[0]: int(row[1]) for row in rows if row[3] == "agrees"}
    assert forms.items() >= {"jax_beam_search": 5, "jax_experts": 5, "jax_int4": 5, "jax_fp8": 5, "jax_complex": 5, "jax_dynamic_batch": 5,
                             "jax_kalman_f64": 3, "jax_shard_map": 3}.items()
