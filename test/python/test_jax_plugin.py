"""JAX_PLATFORMS=assay: programs of JAX on Assay's engines through the PJRT plugin."""
import importlib.util
import os
import pathlib
import re
import socket
import subprocess

import preloaded
import pytest
from plugin_script import check, script  # noqa: F401

SOURCE = pathlib.Path(__file__).resolve().parents[2]


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


@pytest.mark.parametrize("devices", ["1", "4"])
def test_memory_lies_as_a_layout_says(script, devices):
    check(
        script(
            """
import ctypes
from jax.experimental.layout import Format, Layout
a = np.arange(32, dtype=np.float32).reshape(4, 8)
mesh = jax.make_mesh((len(jax.devices()),), ("x",), axis_types=(jax.sharding.AxisType.Auto,))
where = jax.NamedSharding(mesh, jax.P("x"))
turned = Format(Layout((1, 0)), where)

def bytes_of(x):
    shard = x.addressable_shards[0].data
    return np.frombuffer((ctypes.c_byte * shard.nbytes).from_address(shard.unsafe_buffer_pointer()), np.float32).copy()

first = np.asarray(a[: 4 // len(jax.devices())])
for x in (jax.device_put(a, turned), jax.device_put(jax.device_put(a, where), turned), jax.jit(lambda x: x + 0, out_shardings=turned)(a)):
    assert x.format.layout.major_to_minor == (1, 0)
    np.testing.assert_array_equal(bytes_of(x), first.T.ravel())
    np.testing.assert_array_equal(np.asarray(x), a)
    np.testing.assert_array_equal(jax.jit(lambda x: x @ x.T)(x), a @ a.T)  # a program is given the values
    np.testing.assert_array_equal(bytes_of(jax.device_put(x, Format(Layout((0, 1)), where))), first.ravel())
chosen = jax.jit(lambda x: x.T, out_shardings=Format(Layout.AUTO)).lower(jax.device_put(a, where)).compile()
assert chosen.output_formats.layout.major_to_minor == (1, 0)  # nothing is moved
np.testing.assert_array_equal(chosen(jax.device_put(a, where)), a.T)
try:
    jax.device_put(a, Format(Layout((1, 0), tiling=((2, 2),)), where))
    raise SystemExit("tiles are kept")
except jax.errors.JaxRuntimeError as error:
    assert "a layout with tiles or strides" in str(error), error
""",
            ASSAY_DEVICES=devices,
        )
    )


def test_other_libraries_take_an_array(script):
    check(
        script("""
x = jnp.arange(6, dtype=jnp.float32).reshape(2, 3)
np.testing.assert_array_equal(np.from_dlpack(x), np.asarray(x))
y = jax.jit(lambda a: a + 1)(jax.dlpack.from_dlpack(np.arange(3, dtype=np.int32)))
np.testing.assert_array_equal(y, [1, 2, 3])
try:
    np.from_dlpack(jax.device_put(x, jax.NamedSharding(jax.make_mesh((2,), ("x",)), jax.P("x"))))
    raise SystemExit("an array on two devices is exported")
except BufferError:
    pass
""", ASSAY_DEVICES="2")
    )


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
try:
    jax.jit(lambda a, b: a + b, donate_argnums=0)(y, y)
    raise SystemExit("a donated array was given twice")
except RuntimeError as error:
    assert "argument 0 is donated and given once more" in str(error), error
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


def test_memory_has_a_limit(script):
    out = check(
        script(
            """
kept = []
try:
    for _ in range(9):
        kept.append(jnp.full(1 << 18, 1.0))
except (jax.errors.JaxRuntimeError, ValueError) as error:
    print(error)
print(len(kept), jax.devices()[0].memory_stats()["bytes_limit"])
del kept
print(jnp.ones(1 << 18).sum())
""",
            ASSAY_MEMORY="8M",
        )
    )
    assert out.startswith("RESOURCE_EXHAUSTED: ") and "ASSAY_MEMORY" in out and out.endswith("\n7 8388608\n262144.0\n"), out
    own = int(check(script("print(jax.devices()[0].memory_stats()['bytes_limit'])", ASSAY_MEMORY="")))
    assert own < os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") * 0.81


