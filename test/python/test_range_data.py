"""Default data of the kinds `range` and `special`, by `assay verify` and by `assay.check`: faults that ordinary numbers do not show."""
import subprocess
import sys

import numpy as np
import pytest

import assay as product

KERNELS = '''
import numpy as np

f32, f64 = np.float32, np.float64


def quiet(kernel):
    def silent(x, *, problem=None):
        with np.errstate(all="ignore"):
            return kernel(x)

    return silent


@quiet
def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


@quiet
def softmax_without_maximum(x):
    e = np.exp(x)
    return e / e.sum(-1, keepdims=True)


@quiet
def softmax_from_0(x):
    e = np.exp(x - np.maximum(x.max(-1, keepdims=True), 0))
    return e / e.sum(-1, keepdims=True)


@quiet
def exp(x):
    return np.exp(x)


@quiet
def exp_saturates(x):
    return np.exp(np.minimum(x, f32(10)))


@quiet
def tanh(x):
    return np.tanh(x)


@quiet
def tanh_by_exp(x):
    e = np.exp(2 * x)
    return (e - 1) / (e + 1)


@quiet
def variance(x):
    return np.square(x - x.mean(-1, keepdims=True)).mean(-1)


@quiet
def variance_in_one_pass(x):
    return np.square(x).mean(-1) - np.square(x.mean(-1))


@quiet
def norm(x):
    mean = x.mean(-1, keepdims=True)
    return (x - mean) / np.sqrt(np.square(x - mean).mean(-1, keepdims=True) + np.float32(1e-5))


@quiet
def norm_scaled_first(x):
    mean = x.mean(-1, keepdims=True)
    scale = 1 / np.sqrt(np.square(x - mean).mean(-1, keepdims=True) + np.float32(1e-5))
    return x * scale - mean * scale


@quiet
def norm_in_one_pass(x):
    mean = x.mean(-1, keepdims=True)
    return (x - mean) / np.sqrt(np.square(x).mean(-1, keepdims=True) - np.square(mean) + np.float32(1e-5))


@quiet
def relu(x):
    return np.maximum(x, 0)


@quiet
def to_s8(x):
    return np.clip(np.rint(x), -128, 127).astype(np.int8)


@quiet
def to_s8_wraps(x):
    return np.rint(x).astype(np.int64).astype(np.int8)
'''
NAMES = {}
exec(KERNELS, NAMES)
SOFTMAX = "--softmax --dir=FWD_D --axis=1 24x40"


def jax_softmax(x):
    import jax

    return jax.nn.softmax(x, axis=-1)


def variance_reference(x):
    import jax.numpy as jnp

    return jnp.mean(jnp.square(x - jnp.mean(x, axis=-1, keepdims=True)), axis=-1)


def torch_norm(x):
    import torch

    return torch.nn.functional.layer_norm(x, x.shape[-1:])


def eltwise(name):
    return f"--eltwise --dir=FWD_D --alg={name} 24x40"


REORDER = "--reorder --sdt=f32 --ddt=s8 24x40"
ROWS = [
    ("softmax", SOFTMAX, "PASSED"),
    ("softmax_without_maximum", SOFTMAX, "FAILED"),
    ("softmax_from_0", SOFTMAX, "FAILED"),
    ("exp", eltwise("exp"), "PASSED"),
    ("exp_saturates", eltwise("exp"), "FAILED"),
    ("tanh", eltwise("tanh"), "PASSED"),
    ("tanh_by_exp", eltwise("tanh"), "FAILED"),
    ("relu", eltwise("relu"), "PASSED"),
    ("to_s8", REORDER, "PASSED"),
    ("to_s8_wraps", REORDER, "FAILED"),
]


@pytest.mark.parametrize("kernel,words,status", ROWS)
def test_verify(assay, tmp_path, monkeypatch, kernel, words, status):
    monkeypatch.setenv("ASSAY_PYTHON", sys.executable)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "kernels.py").write_text(KERNELS)
    run = assay("verify", f"--engine=python:{tmp_path}/kernels.py:{kernel}", *words.split())
    assert f"0:{status}" in run.stdout, run.stdout + run.stderr


