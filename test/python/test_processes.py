"""Collectives of several processes against XLA's on four devices of the CPU: the same data, the same groups."""
import os

os.environ["XLA_FLAGS"] = os.environ.get("XLA_FLAGS", "") + " --xla_force_host_platform_device_count=4"

import jax
import numpy as np
import pytest
from jax import lax
from jax.sharding import Mesh, PartitionSpec

import assay

GROUPS = [[0, 2], [3, 1]]
SHAPE = (4, 6)


def peer(function, parts):
    """XLA: `function` on each of four devices; the result of each."""
    mesh = Mesh(np.array(jax.devices()[:4]), ("p",))
    mapped = jax.shard_map(lambda x: function(x[0])[None], mesh=mesh, in_specs=PartitionSpec("p"), out_specs=PartitionSpec("p"),
                           check_vma=False)
    return list(np.asarray(jax.jit(mapped)(np.stack(parts))))


def ours(operation, shape, parts, partitions=False):
    """The operation in each of four processes: four replicas, or four partitions of one."""
    kind = {"float32": "f32", "int32": "i32"}[parts[0].dtype.name]
    text = lambda sizes: "tensor<" + "".join(f"{size}x" for size in sizes) + kind + ">"
    given, made = text(parts[0].shape), text(shape)
    programs = "[[@p, @p, @p, @p]]" if partitions else "[[@p], [@p], [@p], [@p]]"
    program = (f"func.func @p(%x: {given}) -> {made} {{\n  %0 = {operation} : ({given}) -> {made}\n  return %0 : {made}\n}}\n"
               f"func.func @main(%a: {given}, %b: {given}, %c: {given}, %d: {given}) -> ({made}, {made}, {made}, {made}) {{\n"
               f"  %0:4 = \"interpreter.run_parallel\"(%a, %b, %c, %d) {{programs = {programs}}}\n"
               f"    : ({given}, {given}, {given}, {given}) -> ({made}, {made}, {made}, {made})\n"
               f"  return %0#0, %0#1, %0#2, %0#3 : {made}, {made}, {made}, {made}\n}}\n")
    return assay.run(program.replace("ELEMENT", kind), *parts)


def data(dtype):
    random = np.random.default_rng(7)
    whole = random.integers(-50, 50, (4, *SHAPE)) if dtype == "int32" else random.standard_normal((4, *SHAPE))
    return list(whole.astype(dtype))


def channel(partitions):
    return ", channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>" if partitions else ""


SUM = "({\n  ^bb0(%l: tensor<ELEMENT>, %r: tensor<ELEMENT>):\n    %s = stablehlo.add %l, %r : tensor<ELEMENT>\n    stablehlo.return %s : tensor<ELEMENT>\n})"
ROWS = "replica_groups = dense<[[0, 2], [3, 1]]> : tensor<2x2xi64>"


@pytest.mark.parametrize("dtype", ["int32", "float32"])
def test_all_gather(dtype):
    parts = data(dtype)
    want = peer(lambda x: lax.all_gather(x, "p", axis=1, tiled=True, axis_index_groups=GROUPS), parts)
    got = ours(f'"stablehlo.all_gather"(%x) {{all_gather_dim = 1 : i64, {ROWS}}}', (4, 12), parts)
    for one, other in zip(got, want, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("dtype", ["int32", "float32"])
def test_all_reduce(dtype):
    parts = data(dtype)
    want = peer(lambda x: lax.psum(x, "p", axis_index_groups=GROUPS), parts)
    got = ours(f'"stablehlo.all_reduce"(%x) {SUM} {{{ROWS}}}', SHAPE, parts)
    for one, other in zip(got, want, strict=True):  # sums of two terms: the same in every order
        np.testing.assert_array_equal(one, other)


def test_all_reduce_of_four_has_the_same_bits_on_every_process():
    parts = data("float32")
    got = ours(f'"stablehlo.all_reduce"(%x) {SUM} {{replica_groups = dense<[[2, 0, 3, 1]]> : tensor<1x4xi64>}}', SHAPE, parts)
    due = ((parts[2] + parts[0]) + parts[3]) + parts[1]
    for one in got:
        np.testing.assert_array_equal(one, due)


def test_reduce_scatter():
    parts = data("int32")
    want = peer(lambda x: lax.psum_scatter(x, "p", scatter_dimension=0, tiled=True), parts)
    got = ours(f'"stablehlo.reduce_scatter"(%x) {SUM} {{scatter_dimension = 0 : i64, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>}}',
               (1, 6), parts)
    for one, other in zip(got, want, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("partitions", [False, True])
def test_all_to_all(partitions):
    parts = data("float32")
    want = peer(lambda x: lax.all_to_all(x, "p", split_axis=1, concat_axis=0, axis_index_groups=GROUPS, tiled=True), parts)
    got = ours(f'"stablehlo.all_to_all"(%x) {{split_dimension = 1 : i64, concat_dimension = 0 : i64, split_count = 2 : i64, '
               f'{ROWS}{channel(partitions)}}}', (8, 3), parts, partitions)
    for one, other in zip(got, want, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("partitions", [False, True])
def test_collective_permute(partitions):
    parts = data("float32")
    want = peer(lambda x: lax.ppermute(x, "p", [(0, 3), (1, 0), (3, 2)]), parts)
    got = ours('"stablehlo.collective_permute"(%x) {source_target_pairs = dense<[[0, 3], [1, 0], [3, 2]]> : tensor<3x2xi64>'
               f'{channel(partitions)}}}', SHAPE, parts, partitions)
    for one, other in zip(got, want, strict=True):
        np.testing.assert_array_equal(one, other)


def test_collective_broadcast():
    parts = data("float32")
    want = [parts[2]] * 4  # JAX has no such collective on the CPU
    got = ours('"stablehlo.collective_broadcast"(%x) {replica_groups = dense<[[2, 0, 1, 3]]> : tensor<1x4xi64>}', SHAPE, parts)
    for one, other in zip(got, want, strict=True):
        np.testing.assert_array_equal(one, other)