def test_a_wrong_option_is_said(script):
    done = script("print(jnp.ones(2))", ASSAY_DEVICES="0")
    assert done.returncode != 0 and "ASSAY_DEVICES is '0', expected a number from 1 to 64" in done.stderr


def test_options_by_the_configuration(script):
    out = check(
        script("""
jax.config.update("jax_pjrt_client_create_options", "engine:reference;devices:3;check:nan")
print(len(jax.devices()), jax.devices()[0].client.platform_version.split()[-1], jnp.ones(1) + 1)
""")
    )
    assert out == "3 reference [2.]\n"
    count = "jax.config.update('jax_num_cpu_devices', 4)\nprint(len(jax.devices()))\n"
    assert check(script(count)) == "4\n" and check(script(count, ASSAY_DEVICES="2")) == "2\n"
    done = script("jax.config.update('jax_pjrt_client_create_options', 'device:3')\njax.devices()\n")
    assert "the plugin assay has no option 'device', only engine, check, record, devices, threads and memory" in done.stderr


def test_one_process_of_jax_distributed(script):
    text = "jax.distributed.initialize('localhost:{}', num_processes=1, process_id=0)\nprint(jnp.ones(1) + 1)\njax.distributed.shutdown()\n"
    with socket.socket() as free:
        free.bind(("localhost", 0))
        port = free.getsockname()[1]
    assert check(script(text.format(port))) == "[2.]\n"


def test_a_kernel_that_only_other_devices_have_is_refused(script):
    check(
        script("""
from jax.experimental import pallas as pl

def call(interpret):
    def kernel(x, y):
        y[...] = x[...] + 1
    return pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct((4,), np.float32), interpret=interpret)(jnp.arange(4.0))

np.testing.assert_array_equal(call(True), [1, 2, 3, 4])
try:
    call(False)
    raise SystemExit("it is compiled")
except ValueError as error:
    assert "Only interpret mode is supported on CPU backend" in str(error), error
""")
    )


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


KEPT = """
hits = []
jax.monitoring.register_event_listener(lambda event, **_: hits.append(event) if event.endswith("cache_hits") else None)
for name in ("jax_persistent_cache_min_compile_time_secs", "jax_persistent_cache_min_entry_size_bytes"):
    jax.config.update(name, 0)
jax.config.update("jax_raise_persistent_cache_errors", True)
a = np.arange(4, dtype=np.float32)

@jax.jit
def kept(x):
    return jnp.cumsum(x) * 3

@jax.jit
def calls(x):
    return jax.pure_callback(lambda b: b + WORD, x, x)

np.testing.assert_array_equal(kept(a), [0, 3, 9, 18])
np.testing.assert_array_equal(calls(a), a + WORD)
print(len(hits))
"""


def test_programs_are_kept_in_a_folder(script, tmp_path):
    folder = tmp_path / "kept"
    first, second = (int(check(script(KEPT.replace("WORD", word), JAX_COMPILATION_CACHE_DIR=str(folder)))) for word in "12")
    assert first == 0 and second > 0  # a Python function belongs to one process: its program is compiled again
    assert any("kept" in file.name for file in folder.iterdir()) and not any("calls" in file.name for file in folder.iterdir())


def test_what_is_for_a_platform_by_name(script):
    check(
        script("""
one, two, three = (lambda x, n=n: x + n for n in (1, 2, 3))
for choices, want in [
    ({"cpu": one, "cuda": two}, 1),
    ({"cpu": one, "default": two}, 2),
    ({"cpu": one, "assay": three, "cuda": two}, 3),
]:
    assert jax.jit(lambda x: jax.lax.platform_dependent(x, **choices))(0) == want, choices
""")
    )


