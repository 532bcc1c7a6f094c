"""assay.check: kernels of NumPy, PyTorch and JAX, right and wrong, and other things that a kernel may do."""
import json
import os
import subprocess
import sys
import threading

import jax
import jax.numpy as jnp
import kernels_of_numpy
import numpy as np
import pytest
import torch

import assay
from assay import frameworks

SOFTMAX = """func.func @main(%x: tensor<8x33xf32>) -> tensor<8x33xf32> {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %m = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<8x33xf32>, tensor<f32>) -> tensor<8xf32>
  %mb = stablehlo.broadcast_in_dim %m, dims = [0] : (tensor<8xf32>) -> tensor<8x33xf32>
  %d = stablehlo.subtract %x, %mb : tensor<8x33xf32>
  %e = stablehlo.exponential %d : tensor<8x33xf32>
  %s = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<8x33xf32>, tensor<f32>) -> tensor<8xf32>
  %sb = stablehlo.broadcast_in_dim %s, dims = [0] : (tensor<8xf32>) -> tensor<8x33xf32>
  %r = stablehlo.divide %e, %sb : tensor<8x33xf32>
  func.return %r : tensor<8x33xf32>
}"""


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def product(a, b):
    return a @ b


def jax_product(a, b):
    return jnp.matmul(a, b)


def test_a_right_kernel_passes_on_exact_and_real_data():
    verdict = assay.check(product, "matmul 12x40:40x7")
    assert verdict and verdict.status == "PASSED" and verdict.reason == ""
    assert [(one.name, one.data, one.status) for one in verdict.outputs] == [("out0", kind, "PASSED") for kind in ("exact", "normal", "range", "special")]
    assert verdict.raise_for_status() is verdict


@pytest.mark.parametrize("dtype", ["complex<f32>", "complex<f64>"])
def test_complex_results_are_written_and_judged(dtype):
    text = "func.func @main(%a: tensor<5x3xTYPE>) -> tensor<5x3xTYPE> { %0 = stablehlo.multiply %a, %a : tensor<5x3xTYPE> return %0 : tensor<5x3xTYPE> }"
    text = text.replace("TYPE", dtype)
    assert assay.check(lambda a: a * a, text)
    verdict = assay.check(lambda a: a * a.conj(), text)
    assert not verdict and verdict.status == "FAILED"


def test_sizes_of_0_are_taken_and_negative_ones_are_not():
    assert assay.Spec("float32", [0, 3]).shape == (0, 3)
    with pytest.raises(ValueError, match="a size is negative"):
        assay.Spec("float32", [3, -1])
    with pytest.raises(ValueError, match="a size is not a whole number"):
        assay.f32["a"]


def test_a_report_is_json_whatever_the_numbers_are():
    verdict = assay.check(lambda x: np.where(np.arange(33) % 2 == 0, np.nan, np.inf).astype(np.float32) + 0 * x, SOFTMAX)

    def no_number(text):
        raise AssertionError(f"{text} is not JSON")

    report = json.loads(verdict.to_json(), parse_constant=no_number)
    assert {point["got"] for output in report["outputs"] for point in output["worst"]} & {"nan", "inf"}


def test_the_text_of_a_verdict_has_a_row_per_output():
    lines = str(assay.check(product, "matmul 12x40:40x7", fill="exact", name="mine")).splitlines()
    assert lines[0] == "assay.check mine: PASSED"
    assert lines[1].split() == ["output", "type", "data", "wrong", "of", "error/bound", "judged", "by", "verdict"]
    assert lines[2].split()[:6] == ["out0", "f32[12,", "7]", "exact", "0", "84"] and lines[2].endswith("PASSED")
    assert str(assay.check(product, "matmul 12x40:40x7", name="mine")).count("\nout0 ") == 4  # warnings that NumPy prints follow
    total = assay.check(lambda x: x.sum(), lambda x: x.sum(), assay.f32[30], framework="torch")
    assert len(total.outputs) > 4 and str(total).count("\nout0 ") == 4, total  # the worst of several draws of a kind
    crashed = str(assay.check(lambda a, b: os._exit(3), "matmul 12x40:40x7"))
    assert "error/bound" not in crashed and "repro: " in crashed


def test_a_dropped_term_is_found_and_put_into_words():
    def kernel(a, b):
        out = a @ b
        out[:, -1] -= a[:, -1] * b[-1, -1]
        return out

    verdict = assay.check(kernel, "matmul 12x40:40x7")
    assert not verdict and verdict.status == "FAILED"
    assert verdict.pattern == "only index 6 of dimension 1 (the last), every element there"
    assert verdict.outputs[0].failures == 12 and verdict.outputs[0].data == "exact"
    assert verdict.worst[0]["bound"] < 0.01 and verdict.worst[0]["index"][1] == 6
    with pytest.raises(AssertionError, match="only index 6 of dimension 1"):
        verdict.raise_for_status()


@pytest.mark.parametrize("reference", [SOFTMAX, lambda x: jax.nn.softmax(x, axis=-1), lambda x: torch.softmax(x, -1), torch.nn.Softmax(-1)])
def test_every_kind_of_reference_judges_the_same_kernel(reference):
    spec = assay.f32[8, 33]
    assert assay.check(softmax, reference, spec, framework="numpy")
    assert not assay.check(lambda x: softmax(x) * np.float32(1 + 1e-4), reference, spec, framework="numpy")
    assert not assay.check(lambda x: np.zeros_like(x), reference, spec, framework="numpy")


