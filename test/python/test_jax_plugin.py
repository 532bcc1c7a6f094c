"""JAX_PLATFORMS=assay: programs of JAX on Assay's engines through the PJRT plugin, each group in a process of its own."""
import os
import pathlib
import subprocess
import sys

import pytest

SOURCE = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture
def script(tmp_path):
    """script(text, **variables) -> CompletedProcess of a Python program on the plugin."""

    def run(text, **variables):
        plugin = pathlib.Path(os.environ["ASSAY_BIN"]).parent / "lib" / "pjrt_assay.so"
        environment = {**os.environ, "JAX_PLATFORMS": "assay", "ASSAY_PJRT_LIBRARY": str(plugin), **variables}
        file = tmp_path / "script.py"
        file.write_text("import jax\nimport jax.numpy as jnp\nimport numpy as np\n" + text)
        return subprocess.run([sys.executable, str(file)], capture_output=True, text=True, env=environment, timeout=300)

    return run


def check(done):
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_one_addition(script):
    out = check(script("print(jax.devices(), jax.default_backend(), jax.jit(lambda x: x + 1)(1.0))"))
    assert out == "[assay:0] assay 2.0\n"


def test_a_script_that_does_not_ask_is_left_alone(script):
    assert check(script("print(jax.default_backend())", JAX_PLATFORMS="")) == "cpu\n"


def test_every_element_type_goes_in_and_out(script):
    check(
        script("""
jax.config.update("jax_enable_x64", True)
names = ["bool", "complex64", "complex128", "bfloat16"]
names += [f"{sign}int{bits}" for sign in ("", "u") for bits in (2, 4, 8, 16, 32, 64)] + [f"float{bits}" for bits in (16, 32, 64)]
names += ["float8_e5m2", "float8_e4m3", "float8_e3m4", "float8_e4m3fn", "float8_e4m3b11fnuz", "float8_e5m2fnuz", "float8_e4m3fnuz", "float8_e8m0fnu", "float4_e2m1fn"]
for name in names:
    x = np.array([[1, 0, 1], [1, 1, 0]]).astype(jnp.dtype(name))
    same, turned, wide = jax.jit(lambda a: (a, a[::-1].T, a.astype(jnp.complex64)))(x)
    assert same.dtype == x.dtype == turned.dtype, name
    assert np.asarray(same).tobytes() == x.tobytes() and np.asarray(turned).tobytes() == x[::-1].T.tobytes(), name
    np.testing.assert_array_equal(np.asarray(wide), x.astype(np.complex64), err_msg=name)
""")
    )


def test_programs_agree_with_numpy(script):
    check(
        script("""
jax.config.update("jax_enable_x64", True)
a = np.random.default_rng(0).normal(size=(5, 5))
for engine_free, truth in [
    (jax.lax.fori_loop(0, 10, lambda i, x: x + i, 0), 45),
    (jax.lax.scan(lambda c, x: (c + x, c), 0.0, jnp.arange(5.0))[1], [0, 0, 1, 3, 6]),
    (jnp.linalg.inv(a), np.linalg.inv(a)),
    (jnp.linalg.eigvalsh(a @ a.T), np.linalg.eigvalsh(a @ a.T)),
    (jnp.fft.fft(a), np.fft.fft(a)),
    (jnp.sort(a, axis=0), np.sort(a, axis=0)),
    (jax.grad(lambda x: jnp.sum(jnp.sin(x) ** 2))(a), np.sin(2 * a)),
    (jnp.zeros((0, 3)) + 1, np.zeros((0, 3))),
    (jax.device_put(np.asfortranarray(a)[::2]), a[::2]),
    (jax.lax.cond(True, lambda x: -x, lambda x: x, a), -a),
]:
    np.testing.assert_allclose(engine_free, truth, rtol=1e-10, atol=1e-12)
""")
    )


@pytest.mark.parametrize("engine", ["native", "reference"])
def test_engines(script, engine):
    out = check(script("x = jnp.ones((64, 64)); print(jax.devices()[0].client.platform_version, (x @ x).sum())", ASSAY_ENGINE=engine))
    assert out.endswith(f"engine {engine} 262144.0\n")


def test_donation_and_memory(script):
    check(
        script("""
x = jnp.ones(1000)
before = jax.devices()[0].memory_stats()["bytes_in_use"]
y = jax.jit(lambda a: a + 1, donate_argnums=0)(x)
assert x.is_deleted() and not y.is_deleted()
assert jax.devices()[0].memory_stats()["bytes_in_use"] == before
try:
    x + 1
    raise SystemExit("a donated array was used")
except RuntimeError as error:
    assert "has been deleted" in str(error), error
view = np.asarray(y)
y.delete()
np.testing.assert_array_equal(view, np.full(1000, 2))  # NumPy's view keeps the bytes
""")
    )


def test_what_the_engine_lacks_is_an_exception(script):
    out = check(
        script("""
from jax import ffi
call = ffi.ffi_call("nobody_has_this", jax.ShapeDtypeStruct((2,), np.float32))
try:
    jax.jit(call)(jnp.ones(2))
except jax.errors.JaxRuntimeError as error:
    print(error)
print(jnp.ones(2) + 1)
""")
    )
    assert "nobody_has_this" in out and out.endswith("[2. 2.]\n")


def test_a_wrong_option_is_said(script):
    done = script("print(jnp.ones(2))", ASSAY_DEVICES="0")
    assert done.returncode != 0 and "ASSAY_DEVICES is '0', expected a number from 1 to 64" in done.stderr


def test_a_compiled_program_can_be_kept(script):
    check(
        script("""
from jax.experimental.serialize_executable import serialize, deserialize_and_load
compiled = jax.jit(lambda x: jnp.cumsum(x)).lower(jnp.arange(4.0)).compile()
again = deserialize_and_load(*serialize(compiled))
np.testing.assert_array_equal(again(jnp.arange(4.0)), [0, 1, 3, 6])
assert compiled.memory_analysis().argument_size_in_bytes == 16 and "cumsum" in compiled.as_text()
""")
    )