def test_what_was_exported_for_processors_runs(script):
    check(
        script("""
a = np.eye(3, dtype=np.float32) + 1
for platforms in [("cpu",), ("tpu", "cpu"), ("assay",), ("cuda", "assay", "cpu")]:
    several = len(platforms) > 1
    made = jax.export.export(jax.jit(lambda x: x * 2 if several else jnp.linalg.cholesky(x)), platforms=platforms)(a)
    again = jax.export.deserialize(made.serialize())
    np.testing.assert_allclose(again.call(a), a * 2 if several else np.linalg.cholesky(a), rtol=1e-6)
try:
    jax.export.export(jax.jit(jnp.sin), platforms=["tpu"])(a).call(a)
    raise SystemExit("another device's program runs")
except ValueError as error:
    assert "exported for platforms '('tpu',)'" in str(error), error
""")
    )


ENDLESS = """
import os, signal, threading
began = threading.Event()
signal.signal(signal.SIGINT, signal.default_int_handler)  # background jobs of a shell ignore it

@jax.jit
def endless(x):
    x = jax.experimental.io_callback(lambda a: (began.set(), a)[1], jax.ShapeDtypeStruct((), jnp.float32), x)
    return jax.lax.while_loop(lambda a: a >= 0, lambda a: a + 1, x)

def press():
    began.wait()
    os.kill(os.getpid(), signal.SIGINT)

import jax.experimental
threading.Thread(target=press, daemon=True).start()
try:
    print(endless(jnp.float32(0)))
except KeyboardInterrupt:
    print("KeyboardInterrupt")
print(jax.jit(lambda x: x + 1)(1.0), signal.getsignal(signal.SIGINT) is signal.default_int_handler)
"""


@pytest.mark.parametrize("engine", ["native", "reference"])
def test_ctrl_c_ends_a_program_that_has_no_end(script, engine):
    assert check(script(ENDLESS, ASSAY_ENGINE=engine)) == "KeyboardInterrupt\n2.0 True\n"


def test_python_functions_are_called(script):
    out = check(
        script("""
from jax.experimental import io_callback

@jax.jit
def f(x):
    jax.debug.print("x = {x}", x=x)
    y = jax.pure_callback(lambda a: np.sin(a), jax.ShapeDtypeStruct((3,), np.float32), x)
    z = jax.pure_callback(lambda a, b: (a + b, np.int8(b.sum())), (jax.ShapeDtypeStruct((3,), np.float32), jax.ShapeDtypeStruct((), np.int8)), x, y)
    return y, z

seen = []
def step(i, c):
    io_callback(lambda i: seen.append(int(i)), None, i, ordered=True)
    return c + i

x = np.float32([1, 2, 3])
y, (z, n) = f(x)
np.testing.assert_array_equal(y, np.sin(x))
np.testing.assert_array_equal(z, x + np.sin(x))
assert n == np.int8(np.sin(x).sum())
print(jax.jit(lambda: jax.lax.fori_loop(0, 4, step, 0))(), seen)

def outer(x):  # a function that calls another program on the same plugin
    return np.asarray(jax.jit(lambda a: a * 2)(x))

np.testing.assert_array_equal(jax.jit(lambda a: jax.pure_callback(outer, jax.ShapeDtypeStruct((3,), np.float32), a))(x), x * 2)
jax.effects_barrier()
""")
    )
    assert "x = [1. 2. 3.]" in out and "6 [0, 1, 2, 3]" in out


