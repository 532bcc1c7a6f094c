"""Every function of jax.numpy.linalg and jax.scipy.linalg that JAX exports for the CPU, against XLA: LAPACK's custom calls in
four types, single matrices and batches. Unique results are compared (signs and orders of factors are LAPACK's choice: factors are
multiplied back together), and so are the results of matrices that are not finite or not positive definite."""
import inspect
import pathlib
import re
import subprocess

import jax
import jax.numpy as jnp
import jax.scipy.linalg as jsl
import numpy as np
import pytest
from jax._src.lax import linalg  # geqrf and ormqr, which have no public name

import assay
from assay import program

jax.config.update("jax_enable_x64", True)

TYPES = ["float32", "float64", "complex64", "complex128"]
BATCHES = {"float32": [(), (2, 2)], "float64": [()], "complex64": [(3,)], "complex128": [()]}


def matrix(shape, dtype, seed=0):
    random = np.random.default_rng(seed)
    made = random.standard_normal(shape)
    if dtype.startswith("complex"):
        made = made + 1j * random.standard_normal(shape)
    return made.astype(dtype)


def positive(n, dtype, batch=(), seed=0):
    a = matrix((*batch, n, n), dtype, seed)
    return (a @ np.swapaxes(a.conj(), -1, -2) + n * np.eye(n)).astype(dtype)


def hermitian(n, dtype, batch=(), seed=0):
    a = matrix((*batch, n, n), dtype, seed)
    return ((a + np.swapaxes(a.conj(), -1, -2)) / 2).astype(dtype)


def both(function, *arrays):
    """Assay's and XLA's results, as lists."""
    lowered = jax.jit(function, keep_unused=True).lower(*arrays)
    got, want = assay.run(lowered.as_text(), *arrays), lowered.compile()(*arrays)
    as_list = lambda x: [np.asarray(y) for y in (x if isinstance(x, (tuple, list)) else [x])]
    return as_list(got), as_list(want)


def bound(dtype):
    return 2e-4 if np.dtype(dtype) in (np.float32, np.complex64) else 1e-11


def close(got, want):
    assert got.shape == want.shape and got.dtype == want.dtype
    scale = max(1.0, float(np.max(np.abs(want[np.isfinite(want)]), initial=0)))
    np.testing.assert_allclose(got, want, rtol=0, atol=bound(want.dtype) * scale if want.dtype.kind in "fc" else 0)


def same(function, *arrays):
    got, want = both(function, *arrays)
    assert len(got) == len(want)
    for ours, theirs in zip(got, want):
        close(ours, theirs)


# --- functions whose results are unique -----------------------------------------------------------------------------------------

