"""Programs as users export them from JAX, in every form that jaxlib writes: the programs of utils/whole_programs, without those of PyTorch."""
import os
import pathlib
import subprocess
import sys

import pytest

pytest.importorskip("jax", reason="JAX writes the programs")
SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "utils/whole_programs"


def test_assay_opt_reads_custom_calls_of_jaxlib(tmp_path):
    import jax
    import jax.numpy as jnp

    lowered = jax.jit(jnp.linalg.cholesky).lower(jnp.eye(3))
    with open(tmp_path / "p.mlirbc", "wb") as out:
        lowered.compiler_ir().operation.write_bytecode(out)
    opt = pathlib.Path(os.environ.get("ASSAY_BIN", SCRIPT.parents[1] / "build/release/bin")) / "assay-opt"
    read = subprocess.run([opt, tmp_path / "p.mlirbc"], capture_output=True, text=True)
    assert read.returncode == 0 and "potrf_ffi" in read.stdout, read.stderr


def test_every_form_of_every_program_agrees():
    ran = subprocess.run([sys.executable, SCRIPT], capture_output=True, text=True, timeout=600)
    rows = [line.split() for line in ran.stdout.splitlines() if " forms " in line]
    assert ran.returncode == 0, ran.stdout + ran.stderr
    forms = {row[0]: int(row[1]) for row in rows if row[3] == "agrees"}
    assert forms.items() >= {"jax_beam_search": 5, "jax_experts": 5, "jax_int4": 5, "jax_fp8": 5, "jax_complex": 5, "jax_dynamic_batch": 5,
                             "jax_kalman_f64": 3, "jax_shard_map": 3}.items()