def test_a_file_is_a_reference(tmp_path):
    (tmp_path / "softmax.mlir").write_text(SOFTMAX)
    assert assay.check(softmax, tmp_path / "softmax.mlir")
    assert assay.check(softmax, str(tmp_path / "softmax.mlir"), np.random.default_rng(1).normal(size=(8, 33)).astype(np.float32))


def test_numpy_code_is_a_reference_by_jax():
    def reference(x, y):
        return np.tanh(x) * y + np.float32(1)

    assert assay.check(lambda x, y: np.tanh(x) * y + 1, reference, assay.f32[100], assay.f32[100])
    assert not assay.check(lambda x, y: np.tanh(x) + y + 1, reference, assay.f32[100], assay.f32[100])


@jax.jit
def jitted(a, b):
    return jnp.dot(a, b)


@pytest.mark.parametrize("kernel", [jnp.dot, jax.jit(lambda a, b: a @ b), jitted], ids=["jax.numpy", "lambda", "decorated"])
def test_jitted_functions_are_kernels(kernel):
    assert assay.check(kernel, "matmul 5x6:6x4", framework="jax")
    assert not assay.check(kernel, lambda a, b: jnp.dot(a, b) * 1.01, assay.f32[5, 6], assay.f32[6, 4], framework="jax")


def test_more_callables_of_jax_are_kernels():
    assert assay.check(jax.nn.relu, lambda x: jnp.maximum(x, 0), assay.f32[40])
    assert assay.check(jnp.tanh, jnp.tanh, assay.f32[40])


def test_torch_and_jax_kernels_get_their_own_arrays():
    assert assay.check(torch.matmul, jax_product, torch.randn(5, 6), torch.randn(6, 4))
    assert assay.check(lambda a, b: jnp.matmul(a, b), "matmul 5x6:6x4")
    known = {torch.matmul: "torch", torch.nn.functional.gelu: "torch", np.matmul: "numpy", jnp.matmul: "jax"}
    assert {kernel: frameworks.used_by(kernel) for kernel in known} == known
    assert assay.check(torch.matmul, "matmul 5x6:6x4") and assay.check(np.matmul, "matmul 5x6:6x4")
    assert not assay.check(lambda a, b: torch.matmul(a, b.flip(0)), jax_product, assay.f32[5, 6], assay.f32[6, 4])


def test_a_module_keeps_its_parameters():
    torch.manual_seed(3)
    model = torch.nn.Sequential(torch.nn.Linear(20, 30), torch.nn.GELU(), torch.nn.LayerNorm(30), torch.nn.Linear(30, 5))
    weights = [one.detach().numpy().copy() for one in model.parameters()]

    def kernel(x, epsilon=1e-5):
        w1, b1, gain, shift, w2, b2 = weights
        x = x @ w1.T + b1
        erf = np.vectorize(__import__("math").erf)
        x = (x * 0.5 * (1 + erf(x / np.sqrt(2)))).astype(np.float32)
        x = (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + np.float32(epsilon)) * gain + shift
        return x @ w2.T + b2

    verdict = assay.check(kernel, model, assay.f32[16, 20], framework="numpy")
    assert verdict, verdict
    assert not assay.check(lambda x: kernel(x, 1e-2), model, assay.f32[16, 20], framework="numpy")
    with torch.no_grad():
        model[0].bias += 0.01
    assert not assay.check(kernel, model, assay.f32[16, 20], framework="numpy"), "a changed module is another reference"


def test_a_changed_reference_is_another_one(tmp_path):
    factor = [2.0]
    twice = lambda x: x * np.float32(2)  # noqa: E731
    for due in (2.0, 3.0, 2.0):
        factor[0] = due
        assert bool(assay.check(twice, lambda x: jnp.multiply(x, factor[0]), assay.f32[10], framework="numpy")) == (due == 2)
    text = "func.func @main(%a: tensor<10xf32>) -> tensor<10xf32> { %0 = stablehlo.OP %a, %a : tensor<10xf32> return %0 : tensor<10xf32> }"
    for op in ("add", "multiply", "add"):
        (tmp_path / "x.mlir").write_text(text.replace("OP", op))
        assert bool(assay.check(twice, tmp_path / "x.mlir")) == (op == "add")
        assert bool(assay.check(twice, text.replace("OP", op))) == (op == "add")


def test_integers_of_an_operator_without_a_row():
    def kernel(x, y):
        return np.gcd(x, y)

    spec = assay.s32[40], assay.s32[40]
    verdict = assay.check(kernel, torch.gcd, *spec, framework="numpy")  # decomposed
    assert verdict and "weaker" not in str(verdict), verdict
    assert not assay.check(lambda x, y: kernel(x, y) + 1, torch.gcd, *spec, framework="numpy")


def test_integers_whose_number_depends_on_the_data():
    x = np.array([3, -1, 0, 7, 5, -2], np.int32)
    verdict = assay.check(lambda x: x[x > 0], lambda x: torch.masked_select(x, x > 0), x, framework="numpy")
    assert verdict and "weaker" not in str(verdict), verdict  # a program for these values
    assert not assay.check(lambda x: x[x > 0] + 1, lambda x: torch.masked_select(x, x > 0), x, framework="numpy")


