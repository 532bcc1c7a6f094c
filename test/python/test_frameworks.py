"""Which framework's arrays a kernel gets from assay.check: right kernels of every kind pass without framework=, wrong ones fail, and a failure
says which arrays were given and why."""
import ctypes
import functools
import operator

import jax
import jax.numpy as jnp
import kernels_of_numpy
import kernels_of_torch
import numpy as np
import numpy.typing as npt
import pytest
import torch

import assay
from assay import frameworks

TORCH, JAX, NUMPY = "torch", "jax", "numpy"
X = assay.f32[6, 8]


def torch_twice(x):
    return torch.mul(x, 2)


def jax_twice(x):
    return jnp.multiply(x, 2)


TWICE = "func.func @main(%x: tensor<6x8xf32>) -> tensor<6x8xf32> { %0 = stablehlo.add %x, %x : tensor<6x8xf32> return %0 : tensor<6x8xf32> }"


def annotated_torch(x: torch.Tensor) -> torch.Tensor:
    return x.mul(2)


def annotated_text(x: "torch.Tensor | None"):
    return x.mul(2)


def annotated_numpy(x: npt.NDArray[np.float32]) -> np.ndarray:
    out = x.copy()
    out[...] *= 2
    return out


def annotated_jax(x: jax.Array) -> jax.Array:
    return x.at[...].multiply(2)


def imports_torch(x):
    import torch as t

    return t.mul(x, 2)


def imports_from(x):
    from torch import mul

    return mul(x, 2)


def imports_numpy(x):
    import numpy

    return numpy.asarray(x).astype("float32") * numpy.float32(2)


def helper(x):
    return torch.mul(x, 2)


def calls_a_helper(x):
    return helper(x)


def decorated(function):
    @functools.wraps(function)
    def call(*words):
        return function(*words)

    return call


def plain_decorated(function):
    def call(*words):
        return function(*words)

    return call


class Module(torch.nn.Module):
    def forward(self, x):
        return x.mul(2)


class Callable:
    def __call__(self, x):
        return torch.mul(x, 2)


class WithState:
    def __init__(self):
        self.weight = torch.full((8,), 2.0)

    def __call__(self, x):
        return x.mul(self.weight)


class Methods:
    def kernel(self, x):
        return torch.mul(x, 2)

    @staticmethod
    def free(x):
        return torch.mul(x, 2)

    @classmethod
    def of_class(cls, x):
        return torch.mul(x, 2)


class Compiled:
    """Like numba's dispatchers: without code, and with the function in py_func."""

    def __init__(self, function):
        self.py_func = function

    def __call__(self, *words):
        return self.py_func(*words)


def closure():
    two = torch.tensor(2.0)
    return lambda x: x.mul(two)


def by_address(x):
    out = np.empty_like(x)
    ctypes.memmove(out.ctypes.data, x.ctypes.data, x.nbytes)
    out *= 2
    return out


def by_pointer(x):
    buffer = (ctypes.c_float * x.numel()).from_address(x.data_ptr())
    return type(x)([2 * one for one in buffer]).reshape(x.shape)


def names_both(x):
    return torch.from_numpy(np.multiply(x.numpy(), np.float32(2)))


def constant_of_numpy(x):
    return x.double().mul(2 * np.cos(0.0)).float()


def written_numpy(x):
    out = x + x
    out[0] += 0
    return out


def asarray(x):
    return np.asarray(x.detach()) * np.float32(2)


VECTORS = np.float32(2)
MIXED = [
    lambda x: x.double().mul(2).float(), lambda x: x.flip(-1).flip(-1).mul(2), lambda x: x.clone().mul_(2), lambda x: x.add(x), lambda x: x.unsqueeze(0).mul(2)[0],
    lambda x: torch.add(x, x), lambda x: torch.ops.aten.add(x, x), torch.jit.script(torch_twice), torch.vmap(lambda row: row.mul(2)), Module(), torch.nn.Sequential(Module()), Callable(),
    WithState(), Methods().kernel, Methods.free, Methods.of_class, Compiled(torch_twice), closure(), functools.partial(torch.mul, other=2), functools.partial(lambda x, by: x.mul(by), by=2),
    functools.partial(lambda by, x: x.mul(by), torch.tensor(2.0)), annotated_torch, annotated_text, imports_torch, imports_from, calls_a_helper, decorated(torch_twice), plain_decorated(torch_twice),
    torch.no_grad()(torch_twice), torch.compile(torch_twice, backend="eager"), torch.compile(Module(), backend="eager"), names_both, constant_of_numpy, by_pointer, asarray,
    annotated_numpy, imports_numpy, by_address, written_numpy, lambda x: np.add(x, x), np.vectorize(lambda one: 2 * one, otypes=["float32"]), lambda x: x.astype("float32") * VECTORS,
    Compiled(lambda x: np.multiply(x, VECTORS)), functools.partial(np.multiply, np.float32(2)), lambda x: (lambda y: y.copy())(x) * VECTORS,
    annotated_jax, jax.jit(lambda x: x * 2), jax.jit(jax_twice), jax.vmap(lambda row: row + row), functools.partial(jnp.multiply, 2), lambda x: x.at[:].multiply(2), lambda x: jnp.add(x, x),
    jax.jit(jax_twice).__wrapped__, lambda x: x + x, lambda x: operator.add(x, x), functools.partial(operator.mul, 2),
]  # fmt: skip


