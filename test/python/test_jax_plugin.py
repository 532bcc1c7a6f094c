"""JAX_PLATFORMS=assay: programs of JAX on Assay's engines through the PJRT plugin, each group in a process of its own."""
import importlib.util
import os
import pathlib
import re
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


def test_kinds_of_memory(script):
    check(
        script(
            """
mesh = jax.make_mesh((4,), ("x",))
on_device = jax.NamedSharding(mesh, jax.P("x"))
on_host = on_device.with_memory_kind("pinned_host")
assert [m.kind for m in jax.devices()[3].addressable_memories()] == ["device", "pinned_host", "unpinned_host"]
a = np.arange(8, dtype=np.float32)
x = jax.device_put(a, on_host)
y = jax.jit(lambda b: jax.device_put(jax.device_put(b, on_device) * 2, on_host), out_shardings=on_host)(x)
z = jax.device_put(y, on_device)
assert [b.sharding.memory_kind for b in (x, y, z)] == ["pinned_host", "pinned_host", "device"]
assert y.addressable_shards[1].data.sharding.memory_kind == "pinned_host"
np.testing.assert_array_equal(z, 2 * a)

from jax.ad_checkpoint import checkpoint_name

@jax.jit  # what a derivative needs is kept in another memory
@jax.grad
def grad(b):
    policy = jax.checkpoint_policies.save_and_offload_only_these_names(
        names_which_can_be_saved=[], names_which_can_be_offloaded=["kept"], offload_src="device", offload_dst="pinned_host"
    )
    f = jax.checkpoint(lambda c: jnp.sin(checkpoint_name(jnp.sin(c), "kept")).sum(), policy=policy)
    return f(b)

np.testing.assert_allclose(grad(a), np.cos(np.sin(a)) * np.cos(a), rtol=1e-5)
""",
            ASSAY_DEVICES="4",
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


def test_who_asks_how_a_value_lies_is_told(script):
    out = check(
        script(
            """
mesh = jax.make_mesh((2, 4), ("x", "y"), axis_types=(jax.sharding.AxisType.Auto,) * 2)
put = lambda spec: jax.device_put(np.ones((8, 8)), jax.NamedSharding(mesh, spec))
show = lambda name: lambda sharding: print(name, sharding.shard_shape((8, 8)))

@jax.jit
def inner(b):
    jax.debug.inspect_array_sharding(b, callback=show("inner"))
    return b * 2

@jax.jit
def f(a):
    jax.debug.inspect_array_sharding(a, callback=show("argument"))
    jax.debug.inspect_array_sharding(a.T + 1, callback=show("turned"))
    jax.debug.inspect_array_sharding(jnp.ones((8, 8)), callback=show("constant"))
    return inner(a)

with jax.set_mesh(mesh):
    np.testing.assert_array_equal(f(put(jax.P("x", "y"))), np.full((8, 8), 2))
def wrong(sharding):
    raise ValueError("not to be told")
try:
    jax.jit(lambda a: (jax.debug.inspect_array_sharding(a, callback=wrong), a + 1)[1])(put(jax.P("x")))
except jax.errors.JaxRuntimeError as error:
    print(error)
""",
            ASSAY_DEVICES="8",
        )
    )
    assert out.startswith("argument (4, 2)\nturned (2, 4)\nconstant (8, 8)\ninner (4, 2)\n"), out
    assert "InspectSharding: ValueError: not to be told" in out


def test_who_asks_in_loops_and_branches_is_told(script):
    out = check(
        script(
            """
mesh = jax.make_mesh((2, 4), ("x", "y"), axis_types=(jax.sharding.AxisType.Auto,) * 2)
a = jax.device_put(np.ones((8, 8)), jax.NamedSharding(mesh, jax.P("x", "y")))

def asks(name, b):
    jax.debug.inspect_array_sharding(b, callback=lambda sharding: print(name, sharding.shard_shape((8, 8))))
    return b

@jax.jit
def f(a, i):
    b = jax.lax.scan(lambda c, _: (asks("scan", c) + a, None), jnp.zeros((8, 8)), None, length=3)[0]  # cut by what it comes back as
    b = jax.lax.while_loop(lambda c: asks("condition", c).sum() < 400, lambda c: asks("while", c) * 2, b)
    return jax.lax.switch(i, [lambda c: c, lambda c: asks("branch", c.T) - 1], b)

result = f(a, 1)
print(result.sharding.shard_shape((8, 8)), np.unique(result))
""",
            ASSAY_DEVICES="8",
        )
    )
    assert sorted(out.splitlines()) == ["(4, 2) [11.]", "branch (2, 4)", "condition (4, 2)", "scan (4, 2)", "while (4, 2)"], out


def test_a_function_that_wants_parts_gets_each_devices(script):
    check(
        script(
            """
mesh = jax.make_mesh((2, 2), ("x", "y"), axis_types=(jax.sharding.AxisType.Auto,) * 2)
host = np.arange(16).reshape(4, 4)
seen = []

@jax.jit
def f(a, b):
    jax.debug.callback(lambda *parts: seen.append([np.asarray(part).tolist() for part in parts]), a.T, b, partitioned=True)
    return a + 1

with jax.set_mesh(mesh):
    f(jax.device_put(host, jax.NamedSharding(mesh, jax.P("x", "y"))), jax.device_put(host[0], jax.NamedSharding(mesh, jax.P())))
    jax.effects_barrier()
want = [[host[i : i + 2, j : j + 2].T.tolist(), host[0].tolist()] for i in (0, 2) for j in (0, 2)]
assert sorted(seen) == sorted(want), seen
part_of = lambda a: jax.debug.callback(lambda part: seen.append(np.asarray(part).tolist()), a, partitioned=True)
again = lambda a: (part_of(a), a + 16)[1]
whole = jax.device_put(host, jax.NamedSharding(mesh, jax.P("x")))
want = [rows.tolist() for _ in range(2) for step in (0, 16) for rows in (host[:2] + step, host[2:] + step)]
for loop in (
    lambda a: jax.lax.fori_loop(0, 2, lambda i, b: again(b), a),
    lambda a: jax.lax.while_loop(lambda b: b[0, 0] < 32, again, a),
    lambda a: jax.lax.cond(a[0, 0] < 1, lambda b: again(again(b)), lambda b: b, a),
):
    seen.clear()
    np.testing.assert_array_equal(jax.jit(loop)(whole), host + 32)
    jax.effects_barrier()
    assert sorted(seen) == sorted(want), seen
seen.clear()
jax.jit(lambda a: jax.debug.callback(lambda part: seen.append(part.shape), a, partitioned=True))(host)  # one device
jax.effects_barrier()
assert seen == [(4, 4)], seen
""",
            ASSAY_DEVICES="4",
        )
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
    assert first == 0 and second > 0  # a Python function is of one process: its program is compiled again
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


def test_programs_over_eight_devices(script):
    check(
        script(
            """
from jax.sharding import NamedSharding, PartitionSpec as P
assert len(jax.devices()) == 8
mesh = jax.make_mesh((4, 2), ("x", "y"), axis_types=(jax.sharding.AxisType.Auto,) * 2)
host = np.arange(64.0, dtype=np.float32).reshape(8, 8)
x = jax.device_put(host, NamedSharding(mesh, P("x", "y")))
assert x.addressable_shards[3].data.shape == (2, 4)
np.testing.assert_array_equal(x, host)
product, total = jax.jit(lambda a: (a @ a.T, a.sum()))(x)
np.testing.assert_array_equal(product, host @ host.T)
assert total == host.sum() and len(product.sharding.device_set) == 8
cut = jax.jit(lambda a: a + 1, out_shardings=NamedSharding(mesh, P("y", None)))(x)
assert cut.addressable_shards[0].data.shape == (4, 8)
np.testing.assert_array_equal(cut, host + 1)
ring = jax.jit(jax.shard_map(lambda a: jax.lax.psum(a, "x") + jax.lax.axis_index("y"), mesh=mesh, in_specs=P("x", "y"), out_specs=P(None, "y")))(x)
want = host.reshape(4, 2, 8).sum(0)
want[:, 4:] += 1
np.testing.assert_array_equal(ring, want)
inside = jax.jit(jax.shard_map(lambda a: a * 2, mesh=mesh, in_specs=P("x", "y"), out_specs=P("x", "y")))(x)
assert inside.addressable_shards[0].data.shape == (2, 4)  # a result keeps its layout from shard_map
np.testing.assert_array_equal(inside, host * 2)
mapped = jax.pmap(lambda a: jax.lax.all_gather(a, "i"), axis_name="i")(np.arange(8.0))
np.testing.assert_array_equal(mapped, np.tile(np.arange(8.0), (8, 1)))
# Results without a sharding are cut like their operands.
rows = NamedSharding(mesh, P("x", "y"))
for f, spec in [
    (lambda a: jnp.sin(a * 2), P("x", "y")),
    (lambda a: jax.jit(lambda b: b.T)(a), P("y", "x")),
    (lambda a: a @ a.T, P("x")),
    (lambda a: a.reshape(8, 2, 4), P("x", "y")),
    (lambda a: jax.lax.with_sharding_constraint(a.sum(0), NamedSharding(mesh, P(P.UNCONSTRAINED))), P("y")),
    (lambda a: jax.lax.fori_loop(0, 2, lambda i, b: b + 1, a), P("x", "y")),
    (lambda a: jnp.zeros(8) + a.sum(), P()),
]:
    made = jax.jit(f)(x)
    assert made.sharding.is_equivalent_to(NamedSharding(mesh, spec), made.ndim), (spec, made.sharding)
    np.testing.assert_allclose(made, f(host), rtol=1e-6)
counts = jnp.zeros(4, jnp.int32, device=NamedSharding(mesh, P())).at[jnp.arange(3)].add(1)  # the program's name has a hyphen
assert counts.sharding.is_fully_replicated and counts.tolist() == [1, 1, 1, 0]
from jax.experimental.custom_partitioning import custom_partitioning
own = custom_partitioning(lambda a: jnp.sin(a) * 2)
own.def_partition(partition=None, sharding_rule="i j -> i j")
np.testing.assert_allclose(jax.jit(own)(x), np.sin(host) * 2, rtol=1e-6)
try:
    from jax.experimental.shard_alike import shard_alike
except ImportError:  # JAX 0.12 has no such function
    pass
else:
    alike = jax.jit(lambda a: shard_alike(a, jnp.zeros((8, 8)) + 1)[1])(x)
    assert alike.sharding.is_equivalent_to(rows, 2) and (np.asarray(alike) == 1).all()
    product = jax.jit(lambda a: shard_alike(a @ a.T, jax.shard_map(lambda b: b, mesh=mesh, in_specs=P("x", "y"), out_specs=P("x", "y"))(a @ a.T)))(x)
    assert all(each.sharding.is_equivalent_to(rows, 2) for each in product)
from jax.experimental.layout import Format, Layout
turned = jax.jit(lambda a: jax.lax.with_sharding_constraint(a.T, Format(Layout((0, 1)), rows)))(x)
assert turned.sharding.is_equivalent_to(rows, 2) and (np.asarray(turned) == host.T).all()
# A token goes through every device.
seen = []
def told(a):
    jax.experimental.io_callback(lambda b: seen.append(float(b.sum())), None, a, ordered=True)
    return a + 1
told = jax.jit(jax.shard_map(told, mesh=mesh, in_specs=P("x", "y"), out_specs=P("x", "y")))(x)
jax.effects_barrier()
assert (np.asarray(told) == host + 1).all()
assert sorted(seen) == sorted(float(shard.data.sum()) for shard in x.addressable_shards)
assert jnp.ones(3).devices() == {jax.devices()[0]}
assert jax.device_put(1.0, jax.devices()[5]).devices() == {jax.devices()[5]}
""",
            ASSAY_DEVICES="8",
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
turned = jax.ffi.ffi_call("on_assay", types, input_layouts=[(1, 0), (0,)])  # major to minor
try:
    turned(x, np.array([7], np.int32), by=np.float32(2), name="ok", list=np.array([5, 6]), options={{"more": True}})
except Exception as error:
    assert "the function on_assay wants layouts that are not row-major" in str(error), error
else:
    raise AssertionError
"""
        )
    )


def test_what_is_indexed_stays_cut(script):
    check(
        script(
            """
mesh = jax.make_mesh((2, 2, 2), ("x", "y", "z"), axis_types=(jax.sharding.AxisType.Auto,) * 3)
host = np.arange(32).reshape(4, 4, 2)
a = jax.device_put(host, jax.NamedSharding(mesh, jax.P("x", "y", "z")))
rows = jax.device_put(np.array([0, 3, 1, 2]), jax.NamedSharding(mesh, jax.P("z")))
for f, shard in [
    (lambda a, _: a[:, -1, :], (2, 1)),
    (lambda a, _: a[3], (2, 1)),
    (lambda a, _: a[-1, -1, :], (1,)),
    (lambda a, _: a[:, :, 1:2], (2, 2, 1)),
    (lambda a, rows: a[rows[:, None], :, 0], (2, 1, 2)),
]:
    made = f(a, rows)
    np.testing.assert_array_equal(made, f(host, np.asarray(rows)))
    assert made.sharding.shard_shape(made.shape) == shard, (made.shape, made.sharding)
""",
            ASSAY_DEVICES="8",
        )
    )


def test_sums_that_are_still_to_be_made_and_one_shard_map_in_another(script):
    check(
        script(
            """
from jax.sharding import AxisType, PartitionSpec as P
mesh = jax.make_mesh((4, 2), ("x", "y"), axis_types=(AxisType.Explicit,) * 2)
host = np.arange(64.0, dtype=np.float32).reshape(8, 8)
with jax.sharding.set_mesh(mesh):
    x = jax.device_put(host, P(None, "x"))
    product = jax.jit(lambda a: jnp.einsum("ij,kj->ik", a, a, out_sharding=P("y", None, unreduced={"x"})))(x)
    assert product.sharding.spec == P("y", None, unreduced={"x"}) and product.addressable_shards[0].data.shape == (4, 8)
    np.testing.assert_array_equal(sum(np.asarray(s.data) for s in product.addressable_shards[::2]), (host @ host.T)[:4])
    np.testing.assert_array_equal(jax.jit(lambda a: jax.reshard(a + a, P("y")))(product), 2 * host @ host.T)
    own = jax.jit(jax.shard_map(lambda a: jax.lax.pcast(a.sum(1), "x", to="unreduced"), in_specs=P(None, "x"), out_specs=P(unreduced={"x"})))(x)
    np.testing.assert_array_equal(jax.reshard(own, P()), host.sum(1))

    def outer(a):
        inner = jax.shard_map(lambda b: jax.lax.psum(b, "y") + jax.lax.axis_index("y"), in_specs=P("y"), out_specs=P("y"), axis_names={"y"})
        cut = jax.reshard(a, P("y", None))
        return jax.lax.psum(inner(cut) + jax.jit(inner)(cut), "x")
    called = jax.jit(jax.shard_map(lambda a: jax.pure_callback(lambda b: b + 1, a, a), in_specs=P(None, "x"), out_specs=P(None, "x")))(x)
    np.testing.assert_array_equal(called, host + 1)
    def own(a):  # outside of jit a Python function's result is declared the same on all devices, but each has its own
        b = jax.pure_callback(lambda c: 2 * c, a, a) * 3
        return jax.lax.psum(b, "y"), b - 1
    sums, parts = jax.shard_map(own, in_specs=P("y", "x"), out_specs=(P(None, "x"), P("y", "x")), check_vma=False)(jax.device_put(host, P("y", "x")))
    np.testing.assert_array_equal(sums, 6 * (host[:4] + host[4:]))
    np.testing.assert_array_equal(parts, 6 * host - 1)
    rows = jax.device_put(host, P("y"))
    np.testing.assert_array_equal(jax.shard_map(lambda a: 1 - jax.pure_callback(lambda c: 2 * c, a, a), in_specs=P("y"), out_specs=P("y"))(rows), 1 - 2 * host)
    both = jax.jit(jax.shard_map(outer, in_specs=P(None, "x"), out_specs=P(None, None), axis_names={"x"}, check_vma=False))(x)
    want = np.tile(host.reshape(2, 4, 4, 2).sum((0, 2)), (2, 1))
    want[4:] += 4
    np.testing.assert_array_equal(both, 2 * want)
""",
            ASSAY_DEVICES="8",
        )
    )


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


def test_recording(script, tmp_path):
    import h5py

    check(script("with jax.named_scope('mlp'):\n    print(jax.jit(lambda x: jnp.sin(x) @ x)(jnp.ones((2, 2))))\n", ASSAY_RECORD=str(tmp_path / "dumps")))
    [dump] = (tmp_path / "dumps").glob("*-jit__lambda*.h5")
    names = []
    with h5py.File(dump) as file:
        file["1"].visit(names.append)
    assert any("dot_general" in name and "forward_output" in name for name in names), names


def test_the_training_example_runs_unchanged():
    import re

    example = SOURCE / "examples" / "jax" / "train.py"
    losses = {}
    for platform, devices in [("cpu", "1"), ("assay", "1"), ("assay", "8")]:
        plugin = pathlib.Path(os.environ["ASSAY_BIN"]).parent / "lib" / "pjrt_assay.so"
        environment = {**os.environ, "JAX_PLATFORMS": platform, "ASSAY_DEVICES": devices, "ASSAY_PJRT_LIBRARY": str(plugin)}
        done = subprocess.run([sys.executable, str(example)], capture_output=True, text=True, env=environment, timeout=600)
        assert done.returncode == 0, done.stderr
        losses[platform, devices] = [float(number) for number in re.findall(r"loss ([0-9.]+)", done.stdout)]
    first, last = losses["cpu", "1"]
    for got in losses.values():
        assert abs(got[0] - first) < 1e-4 * first and abs(got[1] - last) < 1e-2, losses