def test_an_operator_without_a_row_is_computed_in_f64_and_said_so():
    radius = lambda x: np.abs(np.linalg.eigvals(x + 9 * np.eye(5, dtype=x.dtype))).sum()  # noqa: E731
    reference = lambda x: torch.linalg.eigvals(x + 9 * torch.eye(5)).abs().sum()  # noqa: E731
    verdict = assay.check(radius, reference, assay.f32[5, 5], framework="numpy")
    assert verdict and "weaker than a derived bound" in str(verdict) and "aten.linalg_eig.default" in str(verdict), verdict
    assert not assay.check(lambda x: radius(x) * np.float32(1.01), reference, assay.f32[5, 5], framework="numpy")


def test_bf16_tensors_of_torch():
    spec = assay.bf16[24, 48], assay.bf16[48, 16]
    assert assay.check(lambda a, b: a @ b, lambda a, b: torch.matmul(a, b), *spec, framework="torch")
    verdict = assay.check(lambda a, b: (a[:, :-1] @ b[:-1]), lambda a, b: torch.matmul(a, b), *spec, framework="torch")
    assert not verdict and "every element" in verdict.pattern


def test_integers_must_be_equal():
    reference = lambda a, b: jnp.matmul(a, b, preferred_element_type=jnp.int32)  # noqa: E731
    spec = assay.s8[9, 70], assay.s8[70, 5]
    assert assay.check(lambda a, b: a.astype(np.int32) @ b.astype(np.int32), reference, *spec, framework="numpy")
    assert not assay.check(lambda a, b: (a.astype(np.int16) @ b.astype(np.int16)).astype(np.int32), reference, *spec, framework="numpy")


def test_several_outputs_each_have_a_row():
    def reference(x):
        return {"sum": jnp.sum(x, 0), "most": jnp.max(x, 1)}

    verdict = assay.check(lambda x: {"sum": x.sum(0), "most": x.max(1) * 2}, reference, assay.f32[6, 9], framework="numpy")
    assert [one.status for one in verdict.outputs] == ["FAILED", "PASSED"] and "out0" in verdict.reason
    assert repr(verdict.outputs[1].spec) == "f32[9]"


def test_constants_and_keywords_go_to_both():
    def reference(x, axis, scale=1.0):
        return jnp.sum(x, axis) * scale

    assert assay.check(lambda x, axis, scale=1.0: x.sum(axis) * np.float32(scale), reference, assay.f32[6, 9], 1, keywords={"scale": 0.5}, framework="numpy")
    assert not assay.check(lambda x, axis, scale=1.0: x.sum(axis), reference, assay.f32[6, 9], 1, keywords={"scale": 0.5}, framework="numpy")


def copied(kernel, **options):
    """The verdict on a kernel that should return a copy of 64 numbers times two."""
    return assay.check(kernel, lambda x: jnp.add(x, x), assay.f32[64], framework="numpy", **options)


def prints_and_exits(x):
    print("about to leave")
    sys.exit(3)


@pytest.mark.parametrize(
    "kernel,status,words",
    [
        (lambda x: os._exit(3), "CRASHED", r"the kernel called exit\(3\)"),
        (prints_and_exits, "FAILED", r"called sys.exit\(3\)"),
        (lambda x: os.kill(os.getpid(), 11), "CRASHED", "Segmentation fault"),
        (lambda x: x[200], "FAILED", r"raised IndexError: .*test_check.py"),
        (lambda x: (x + x)[:63], "FAILED", r"out0 has the shape \(63,\), expected \(64,\)"),
        (lambda x: (x + x).astype(np.float64), "FAILED", "out0 is float64, expected float32"),
        (lambda x: [x + x, x], "FAILED", "returned 2 arrays, expected 1"),
        (lambda x: "done", "FAILED", "returned str for out0"),
        (lambda x: None, "FAILED", "returned nothing"),
        (lambda x: x, "FAILED", "returned memory of its input in0 as out0"),
        (lambda x: np.add(x, x, out=x), "FAILED", "wrote into an input"),
        (lambda x: (x + x) * np.float32(1 + 1e-3 * np.random.default_rng().random()), "FAILED", "every element|two runs"),
        (lambda x: np.where(np.isnan(x + x), 0, np.nan).astype(np.float32), "FAILED", "every element"),
    ],
)
def test_what_a_kernel_does_is_a_verdict(kernel, status, words):
    import re

    verdict = copied(kernel)
    assert verdict.status == status and re.search(words, verdict.pattern), verdict
    assert copied(lambda x: x + x), "the next kernel is not hurt by it"


def test_a_hang_is_a_verdict():
    verdict = copied(lambda x: __import__("time").sleep(60), timeout=0.5)
    assert verdict.status == "TIMEOUT" and "no answer within 0.50 s" in verdict.reason


def test_a_tensor_of_an_input_cannot_be_written():
    verdict = assay.check(lambda x: x.mul_(2), lambda x: torch.mul(x, 2), assay.f32[64], framework="torch")
    assert verdict.status == "FAILED" and verdict.pattern == "the kernel wrote into its input 'in0'"


def test_a_kernel_that_writes_behind_its_output_is_found():
    import ctypes

    def kernel(x, out):
        ctypes.memmove(out.ctypes.data, (x + x).ctypes.data, 256)
        ctypes.memset(out.ctypes.data + 256, 0, 8)

    verdict = copied(kernel, into=True)
    assert verdict.status == "FAILED" and verdict.pattern == "the kernel wrote past the end of 'out0'"
    assert copied(lambda x, out: np.add(x, x, out=out), into=True)
    assert "every element" in copied(lambda x, out: None, into=True).pattern