LOWER = lambda a: jnp.tril(a) + 3 * jnp.eye(a.shape[-1], dtype=a.dtype)
UNIQUE = {
    "cholesky": (lambda a, b: jnp.linalg.cholesky(a), "p"),
    "cholesky upper": (lambda a, b: jsl.cholesky(a, lower=False), "p"),
    "cho_factor": (lambda a, b: jsl.cho_factor(a, lower=True)[0], "p"),
    "cho_solve": (lambda a, b: jsl.cho_solve(jsl.cho_factor(a), b), "p"),
    "cond": (lambda a, b: jnp.linalg.cond(a), "g"),
    "det": (lambda a, b: jnp.linalg.det(a), "g"),
    "slogdet": (lambda a, b: tuple(jnp.linalg.slogdet(a)), "g"),
    "eigvalsh": (lambda a, b: jnp.linalg.eigvalsh(a), "h"),
    "eigvalsh upper": (lambda a, b: jnp.linalg.eigvalsh(a, UPLO="U"), "h"),
    "inv": (lambda a, b: jnp.linalg.inv(a), "g"),
    "lu": (lambda a, b: jax.lax.linalg.lu(a), "g"),
    "lu_factor": (lambda a, b: jsl.lu_factor(a), "g"),
    "lu_solve": (lambda a, b: jsl.lu_solve(jsl.lu_factor(a), b), "g"),
    "lu_solve transposed": (lambda a, b: jsl.lu_solve(jsl.lu_factor(a), b, trans=1), "g"),
    "matrix_norm nuclear": (lambda a, b: jnp.linalg.norm(a, "nuc", axis=(-2, -1)), "g"),
    "matrix_norm 2": (lambda a, b: jnp.linalg.matrix_norm(a, ord=2), "g"),
    "matrix_power": (lambda a, b: jnp.linalg.matrix_power(a, -2), "p"),
    "matrix_rank": (lambda a, b: jnp.linalg.matrix_rank(a), "g"),
    "pinv": (lambda a, b: jnp.linalg.pinv(a), "g"),
    "solve": (lambda a, b: jnp.linalg.solve(a, b), "g"),
    "scipy.solve": (lambda a, b: jsl.solve(a, b, assume_a="pos"), "p"),
    "svdvals": (lambda a, b: jnp.linalg.svdvals(a), "g"),
    "svdvals by QR": (lambda a, b: jax.lax.linalg.svd(a, compute_uv=False, algorithm=jax.lax.linalg.SvdAlgorithm.QR), "g"),
    "expm": (lambda a, b: jsl.expm(a), "g"),
    "tridiagonal": (lambda a, b: jnp.abs(jnp.stack(
        jnp.broadcast_arrays(*[x[..., :1] for x in jax.lax.linalg.tridiagonal(a, lower=True)[1:3]]))), "h"),
    "triangular_solve": (lambda a, b: jax.lax.linalg.triangular_solve(LOWER(a), b, left_side=True, lower=True), "g"),
    "triangular_solve right": (lambda a, b: jax.lax.linalg.triangular_solve(
        jnp.swapaxes(LOWER(a), -1, -2), jnp.swapaxes(b, -1, -2), transpose_a=True), "g"),
    "triangular_solve adjoint": (lambda a, b: jax.lax.linalg.triangular_solve(
        LOWER(a), b, left_side=True, lower=True, transpose_a=True, conjugate_a=True), "g"),
    "triangular_solve unit": (lambda a, b: jax.lax.linalg.triangular_solve(
        jnp.tril(a) / 5, b, left_side=True, lower=True, unit_diagonal=True), "g"),
    "tridiagonal_solve": (lambda a, b: jax.lax.linalg.tridiagonal_solve(
        a[..., 0, :], a[..., 1, :] + 9, a[..., 2, :], b), "g"),
}
MAKERS = {"p": positive, "h": hermitian, "g": lambda n, dtype, batch=(), seed=0: matrix((*batch, n, n), dtype, seed)}


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("name", UNIQUE)
def test_unique(name, dtype):
    function, kind = UNIQUE[name]
    for batch in BATCHES[dtype]:
        same(function, MAKERS[kind](5, dtype, batch, 3), matrix((*batch, 5, 2), dtype, 4))


# --- factors that are unique up to signs, phases or an order --------------------------------------------------------------------

@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("shape", [(5, 5), (6, 3), (3, 6)])
@pytest.mark.parametrize("full", [False, True])
def test_svd(dtype, shape, full):
    for batch in BATCHES[dtype]:
        a = matrix((*batch, *shape), dtype, 5)
        (u, s, vt), (wantU, wantS, wantV) = both(lambda x: tuple(jnp.linalg.svd(x, full_matrices=full)), a)
        close(s, wantS)
        assert u.shape == wantU.shape and vt.shape == wantV.shape
        k = min(shape)
        np.testing.assert_allclose(u[..., :, :k] * s[..., None, :] @ vt[..., :k, :], a, rtol=0, atol=20 * bound(dtype))


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("lower", [False, True])
def test_eigh(dtype, lower):
    for batch in BATCHES[dtype]:
        a = hermitian(6, dtype, batch, 6)
        (w, v), (wantW, _) = both(lambda x: tuple(jnp.linalg.eigh(x, UPLO="L" if lower else "U", symmetrize_input=False)), a)
        close(w, wantW)
        np.testing.assert_allclose(v * w[..., None, :] @ np.swapaxes(v.conj(), -1, -2), a, rtol=0, atol=20 * bound(dtype))


