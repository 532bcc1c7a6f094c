"""sort, argsort, top_k, argmax and similar functions through the plugin: bit for bit as JAX's backend for processors, for all types and special values."""
import pytest
from plugin_script import check, script  # noqa: F401

ORDERS = """
import ml_dtypes

jax.config.update("jax_enable_x64", True)
TYPES = [np.float32, np.float64, ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn, np.int8, np.int32, np.uint64, np.bool_, np.complex64]
FUNCTIONS = {
    "sort": lambda x: [jnp.sort(x, axis=a) for a in range(x.ndim)],
    "descending": lambda x: jnp.sort(x, descending=True),
    "argsort": lambda x: (jnp.argsort(x), jnp.argsort(x, descending=True)),
    "two keys": lambda x: jax.lax.sort((x, jnp.flip(x), jnp.arange(x.size).reshape(x.shape)), num_keys=2),
    "lexsort": lambda x: jnp.lexsort((x, jnp.flip(x))),
    "argmax": lambda x: [(jnp.argmax(x, a), jnp.argmin(x, a)) for a in range(x.ndim)] + [jnp.argmax(x), jnp.argmin(x)],
    "top_k": lambda x: [jax.lax.top_k(x, k) for k in {1, min(3, x.shape[-1]), (x.shape[-1] + 1) // 2, x.shape[-1]}],
}
rng = np.random.default_rng(0)

def data(dtype, shape):
    x = rng.standard_normal(shape) * 3
    x[rng.random(shape) < 0.3] = 1
    if np.dtype(dtype).kind == "c":
        return (x + 1j * np.flip(x)).astype(dtype)
    if np.dtype(dtype).kind in "iub":
        x = x.astype(np.int64)
    x = x.astype(dtype)
    if np.dtype(dtype).kind in "fV":
        flat = x.reshape(-1)
        for place, value in zip(rng.integers(0, flat.size, 12), [0.0, -0.0, np.nan, -np.nan, np.inf, -np.inf] * 2):
            flat[place] = value
    return x

def bits(value):
    value = np.asarray(value)
    return value if value.dtype.kind in "bc" else value.view(f"u{value.dtype.itemsize}")

for dtype in TYPES:
    chosen = [name for name in FUNCTIONS if np.dtype(dtype).kind != "c" or "sort" in name and name != "lexsort"]
    for shape in (1500,), (3, 7, 41):
        x = data(dtype, shape)
        want, got = (jax.jit(lambda x: {name: FUNCTIONS[name](x) for name in chosen})(jax.device_put(x, jax.devices(p)[0])) for p in ("cpu", "assay"))
        for name in chosen:
            for a, b in zip(jax.tree.leaves(want[name]), jax.tree.leaves(got[name]), strict=True):
                np.testing.assert_array_equal(bits(a), bits(b), f"{name} of {x.dtype} {shape}")
print("same")
"""


@pytest.mark.parametrize("engine", ["native", "reference"])
def test_orders_are_those_of_the_processor_backend(script, engine):
    assert check(script(ORDERS, ASSAY_ENGINE=engine)) == "same\n"


def test_orders_are_judged(script):
    done = script("x = np.float32([[3, 1, np.nan, -0.0, 2]] * 3)\n"
                  "jax.jit(lambda x: (jnp.sort(x), jnp.argsort(x), jnp.argmax(x, 1), jax.lax.top_k(x, 2)))(x)\n", ASSAY_CHECK="bound")  # fmt: skip
    assert "none wrong" in done.stderr and "not judged" not in done.stderr, done.stderr