def test_python_functions_write_in_place(script):
    out = check(
        script("""
from jax.experimental.buffer_callback import buffer_callback

def add(context, out, a, b):
    assert not a.writeable and out.writeable and a.shape == (3,) and context.stage.name == "EXECUTE"
    np.asarray(out)[...] = np.asarray(a) + np.from_dlpack(b)

def more(context, out, a):
    assert np.asarray(a).ctypes.data == np.asarray(out).ctypes.data
    np.asarray(out)[...] += 1

def wrong(context, out, a):
    return 1

x, like = jnp.arange(3.0), jax.ShapeDtypeStruct((3,), np.float32)
np.testing.assert_array_equal(jax.jit(lambda a: buffer_callback(add, like)(a, a * 2))(x), [0, 3, 6])
np.testing.assert_array_equal(buffer_callback(more, like, input_output_aliases={0: 0})(x), [1, 2, 3])
np.testing.assert_array_equal(x, [0, 1, 2])
try:
    jax.block_until_ready(buffer_callback(wrong, like)(x))
except jax.errors.JaxRuntimeError as error:
    print(error)
""")
    )
    assert "must not return any values" in out


def test_a_python_function_that_raises_is_an_exception(script):
    out = check(
        script("""
def wrong(x):
    raise ValueError("nothing to give")

try:
    jax.jit(lambda x: jax.pure_callback(wrong, jax.ShapeDtypeStruct((), np.float32), x))(1.0).block_until_ready()
except jax.errors.JaxRuntimeError as error:
    print(error)
""")
    )
    assert "ValueError: nothing to give" in out


def test_eight_threads_call_one_program(script):
    check(
        script(
            """
import threading
def layers(x):
    for i in range(20):
        x = jax.nn.gelu(x * jnp.arange(8.0) * (1 + i) + jnp.eye(8)[i % 8]) + jax.nn.softmax(x) * jnp.sqrt(jnp.float32(i + 2))
    return x
x = jnp.ones((8, 8))
f = jax.jit(layers).lower(x).compile()
want, results, gate = np.asarray(jax.jit(layers)(x)), [], threading.Barrier(8)
def call():
    gate.wait()
    results.extend(np.asarray(f(x)) for _ in range(3))
threads = [threading.Thread(target=call) for _ in range(8)]
for each in threads: each.start()
for each in threads: each.join()
assert len(results) == 24
for each in results: np.testing.assert_array_equal(each, want)
"""
        )
    )


HANDLER = """
#include "xla/ffi/api/ffi.h"
namespace ffi = xla::ffi;
struct State { static ffi::TypeId id; static ffi::TypeInfo info; int count = 100; };
ffi::TypeId State::id = {};
ffi::TypeInfo State::info = ffi::MakeTypeInfo<State>();
static ffi::ErrorOr<std::unique_ptr<State>> begin() { return std::make_unique<State>(); }
// The second result lies where the second operand did.
static ffi::Error scaled(State *state, ffi::ScratchAllocator scratch, ffi::Buffer<ffi::F32> x, ffi::Buffer<ffi::S32> counts,
                         ffi::ResultBuffer<ffi::F32> y, ffi::ResultBuffer<ffi::S32> more, float by, std::string_view name,
                         ffi::Span<const int64_t> list, ffi::Dictionary options) {
  if (name != "ok")
    return ffi::Error::InvalidArgument("the name is " + std::string(name));
  if (counts.typed_data() != more->typed_data() || !scratch.Allocate(1024))
    return ffi::Error::Internal("no memory");
  for (size_t i = 0; i < x.element_count(); ++i)
    y->typed_data()[i] = x.typed_data()[i] * by + list[1] + x.dimensions()[1] + *options.get<bool>("more");
  more->typed_data()[0] += state->count++;
  return ffi::Error::Success();
}
extern "C" void *Id() { return &State::id; }
extern "C" void *Info() { return &State::info; }
XLA_FFI_DEFINE_HANDLER_SYMBOL(Begin, begin, ffi::Ffi::BindInstantiate());
XLA_FFI_DEFINE_HANDLER_SYMBOL(Scaled, scaled, ffi::Ffi::Bind().Ctx<ffi::State<State>>().Ctx<ffi::ScratchAllocator>()
    .Arg<ffi::Buffer<ffi::F32>>().Arg<ffi::Buffer<ffi::S32>>().Ret<ffi::Buffer<ffi::F32>>().Ret<ffi::Buffer<ffi::S32>>()
    .Attr<float>("by").Attr<std::string_view>("name").Attr<ffi::Span<const int64_t>>("list").Attr<ffi::Dictionary>("options"));
"""