@pytest.mark.parametrize("at,kind", [(64 * 4, "exact"), (-4, "normal")])
def test_a_kernel_that_reads_outside_of_its_input_is_found(at, kind):
    import ctypes

    verdict = copied(lambda x: x + x + np.float32(0 * len(ctypes.string_at(x.ctypes.data + at, 4))))
    assert not verdict and verdict.reason.endswith(f", on {kind} data"), verdict


def test_runs_that_differ_are_said_and_can_be_allowed():
    def kernel(a, b):
        order = np.random.default_rng().permutation(a.shape[1])
        return sum((a[:, k : k + 1] * b[k] for k in order), np.zeros((a.shape[0], b.shape[1]), np.float32))

    verdict = assay.check(kernel, "matmul 8x200:200x8", fill="normal")
    assert verdict.status == "FAILED" and "two runs on the same data differ" in verdict.reason
    assert assay.check(kernel, "matmul 8x200:200x8", deterministic=False)
    assert assay.check(kernel, "matmul 8x200:200x8", fill="exact"), "exact data has the same sum in every order"


def test_prints_and_forks_and_threads():
    def kernel(x):
        print("hello from the kernel")
        if os.fork() == 0:
            raise SystemExit(9)
        threading.Thread(target=lambda: __import__("time").sleep(0.5), daemon=True).start()
        return x + x

    verdict = copied(kernel)
    assert verdict and "hello from the kernel" in verdict.printed
    assert "the kernel left 1 thread running" in verdict.notes


def test_what_cannot_be_asked_raises_and_says_what_to_do(tmp_path):
    with open(tmp_path / "x", "w") as file:
        with pytest.raises(ValueError, match="cannot be sent to a worker process.*at the top of a module"):
            assay.check(lambda x: file.write("x"), "matmul 2x2:2x2")
    for words, message in [
        (("matmul 2x2:2x2", np.zeros((2, 3), np.float32)), r"the reference takes f32\[2, 2\], f32\[2, 2\]; the inputs are f32\[2, 3\]"),
        (("nothing such",), "nothing"),
        ((3,), "a reference is a function.* not 3; inputs come after it"),
        ((jnp.matmul,), "the reference cannot be called with no inputs: missing a required argument: 'a'. Its inputs follow it"),
        ((jnp.matmul, assay.f32[4, 4]), "cannot be called with 1 input: missing a required argument: 'b'"),
        ((lambda x, axis: x.sum(axis), assay.f32[4]), "missing a required argument: 'axis'.* go into keywords="),
        ((jnp.sin, (4, 4)), r"the input \(4, 4\) is no array.* such as assay.f32\[128, 512\]"),
        ((jnp.sin, [1.0, 2.0]), "is no array"),
        ((jnp.sin, assay.f32), "the input assay.f32 is no array"),
        ((lambda x: jnp.linalg.bogus(x), assay.f32[3]), "cannot make a program of the reference.*bogus"),
    ]:
        with pytest.raises(ValueError, match=message):
            assay.check(product, *words)
    for kernel, message in [("k.py:f", 'engine="python:FILE.py:FUNCTION"'), (Doubled, "the kernel Doubled is a class; give an instance: Doubled")]:
        with pytest.raises(ValueError, match=message):
            assay.check(kernel, jnp.sin, assay.f32[4])
    with pytest.raises(ValueError, match="the reference Doubled is a class; give an instance"):
        assay.check(jnp.sin, Doubled, assay.f32[4])
    with pytest.raises(ValueError, match="fill 'odd' is not one of"):
        assay.check(product, "matmul 2x2:2x2", fill="odd")
    with pytest.raises(ValueError, match="layout 'round' is not one of"):
        assay.check(product, "matmul 2x2:2x2", layout="round")
    with pytest.raises(AttributeError, match="no attribute 'f31'; the element types are f64, f32, f16"):
        assay.f31
    with pytest.raises(AttributeError, match="no attribute 'float32'; the element type is assay.f32"):
        assay.float32


class Doubled(torch.nn.Module):
    def forward(self, x):
        return x + x


@pytest.mark.parametrize("device", ["cuda:99", "meta", "xpu:7", "no such device"])
def test_a_device_that_pytorch_cannot_use_is_no_finding(device):
    for ask in (lambda: assay.check(Doubled(), Doubled(), assay.f32[4], device=device), lambda: assay.time(Doubled(), assay.f32[4], reference=Doubled(), device=device)):
        with pytest.raises(ValueError, match=f"PyTorch cannot use device='{device}' here"):
            ask()
    with pytest.raises(ValueError, match=f"device='{device}' is one of PyTorch's, but the kernel gets NumPy's arrays"):
        assay.check(product, "matmul 2x2:2x2", device=device)
    assert assay.check(Doubled(), Doubled(), assay.f32[4], device=torch.device("cpu"))


def test_a_kernel_that_raises_is_said_once():
    def fails(x):
        raise RuntimeError("mine")

    text = str(assay.check(fails, Doubled(), assay.f32[4]))
    assert text.count("the kernel was given") == 1 and "on NumPy's it raised RuntimeError: mine" in text, text


def test_an_error_beyond_its_bound_never_reads_as_1():
    from assay.verdict import _share

    assert [_share(one) for one in (0.0, 0.5, 1.0, 1.00119, 1.01)] == ["-", "0.5", "1", ">1", "1.01"]


