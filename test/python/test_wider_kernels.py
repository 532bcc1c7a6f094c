"""Kernels that compute in more digits than their reference: with its constants (0.1, 1.0507...) as written, not rounded to its type."""
import pytest
import torch
import torch.nn.functional as F

import assay

torch.manual_seed(5)
X = torch.randn(64, 33)
PLACES = torch.randint(0, 7, (60, 5))
FUNCTIONS = {
    "selu": F.selu, "a product with a number": lambda x: x * 0.1, "a sum with one": lambda x: x + 0.3, "a slope": lambda x: F.leaky_relu(x, 0.03),
    "celu": lambda x: F.celu(x, 0.7), "hardswish": F.hardswish, "a range": lambda x: F.hardtanh(x, -0.1, 0.7), "gelu by tanh": lambda x: F.gelu(x, approximate="tanh"),
}  # fmt: skip


@pytest.mark.parametrize("name", FUNCTIONS)
def test_numbers_of_a_formula_may_be_kept_in_f64(name):
    function = FUNCTIONS[name]

    def wide(x):
        return function(x.double()).float()

    def wrong(x):
        return wide(x) * (1 + 4e-7)

    for data in (assay.f32[64, 33], X, X * 30):
        assert assay.check(wide, function, data).status == "PASSED", str(assay.check(wide, function, data))
        assert assay.check(function, function, data).status == "PASSED"
    assert assay.check(wrong, function, X).status == "FAILED"


@pytest.mark.parametrize("function", [lambda x: torch.fmod(x, 0.3), lambda x: torch.remainder(x, 0.7)])
def test_what_a_number_leaves_over_is_rounded(function):
    """PyTorch's own f32 fmod returns NaN for numbers far above the divisor: not tested here."""
    wide = lambda x: function(x.double()).float()
    for data in (assay.f32[20, 30], X):
        verdict = assay.check(wide, function, data, framework="torch", special=False)
        assert verdict.status == "PASSED", str(verdict)
    assert assay.check(lambda x: wide(x) + 1e-6, function, X, framework="torch", special=False).status == "FAILED"


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_means_of_what_is_scattered_may_be_divided_in_16_bits(dtype):
    """PyTorch's own kernel rounds the sum before it divides."""
    mean = lambda x, places, source: x.scatter_reduce(0, places, source, "mean")
    x, source = torch.randn(7, 5).to(dtype), torch.randn(60, 5).to(dtype)
    own = lambda *given: mean(*given)
    assert assay.check(own, mean, x, PLACES, source).status == "PASSED", str(assay.check(own, mean, x, PLACES, source))
    exact = lambda x, places, source: mean(x.double(), places, source.double()).to(dtype)
    assert assay.check(exact, mean, x, PLACES, source).status == "PASSED"
    off = lambda *given: mean(*given) * (1 + 2 ** (-5 if dtype == torch.bfloat16 else -8))
    assert assay.check(off, mean, x, PLACES, source).status == "FAILED"


@pytest.mark.parametrize("name", ["addmm", "baddbmm", "addmv"])
def test_a_product_may_be_scaled_term_by_term(name):
    """BLAS applies alpha to a factor of each term, which rounds terms that cancel."""
    function = lambda c, a, b: getattr(torch, name)(c, a, b, beta=0.7, alpha=1.3)
    shapes = {"addmm": ((9, 8), (9, 30), (30, 8)), "baddbmm": ((3, 9, 8), (3, 9, 30), (3, 30, 8)), "addmv": ((9,), (9, 30), (30,))}[name]
    data = [assay.f32[shape] for shape in shapes]
    exact = lambda *given: function(*(x.double() for x in given)).float()
    for kernel in (function, exact, lambda c, a, b: function(c, a * 1.3, b / 1.3)):
        assert assay.check(kernel, function, *data, framework="torch").status == "PASSED", str(assay.check(kernel, function, *data, framework="torch"))
    assert assay.check(lambda *given: exact(*given) * 1.0001, function, *data, framework="torch").status == "FAILED"


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float32])
def test_losses_may_be_kept_in_the_type_before_their_mean(dtype):
    loss = lambda a, b, delta=0.7: F.huber_loss(a, b, delta=delta)
    data = (getattr(assay, {torch.bfloat16: "bf16", torch.float16: "f16", torch.float32: "f32"}[dtype])[20, 7],) * 2
    for right in (lambda a, b: loss(a, b), lambda a, b: loss(a.double(), b.double()).to(dtype)):
        verdict = assay.check(right, loss, *data, framework="torch")
        assert verdict, str(verdict)
    assert assay.check(lambda a, b: loss(a, b, 0.8), loss, *data, framework="torch").status == "FAILED"