def test_functions_in_c_are_called(script, tmp_path):
    (tmp_path / "handler.cpp").write_text(HANDLER)
    include = pathlib.Path(importlib.util.find_spec("jaxlib").origin).parent / "include"
    library = tmp_path / "handler.so"
    subprocess.run(["c++", "-std=c++17", "-O0", "-w", "-shared", "-fPIC", f"-I{include}", tmp_path / "handler.cpp", "-o", library], check=True)
    check(
        script(
            f"""
import ctypes
library = ctypes.CDLL({str(library)!r})
jax.devices("cpu")  # types are registered before their handlers, which JAX keeps to once the device is there
library.Id.restype = library.Info.restype = ctypes.c_void_p
kind = dict(type_id=jax.ffi.pycapsule(library.Id()), type_info=jax.ffi.pycapsule(library.Info()))
stages = dict(instantiate=jax.ffi.pycapsule(library.Begin), execute=jax.ffi.pycapsule(library.Scaled))
for platform in ("assay", "cpu"):  # rules registered for the processor are used, too
    jax.ffi.register_ffi_type("state", kind, platform=platform)
    jax.ffi.register_ffi_target("on_" + platform, stages, platform=platform)
types = (jax.ShapeDtypeStruct((2, 3), np.float32), jax.ShapeDtypeStruct((1,), np.int32))
def f(x, n, name="ok", platform="assay"):
    return jax.ffi.ffi_call("on_" + platform, types, input_output_aliases={{1: 1}})(x, n, by=np.float32(2), name=name, list=np.array([5, 6]), options={{"more": True}})
x = np.arange(6, dtype=np.float32).reshape(2, 3)
for platform in ("assay", "cpu"):
    jitted = jax.jit(lambda x, n: f(x, n, platform=platform))
    for state in (100, 101):  # it is made once, for the program
        y, n = jitted(x, np.array([7], np.int32))
        np.testing.assert_array_equal(y, x * 2 + 6 + 3 + 1)
        assert n.tolist() == [7 + state]
try:
    f(x, np.array([7], np.int32), name="no")
except Exception as error:
    assert "the function on_assay failed: the name is no" in str(error), error
else:
    raise AssertionError
def laid(**layouts):  # major to minor
    call = jax.ffi.ffi_call("on_assay", types, input_output_aliases={{1: 1}}, **layouts)
    return call(x, np.array([7], np.int32), by=np.float32(2), name="ok", list=np.array([5, 6]), options={{"more": True}})[0]
np.testing.assert_array_equal(laid(input_layouts=[(1, 0), (0,)]), x.T.reshape(2, 3) * 2 + 6 + 3 + 1)
np.testing.assert_array_equal(laid(input_layouts=[(1, 0), (0,)], output_layouts=[(1, 0), (0,)]), x * 2 + 6 + 3 + 1)
"""
        )
    )


def test_jaxs_own_functions_in_c_for_processors(script):
    check(
        script("""
from jax.experimental import sparse  # registers them before any device is there
a = np.array([[0, 1, 0], [2, 0, 3]], np.float32)
np.testing.assert_array_equal(sparse.BCSR.fromdense(a) @ jnp.ones((3, 2)), a @ np.ones((3, 2)))
d, e = np.float32([1, 2, 3, 4]), np.float32([0.5, 0.25, 0.125])
w, v = jax.scipy.linalg.eigh_tridiagonal(d, e, eigvals_only=False)  # its solver wants the batch last
np.testing.assert_allclose((np.diag(d) + np.diag(e, 1) + np.diag(e, -1)) @ v, v * w, atol=1e-5)
""")
    )