@pytest.mark.parametrize("dtype", TYPES)
def test_eig(dtype):
    for batch in BATCHES[dtype]:
        a = matrix((*batch, 5, 5), dtype, 7)
        (w, v), (wantW, _) = both(lambda x: tuple(jnp.linalg.eig(x)), a)
        np.testing.assert_allclose(np.sort_complex(w), np.sort_complex(wantW), rtol=0, atol=20 * bound(dtype))
        np.testing.assert_allclose(a @ v, v * w[..., None, :], rtol=0, atol=40 * bound(dtype))
        (w,), (wantW,) = both(jnp.linalg.eigvals, a)
        np.testing.assert_allclose(np.sort_complex(w), np.sort_complex(wantW), rtol=0, atol=20 * bound(dtype))
        (w, left, right), _ = both(lambda x: jax.lax.linalg.eig(x, compute_left_eigenvectors=True), a)
        np.testing.assert_allclose(np.swapaxes(left.conj(), -1, -2) @ a, w[..., None] * np.swapaxes(left.conj(), -1, -2),
                                   rtol=0, atol=40 * bound(dtype))


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("shape", [(5, 5), (6, 3), (3, 6)])
@pytest.mark.parametrize("mode", ["reduced", "complete", "r"])
def test_qr(dtype, shape, mode):
    for batch in BATCHES[dtype]:
        a = matrix((*batch, *shape), dtype, 8)
        got, want = both(lambda x: jnp.linalg.qr(x, mode=mode) if mode == "r" else tuple(jnp.linalg.qr(x, mode=mode)), a)
        assert [g.shape for g in got] == [w.shape for w in want]
        close(np.abs(got[-1]), np.abs(want[-1]))
        if mode != "r":
            np.testing.assert_allclose(got[0] @ got[1], a, rtol=0, atol=20 * bound(dtype))


@pytest.mark.parametrize("dtype", TYPES)
def test_qr_with_pivots(dtype):
    for batch in BATCHES[dtype]:
        a = matrix((*batch, 6, 4), dtype, 9)
        (q, r, order), (_, wantR, wantOrder) = both(lambda x: tuple(jax.lax.linalg.qr(x, pivoting=True, full_matrices=False)), a)
        np.testing.assert_array_equal(order, wantOrder)
        close(np.abs(r), np.abs(wantR))
        np.testing.assert_allclose(q @ r, np.take_along_axis(a, order[..., None, :], -1), rtol=0, atol=20 * bound(dtype))


@pytest.mark.parametrize("dtype", TYPES)
def test_schur(dtype):
    a = matrix((5, 5), dtype, 10)
    (t, z), (wantT, _) = both(lambda x: jsl.schur(x), a)
    np.testing.assert_allclose(z @ t @ z.conj().T, a, rtol=0, atol=20 * bound(dtype))
    np.testing.assert_allclose(np.sort_complex(np.linalg.eigvals(t)), np.sort_complex(np.linalg.eigvals(wantT)), rtol=0,
                               atol=40 * bound(dtype))


@pytest.mark.parametrize("dtype", TYPES)
def test_hessenberg(dtype):
    for batch in BATCHES[dtype]:
        a = matrix((*batch, 5, 5), dtype, 11)
        (h, q), (wantH, _) = both(lambda x: jsl.hessenberg(x, calc_q=True), a)
        close(np.abs(h), np.abs(wantH))
        np.testing.assert_allclose(q @ h @ np.swapaxes(q.conj(), -1, -2), a, rtol=0, atol=20 * bound(dtype))


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("left", [True, False])
@pytest.mark.parametrize("transpose", [True, False])
def test_products_of_reflectors(dtype, left, transpose):
    def product(a, c):
        reflectors, taus = linalg.geqrf(a)
        return linalg.ormqr(reflectors, taus, c, left=left, transpose=transpose)
    for batch in BATCHES[dtype]:
        c = matrix((*batch, 6, 3) if left else (*batch, 3, 6), dtype, 12)
        same(product, matrix((*batch, 6, 4), dtype, 13), c)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_functions_of_matrices(dtype):
    a = positive(4, dtype, (), 14)
    same(lambda x: tuple(jnp.linalg.slogdet(x, method="qr")), a)
    same(lambda x: jsl.block_diag(x, jnp.linalg.inv(x)), a)
    same(lambda x: jsl.sqrtm(x), a)
    same(lambda x: jsl.polar(x)[0], a)
    same(lambda x, y: jsl.solve_sylvester(x, y, x @ y), a, positive(4, dtype, (), 15))
    same(lambda x: jsl.funm(x, jnp.exp, disp=False)[0] if "disp" in inspect.signature(jsl.funm).parameters else jsl.funm(x, jnp.exp), a)
    same(lambda x: jsl.eigh_tridiagonal(jnp.diagonal(x), jnp.diagonal(x, 1), eigvals_only=True), a)
    same(lambda x, y: jnp.linalg.lstsq(x, y)[0], matrix((6, 3), dtype, 16), matrix((6, 2), dtype, 17))
    same(lambda x: jnp.linalg.tensorinv(x.reshape(2, 2, 4), ind=2), a)
    same(lambda x, y: jnp.linalg.tensorsolve(x.reshape(2, 2, 4), y), a, matrix((2, 2), dtype, 18))


