"""Programs that jax.shard_map exports for four devices (sdy.manual_computation) against XLA's results on four devices of the
CPU."""
import os

os.environ["XLA_FLAGS"] = os.environ.get("XLA_FLAGS", "") + " --xla_force_host_platform_device_count=4"

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as P

import assay

GRID = Mesh(np.array(jax.devices()[:4]).reshape(2, 2), ("x", "y"))
LINE = Mesh(np.array(jax.devices()[:4]), ("i",))


def both(function, *arrays):
    """Assay's and XLA's results, as jax.jit lowers the function and as jax.export exports it."""
    lowered = jax.jit(function).lower(*arrays)
    want = [np.asarray(x) for x in jax.tree.leaves(jax.jit(function)(*arrays))]
    exported = jax.export.export(jax.jit(function))(*[jax.ShapeDtypeStruct(a.shape, a.dtype) for a in arrays]).mlir_module()
    for text in (lowered.as_text(), exported):
        assert "sdy.manual_computation" in text
        got = assay.run(text, *arrays)
        yield (list(got) if isinstance(got, tuple) else [got]), want


def equal(function, *arrays):
    for got, want in both(function, *arrays):
        for one, other in zip(got, want, strict=True):
            np.testing.assert_array_equal(one, other)


def data(*shape, dtype=np.float32):
    """Small integers: sums are exact in every order."""
    return np.random.default_rng(len(shape)).integers(-9, 9, shape).astype(dtype)


def mapped(mesh, inputs, outputs, **options):
    return lambda body: jax.shard_map(body, mesh=mesh, in_specs=inputs, out_specs=outputs, check_vma=False, **options)


def test_matmul_cut_over_both_axes():
    body = mapped(GRID, (P("x", "y"), P("y", None)), P("x", None))(lambda a, b: lax.psum(a @ b, "y") + lax.axis_index("x"))
    equal(body, data(4, 6), data(6, 5))


@pytest.mark.parametrize("dtype", [np.float32, np.int32])
def test_every_collective(dtype):
    def body(a):
        a = lax.all_gather(a, "x", tiled=True)
        b = lax.ppermute(a, "y", [(0, 1), (1, 0)])
        c = lax.all_to_all(b, "x", 0, 1, tiled=True)
        d = lax.psum_scatter(c, "y", tiled=True)
        return d, lax.pmax(d, ("x", "y")), lax.pmin(d, "x"), lax.axis_index(("x", "y"))[None]
    equal(mapped(GRID, P("x", "y"), (P("x", "y"), P("x", "y"), P("x", "y"), P(("x", "y"))))(body), data(8, 8, dtype=dtype))


def test_axes_in_the_other_order_and_replicated_operands():
    body = mapped(GRID, (P(("y", "x")), P()), P(("y", "x")))(lambda a, b: a * b + lax.psum(a, ("y", "x")))
    equal(body, data(8), np.float32(3))


def test_what_is_replicated_comes_from_the_first_device():
    body = mapped(LINE, P("i"), P(None))(lambda a: a + lax.axis_index("i"))
    equal(body, data(4, 3))


def test_devices_in_another_order():
    mesh = Mesh(np.array([jax.devices()[i] for i in (2, 0, 3, 1)]).reshape(2, 2), ("x", "y"))
    body = mapped(mesh, P("x", "y"), P("x", "y"))(lambda a: a * 10 + lax.axis_index("x") + 2 * lax.axis_index("y"))
    equal(body, data(4, 4))


def test_only_one_axis_is_manual():
    body = mapped(GRID, P(None, "y"), P(None, None), axis_names={"y"})(lambda a: lax.psum(jnp.sin(a * 0), "y") + lax.psum(a, "y"))
    equal(body, data(4, 4))


def test_a_loop_with_collectives_inside():
    def body(a):
        def step(i, x):
            return lax.ppermute(x, "i", [(j, (j + 1) % 4) for j in range(4)]) + i
        return lax.fori_loop(0, 5, step, a)
    equal(mapped(LINE, P("i"), P("i"))(body), data(8, 2))


def test_ring_of_matmuls():
    """The weights rotate, one part per step: each device multiplies the part that it has."""
    def body(x, w):
        me, total = lax.axis_index("i"), jnp.zeros((x.shape[0], w.shape[1]), x.dtype)
        for step in range(4):
            part = lax.dynamic_slice_in_dim(x, ((me - step) % 4) * w.shape[0], w.shape[0], 1)
            total = total + part @ w
            w = lax.ppermute(w, "i", [(j, (j + 1) % 4) for j in range(4)])
        return total
    body = mapped(LINE, (P(None, None), P("i", None)), P(None, None))(body)
    x, w = data(4, 8), data(8, 3)
    equal(body, x, w)
    np.testing.assert_array_equal(assay.run(jax.jit(body).lower(x, w).as_text(), x, w), x @ w)


def test_two_computations_one_after_the_other_and_constraints_between():
    first = mapped(GRID, P("x"), P("x"))(lambda a: lax.psum(a, ("x", "y")) - a)
    second = mapped(GRID, P("x", "y"), P("x", "y"))(lambda a: a * 2)
    def whole(a):
        b = lax.with_sharding_constraint(first(a), NamedSharding(GRID, P("x", "y")))
        return second(b) + 1
    equal(whole, data(4, 4))


def test_mixture_of_experts():
    """Tokens are sent to their expert's device by all_to_all and back."""
    def body(tokens, weight):
        sent = lax.all_to_all(tokens.reshape(4, 2, -1), "i", 0, 0)
        worked = jnp.einsum("std,df->stf", sent, weight[0])
        return lax.all_to_all(worked, "i", 0, 0).reshape(8, -1)
    body = mapped(LINE, (P("i"), P("i")), P("i"))(body)
    tokens, weights = data(32, 4), data(4, 4, 3)
    equal(body, tokens, weights)


def test_gradient_through_the_devices():
    body = jax.shard_map(lambda w, x: lax.psum(jnp.sum(jnp.tanh(x @ w)), "i"), mesh=LINE, in_specs=(P(), P("i")), out_specs=P())
    w, x = data(3, 2).astype(np.float32) / 8, data(8, 3) / 8
    for got, want in both(jax.grad(lambda a, b: body(a, b)), w, x):
        np.testing.assert_allclose(got[0], want[0], rtol=0, atol=1e-5)


@pytest.mark.parametrize("old, new, message", [
    ('"x"=2, "y"=2', '"x"=2, "y"=3', "is not part of"),
    ('out_shardings=[<@mesh', 'out_shardings=[<@nowhere', "there is no sdy.mesh @nowhere"),
    ('manual_axes={"x", "y"}', 'manual_axes={"x":(1)2}', "expected a whole axis"),
])
def test_what_cannot_be_cut_is_refused(old, new, message):
    body = mapped(GRID, P("x", "y"), P("x", "y"))(lambda a: a + 1)
    text = jax.jit(body).lower(data(4, 4)).as_text()
    assert old in text
    with pytest.raises((ValueError, OSError), match=message):
        assay.run(text.replace(old, new), data(4, 4))