@pytest.mark.parametrize("reference", [torch_twice, jax_twice, TWICE], ids=["torch", "jax", "text"])
@pytest.mark.parametrize("kernel", MIXED, ids=[f"{i}-{getattr(one, '__name__', type(one).__name__)}" for i, one in enumerate(MIXED)])
def test_a_right_kernel_passes(kernel, reference):
    verdict = assay.check(kernel, reference, X, fill="normal")
    assert verdict, verdict


@pytest.mark.parametrize("kernel, reference, framework", [
    (kernels_of_torch.flipped, lambda x: jnp.flip(x, -1), TORCH), (kernels_of_torch.doubled, jax_twice, TORCH), (kernels_of_torch.median, lambda x: torch.median(x, -1).values, TORCH),
    (kernels_of_torch.largest, lambda x: jnp.max(x, -1), TORCH), (kernels_of_torch.deviation, lambda x: jnp.std(x, -1, ddof=1), TORCH), (kernels_of_torch.Scaled(2.0), jax_twice, TORCH),
    (kernels_of_torch.written, lambda x: (2 * x).at[0].set(0), TORCH), (kernels_of_numpy.written, lambda x: (2 * x).at[0].set(0), NUMPY),
    (kernels_of_numpy.deviation, lambda x: torch.std(x, -1, correction=0), NUMPY), (kernels_of_numpy.reversed_, lambda x: torch.flip(x, [-1]), NUMPY),
])  # fmt: skip
def test_the_module_of_a_kernel_decides(kernel, reference, framework):
    assert frameworks.choose(kernel, (), reference).framework == framework
    verdict = assay.check(kernel, reference, X, fill="normal", alias=True)
    assert verdict and not any("cannot work" in note for note in verdict.notes), verdict
    wrong = assay.check(lambda x: kernel(x) + 1, reference, X, fill="normal", alias=True)
    assert not wrong and "kernel was given" in str(wrong) and "framework= chooses among numpy, torch, jax" in str(wrong), wrong


@pytest.mark.parametrize("kernel, framework, why", [
    (annotated_torch, TORCH, "annotations"), (annotated_jax, JAX, "annotations"), (imports_from, TORCH, "code"), (Compiled(torch_twice), TORCH, "code"), (jax.jit(lambda x: x), JAX, "code"),
    (torch.matmul, TORCH, "code"), (np.matmul, NUMPY, "code"), (kernels_of_torch.flipped, TORCH, "module"), (lambda x: x, NUMPY, "nothing"), (abs, NUMPY, "nothing"),
])  # fmt: skip
def test_what_decides_is_said(kernel, framework, why):
    choice = frameworks.choose(kernel)
    assert (choice.framework, why in choice.why) == (framework, True), choice.why
    assert frameworks.choose(lambda x: x, (), torch_twice).why == "the reference is"
    assert frameworks.choose(kernel, [np.ones(2)]).why == "the inputs are"
    with pytest.raises(ValueError, match="arrays of numpy and torch"):
        frameworks.choose(kernel, [np.ones(2), torch.ones(2)])


def test_a_kernel_that_no_arrays_suit_says_what_was_tried():
    verdict = assay.check(lambda x: x.nosuch(), torch_twice, X)
    assert verdict.status == "FAILED" and "PyTorch's arrays (the reference is)" in verdict.reason and "framework=" in verdict.reason, verdict
    assert "on NumPy's it raised AttributeError" in verdict.notes[-1], verdict.notes
    only = assay.check(lambda x: x.flip(-1), torch_twice, X, framework="numpy")
    assert only.status == "FAILED" and "numpy.ndarray" in only.reason and "framework= says so" in only.reason and "PyTorch" not in str(only), "what the caller says is not tried otherwise"
    assert not assay.check(lambda x: x[np.arange(2, 8)], lambda x: x[2:8], assay.f32[7], framework=None), "an index outside is not a question of arrays"


def test_given_arrays_a_method_of_another_framework():
    values = np.arange(12, dtype=np.float32).reshape(3, 4)
    assert assay.check(lambda x: x.double().mul(2).float(), TWICE.replace("6x8", "3x4"), values)
    assert assay.check(kernels_of_torch.doubled, jax_twice, values)
    assert not assay.check(lambda x: x.double().mul(3).float(), TWICE.replace("6x8", "3x4"), values)