CHECKS = [(kernel, words[2:], status) for kernel, words, status in ROWS] + [
    ("softmax", jax_softmax, "PASSED"),
    ("softmax_without_maximum", jax_softmax, "FAILED"),
    ("variance", variance_reference, "PASSED"),
    ("variance_in_one_pass", variance_reference, "FAILED"),
    ("norm", torch_norm, "PASSED"),
    ("norm_scaled_first", torch_norm, "PASSED"),
    ("norm_in_one_pass", torch_norm, "FAILED"),
]


@pytest.mark.parametrize("kernel,reference,status", CHECKS)
def test_check(kernel, reference, status):
    inputs = [product.f32[24, 40]] if callable(reference) else []
    verdict = product.check(NAMES[kernel], reference, *inputs)
    assert verdict.status == status, verdict
    if status == "FAILED":
        assert "range" in verdict.reason, verdict


def test_few_rows_meet_every_pattern_by_several_draws():
    for kernel, status in (("softmax", "PASSED"), ("softmax_from_0", "FAILED"), ("softmax_without_maximum", "FAILED")):
        verdict = product.check(NAMES[kernel], jax_softmax, product.f32[1, 40], fill="range")
        assert verdict.status == status, verdict


def kinds(verdict):
    return [one.data for one in verdict.outputs]


def test_the_default_has_range_and_special_data():
    words = "eltwise --dir=FWD_D --alg=exp 24x40"
    assert kinds(product.check(NAMES["exp"], words)) == ["exact", "normal", "range", "special"]
    assert kinds(product.check(NAMES["exp"], words, special=False)) == ["exact", "normal", "range"]
    assert kinds(product.check(NAMES["exp"], words, rule="dtype")) == ["exact", "normal"]
    with pytest.raises(ValueError, match="special 'odd'"):
        product.check(NAMES["exp"], words, special=("odd",))


RELU = "--eltwise --dir=FWD_D --alg=relu 24x40"
LINEAR = "--eltwise --dir=FWD_D --alg=linear --alpha=0.5 --beta=0 24x40"
SPECIAL = """
import numpy as np


def nan_to_0(x, *, problem=None):
    return np.fmax(x, np.float32(0))


def flushing(x, *, problem=None):
    return np.where(np.abs(x) * 0.5 < np.finfo(np.float32).tiny, np.float32(0), x * np.float32(0.5))


def saturating(a, b, *, problem=None):
    return np.clip(a @ b, np.float32(-3e38), np.float32(3e38))


def says_so(x, *, problem=None):
    return flushing(x)


says_so.not_kept = ("subnormal",)
"""


@pytest.mark.parametrize("kernel,words,status", [("nan_to_0", RELU, "FAILED"), ("nan_to_0", "--no-special " + RELU, "PASSED"),
                                                 ("flushing", LINEAR, "FAILED"), ("says_so", LINEAR, "PASSED"),
                                                 ("saturating", "--matmul 7x33:33x9", "FAILED")])  # fmt: skip
def test_who_need_not_keep_special_numbers_says_so(assay, tmp_path, monkeypatch, kernel, words, status):
    monkeypatch.setenv("ASSAY_PYTHON", sys.executable)
    (tmp_path / "kernels.py").write_text(SPECIAL)
    run = assay("verify", f"--engine=python:{tmp_path}/kernels.py:{kernel}", *words.split())
    assert f"0:{status}" in run.stdout and ("--no-special" in run.stdout) == ("--no-special" in words), run.stdout + run.stderr


def test_a_check_need_not_ask_for_some_numbers():
    names = {}
    exec(SPECIAL, names)
    assert product.check(names["nan_to_0"], RELU[2:]).status == "FAILED"
    assert product.check(names["nan_to_0"], RELU[2:], special="nan").status == "PASSED"
    failed = product.check(names["flushing"], LINEAR[2:])
    assert failed.status == "FAILED" and "special" in failed.reason, failed
    assert product.check(names["flushing"], LINEAR[2:], special=("subnormal",)).status == "PASSED"


def test_a_failure_on_special_data_repeats(tmp_path):
    import subprocess

    names = {}
    exec(SPECIAL, names)
    verdict = product.check(names["flushing"], LINEAR[2:])
    ran = subprocess.run(verdict.repro, shell=True, capture_output=True, text=True)
    assert ran.returncode == 1 and "FAILED" in ran.stdout, ran.stdout + ran.stderr


