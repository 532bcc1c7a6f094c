"""Operations that are expanded into others when a program is read: einsum against NumPy, batch normalization against JAX and its gradient."""
import pathlib
import re
import subprocess

import numpy as np
import pytest

import assay

ROOT = pathlib.Path(__file__).resolve().parents[2]
BIN = ROOT / "build" / "release" / "bin"
ELEMENTS = {"float32": "f32", "float64": "f64", "int32": "i32", "complex64": "complex<f32>"}


def type_of(array, dynamic=False):
    dims = "".join("?x" if dynamic else f"{size}x" for size in array.shape)
    return f"tensor<{dims}{ELEMENTS[str(array.dtype)]}>"


def einsum_program(config, arrays, result, dynamic=False):
    types = [type_of(a, dynamic) for a in arrays]
    names = [f"%a{i}" for i in range(len(arrays))]
    arguments = ", ".join(f"{n}: {t}" for n, t in zip(names, types))
    op = "einsum" if len(arrays) == 2 else "unary_einsum"
    return (f"func.func @main({arguments}) -> {type_of(result, dynamic)} {{\n"
            f"  %0 = stablehlo.{op} {', '.join(names)}, config = \"{config}\" : ({', '.join(types)}) -> {type_of(result, dynamic)}\n"
            f"  return %0 : {type_of(result, dynamic)}\n}}\n")


EINSUMS = [("ab,bc->ac", (3, 4), (4, 5)), ("ab,cb->ca", (3, 4), (5, 4)), ("...ab,...bc->...ac", (2, 3, 4), (2, 4, 5)),
           ("...ab,...bc->...ac", (1, 3, 4), (2, 4, 5)), ("...ab,...bc->...ac", (2, 1, 3, 4), (6, 4, 5)), ("aab,bc->ac", (3, 3, 4), (4, 5)),
           ("ab,cd->d", (3, 4), (5, 6)), ("ab,ab->", (3, 4), (3, 4)), ("ab,ab->ba", (3, 4), (3, 4)), ("aaa,b->", (3, 3, 3), (2,)),
           ("a,b->ba", (3,), (2,)), ("abc,cba->b", (2, 3, 4), (4, 3, 2)), ("aba,b->a", (0, 3, 0), (3,)), ("ab,bc->ac", (3, 0), (0, 5)),
           ("...a,...a->...", (4, 1, 3), (1, 5, 3)), ("Ab,bZ->ZA", (3, 4), (4, 5)), ("aab->ab", (3, 3, 4)), ("ab->", (3, 4)),
           ("abc->ca", (2, 3, 4)), ("...a->...", (2, 3, 4)), ("abab->ba", (2, 3, 2, 3)), ("a->a", (3,)), ("aa->", (3, 3)), ("aaba->b", (2, 2, 3, 2))]


@pytest.mark.parametrize("dtype", sorted(ELEMENTS))
@pytest.mark.parametrize("case", EINSUMS, ids=lambda case: f"{case[0]} of {case[1:]}")
def test_einsum_is_numpys(case, dtype):
    rng = np.random.default_rng(1)
    arrays = []
    for shape in case[1:]:
        values = rng.standard_normal(shape) * 8
        arrays.append((values + 1j * rng.standard_normal(shape) if dtype == "complex64" else values).astype(dtype))
    want = np.asarray(np.einsum(case[0], *[a.astype(complex if dtype == "complex64" else float) for a in arrays])).astype(dtype)
    spreads = "..." in case[0] and any(1 in shape for shape in case[1:])
    for dynamic in (False,) if spreads else (False, True):
        for engine in ("reference", "native"):
            got = assay.run(einsum_program(case[0], arrays, want, dynamic), *arrays, engine=engine)
            got = got[0] if isinstance(got, (list, tuple)) else got
            assert got.shape == want.shape
            np.testing.assert_allclose(got, want, rtol=2e-5, atol=2e-3 if dtype != "float64" else 1e-12)


KINDS = {"inference": ("xcccc", "x"), "training": ("xcc", "xcc"), "grad": ("xcccx", "xcc")}


