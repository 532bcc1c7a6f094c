"""assay.jax.reference: foreign functions of a JAX script are judged against their references."""
import importlib.util
import pathlib
import subprocess

import pytest
from plugin_script import check, script  # noqa: F401

PYTHON = """
import assay.jax

def sine(x):
    return np.sin(x) + np.float32(ERROR) * (x == 3)

assay.jax.reference(sine, jnp.sin)

def called(x):
    return jax.pure_callback(sine, jax.ShapeDtypeStruct(x.shape, x.dtype), x, vmap_method="expand_dims")

x = np.arange(8, dtype=np.float32)
for _ in range(2):
    print(np.abs(HOW - np.sin(x)).max())
"""
WAYS = {
    "jit": "jax.jit(called)(x)",
    "vmap": "jax.jit(jax.vmap(called))(x)",
    "scan": "jax.jit(lambda x: jax.lax.scan(lambda c, y: (c, called(y)), 0, x)[1])(x)",
    "shard_map": "jax.jit(jax.shard_map(called, mesh=jax.make_mesh((4,), 'i', (jax.sharding.AxisType.Auto,)), in_specs=jax.P('i'), out_specs=jax.P('i')))(x)",
}


@pytest.mark.parametrize("way", WAYS)
def test_a_python_function_that_is_wrong_is_named(script, way):
    text = PYTHON.replace("HOW", WAYS[way])
    done = script(text.replace("ERROR", "1e-5"), ASSAY_CHECK="bound", ASSAY_DEVICES="4")
    assert "the first wrong operation is stablehlo.custom_call @assay_python_callback (sine) at" in done.stderr, done.stderr
    assert "script.py:13" in done.stderr and "errors:1 total:" in done.stderr, done.stderr
    done = script(text.replace("ERROR", "0"), ASSAY_CHECK="bound", ASSAY_DEVICES="4")
    assert check(done) == "0.0\n0.0\n" and "none wrong" in done.stderr and "not judged" not in done.stderr, done.stderr


def test_the_number_of_a_device_is_not_called_wrong(script):
    done = script(
        """
f = jax.shard_map(lambda a: a + jax.lax.axis_index("i"), mesh=jax.make_mesh((4,), "i"), in_specs=jax.P("i"), out_specs=jax.P("i"))
print(jax.jit(f)(jax.device_put(np.zeros(4, np.int32), jax.NamedSharding(jax.make_mesh((4,), "i"), jax.P("i")))))
""",
        ASSAY_CHECK="bound",
        ASSAY_DEVICES="4",
    )
    assert check(done) == "[0 1 2 3]\n" and "none wrong; not judged: 4 stablehlo.partition_id" in done.stderr, done.stderr


def test_without_a_reference_the_last_line_says_how_to_give_one(script):
    done = script(PYTHON.replace("HOW", WAYS["jit"]).replace("ERROR", "1").replace("assay.jax.reference(", "print("), ASSAY_CHECK="bound")
    check(done)
    assert done.stderr.splitlines()[-1].endswith(
        "not judged: 2 stablehlo.custom_call @assay_python_callback (sine); assay.jax.reference says what a foreign function should compute"
    )


def test_a_reference_of_another_type_is_refused(script):
    done = script(PYTHON.replace("HOW", WAYS["jit"]).replace("jnp.sin)", "lambda x: x.sum())"))
    assert "TypeError: assay.jax.reference of sine: it gives float32[], the call float32[8]" in done.stderr, done.stderr
    for words, message in ("'f', 1", "expected a function of JAX, got int"), ("1, jnp.sin", "expected the name of an FFI target or a Python function, got int"):
        assert f"TypeError: assay.jax.reference: {message}" in script(f"import assay.jax\nassay.jax.reference({words})\n").stderr


HANDLER = """
#include "xla/ffi/api/ffi.h"
namespace ffi = xla::ffi;
static ffi::Error scale(ffi::Buffer<ffi::F32> x, ffi::ResultBuffer<ffi::F32> y, float by) {
  for (size_t i = 0; i < x.element_count(); ++i)
    y->typed_data()[i] = x.typed_data()[i] * by + (i == 2 ? 1e-4f : 0.0f);
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(Scale, scale, ffi::Ffi::Bind().Arg<ffi::Buffer<ffi::F32>>().Ret<ffi::Buffer<ffi::F32>>().Attr<float>("by"));
"""


def test_a_function_in_c_that_is_wrong_is_named(script, tmp_path):
    (tmp_path / "handler.cpp").write_text(HANDLER)
    include = pathlib.Path(importlib.util.find_spec("jaxlib").origin).parent / "include"
    library = tmp_path / "handler.so"
    subprocess.run(["c++", "-std=c++17", "-O0", "-w", "-shared", "-fPIC", f"-I{include}", tmp_path / "handler.cpp", "-o", library], check=True)
    text = f"""
import assay.jax
import ctypes
jax.ffi.register_ffi_target("scale", jax.ffi.pycapsule(ctypes.CDLL({str(library)!r}).Scale), platform="cpu")
assay.jax.reference("scale", lambda x, by: x * by)
x = np.ones(SIZE, np.float32)
print(jax.jit(lambda x: jax.ffi.ffi_call("scale", jax.ShapeDtypeStruct(x.shape, x.dtype))(x, by=np.float32(3)) + 1)(x))
"""
    done = script(text.replace("SIZE", "2"), ASSAY_CHECK="shadow")
    assert check(done) == "[4. 4.]\n" and done.stderr.endswith(" operations judged, none wrong\n"), done.stderr
    done = script(text.replace("SIZE", "3"), ASSAY_CHECK="bound")
    assert "the first wrong operation is stablehlo.custom_call @scale at" in done.stderr and "script.py:10" in done.stderr, done.stderr