@pytest.mark.parametrize("inputs", [(assay.f32[4, 32], assay.f32[64]), (assay.s32[4, 64], assay.f32[64])])
def test_a_reference_that_refuses_its_inputs_is_said_once(inputs, capfd, caplog):
    def norm(x, weight):
        return torch.nn.functional.layer_norm(x, (64,), weight)

    with pytest.raises(ValueError, match="PyTorch cannot compute the reference"):
        assay.check(norm, norm, *inputs)
    assert "fake_tensor" not in capfd.readouterr().err and not [one for one in caplog.records if one.levelname == "ERROR"]


def test_what_a_kind_of_data_holds_is_said_where_it_fails():
    def softmax(x):
        e = torch.exp(x)
        return e / e.sum(-1, keepdim=True)

    verdict = assay.check(softmax, lambda x: torch.softmax(x, -1), assay.f32[8, 64])
    assert verdict.status == "FAILED" and "range data has numbers at the ends of what the operations take: beyond +-88 for exp" in str(verdict), verdict


def test_misaligned_inputs():
    def kernel(a, b):  # its result depends on the address of its input
        return a @ b if a.ctypes.data % 64 == 0 else np.zeros((16, 16), np.float32)

    assert assay.check(kernel, "matmul 16x16:16x16")
    assert not assay.check(kernel, "matmul 16x16:16x16", layout="misaligned")
    assert assay.check(product, "matmul 16x16:16x16", layout="misaligned")


@pytest.mark.parametrize("layout", ["contiguous", "transposed", "sliced"])
def test_layouts(layout):
    assert assay.check(lambda a, b: np.ascontiguousarray(a) @ b, "matmul 12x40:40x7", layout=layout)

    def flat(a, b):  # reads the memory in another order
        dense = np.lib.stride_tricks.as_strided(a, strides=(a.shape[1] * 4, 4))
        return dense @ b

    assert bool(assay.check(flat, "matmul 12x40:40x7", layout=layout)) == (layout == "contiguous")

    def strict(a, b):  # strides in elements of four bytes
        steps = {"contiguous": (40, 1), "transposed": (1, 12), "sliced": (80, 2)}
        assert a.strides == tuple(4 * step for step in steps[layout]), a.strides
        return np.ascontiguousarray(a) @ b

    verdict = assay.check(strict, "matmul 12x40:40x7", layout=layout)
    assert verdict, verdict

    def deep(x):
        steps = {"contiguous": (15, 5, 1), "transposed": (15, 1, 3), "sliced": (30, 10, 2)}
        assert x.strides == tuple(4 * step for step in steps[layout]), x.strides
        return x + x

    verdict = assay.check(deep, lambda x: jnp.add(x, x), assay.f32[2, 3, 5], framework="numpy", layout=layout)
    assert verdict, verdict


def test_the_repro_runs_as_it_stands(assay_program):
    verdict = assay.check(lambda a, b: (a @ b) + np.float32(1), "matmul 6x5:5x4")
    done = subprocess.run(verdict.repro, shell=True, capture_output=True, text=True, cwd="/")
    assert done.returncode == 1 and "FAILED" in done.stdout and "every element" in done.stdout, done
    folder = verdict._folder
    words = ["run", folder / "reference.mlir", "--input", folder / "in.npz", "--expect", folder / "got.npz", "--rule", "bound"]
    done = assay_program(*words)
    assert done.returncode == 1 and "every element" in done.stdout, done
    facts = json.loads(verdict.to_json())
    assert facts["status"] == "FAILED" and facts["outputs"][0]["failures"] == 24 and facts["repro"] == verdict.repro


@pytest.fixture
def assay_program(tmp_path):
    def run(*words):
        return subprocess.run([os.path.join(os.environ["ASSAY_BIN"], "assay"), *map(str, words)], capture_output=True, text=True, cwd=tmp_path)

    return run


@pytest.mark.parametrize("name", ["weight_norm", "spectral_norm", "orthogonal"])
def test_a_parametrised_module_is_sent_to_its_process(name):
    model = torch.nn.Sequential(getattr(torch.nn.utils.parametrizations, name)(torch.nn.Linear(4, 4)), torch.nn.ReLU()).eval()
    assert assay.check(model, model, torch.randn(3, 4)).status == "PASSED"


def test_a_kernel_may_name_a_module_that_is_an_attribute():
    aten = torch.ops.aten  # cannot be imported by its name
    assert assay.check(lambda x: aten.relu(x), torch.relu, assay.f32[3, 5]).status == "PASSED"


def test_import_needs_nothing():
    code = "import sys; sys.modules['numpy'] = sys.modules['torch'] = sys.modules['jax'] = None; import assay\ntry: assay.f32\nexcept AttributeError as e: print(e)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0 and "assay.f32 needs NumPy (pip install numpy)" in done.stdout, done
    code = "import sys; sys.modules['torch'] = sys.modules['jax'] = None; import assay\nprint(assay.check(abs, lambda x: x, assay.f32[3]))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "FAILED" in done.stdout and "judged by rule dtype, which is weaker than a derived bound" in done.stdout, done