# --- matrices without a factorisation, and empty ones ---------------------------------------------------------------------------

@pytest.mark.parametrize("dtype", TYPES)
def test_what_has_no_result_is_nan_where_xla_says_so(dtype):
    bad = positive(4, dtype, (3,), 19)
    bad[1] = -bad[1]
    bad[2, 1, 1] = np.nan
    # With NaN in it, LAPACK's own potrf reports that there is no factor; jaxlib's library reports nothing.
    (got,), (want,) = both(jnp.linalg.cholesky, bad)
    np.testing.assert_array_equal(np.isnan(got[:2]), np.isnan(want[:2]))
    assert np.all(np.isnan(got[2]) | ~np.isnan(want[2])) and np.isnan(got[2, 0, 0])
    for function in [jnp.linalg.eigvalsh, jnp.linalg.svdvals, jnp.linalg.eigvals, jnp.linalg.det]:
        (got,), (want,) = both(function, bad)
        np.testing.assert_array_equal(np.isnan(got), np.isnan(want), err_msg=function.__name__)
    (got, _), (want, _) = both(lambda x: jsl.schur(x), bad[2])
    np.testing.assert_array_equal(np.isnan(got), np.isnan(want))
    singular = np.zeros((3, 3), dtype)
    for function in [jnp.linalg.det, lambda x: jax.lax.linalg.lu(x)[1]]:
        (got,), (want,) = both(function, singular)
        np.testing.assert_array_equal(got, want)
    (got,), (want,) = both(jnp.linalg.inv, singular)  # inf or NaN, and the places of zeros, differ between processors in XLA
    assert not np.isfinite(np.diagonal(got)).any() and not np.isfinite(np.diagonal(want)).any()


@pytest.mark.parametrize("shape", [(0, 0), (2, 0, 0), (0, 3, 3)])
def test_empty(shape):
    for function in [jnp.linalg.cholesky, jnp.linalg.eigvalsh, lambda x: jnp.linalg.qr(x)[1], jnp.linalg.inv]:
        (got,), (want,) = both(function, np.ones(shape, np.float32))
        assert got.shape == want.shape


def test_gradients():
    a = positive(4, "float64", (), 20)
    same(jax.grad(lambda x: jnp.linalg.slogdet(x)[1]), a)
    same(jax.grad(lambda x: jnp.sum(jnp.linalg.cholesky(x))), a)
    same(jax.grad(lambda x: jnp.sum(jnp.linalg.eigvalsh(x) ** 2)), a)
    same(jax.grad(lambda x: jnp.sum(jnp.linalg.svdvals(x))), a)
    same(jax.grad(lambda x: jnp.sum(jnp.abs(jnp.linalg.qr(x)[1]))), a)


# --- a selection that is allowed to be approximate -------------------------------------------------------------------------------

@pytest.mark.parametrize("dtype", ["float32", "float16", "int32"])
def test_approximate_top_k(dtype):
    x = np.random.default_rng(21).permutation(120).reshape(4, 30).astype(dtype)
    if dtype != "int32":
        same(lambda y: tuple(jax.lax.approx_max_k(y, 5)), x)
        same(lambda y: tuple(jax.lax.approx_min_k(y, 3, reduction_dimension=0)), x)
    text = """func.func @main(%x: tensor<4x30xTYPE>) -> (tensor<4x5xTYPE>, tensor<4x5xi32>) {
  %v, %i = stablehlo.custom_call @mhlo.topk(%x) {mhlo.attributes = {k = 5 : i64, largest = true}, mhlo.version = 1 : i64}
    : (tensor<4x30xTYPE>) -> (tensor<4x5xTYPE>, tensor<4x5xi32>)
  return %v, %i : tensor<4x5xTYPE>, tensor<4x5xi32>\n}\n"""
    values, places = assay.run(text.replace("TYPE", {"float32": "f32", "float16": "f16", "int32": "i32"}[dtype]), x)
    want = jax.lax.top_k(x, 5)
    np.testing.assert_array_equal(values, want[0])
    np.testing.assert_array_equal(places, want[1])


# --- the table ------------------------------------------------------------------------------------------------------------------

ROOT = pathlib.Path(__file__).resolve().parents[2]