def test_running_reductions_of_many_elements_take_one_pass(script):
    check(
        script("""
x = np.random.default_rng(0).standard_normal(300_000).astype(np.float32)
np.testing.assert_allclose(jnp.cumsum(x), np.cumsum(x, dtype=np.float64), rtol=1e-5, atol=1e-3)
np.testing.assert_array_equal(jax.lax.cummax(x, reverse=True), np.maximum.accumulate(x[::-1])[::-1])
np.testing.assert_allclose(jax.lax.cumlogsumexp(x.astype(complex).real), np.logaddexp.accumulate(x.astype(np.float64)), rtol=1e-4)
np.testing.assert_array_equal(jax.grad(lambda a: jnp.cumsum(a).sum())(x), np.arange(x.size, 0, -1))
np.testing.assert_array_equal(jnp.cumsum(jnp.ones((50_000, 8), np.int32), axis=0)[:, 3], np.arange(1, 50_001))
""")
    )


def test_running_sums_of_many_elements_are_judged_in_one_pass(script):
    done = script("x = np.random.default_rng(0).standard_normal((8, 60_000)).astype(np.float32)\njax.jit(lambda a: jnp.cumsum(a, 1))(x)\n", ASSAY_CHECK="bound")
    check(done)
    assert done.stderr.endswith("operations judged, none wrong\n"), done.stderr


def test_a_sparse_solver_calls_python_by_the_public_name(script):
    check(
        script("""
import importlib.util
if importlib.util.find_spec("scipy"):
    from jax.experimental.sparse.linalg import spsolve
    np.testing.assert_allclose(jax.jit(spsolve)(jnp.float32([2, 4]), jnp.int32([0, 1]), jnp.int32([0, 1, 2]), jnp.float32([2, 8])), [1, 2], rtol=1e-6)
""")
    )


def test_a_program_has_costs(script):
    done = script("lowered = jax.jit(lambda x: x @ x).lower(np.ones((64, 64), np.float32))\n"
                  "for each in lowered, lowered.compile():\n    assert each.cost_analysis()['flops'] == 2 * 64**3, each.cost_analysis()\n")  # fmt: skip
    check(done)


def test_compiler_options_are_those_of_xla(script):
    check(
        script("""
def compiled(**options):
    try:
        return float(jax.jit(lambda x: x + 1, compiler_options=options)(1.0))
    except jax.errors.JaxRuntimeError as error:
        return str(error)
assert compiled(xla_cpu_enable_fast_math=True, exec_time_optimization_effort=0.5) == 2
assert compiled(bogus=1) == "INVALID_ARGUMENT: No such compile option: 'bogus'"
assert "'7' is not a valid bool value" in compiled(xla_embed_ir_in_executable=7)
""")
    )


def test_an_argument_stays_where_no_result_can_have_its_memory(script):
    done = script(
        """
cut = jax.NamedSharding(jax.make_mesh((2,), "x", (jax.sharding.AxisType.Auto,)), jax.P("x"))
for f, gone in [(lambda x: x @ x.T, False), (lambda x: x + 1, True), (lambda x: x.astype(np.float32) * 2, True), (lambda x: x.sum(), False)]:
    x = jax.device_put(np.arange(16, dtype=np.int32).reshape(8, 2), cut)
    jax.jit(f, donate_argnums=0)(x)
    assert x.is_deleted() == gone, f
""",
        ASSAY_DEVICES="2",
    )
    check(done)