def test_properties_and_timing_try_the_other_arrays_too():
    kernel = lambda x: x.flip(-1)  # noqa: E731
    assert assay.check(kernel, None, X, properties="deterministic")
    report = assay.time(lambda x: x.double().mul(2).float(), X, reference=TWICE, pairs=3, max_pairs=3)
    assert report, report


@pytest.mark.parametrize("words, said", [
    ({"rule": "close"}, "'close' is not a rule: expected one of bound, .*close:RTOL,ATOL"), ({"rule": "bond"}, "expected one of bound, "), ({"rule": 3}, "rule is int"),
    ({"fill": "odd"}, "fill 'odd' is not one of exact, normal"), ({"fill": ("exact", "odd")}, "'odd' is not one of"), ({"fill": ()}, "names no kind of data; there are exact"),
    ({"layout": "round"}, "layout 'round' is not one of contiguous, "), ({"framework": "tf"}, "framework 'tf' is not one of numpy, torch, jax"), ({"properties": "fast"}, "property 'fast' is not one of deterministic"),
    ({"engine": "nosuch"}, "no engine named 'nosuch'; there are .*native, "), ({"engine": "plugin"}, "plugin:PATH"),
])  # fmt: skip
@pytest.mark.parametrize("given", [(), (np.ones((6, 8), np.float32),)], ids=["filled", "given"])
def test_an_unknown_word_names_the_choices(words, said, given):
    with pytest.raises(ValueError, match=said):
        assay.check(None if "engine" in words else torch_twice, TWICE, *given, **words)


def test_unknown_words_of_other_calls():
    with pytest.raises(ValueError, match="is not a rule"):
        assay.time(torch_twice, X, reference=TWICE, rule="close")
    for words, said in (({"fill": "odd"}, "fill 'odd'"), ({"framework": "tf"}, "framework 'tf'")):
        with pytest.raises(ValueError, match=said):
            assay.audit(np.allclose, TWICE, **words)
    with pytest.raises(ValueError, match="is not a rule"):
        assay.audit("close", TWICE)


def writes(x):
    out = np.zeros_like(x)
    for i in range(x.shape[0]):
        out[i] = np.exp(x[i]) / np.exp(x[i]).sum()
    return out


def decides(x):
    return x * 2 if x[0, 0] > 0 else x * np.float32(3)


def decides_namelessly(x):
    return x * 2 if x.sum() > 0 else x * 3


def in_place(x):
    x += x
    return x


def quantises(x):
    return torch.quantize_per_tensor(x, 0.25, 3, torch.qint8).int_repr()


@pytest.mark.filterwarnings("ignore:.*quantized:UserWarning")
def test_a_reference_that_refuses_f64_is_computed_in_its_own_types():
    verdict = assay.check(lambda x: torch.clamp(torch.round(x / 0.25 + 3), -128, 127).to(torch.int8), quantises, assay.f32[40, 30])
    assert verdict and "PyTorch computed it in its own types" in str(verdict), verdict
    assert not assay.check(lambda x: torch.clamp(torch.round(x / 0.25 + 4), -128, 127).to(torch.int8), quantises, assay.f32[40, 30])


@pytest.mark.parametrize("reference, right, wrong", [
    (writes, lambda x: torch.softmax(x, -1), lambda x: torch.softmax(x, -1) * 1.001), (decides, lambda x: torch.where(x[0, 0] > 0, x * 2, x * 3), lambda x: x * 2.01),
    (decides_namelessly, lambda x: torch.where(x.sum() > 0, x * 2, x * 3), lambda x: x * 2.01), (in_place, lambda x: x.mul(2), lambda x: x.mul(2.01)),
])  # fmt: skip
def test_a_reference_of_numpys_that_is_no_program(reference, right, wrong):
    verdict = assay.check(right, reference, X, framework="torch")
    assert verdict and (reference is in_place or "computed it in f64" in str(verdict)), verdict
    assert not assay.check(wrong, reference, X, framework="torch")
    assert assay.check(lambda x: np.array(reference(x.copy())), reference, X, framework="numpy")


def test_a_reference_that_nobody_can_compute_says_why():
    with pytest.raises(ValueError, match="JAX cannot make a program.*NumPy cannot compute it either: AttributeError"):
        assay.check(lambda x: x, lambda x: np.nosuch(x), X)


def test_the_module_lists_what_it_has():
    assert {"check", "run", "time", "audit", "load", "sweep", "f32", "bf16", "Verdict"} <= set(dir(assay))
    assert all(hasattr(assay, name) for name in dir(assay))
