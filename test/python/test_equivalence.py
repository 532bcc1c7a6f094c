"""`assay.equiv`: functions of JAX and PyTorch that are equal, and some that are not; XLA's own passes."""

import os
import shutil
import subprocess
import sys

import pytest

import assay


def test_functions_of_jax_that_are_the_same():
    jax = pytest.importorskip("jax")

    def softmax(x):
        e = jax.numpy.exp(x - x.max(-1, keepdims=True))
        return e / e.sum(-1, keepdims=True)

    def plain(x):
        e = jax.numpy.exp(x)
        return e / e.sum(-1, keepdims=True)

    assert assay.equiv(softmax, plain, assay.f32[4, 8]).ok
    assert assay.equiv(softmax, jax.nn.softmax, assay.f32[4, 8]).ok


def test_functions_of_jax_that_differ():
    pytest.importorskip("jax")
    answer = assay.equiv(lambda x, y: x - y, lambda x, y: y - x, assay.f32[4, 8], assay.f32[4, 8])
    assert not answer and answer.verdict == "differs"
    assert "subtract" in str(answer)
    with pytest.raises(AssertionError):
        answer.raise_for_status()


def test_a_module_of_pytorch_and_its_formula():
    torch = pytest.importorskip("torch")
    layer = torch.nn.Linear(8, 3)

    def formula(x: torch.Tensor):
        return (x[:, None, :] * layer.weight).sum(-1) + layer.bias

    def without_bias(x: torch.Tensor):
        return x @ layer.weight.T

    assert assay.equiv(layer, formula, assay.f32[4, 8]).ok
    assert not assay.equiv(layer, without_bias, assay.f32[4, 8]).ok


def test_pytorch_against_jax():
    torch, jax = pytest.importorskip("torch"), pytest.importorskip("jax")

    def silu(x: torch.Tensor):
        return torch.nn.functional.silu(x)

    assert assay.equiv(silu, jax.nn.silu, assay.f32[4, 8]).ok


def test_programs_with_other_inputs_are_refused():
    text = "func.func @main(%x: tensor<4xf32>) -> tensor<SIZExf32> { %y = stablehlo.slice %x [0:SIZE] : (tensor<4xf32>) -> tensor<SIZExf32> return %y : tensor<SIZExf32> }"
    with pytest.raises(ValueError, match="result 0 is tensor<3xf32> in the first program"):
        assay.equiv(text.replace("SIZE", "3"), text.replace("SIZE", "2"), assay.f32[4])


_PROGRAM = """
import jax, jax.numpy as jnp
def loss(w1, w2, g, x):
    h = jnp.tanh(x @ w1)
    m = h.mean(-1, keepdims=True)
    h = (h - m) * jax.lax.rsqrt(((h - m) ** 2).mean(-1, keepdims=True) + 1e-5) * g
    return -(jnp.log(jax.nn.softmax(h @ w2) + 1e-6) * jnp.eye(8, 5)).sum()
jax.jit(jax.grad(loss, argnums=(0, 1, 2)))(jnp.ones((6, 7)), jnp.ones((7, 5)), jnp.ones(7), jnp.ones((8, 6)))
"""


_CONSTANT = """
import jax, jax.numpy as jnp, numpy as np
held = np.random.RandomState(0).rand(64, 64).astype(np.float32)
jax.jit(lambda x: jnp.tanh(x @ held))(jnp.ones((3, 64)))
"""


def passes_of(program_text, folder, flags=""):
    """The answer of `assay passes` for XLA's dump of the program's main module, and its exit code."""
    environment = {**os.environ, "XLA_FLAGS": f"--xla_dump_to={folder}/dump --xla_dump_hlo_pass_re=.* {flags}", "JAX_PLATFORMS": "cpu"}
    subprocess.run([sys.executable, "-c", program_text], env=environment, check=True)
    for path in (folder / "dump").iterdir():
        if path.is_dir():
            shutil.rmtree(path)
        elif "jit_loss" not in path.name and "jit__lambda" not in path.name:
            path.unlink()
    from assay import program

    environment = {**os.environ, "ASSAY_PYTHON": sys.executable}
    run = subprocess.run([program.find(), "passes", folder / "dump", "--jobs", "2"], env=environment, capture_output=True, text=True)
    return run.stdout + run.stderr, run.returncode


def test_constants_that_a_dump_leaves_out_are_no_difference(tmp_path):
    pytest.importorskip("jax")
    said, code = passes_of(_CONSTANT, tmp_path / "short")
    assert code != 0 and " 0 equal" in said and " 0 differ, 0 not decided" in said, said
    assert "XLA_FLAGS=--xla_dump_large_constants=true" in said, said
    said, code = passes_of(_CONSTANT, tmp_path / "whole", "--xla_dump_large_constants=true")
    assert code == 0 and " 0 differ, 0 not decided, 0 unread" in said, said


def test_every_pass_of_xla_keeps_a_gradient(tmp_path):
    pytest.importorskip("jax")
    said, code = passes_of(_PROGRAM, tmp_path)
    assert code == 0 and " 0 differ, 0 not decided, 0 unread" in said, said
