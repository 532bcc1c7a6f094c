"""JAX_PLATFORMS=assay on several virtual devices: the placement of values, and the results of programs over several devices."""
import pytest
from plugin_script import check, script  # noqa: F401


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


@pytest.mark.parametrize("rule", ["nan", "bound"])
def test_processes_are_watched_each_for_itself(script, tmp_path, rule):
    text = """
x = np.ones((8, 3), np.float32)
x[2, 1] = np.nan
print(jax.pmap(lambda x: jax.lax.psum(x, "i") - jax.lax.pmax(x, "i"), "i")(x)[0])
"""
    done = script(text, ASSAY_DEVICES="8", ASSAY_CHECK=rule)
    assert check(done) == "[ 7. nan  7.]\n" and "none wrong" in done.stderr, done.stderr
    done = script(text, ASSAY_DEVICES="8", ASSAY_RECORD=str(tmp_path / "dumps"))
    assert check(done) == "[ 7. nan  7.]\n" and any(one.stat().st_size > 10000 for one in (tmp_path / "dumps").iterdir())
    wrong = text.replace("psum(x,", "psum(jnp.log(x - 2),")
    assert "the first wrong operation is stablehlo.log at" in script(wrong, ASSAY_DEVICES="8", ASSAY_CHECK="nan").stderr
