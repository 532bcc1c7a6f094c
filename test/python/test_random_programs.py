"""Random programs through JAX: XLA, the reference and the native engine stay within the derived bound; a planted fault is found
and its program reduced."""

import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest

pytest.importorskip("jax")
ROOT = pathlib.Path(__file__).parents[2]
SCRIPT = ROOT / "utils" / "random_programs"
sys.path.insert(0, str(SCRIPT))


def test_two_hundred_programs():
    ran = subprocess.run([sys.executable, SCRIPT, "--count", "200", "--seed", "1"], capture_output=True, text=True, timeout=600)
    assert ran.returncode == 0 and "200 programs, " in ran.stdout, ran.stdout + ran.stderr
    assert int(ran.stdout.split("200 programs, ")[1].split()[0]) > 1500  # operations


@pytest.fixture
def x64():
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    import jax

    was = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", True)
    yield
    jax.config.update("jax_enable_x64", was)


def test_a_wrong_engine_is_named_and_the_program_made_small(x64, monkeypatch):
    import judging
    from operations import Use
    from program import Program

    rng = np.random.default_rng(1)
    inputs = tuple(rng.normal(size=(4, 4)).astype(np.float32) for _ in range(2))
    program = Program(inputs, (Use("add", (0, 1)), Use("tanh", (2,)), Use("dot", (3, 0)), Use("exp", (4,)), Use("transpose", (5,), ((1, 0),)), Use("relu", (1,))))
    honest = judging.runs

    def runs(made, text, program, inputs, engines):
        for who, results in honest(made, text, program, inputs, engines):
            wrong = who == "reference" and "stablehlo.dot" in text
            yield who, [a * np.float32(1.01) for a in results] if wrong else results

    assert judging.faults(program, ["reference"]) == []
    monkeypatch.setattr(judging, "runs", runs)
    found = judging.faults(program, ["reference"])
    assert {who for who, _, _ in found} == {"reference"}
    small = judging.smallest(program, ["reference"], "reference")
    assert [use.name for use in small.uses] == ["dot"]


def test_the_same_number_is_the_same_program(x64):
    from program import draw

    one, other = (draw(np.random.default_rng([3, 7]), 10) for _ in range(2))
    assert str(one) == str(other) and one.uses
    assert all(np.array_equal(a, b) for a, b in zip(one.inputs, other.inputs))
