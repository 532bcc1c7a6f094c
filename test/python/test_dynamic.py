"""Programs with `?` dimensions: exported by JAX for symbolic sizes, planned once, run for several sizes, compared with JAX."""
import numpy as np
import pytest

import assay

jax = pytest.importorskip("jax")
jnp = jax.numpy
export = pytest.importorskip("jax.export")


def f32(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def softmax(x):
    return jax.nn.softmax(x, axis=-1)


def joined(x, y):
    return jnp.concatenate([x, y + 1, x], axis=0).T


def folded(x):
    return x.reshape(-1, 2).sum(axis=0), jnp.arange(x.shape[0]) * 2


def windows(x):
    return jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, (2, 2), (2, 1), "VALID")


def convolved(x):
    return jax.lax.conv_general_dilated(x[None, :, :, None], jnp.ones((3, 3, 1, 2)) / 9, (1, 1), "SAME",
                                        dimension_numbers=("NHWC", "HWIO", "NHWC"))


def picked(x):
    return jnp.take(x, jnp.arange(x.shape[0])[::-1], axis=0), jnp.sort(x, axis=0), jnp.cumsum(x, axis=0)


def looped(x):
    def body(i, state):
        return state * 0.5 + x[i]

    return jax.lax.fori_loop(0, x.shape[0], body, jnp.zeros_like(x)), jax.lax.cond(x[0, 0] > 0, lambda a: a, lambda a: -a, x)


def scattered(x):
    return x.at[jnp.arange(x.shape[0] - 1)].add(1.0), jnp.pad(x, ((1, 2), (0, x.shape[0])))


def product(x, y):
    return jnp.einsum("bik,bkj->bij", x, y), jnp.matmul(x[:, 0], y[0])


CASES = {
    softmax: [("b, 7",), [(3, 7), (5, 7), (1, 7)]],
    joined: [("b, 3", "c, 3"), [(2, 3), (4, 3)], [(4, 3), (1, 3)]],
    folded: [("b, 6",), [(3, 6)], [(8, 6)]],
    windows: [("h, w",), [(5, 6)], [(4, 9)]],
    convolved: [("h, 6",), [(5, 6)], [(9, 6)]],
    picked: [("b, 3",), [(4, 3)], [(7, 3)]],
    looped: [("b, 4",), [(3, 4)], [(6, 4)]],
    scattered: [("b, 3",), [(3, 3)], [(5, 3)]],
    product: [("b, i, 8", "b, 8, j"), [(2, 3, 8), (2, 8, 5)], [(4, 1, 8), (4, 8, 2)]],
}


def exported(function, dims):
    scope = export.SymbolicScope()
    arguments = [jax.ShapeDtypeStruct(export.symbolic_shape(text, scope=scope), np.float32) for text in dims]
    return export.export(jax.jit(function), platforms=["cpu"])(*arguments).mlir_module()


@pytest.mark.parametrize("function", CASES, ids=lambda f: f.__name__)
def test_programs_exported_for_symbolic_sizes(function):
    dims, *shapes = CASES[function]
    text = exported(function, dims)
    assert "?" in text
    program = assay.load(text)
    rows = [[shape] for shape in shapes[0]] if len(dims) == 1 and len(shapes) == 1 else shapes
    for seed, sizes in enumerate(rows):
        given = [f32(*size, seed=seed + i) for i, size in enumerate(sizes)]
        got, want = program(*given), jax.jit(function)(*given)
        got, want = (value if isinstance(value, tuple) else (value,) for value in (got, want))
        assert len(got) == len(want)
        for ours, theirs in zip(got, want):
            assert ours.shape == theirs.shape and ours.dtype == theirs.dtype
            np.testing.assert_allclose(ours, theirs, rtol=3e-6, atol=3e-6)


def test_a_constraint_between_dimensions_is_checked():
    program = assay.load(exported(lambda x: x.reshape(2, -1), ["2*b, 3"]))
    assert program(f32(4, 3)).shape == (2, 6)
    with pytest.raises(ValueError, match="shape assertion failed: .*b"):
        program(f32(5, 3))


ADD = """func.func @main(%a: tensor<?x3xf32>, %b: tensor<?x3xf32>) -> tensor<?x3xf32> {
  %0 = stablehlo.add %a, %b : tensor<?x3xf32>
  func.return %0 : tensor<?x3xf32>
}
"""


def test_sizes_that_do_not_fit_are_refused(assay, tmp_path):
    (tmp_path / "add.mlir").write_text(ADD)
    np.savez(tmp_path / "same.npz", in0=f32(2, 3), in1=f32(2, 3, seed=1))
    np.savez(tmp_path / "other.npz", in0=f32(2, 3), in1=f32(4, 3))
    np.savez(tmp_path / "wide.npz", in0=f32(2, 4), in1=f32(2, 4))
    ran = assay("run", "add.mlir", "--input", "same.npz", "--output", "r.npz")
    assert ran.returncode == 0, ran.stderr
    np.testing.assert_array_equal(np.load(tmp_path / "r.npz")["out0"], f32(2, 3) + f32(2, 3, seed=1))
    ran = assay("run", "add.mlir", "--input", "other.npz")
    assert ran.returncode == 2 and "add.mlir:2:8" in ran.stderr and "with the shapes of this run" in ran.stderr
    ran = assay("run", "add.mlir", "--input", "wide.npz")
    assert ran.returncode == 2 and "has shape tensor<2x4xf32>, expected tensor<?x3xf32>" in ran.stderr
    ran = assay("run", "add.mlir", "--input", "random")
    assert ran.returncode == 2 and "'random' has no size for the ? of tensor<?x3xf32>: give a file or a literal" in ran.stderr
    for engine in ["native", "onednn"]:
        ran = assay("run", "add.mlir", "--input", "same.npz", "--engine", engine, "--output", "n.npz")
        assert ran.returncode == 0, ran.stderr
        np.testing.assert_array_equal(np.load(tmp_path / "n.npz")["out0"], np.load(tmp_path / "r.npz")["out0"])


def test_a_result_must_have_the_sizes_that_its_type_says():
    text = """func.func @main(%s: tensor<2xi64>) -> tensor<?x2xf32> {
  %0 = stablehlo.constant dense<1.0> : tensor<6xf32>
  %1 = stablehlo.dynamic_reshape %0, %s : (tensor<6xf32>, tensor<2xi64>) -> tensor<?x2xf32>
  func.return %1 : tensor<?x2xf32>
}
"""
    program = assay.load(text)
    assert program(np.int64([3, 2])).shape == (3, 2)
    for wrong in ([2, 3], [4, 2], [-3, 2], [2**40, 2**40]):
        with pytest.raises(ValueError, match="with the shapes of this run"):
            program(np.int64(wrong))