def test_weights_that_come_again_and_others_in_between(script):
    check(
        script(
            """
f = jax.jit(lambda w, x: x @ w)
host = np.random.default_rng(0).standard_normal((512, 1024)).astype(np.float32)
w, x = jnp.asarray(host.copy()), jnp.ones((4, 512))
for turn in range(6):  # packed from the third on
    np.testing.assert_allclose(f(w, x + turn), (1 + turn) * host.sum(0) + np.zeros((4, 1)), rtol=1e-3, atol=1e-2)
other = jnp.asarray(2 * host)
for each, factor in ((other, 2), (w, 1), (w, 1), (w, 1), (other, 2)):
    np.testing.assert_allclose(f(each, x), factor * host.sum(0) + np.zeros((4, 1)), rtol=1e-3, atol=1e-2)
mine = host.copy()
for factor in (1, 1, 1, 1, 3, 4):  # the same memory with other numbers
    mine[...] = factor * host
    np.testing.assert_allclose(f(mine, x), factor * host.sum(0) + np.zeros((4, 1)), rtol=1e-3, atol=1e-2)
"""
        )
    )


def test_another_library_than_ours_is_refused_in_a_sentence(script):
    other = pathlib.Path(os.environ["ASSAY_BIN"]).parent / "lib" / "pjrt_faults.so"
    done = script("jax.devices()\n", ASSAY_PJRT_LIBRARY=str(other))
    assert done.stderr.strip().splitlines()[-1].startswith(
        f"RuntimeError: Unable to initialize backend 'assay': ASSAY_PJRT_LIBRARY: {other} is not Assay's plugin; another one is an engine on trial: "
    ), done.stderr
    assert "configuration error" not in done.stderr
    assert "ASSAY_PJRT_LIBRARY: no file '/none.so'" in script("jax.devices()\n", ASSAY_PJRT_LIBRARY="/none.so").stderr


def test_the_first_nan_is_named_with_its_line(script):
    done = script("def f(x):\n    y = x * 2\n    z = jnp.log(y - 4)\n    return z.sum()\n\njax.jit(f)(np.float32([1, 3]))\n", ASSAY_CHECK="nan")
    assert done.returncode != 0
    assert "ASSAY_CHECK=nan: the first wrong operation is stablehlo.log at" in done.stderr and "script.py:6" in done.stderr
    assert "it makes a NaN of operands without one: result 0, tensor<2xf32>, element 0" in done.stderr


@pytest.mark.parametrize("rule", ["bound", "shadow", "nan"])
def test_right_programs_pass_every_check(script, rule):
    done = script(
        """
@jax.jit
def step(w, x):
    return jax.grad(lambda w: jnp.mean(jax.nn.softmax(x @ w)[:, 0] ** 2))(w)

w, x = jax.random.normal(jax.random.key(0), (8, 4)), jax.random.normal(jax.random.key(1), (5, 8))
for _ in range(2):
    w = w - step(w, x)
print(w.sum(), jax.lax.while_loop(lambda c: c < 5, lambda c: c + 1, 0), jnp.sort(w, axis=0)[0, 0])
print(jax.pure_callback(lambda a: a + 1, w, w).shape)
""",
        ASSAY_CHECK=rule,
    )
    check(done)
    said = done.stderr.strip().splitlines()[-1]
    assert re.match(rf"assay: ASSAY_CHECK={rule}: \d{{3}} operations judged, none wrong", said), done.stderr
    assert ("@assay_python_callback" in said) == (rule != "nan"), said


@pytest.mark.parametrize("rule", ["bound", "shadow"])
def test_complex_numbers_of_64_bits_are_judged(script, rule):
    done = script("""
jax.config.update("jax_enable_x64", True)
z = np.array([1 + 2j, -3j, 0.5, -2], np.complex128)
f = lambda z: (jnp.where(abs(z) > 1, z, 1j), jax.lax.reduce(z, 1 + 1j, lambda a, b: a * b * (1 + 0.5j), (0,)), jnp.full_like(z, 2j) + z)
jax.jit(f)(z)
jnp.linalg.eigvals(np.array([[0.5, 2], [-2, 0.5]]))
""", ASSAY_CHECK=rule)  # fmt: skip
    check(done)
    assert "none wrong" in done.stderr, done.stderr


