"""JAX programs of the kinds that users export: several devices, `?` dimensions, narrow types, wide types, complex numbers,
foreign functions, search, experts."""
import functools

import jax
import jax.numpy as jnp
import numpy as np


def beam_search(logits, table, width=3, steps=4):
    """The `width` best sequences of a chain whose next scores depend on the last token."""

    def step(state):
        i, tokens, scores = state
        last = tokens[:, i]
        every = scores[:, None] + jax.nn.log_softmax(table[last])
        best, flat = jax.lax.top_k(every.reshape(-1), width)
        tokens = tokens[flat // table.shape[1]].at[:, i + 1].set(flat % table.shape[1])
        return i + 1, tokens, best

    first, token = jax.lax.top_k(jax.nn.log_softmax(logits), width)
    tokens = jnp.zeros((width, steps + 1), jnp.int32).at[:, 0].set(token)
    _, tokens, scores = jax.lax.while_loop(lambda state: state[0] < steps, step, (0, tokens, first))
    return tokens, scores


def experts(x, router, weights):
    """Sends each token to its best expert: sorted by expert, one ragged product, sorted back."""
    chosen = jnp.argmax(x @ router, -1)
    order = jnp.argsort(chosen, stable=True)
    sizes = jnp.bincount(chosen, length=weights.shape[0]).astype(jnp.int32)
    return jax.lax.ragged_dot(x[order], weights, sizes)[jnp.argsort(order)]


def quantized_dense(x, weights, scale):
    """Dynamic quantisation: s8 times s4, sums in s32."""
    step = jnp.max(jnp.abs(x), -1, keepdims=True) / 127
    rounded = jnp.round(x / step).astype(jnp.int8)
    sums = jax.lax.dot_general(rounded, weights.astype(jnp.int8), (((1,), (0,)), ((), ())), preferred_element_type=jnp.int32)
    return sums.astype(jnp.float32) * step * scale


def narrow_floats(x, y):
    scaled = (x * 4).astype(jnp.float8_e4m3fn), (y * 4).astype(jnp.float8_e5m2)
    return jnp.dot(scaled[0].astype(jnp.bfloat16), scaled[1].astype(jnp.bfloat16), preferred_element_type=jnp.float32)


def kalman(x, covariance, observations):
    """A Kalman filter in f64, as a scan with a Cholesky solver in each step (a foreign function of LAPACK)."""
    turn = jnp.array([[0.9, 0.2], [-0.1, 0.95]])

    def step(state, seen):
        mean, spread = turn @ state[0], turn @ state[1] @ turn.T + 0.1 * jnp.eye(2)
        gain = jax.scipy.linalg.cho_solve(jax.scipy.linalg.cho_factor(spread + jnp.eye(2)), spread).T
        mean = mean + gain @ (seen - mean)
        return (mean, spread - gain @ spread), mean

    return jax.lax.scan(step, (x, covariance), observations)


def spectrum(x):
    transformed = jnp.fft.fft(x)
    return jnp.exp(-jnp.abs(transformed)) * transformed / (1 + transformed * jnp.conj(transformed)), jnp.angle(transformed)


def normal(*shape, dtype=np.float32, seed=1):
    return np.random.default_rng(seed).normal(size=shape).astype(dtype)


def models():
    """name -> (function, arguments)"""
    rng = np.random.default_rng(3)
    complex_row = (normal(4, 12) + 1j * normal(4, 12, seed=2)).astype(np.complex64)
    return {
        "jax_beam_search": (beam_search, (normal(11), normal(11, 11))),
        "jax_experts": (experts, (normal(14, 6), normal(6, 4), normal(4, 6, 5))),
        "jax_int4": (quantized_dense, (normal(5, 16), rng.integers(-8, 8, (16, 7)).astype(jnp.int4), normal(7))),
        "jax_fp8": (narrow_floats, (normal(6, 24), normal(24, 5))),
        "jax_kalman_f64": (kalman, (normal(2, dtype=np.float64), np.eye(2), normal(6, 2, dtype=np.float64))),
        "jax_complex": (spectrum, (complex_row,)),
    }


def exported(function, arguments):
    """(text, inputs, outputs, file of jax.export): the results are XLA's."""
    made = jax.export.export(jax.jit(function))(*map(jax.typeof, map(jnp.asarray, arguments)))
    kept = [arguments[i] for i in made.module_kept_var_idx]
    results = jax.tree.leaves(jax.jit(function)(*arguments))
    return made.mlir_module(), kept, [np.asarray(value) for value in results], made.serialize()


def dynamic():
    """A program with a `?` batch, and inputs and results for two sizes of it."""
    batch = jax.export.symbolic_shape("batch")[0]
    weights = normal(6, 4)
    function = jax.jit(lambda x: jax.nn.softmax(jnp.tanh(x @ weights), 0) + x.shape[0])
    made = jax.export.export(function)(jax.ShapeDtypeStruct((batch, 6), np.float32))
    cases = [([normal(size, 6)], [np.asarray(function(normal(size, 6)))]) for size in (1, 5)]
    return made.mlir_module(), cases, made.serialize()


def sharded():
    """shard_map over four devices: a product whose partial sums are added over all of them. Needs XLA_FLAGS with four devices."""
    from jax.sharding import Mesh
    from jax.sharding import PartitionSpec as P

    mesh = Mesh(np.array(jax.devices()[:4]), ("d",))

    @functools.partial(jax.shard_map, mesh=mesh, in_specs=(P(None, "d"), P("d", None)), out_specs=P())
    def product(x, y):
        return jax.lax.psum(x @ y, "d")

    return exported(product, (normal(3, 8), normal(8, 5)))