def test_the_stubs_say_what_the_functions_take():
    import ast
    import inspect
    import pathlib

    from assay.elements import NAMES

    folder = pathlib.Path(assay.__file__).parent
    tree = ast.parse((folder / "__init__.pyi").read_text())
    stubs = {one.name: one.args for one in tree.body if isinstance(one, ast.FunctionDef)}
    for source in (one for one in tree.body if isinstance(one, ast.ImportFrom) and one.level):  # what the package re-exports
        body = ast.parse((folder / f"{source.module}.pyi").read_text()).body
        shown = {alias.name for alias in source.names if alias.asname == alias.name}
        stubs.update({one.name: one.args for one in body if isinstance(one, ast.FunctionDef) and one.name in shown})
    for name in ("check", "audit", "time", "sweep", "load", "run"):
        real = [one.name for one in inspect.signature(getattr(assay, name)).parameters.values() if not one.name.startswith("_")]
        args = stubs[name]
        words = [one.arg for one in args.args] + ([args.vararg.arg] if args.vararg else []) + [one.arg for one in args.kwonlyargs]
        assert real == words + ([args.kwarg.arg] if args.kwarg else []), name
    assert set(NAMES) <= {one.target.id for one in tree.body if isinstance(one, ast.AnnAssign)}


@pytest.mark.parametrize("engine", ["native", "onednn", "reference"])
def test_an_engine_is_a_kernel(engine):
    assert assay.check(None, SOFTMAX, engine=engine)
    verdict = assay.check(None, jax_product, assay.bf16[9, 20], assay.bf16[20, 6], engine=engine)
    assert verdict and verdict.name == engine and repr(verdict.outputs[0].spec) == "bf16[9, 6]"


def test_an_engine_that_is_none():
    with pytest.raises(ValueError, match="no engine named 'nosuch'; there are .*native"):
        assay.check(None, SOFTMAX, engine="nosuch")
    with pytest.raises(TypeError, match=r'no keyword \'rtol\'.*rule="close:RTOL,ATOL"'):
        assay.check(np.tanh, np.tanh, assay.f32[4], rtol=1e-3)
    with pytest.raises(TypeError, match=r"no keyword 'axis'.*keywords=\{...\}"):
        assay.check(np.sum, np.sum, assay.f32[4], axis=0)
    with pytest.raises(ValueError, match="give a kernel, or None and engine="):
        assay.check(None, SOFTMAX)
    with pytest.raises(ValueError, match="no module with parameters"):
        assay.check(None, torch.nn.Linear(3, 4), assay.f32[2, 3], engine="native")


def by_constant(x):
    return x / np.float32(3)


def by_its_inverse(x):
    return x * (np.float32(1) / np.float32(3))


def by_root(x, y):
    return x / np.sqrt(y)


def by_inverse_root(x, y):
    return x * (np.float32(1) / np.sqrt(y))


ROOT = """func.func @main(%x: tensor<512xf32>, %y: tensor<512xf32>) -> tensor<512xf32> {
  %s = stablehlo.abs %y : tensor<512xf32>
  %r = stablehlo.sqrt %s : tensor<512xf32>
  %q = stablehlo.divide %x, %r : tensor<512xf32>
  return %q : tensor<512xf32>
}"""
THIRD = """func.func @main(%x: tensor<512xf32>) -> tensor<512xf32> {
  %c = stablehlo.constant dense<3.0> : tensor<512xf32>
  %q = stablehlo.divide %x, %c : tensor<512xf32>
  return %q : tensor<512xf32>
}"""


@pytest.mark.parametrize(
    "text, division, product",
    [
        (THIRD, by_constant, by_its_inverse),
        (ROOT, lambda x, y: by_root(x, np.abs(y)), lambda x, y: by_inverse_root(x, np.abs(y))),
        (lambda x: jnp.divide(x, 3), by_constant, by_its_inverse),
    ],
    ids=["constant", "root", "jax"],
)
def test_a_product_for_a_division_is_what_compilers_make_unless_it_is_refused(text, division, product):
    arrays = [np.random.default_rng(1).uniform(0.5, 9, 512).astype(np.float32) for _ in range(1 + (text is ROOT))]
    assert assay.check(product, text, *arrays) and assay.check(division, text, *arrays)
    assert assay.check(division, text, *arrays, exact_division=True)
    verdict = assay.check(product, text, *arrays, exact_division=True)
    assert verdict.status == "FAILED", verdict
    done = subprocess.run(verdict.repro, shell=True, capture_output=True, text=True, cwd="/")
    assert done.returncode == 1 and "FAILED" in done.stdout, done  # repro.py demands the division again
    assert assay.check(product, text, *arrays)  # the demand does not outlast the check


def two_products(x, a, b):
    return torch.nn.functional.gelu(x @ a) @ b


@pytest.mark.parametrize("factors", [((8, 32), (32, 64), (64, 16)), ((16, 128), (128, 128), (128, 16)), ((4, 1024), (1024, 8), (8, 3))])
def test_a_kernel_that_keeps_products_of_f16_wide_inside_is_judged(factors):
    """Exact f16 data stay in range through both products."""
    inputs = [assay.f16[one] for one in factors]
    for kernel in two_products, lambda *given: two_products(*(one.float() for one in given)).half():
        verdict = assay.check(kernel, two_products, *inputs)
        assert verdict, verdict
    wrong = assay.check(lambda x, a, b: two_products(x[:, :-1].float(), a[:-1].float(), b.float()).half(), two_products, *inputs)
    assert wrong.status == "FAILED" and "on exact data" in wrong.reason, wrong


TAPS = "conv --dir=FWD_D {}mb2ic16iw24oc8ow24kw3pw1"