def norm_program(kind, shape, feature, epsilon, dynamic=False):
    x = f"tensor<{''.join('?x' if dynamic else f'{d}x' for d in shape)}f32>"
    c = "tensor<?xf32>" if dynamic else f"tensor<{shape[feature]}xf32>"
    takes, gives = ([{"x": x, "c": c}[letter] for letter in letters] for letters in KINDS[kind])
    names = [f"%a{i}" for i in range(len(takes))]
    several = len(gives) > 1
    results = [f"%0#{i}" for i in range(len(gives))] if several else ["%0"]
    return (f"func.func @main({', '.join(f'{n}: {t}' for n, t in zip(names, takes))}) -> ({', '.join(gives)}) {{\n"
            f"  %0{f':{len(gives)}' if several else ''} = \"stablehlo.batch_norm_{kind}\"({', '.join(names)}) "
            f"<{{epsilon = {epsilon:e} : f32, feature_index = {feature} : i64}}> : ({', '.join(takes)}) -> ({', '.join(gives)})\n"
            f"  return {', '.join(results)} : {', '.join(gives)}\n}}\n")


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("shape, feature", [((2, 3, 4, 5), 1), ((6, 3), 1), ((4, 5, 2), 2), ((3, 7), 0), ((5,), 0), ((2, 1, 3), 1)])
@pytest.mark.parametrize("epsilon", [1e-5, 0.0625])
def test_batch_norms_are_jaxs_formula_and_gradient(shape, feature, epsilon, dynamic):
    jax = pytest.importorskip("jax")
    jnp = jax.numpy
    rng = np.random.default_rng(2)
    axes = tuple(d for d in range(len(shape)) if d != feature)
    spread = [size if d == feature else 1 for d, size in enumerate(shape)]
    features = shape[feature]
    x, dy = (rng.standard_normal(shape).astype(np.float32) * 2 + 1 for _ in range(2))
    scale, offset, mean = (rng.standard_normal(features).astype(np.float32) for _ in range(3))
    variance = rng.random(features).astype(np.float32) + 0.25

    def normal(x, scale, offset, mean, variance):
        return ((x - mean.reshape(spread)) / jnp.sqrt(variance.reshape(spread) + epsilon) * scale.reshape(spread)
                + offset.reshape(spread))

    def trained(x, scale, offset):
        mean, variance = x.mean(axes), x.var(axes)
        return normal(x, scale, offset, mean, variance), mean, variance

    def check(kind, arrays, want):
        got = assay.run(norm_program(kind, shape, feature, epsilon, dynamic), *arrays)
        for mine, theirs in zip(got if isinstance(got, (list, tuple)) else [got], want, strict=True):
            np.testing.assert_allclose(mine, theirs, rtol=1e-4, atol=1e-4)

    with jax.enable_x64(True):
        wide = [np.asarray(a, np.float64) for a in (x, scale, offset, mean, variance, dy)]
        check("inference", (x, scale, offset, mean, variance), [normal(*wide[:5])])
        (output, batch_mean, batch_variance), back = jax.vjp(trained, *wide[:3])
        check("training", (x, scale, offset), [output, batch_mean, batch_variance])
        # jax.grad through the statistics: batch_norm_grad is the same in one operation
        gradients = back((wide[5], jnp.zeros(features), jnp.zeros(features)))
        own = [np.asarray(s, np.float32) for s in (batch_mean, batch_variance)]
        check("grad", (x, scale, *own, dy), gradients)


PROGRAMS = {
    "einsum": einsum_program("...ab,cb->...ca", [np.zeros((2, 3, 4), "f4"), np.zeros((5, 4), "f4")], np.zeros((2, 5, 3), "f4")),
    "unary_einsum": einsum_program("aab->b", [np.zeros((3, 3, 4), "f4")], np.zeros((4,), "f4")),
    **{f"batch_norm_{kind}": norm_program(kind, (2, 3, 4), 1, 0.0625) for kind in KINDS},
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_artifacts_and_bytecode_run_as_the_text_does(name, tmp_path):
    text = tmp_path / "p.mlir"
    text.write_text(PROGRAMS[name])

    def results(path):
        ran = subprocess.run([BIN / "assay", "run", path, "--input", "random:5"], capture_output=True, text=True)
        assert ran.returncode == 0, ran.stderr
        return ran.stdout

    for flag in ("--serialize", "--emit-bytecode"):
        subprocess.run([BIN / "assay-opt", flag, text, "-o", tmp_path / "p.mlirbc"], check=True)
        assert results(tmp_path / "p.mlirbc") == results(text)
    subprocess.run([BIN / "assay-opt", "--serialize", text, "-o", tmp_path / "p.mlirbc"], check=True)
    back = subprocess.run([BIN / "assay-opt", "--vhlo-legalize-to-stablehlo", tmp_path / "p.mlirbc"], check=True, capture_output=True, text=True)
    assert re.search(rf"stablehlo\.{name}\b", back.stdout)


@pytest.mark.parametrize("name", PROGRAMS)
def test_results_have_bounds_that_a_wrong_one_fails(name, tmp_path):
    """Every result is judged by its bound: the reference's own results pass, one element moved by a thousandth fails."""
    path = tmp_path / "p.mlir"
    path.write_text(PROGRAMS[name])
    assert subprocess.run([BIN / "assay", "verify", "--op", path], capture_output=True).returncode == 0
    out = tmp_path / "out.npz"
    subprocess.run([BIN / "assay", "run", path, "--input", "random:5", "--output", out], check=True, capture_output=True)

    def judged():
        return subprocess.run([BIN / "assay", "run", path, "--input", "random:5", "--expect", out, "--rule", "bound"], capture_output=True, text=True)

    assert judged().returncode == 0
    right = dict(np.load(out))
    for member in right:
        wrong = {key: value.copy() for key, value in right.items()}
        wrong[member].flat[0] += 1e-3 * (1 + abs(wrong[member].flat[0]))
        np.savez(out, **wrong)
        assert judged().returncode == 1, member