def test_jax_kernels_need_not_keep_subnormal_numbers():
    def half(x):
        import jax.numpy as jnp

        return x * jnp.float32(0.5)

    assert product.check(half, half, product.f32[24, 40]).status == "PASSED"


def test_numbers_of_another_width_are_meant_where_a_reference_leaves_it_open():
    """JAX's indices have 32 bits, those of NumPy and PyTorch 64; a mean of integers is f32 in JAX and f64 in NumPy."""
    import jax.numpy as jnp
    import torch

    x, n = product.f32[6, 9], product.s32[6, 9]
    rows = [(np.argmax, np.argmax, x), (np.argmax, jnp.argmax, x), (torch.argmax, jnp.argmax, x), (jnp.argmax, torch.argmax, x)]
    for kernel, reference, given in [*rows, (np.sum, np.sum, n), (np.cumsum, np.cumsum, n), (np.mean, np.mean, n)]:
        verdict = product.check(kernel, reference, given)
        assert verdict.status == "PASSED", verdict
    for kernel, reference in ((np.argmin, np.argmax), (lambda x: np.argmax(x).astype(np.float32), np.argmax), (lambda x: 2.0 * x.astype(np.float64), lambda x: 2 * x)):
        verdict = product.check(kernel, reference, x)
        assert verdict.status == "FAILED", verdict


def test_a_reference_that_names_no_framework_is_read_as_the_kernel_is():
    """x.var(-1) divides by n in NumPy, by n - 1 in PyTorch, for which these kernels were written."""
    import torch

    module = {"np": np, "torch": torch}
    exec(
        "def right(x): return x.sub(x.mean(-1, keepdim=True)).square().sum(-1).div(39)\n"
        "def wrong(x): return x.var(-1, unbiased=False)\n"
        "def reference(x): return x.var(-1)",
        module,
    )
    for name, status in (("right", "PASSED"), ("wrong", "FAILED")):
        verdict = product.check(module[name], module["reference"], product.f32[10, 40])
        assert verdict.status == status, verdict


def test_a_running_mean_may_be_nan_where_the_sum_is_infinite():
    import torch

    verdict = product.check(lambda x: torch.var_mean(x, -1), lambda x: torch.var_mean(x, -1), product.f32[10, 40])
    assert verdict.status == "PASSED", verdict


def test_a_quotient_of_integers_by_zero_is_open():
    import jax

    x = np.array([7, -3, 5, 1] * 10, np.int32)
    y = np.array([2, 0, -1, 3] * 10, np.int32)
    for reference, kernel in ((jax.lax.div, lambda x, y: np.trunc(x / np.where(y == 0, 1, y)).astype(np.int32)), (jax.lax.rem, np.fmod)):
        verdict = product.check(kernel, reference, x, y)
        assert verdict.status != "FAILED", verdict


def test_a_kernel_that_writes_into_its_input_is_not_tried_on_arrays_that_cannot_be_written():
    """For a JAX array x, x -= y makes a new array."""
    import jax

    module = {"np": np, "jax": jax}
    exec(
        "def kernel(x):\n    x -= x.max(-1, keepdims=True)\n    return np.exp(x)\n"
        "def reference(x): return jax.numpy.exp(x - x.max(-1, keepdims=True))",
        module,
    )
    kernel = module["kernel"]
    verdict = product.check(kernel, module["reference"], product.f32[7, 9])
    assert verdict.status == "FAILED" and "wrote into an input" in verdict.reason, verdict


def test_types_have_stablehlos_names_too():
    assert (product.i32[4], product.ui8[2], product.i1[3]) == (product.s32[4], product.u8[2], product.i1[3])


def test_a_script_s_cached_functions_travel(tmp_path):
    (tmp_path / "script.py").write_text(
        "import functools\nimport numpy as np\nimport assay\n"
        "@functools.lru_cache(maxsize=7)\n"
        "def table(n): return np.float32(1) if n == 0 else 2 * table(n - 1)\n"
        "@functools.cache\n"
        "def factor(n): return table(n)\n"
        "def twice(x): return x * factor(1)\n"
        "def thrice(x): return x * (factor(1) + table(0))\n"
        "for kernel in (twice, thrice):\n"
        "    print(assay.check(kernel, lambda x: x + x, assay.f32[5, 7]).status)\n"
    )
    run = subprocess.run([sys.executable, tmp_path / "script.py"], capture_output=True, text=True)
    assert run.stdout.split() == ["PASSED", "FAILED"], run