def test_transforms_of_convolutions_are_named_and_pass_where_they_are_allowed():
    kernel = kernels_of_numpy.winograd
    verdict = assay.check(kernel, TAPS.format(""))
    assert verdict.status == "FAILED" and "as if convolutions were computed by transforms (Winograd, FFT): " in verdict.pattern, verdict
    assert 'algorithm="wino" in Python and --alg=wino in words allow them' in verdict.pattern, verdict
    for allowed in assay.check(kernel, TAPS.format(""), algorithm="wino"), assay.check(kernel, TAPS.format("--alg=wino ")), assay.check(kernel, TAPS.format("--alg=auto ")):
        assert allowed, allowed
    refused = assay.check(kernel, TAPS.format("--alg=wino "), algorithm="direct")
    assert refused.status == "FAILED", refused
    for wrong in kernels_of_numpy.winograd_without_last_channel, kernels_of_numpy.winograd_one_tap_off:
        verdict = assay.check(wrong, TAPS.format("--alg=wino "))
        assert verdict.status == "FAILED" and "transforms" not in verdict.pattern, verdict
        done = subprocess.run(verdict.repro, shell=True, capture_output=True, text=True, cwd="/")
        assert done.returncode == 1 and "FAILED" in done.stdout, done
    with pytest.raises(ValueError, match="algorithm 'fft' is not one of direct, wino, auto"):
        assay.check(kernel, TAPS.format(""), algorithm="fft")


def test_verify_names_transforms_of_convolutions(assay_program):
    engine = f"--engine=python:{kernels_of_numpy.__file__}:winograd"
    words = TAPS.format("").split()[1:]
    done = assay_program("verify", engine, "--conv", *words)
    assert done.returncode == 1 and "as if it were computed by transforms (Winograd, FFT): --alg=wino allows them" in done.stdout, done
    assert "passed:1" in assay_program("verify", engine, "--conv", "--alg=wino", *words).stdout
    wrong = assay_program("verify", engine + "_one_tap_off", "--conv", *words)
    assert wrong.returncode == 1 and "transforms" not in wrong.stdout, wrong


EVERY_RELU = {
    "maximum": "stablehlo.maximum %x, %z : tensor<9xf32>",
    "clamp": "stablehlo.clamp %z, %x, %i : tensor<9xf32>",
}


@pytest.mark.parametrize("form", EVERY_RELU)
@pytest.mark.parametrize("framework, kernel", [("numpy", lambda x: np.maximum(x, np.float32(0))), ("torch", torch.relu), ("jax", jax.nn.relu)], ids=["numpy", "torch", "jax"])
def test_relu_of_minus_infinity_is_zero(form, framework, kernel):
    text = f"""func.func @main(%x: tensor<9xf32>) -> tensor<9xf32> {{
  %z = stablehlo.constant dense<0.0> : tensor<9xf32>
  %i = stablehlo.constant dense<0x7F800000> : tensor<9xf32>
  %r = {EVERY_RELU[form]}
  return %r : tensor<9xf32>
}}"""
    x = np.array([-np.inf, np.inf, np.nan, -0.0, 0, -1, 1, -3e38, 1e-30], np.float32)
    assert assay.check(kernel, text, x, framework=framework)
    assert not assay.check(lambda a: a * (a > 0), text, x, framework="numpy")  # 0 * -inf


def test_numpys_maximum_is_the_relu_of_a_problem():
    assert assay.check(lambda x: np.maximum(x, np.float32(0)), "eltwise --alg=relu 9x31", fill=("exact", "normal", "special"))


def test_a_repro_finds_the_module_beside_a_command(tmp_path):
    """`python -c` searches for modules in its working directory."""
    (tmp_path / "mine.py").write_text("import numpy as np\n\ndef add(a, b):\n    return a + b + np.float32(1)\n")
    code = "import assay, mine; print(assay.check(mine.add, lambda a, b: a + b, assay.f32[4], assay.f32[4], framework='numpy').repro)"
    command = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    (tmp_path / "elsewhere").mkdir()
    again = subprocess.run(command.strip(), shell=True, cwd=tmp_path / "elsewhere", capture_output=True, text=True)
    assert "FAILED" in again.stdout and "ModuleNotFoundError" not in again.stderr, again