def test_every_routine_of_the_table_is_one_that_jax_calls():
    """... and is in the docs: Lapack.def has no row that this file's functions do not lower to, and JAX calls no other."""
    called = set()
    for dtype in TYPES:
        a, b, kind = positive(4, dtype), matrix((4, 2), dtype), jax.lax.linalg.SvdAlgorithm.QR
        for function in [UNIQUE["cholesky"][0], UNIQUE["lu"][0], UNIQUE["tridiagonal_solve"][0], UNIQUE["triangular_solve"][0],
                         UNIQUE["svdvals"][0], UNIQUE["tridiagonal"][0], UNIQUE["eigvalsh"][0],
                         lambda x, y: jax.lax.linalg.svd(x, algorithm=kind), lambda x, y: jnp.linalg.eigvals(x),
                         lambda x, y: jsl.schur(x), lambda x, y: jsl.hessenberg(x, calc_q=True),
                         lambda x, y: jax.lax.linalg.qr(x, pivoting=True), lambda x, y: jnp.linalg.qr(x),
                         lambda x, y: linalg.ormqr(x, x[0], x)]:
            called |= set(re.findall(r"@lapack_(\w+)_ffi", jax.jit(function).lower(a, b).as_text()))
    rows = re.findall(r'^ASSAY_LAPACK\("(\w+)", "(\w+)"', (ROOT / "src/assay/reference/custom/Lapack.def").read_text(), re.M)
    assert called == {letter + name for name, letters in rows for letter in letters}
    page = (ROOT / "docs/custom_calls.md").read_text()
    assert not [name for name, _ in rows if f"`{name}`" not in page]


@pytest.mark.parametrize("dtype", TYPES)
def test_eigenvectors_of_tridiagonal_matrices(dtype):
    """jaxlib's own tridiagonal solver: inverse iteration. The vectors' signs and phases are free."""
    d = matrix((9,), dtype).real.astype(np.zeros((), dtype).real.dtype)
    e = matrix((8,), dtype, 1)
    (values, vectors), (want, _) = both(lambda d, e: jsl.eigh_tridiagonal(d, e, select="a"), d.astype(dtype), e)
    close(values, want)
    full = np.diag(d).astype(dtype) + np.diag(e, 1) + np.diag(e.conj(), -1)
    close(full @ vectors, (vectors * values).astype(dtype))
    close((vectors.conj().T @ vectors).astype(dtype), np.eye(9, dtype=dtype))


SHADOWED = {  # functions of a positive definite matrix, by routines that have a shadow
    "cholesky": lambda a, b: jnp.linalg.cholesky(a),
    "qr": lambda a, b: jnp.linalg.qr(a),
    "solve by LU": lambda a, b: jnp.linalg.solve(a, b),
    "solve by Cholesky": lambda a, b: jsl.cho_solve((jnp.linalg.cholesky(a), True), b),
    "tridiagonal": lambda a, b: jax.lax.linalg.tridiagonal_solve(jnp.asarray(a)[..., 0].at[..., 0].set(0), a[..., 1] + 9, jnp.asarray(a)[..., 2].at[..., -1].set(0), b),
}


SHADOWED_CASES = [(name, *kind) for name in SHADOWED for kind in [("float32", (2,)), ("complex64", ())]
                  if (name, kind[0]) != ("tridiagonal", "complex64")]  # JAX has none


@pytest.mark.parametrize(("name", "dtype", "batch"), SHADOWED_CASES)
def test_shadow_runs_through_lapack(tmp_path, name, dtype, batch):
    """Rounded results of a run in 64 bits pass under rule shadow, ten times as wide as usual (LAPACK rounds at each step, they once); wrong ones fail."""
    arrays = positive(5, dtype, batch), matrix((*batch, 5, 2), dtype, seed=3)
    wide = [array.astype("complex128" if dtype == "complex64" else "float64") for array in arrays]
    truth = jax.tree.leaves(SHADOWED[name](*wide))
    text, given = tmp_path / "program.mlir", tmp_path / "given.npz"
    text.write_text(jax.jit(SHADOWED[name], keep_unused=True).lower(*arrays).as_text())
    np.savez(given, **{f"in{i}": array for i, array in enumerate(arrays)})
    for factor, code in ((1, 0), (1.001, 1)):
        expected = tmp_path / f"{code}.npz"
        np.savez(expected, **{f"out{i}": np.asarray(x * factor).astype(dtype) for i, x in enumerate(truth)})
        run = subprocess.run([program.find(), "run", text, "--input", given, "--expect", expected, "--rule", "shadow:80"], capture_output=True, text=True)
        assert run.returncode == code, run.stdout + run.stderr
        assert "no shadow" not in run.stdout + run.stderr