def test_objects_of_a_script_s_own_classes_are_kernels(tmp_path):
    """The worker cannot import __main__, nor a class inside a function."""
    (tmp_path / "script.py").write_text(
        "import dataclasses\nimport numpy as np\nimport assay\n"
        "class Scaled:\n"
        "    def __init__(self, scale): self.scale = scale\n"
        "    @property\n"
        "    def twice(self): return np.float32(2 * self.scale)\n"
        "    def __call__(self, x): return x * self.twice\n"
        "class Later(Scaled):\n"
        "    def __call__(self, x): return super().__call__(x)\n"
        "@dataclasses.dataclass\n"
        "class Told:\n"
        "    scale: int = 1\n"
        "    def run(self, x): return Scaled(self.scale)(x)\n"
        "def inside():\n"
        "    class Local:\n"
        "        def __call__(self, x): return x + x\n"
        "    return Local()\n"
        "for kernel in (Scaled(1), Later(1), Told().run, inside(), Scaled(1.01)):\n"
        "    print(assay.check(kernel, lambda x: x + x, assay.f32[5, 7]).status)\n"
    )
    run = subprocess.run([sys.executable, tmp_path / "script.py"], capture_output=True, text=True)
    assert run.stdout.split() == ["PASSED"] * 4 + ["FAILED"], run.stdout + run.stderr


def layer_norm(x, w, b, beside=False):
    import torch

    wide = x.float()
    centred = wide - wide.mean(-1, keepdim=True)
    variance = centred.square().mean(-1, keepdim=True)
    scale = 1 / (variance.sqrt() + 1e-5) if beside else torch.rsqrt(variance + 1e-5)
    return (centred * scale * w.float() + b.float()).to(x.dtype)


@pytest.mark.parametrize("dtype", ["f32", "bf16", "f16"])
@pytest.mark.parametrize("rows", [7, 10, 14])
def test_an_epsilon_beside_the_root_shows_where_a_bias_hides_it(dtype, rows):
    """The fault shows in a row that varies about as little as the root of the epsilon: two draws of seven rows have one."""
    import torch

    of = getattr(product, dtype)
    inputs = of[rows, 100], of[100], of[100]
    assert product.check(layer_norm, lambda x, w, b: torch.nn.functional.layer_norm(x, (100,), w, b), *inputs)
    verdict = product.check(lambda x, w, b: layer_norm(x, w, b, True), lambda x, w, b: torch.nn.functional.layer_norm(x, (100,), w, b), *inputs)
    assert verdict.status == "FAILED", str(verdict)


def test_logic_behind_a_comparison_with_nan_is_judged():
    """Other elements of the comparison, with numbers that a kernel may treat as zero, are left open."""
    import torch

    x = product.f32[10, 30]
    for right, wrong in ((torch.logical_not, lambda x: ~((x > 0) | (x < 0))), (lambda x: torch.count_nonzero(x, -1), lambda x: ((x > 0) | (x < 0)).sum(-1))):
        assert product.check(right, right, x)
        verdict = product.check(wrong, right, x)
        assert verdict.status == "FAILED" and "special data" in verdict.reason, str(verdict)


def test_an_infinity_beside_a_nan_is_a_hypotenuse():
    """By IEEE 754 the result is infinite; any other number and NaN yield NaN."""
    import torch

    inputs = product.f32[20, 40], product.f32[20, 40]
    assert product.check(torch.hypot, torch.hypot, *inputs)
    assert product.check(lambda x, y: torch.hypot(x, y).nan_to_num(1.0), torch.hypot, *inputs).status == "FAILED"


def test_shifts_by_an_operator_have_a_program():
    import torch

    wide = product.s32[20, 20]
    for right in (lambda a: a >> 3, lambda a: a << 2, lambda a: (a.to(torch.int64) * a.to(torch.int64)) >> 31):
        verdict = product.check(right, right, wide)
        assert verdict and not any("no program" in note for note in verdict.notes), str(verdict)
    verdict = product.check(lambda a: ((a * a) >> 31).to(torch.int64), lambda a: (a.to(torch.int64) * a.to(torch.int64)) >> 31, wide)
    assert verdict.status == "FAILED", str(verdict)