def test_a_factor_that_does_not_exist_is_not_called_wrong(script):
    done = script("print(jnp.linalg.cholesky(np.float32([[2, 3, 5], [2, 5, 2], [5, 2, 2]])))\n", ASSAY_CHECK="bound")
    assert "nan" in check(done) and "none wrong" in done.stderr, done.stderr
    solved = "jax.config.update('jax_enable_x64', True)\nd, e = np.array([0.87483032, 0.14556089, 0.3700489, 0.15220105]), np.array([0.42116362, 0.21251013, 0.46435853])\n"
    done = script(solved + "jax.jit(lambda d, e: jax.scipy.linalg.eigh_tridiagonal(d, e, eigvals_only=False))(d, e)\n", ASSAY_CHECK="bound")
    assert check(done) == "" and "none wrong" in done.stderr, done.stderr


DEVICE = """
def f(x, w):
    y = jnp.tanh(x)
    z = y @ w
    return jnp.exp(z).sum()

x = np.linspace(-1, 1, 32, dtype=np.float32).reshape(4, 8)
try:
    print(jax.jit(f)(x, x.reshape(8, 4)[:, :3]))
finally:
    print(jnp.ones(2) + 1)
"""


def test_another_device_runs_a_script_and_is_judged(script):
    libraries = pathlib.Path(os.environ["ASSAY_BIN"]).parent / "lib"
    done = script(DEVICE, ASSAY_ENGINE=f"pjrt:{libraries / 'pjrt_assay.so'}", ASSAY_CHECK="bound")
    assert "none wrong" in done.stderr and check(done).endswith("[2. 2.]\n"), done.stderr
    faulty = f"pjrt:{libraries / 'pjrt_faults.so'},fault="
    done = script(DEVICE, ASSAY_ENGINE=faulty + "last,elements=12", ASSAY_CHECK="bound")
    assert "the first wrong operation is stablehlo.dot_general at" in done.stderr and "script.py:7" in done.stderr, done.stderr
    assert "errors:1 total:12" in done.stderr and "[2. 2.]" in done.stdout, done.stderr
    done = script(DEVICE, ASSAY_ENGINE=faulty + "ones", ASSAY_CHECK="nan")
    assert "the first wrong operation is stablehlo.tanh at" in done.stderr and "script.py:6" in done.stderr, done.stderr
    done = script(DEVICE, ASSAY_ENGINE=faulty + "crash")
    assert "crashed" in done.stderr.lower() and done.returncode == 1, done.stderr


def test_recording(script, tmp_path):
    import h5py

    check(script("with jax.named_scope('mlp'):\n    print(jax.jit(lambda x: jnp.sin(x) @ x)(jnp.ones((2, 2))))\n", ASSAY_RECORD=str(tmp_path / "dumps")))
    [dump] = (tmp_path / "dumps").glob("*-jit__lambda*.h5")
    names = []
    with h5py.File(dump) as file:
        file["1"].visit(names.append)
    assert any("dot_general" in name and "forward_output" in name for name in names), names


def test_the_training_example_runs_unchanged():
    example = SOURCE / "examples" / "jax" / "train.py"
    losses = {}
    for platform, devices in [("cpu", "1"), ("assay", "1"), ("assay", "8")]:
        plugin = pathlib.Path(os.environ["ASSAY_BIN"]).parent / "lib" / "pjrt_assay.so"
        environment = {**os.environ, "JAX_PLATFORMS": platform, "ASSAY_DEVICES": devices, "ASSAY_PJRT_LIBRARY": str(plugin)}
        done = preloaded.run(example, env=environment)
        assert done.returncode == 0, done.stderr
        losses[platform, devices] = [float(number) for number in re.findall(r"loss ([0-9.]+)", done.stdout)]
    first, last = losses["cpu", "1"]
    for got in losses.values():
        assert abs(got[0] - first) < 1e-4 * first and abs(got[1] - last) < 1e-2, losses