def test_evidence_lies_in_one_place_with_a_limit(tmp_path, monkeypatch):
    from assay import kept

    monkeypatch.setenv("ASSAY_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(kept, "LIMIT", 3)
    made = []
    for _ in range(5):
        made.append(assay.check(lambda a, b: a @ b + np.float32(1), "matmul 2x2:2x2"))
        assert made[-1].repro.endswith("repro.py")
    assert sorted((tmp_path / "cache" / "checks").iterdir()) == sorted(one._folder for one in made[2:])
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("ASSAY_CACHE_DIR", str(tmp_path / "file"))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    assert kept.folder("check-").parent == tmp_path, "a cache that cannot be written"


@pytest.mark.parametrize("epsilon", (1e-12, 1e-6, 1e-4))
def test_another_epsilon_shows_behind_a_bias(epsilon):
    def layer_norm(epsilon):
        def norm(x, scale, bias):
            centred = x - x.mean(-1, keepdims=True)
            return centred / jnp.sqrt((centred * centred).mean(-1, keepdims=True) + epsilon) * scale + bias
        return norm

    shapes = assay.f32[32, 96], assay.f32[96], assay.f32[96]
    assert assay.check(jax.jit(layer_norm(1e-5)), layer_norm(1e-5), *shapes)
    assert not assay.check(jax.jit(layer_norm(epsilon)), layer_norm(1e-5), *shapes)


def test_an_error_of_the_references_own_library_is_named():
    z = np.array([3e-4 + 1e-4j, 2e-5 - 7e-5j], np.complex64)  # NumPy computes the logarithm of |1 + z|

    def log1p(z):
        return np.log1p(z)

    verdict = assay.check(log1p, log1p, z)
    assert not verdict and "2 of 2 wrong elements have the bits of NumPy's own result" in str(verdict), verdict
    verdict = assay.check(log1p, log1p, z, library=True)
    assert verdict and "(library=True)" in str(verdict), verdict
    for library in (False, True):
        verdict = assay.check(lambda z: np.log1p(z) * np.float32(1.01), log1p, z, library=library)
        assert not verdict and "own result" not in str(verdict), verdict


def test_what_numpy_writes_into_an_array_has_numpys_types():
    def argmax(x, out):
        assert out.dtype == np.int64
        out[...] = x.argmax(1)

    assert assay.check(argmax, lambda x: x.argmax(1), assay.f32[5, 7], into=True, framework="numpy")


def flash_attention(q, k, v, weights, block=24):
    """Attention as tensor cores compute it: blocks of keys, sums in f32, weights kept in the type `weights`."""
    import torch

    q, k, v = (one.float() for one in (q, k, v))
    top = torch.full(q.shape[:-1] + (1,), -torch.inf)
    total, out = torch.zeros_like(top), torch.zeros_like(q)
    for at in range(0, k.shape[2], block):
        scores = q @ k[:, :, at : at + block].transpose(-1, -2) * q.shape[-1] ** -0.5
        later = torch.maximum(top, scores.amax(-1, keepdim=True))
        shrink, powers = torch.exp(top - later), torch.exp(scores - later)
        total = total * shrink + powers.sum(-1, keepdim=True)
        out = out * shrink + powers.to(weights).float() @ v[:, :, at : at + block]
        top = later
    return out / total


@pytest.mark.parametrize("element, name", [(assay.bf16, "bfloat16"), (assay.f16, "float16")])
def test_attention_may_keep_its_weights_in_the_type_of_its_inputs(element, name):
    import torch

    dtype = getattr(torch, name)
    inputs = (element[1, 2, 70, 32],) * 3

    def kernel(weights, block=24):
        return lambda q, k, v: flash_attention(q, k, v, weights, block).to(dtype)

    reference = torch.nn.functional.scaled_dot_product_attention
    for right in (kernel(dtype), kernel(torch.float32), kernel(dtype, 70), reference):
        verdict = assay.check(right, reference, *inputs, framework="torch")
        assert verdict, verdict
    for wrong in (kernel(torch.float8_e4m3fn), lambda q, k, v: kernel(dtype)(q, k[:, :, :69], v)):
        assert not assay.check(wrong, reference, *inputs, framework="torch")


def test_zeros_are_judged_by_their_bound():
    """log(softmax) of one number is 0, and log(exp(0) / exp(0)) may be off by the errors of both functions: other evaluations happen to be 0."""
    nearly, wrong = (lambda x, off=off: np.full_like(x, off) + 0 * x for off in (2e-7, 1e-4))
    reference = lambda x: jax.nn.log_softmax(x, axis=-1)
    assert assay.check(nearly, reference, assay.f32[9, 1], framework="numpy").status == "PASSED"
    assert assay.check(wrong, reference, assay.f32[9, 1], framework="numpy").status == "FAILED"


def test_data_that_the_reference_refuses_is_not_asked_of_a_kernel():
    """PyTorch's Cholesky raises on NaN, where the program returns NaN; a kernel that raises where its reference does not is wrong."""
    reference = lambda a: torch.linalg.cholesky(a @ a.T + torch.eye(8, dtype=a.dtype))
    for kernel in (reference, lambda a: reference(a.double()).float()):
        verdict = assay.check(kernel, reference, assay.f32[8, 8], framework="torch")
        assert verdict.status == "PASSED" and "the reference raises _LinAlgError on it, too" in str(verdict), str(verdict)

    def picky(a):
        if not torch.isfinite(a).all():
            raise RuntimeError("not finite")
        return a * 2

    verdict = assay.check(picky, lambda a: a * 2, assay.f32[8, 8], framework="torch")
    assert verdict.status == "FAILED" and "not finite" in verdict.reason


def test_products_that_are_kept_in_f16_may_be_subnormal():
    program = """func.func @main(%a: tensor<9x40xf16>, %b: tensor<40x7xf16>) -> tensor<9x7xf16> {
      %r = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT],
        algorithm = <lhs_precision_type = f16, rhs_precision_type = f16, accumulation_type = f16, lhs_component_count = 1, rhs_component_count = 1,
          num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<9x40xf16>, tensor<40x7xf16>) -> tensor<9x7xf16>
      return %r : tensor<9x7xf16>
    }"""

    def kernel(a, b, first=0):
        total = np.zeros((9, 7), np.float16)
        for k in range(first, 40):
            total = (total + a[:, k : k + 1] * b[k : k + 1]).astype(np.float16)
        return total

    data = assay.f16[9, 40], assay.f16[40, 7]
    verdict = assay.check(kernel, program, *data, special=False)
    assert verdict, verdict
    assert assay.check(lambda a, b: kernel(a, b, 1), program, *data, special=False).status == "FAILED"
