"""assay.jax.record: every equation of a function in a dump, results equal to those of jax.jit, and the first wrong equation
named when a primitive is wrong."""
import h5py
import jax
import jax.numpy as jnp
import ml_dtypes
import numpy
import pytest

from assay.jax import record


def model(params, x):
    with jax.named_scope("mlp"):
        h = jax.nn.gelu(x @ params["up"], approximate=True)
        y = h @ params["down"]
    with jax.named_scope("norm"):
        return y - y.mean(-1, keepdims=True), {"sum": jnp.sum(y)}


def arguments(dtype=jnp.float32):
    keys = jax.random.split(jax.random.PRNGKey(0), 3)
    return {"up": jax.random.normal(keys[0], (8, 16), dtype), "down": jax.random.normal(keys[1], (16, 4), dtype)}, jax.random.normal(keys[2], (3, 8), dtype)


def test_results_and_names(tmp_path, assay):
    with record(model, tmp_path / "run.h5") as recorded:
        got = recorded(*arguments())
        recorded(*arguments())
    want = jax.jit(model)(*arguments())
    for a, b in zip(jax.tree_util.tree_leaves(got), jax.tree_util.tree_leaves(want), strict=True):
        numpy.testing.assert_allclose(a, b, rtol=2e-5, atol=1e-5)
    params, x = arguments()
    with h5py.File(tmp_path / "run.h5") as file:
        assert sorted(file) == ["1", "2"]
        names = list(file["1"])
        numpy.testing.assert_array_equal(file["1"]["mlp.dot_general.0.forward_output.0"][()], x @ params["up"])
        numpy.testing.assert_array_equal(file["1"]["mlp.dot_general.0.forward_input.1"][()], params["up"])
        numpy.testing.assert_array_equal(file["2"]["norm.sub.0.forward_output.0"][()], got[0])
    assert any(".tanh.0." in name for name in names), names
    summary = assay("summary", "run.h5")
    assert summary.returncode == 0 and "mlp.dot_general.1.forward_output.0" in summary.stdout


@pytest.mark.parametrize("dtype", [jnp.bfloat16, jnp.float16])
def test_other_types(tmp_path, dtype):
    with record(model, tmp_path / "run.h5") as recorded:
        recorded(*arguments(dtype))
    with h5py.File(tmp_path / "run.h5") as file:
        data = file["1"]["mlp.dot_general.0.forward_output.0"]
        assert data.attrs["dtype"] == jnp.dtype(dtype).name
        values = data[()].view(ml_dtypes.bfloat16) if dtype == jnp.bfloat16 else data[()]
        params, x = arguments(dtype)
        numpy.testing.assert_array_equal(values, numpy.asarray(x @ params["up"]))


def test_loops_gradients_and_keys(tmp_path):
    def loss(w, key):
        noise = jax.random.normal(key, (4,))
        final, _ = jax.lax.scan(lambda c, _: (jnp.tanh(w @ c), None), noise, None, length=3)
        return jax.checkpoint(lambda v: jnp.sum(v**2))(final)

    w, key = jnp.eye(4) * 0.7, jax.random.key(1)
    with record(jax.value_and_grad(loss), tmp_path / "run.h5") as recorded:
        value, gradient = recorded(w, key)
    want = jax.value_and_grad(loss)(w, key)
    numpy.testing.assert_allclose(value, want[0], rtol=1e-5)
    numpy.testing.assert_allclose(gradient, want[1], rtol=1e-5, atol=1e-6)
    with h5py.File(tmp_path / "run.h5") as file:
        assert any(".scan." in "." + name for name in file["1"])


def test_the_first_wrong_equation_is_named(tmp_path, assay):
    for name in ("bench", "target"):
        with record(model, tmp_path / f"{name}.h5") as recorded:
            recorded(*arguments())
    same = assay("compare", "target.h5", "bench.h5", "--first-wrong", "--quiet")
    assert same.returncode == 0 and "first wrong: none" in same.stdout, same.stdout + same.stderr
    with h5py.File(tmp_path / "target.h5", "r+") as file:
        for name in [n for n in file["1"] if ".tanh.0.forward_output." in n]:
            file["1"][name][...] = file["1"][name][()] * numpy.float32(1.01)
    ran = assay("compare", "target.h5", "bench.h5", "--first-wrong", "--quiet")
    assert ran.returncode == 1 and "first wrong: mlp.tanh" in ran.stdout or "(tanh)" in ran.stdout, ran.stdout


def test_a_closed_recording_says_so(tmp_path):
    recorded = record(model, tmp_path / "run.h5")
    recorded.close()
    recorded.close()
    with pytest.raises(ValueError, match="closed"):
        recorded(*arguments())
    with pytest.raises(ValueError):
        record(model, "/nowhere/at/all\0/x.h5")
