"""Shared by the Python tests: the program, and a separate working directory for each test."""
import os
import pathlib
import subprocess
import sys

import pytest

# Here XLA is only compared with, not timed: its optimisations would take half the time of these tests.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")  # tests run in parallel: waiting threads leave their cores to them
os.environ.setdefault("XLA_FLAGS", "--xla_backend_optimization_level=0 --xla_cpu_use_fusion_emitters=false")

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / "examples" / "vit"))


@pytest.fixture
def assay(tmp_path):
    """assay("compare", ...) -> CompletedProcess with text; runs in the test's folder."""
    program = os.path.join(os.environ["ASSAY_BIN"], "assay")

    def run(*words):
        return subprocess.run([program, *map(str, words)], capture_output=True, text=True, cwd=tmp_path, timeout=600)

    return run
