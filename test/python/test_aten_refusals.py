"""The refusals of rows of the table of aten operators, as text: calls that PyTorch itself never makes, or that have no program."""
import json

import pytest

from assay._assay import aten_operators, aten_text
from assay.torch.operators import plain


def tensor(dtype, *shape):
    return {"shape": list(shape), "dtype": f"torch.{dtype}", "stride": None, "device": "cpu", "min": None, "max": None, "file": None}


X, Z, INDEX, WHOLE = tensor("float32", 3, 3), tensor("complex64", 3, 3), tensor("int64", 3, 3), tensor("int32", 3, 3)
REFUSED = [
    ("addcmul.default", [X, X, X], {"value": {"complex": [0.0, 1.0]}}, X, "a complex number as its argument"),
    ("view_as_real.default", [X], {}, tensor("float32", 3, 3, 2), "no complex number"),
    ("view_as_complex.default", [X], {}, tensor("complex64", 3), "no pairs of numbers"),
    ("_fft_r2c.default", [X, [0], 0, False], {}, Z, None),
    ("_fft_r2c.default", [Z, [0], 0, False], {}, Z, "no real numbers, or no dimension"),
    ("_fft_c2r.default", [Z, [1], 0, 9], {}, tensor("float32", 3, 9), "no half of a spectrum of that length"),
    ("nextafter.default", [X, tensor("float32", 3)], {}, X, "operands of unlike types or shapes"),
    ("scatter_reduce.two", [X, 0, INDEX, X, "most"], {}, X, "a reduction that is not known"),
    ("scatter_reduce.two", [WHOLE, 0, INDEX, WHOLE, "mean"], {}, WHOLE, "means of integers"),
    ("linspace.default", [0, 5, 3], {"dtype": {"dtype": "torch.int64"}}, tensor("int64", 3), "numbers that are not real"),
    ("view.dtype", [X, {"dtype": "torch.int64"}], {}, tensor("int64", 3, 3), "types of different widths"),
]


@pytest.mark.parametrize("name, args, kwargs, output, said", REFUSED, ids=[f"{one[0]} {one[4]}" for one in REFUSED])
def test_a_refusal_says_why(name, args, kwargs, output, said):
    assert name in aten_operators()
    call = json.dumps({"op_name": f"aten.{name}", "args": args, "kwargs": kwargs, "outputs": [output]})
    if said is None:
        assert "stablehlo" in aten_text(call)[0]
        return
    with pytest.raises(ValueError, match=said):
        aten_text(call)


def test_locations_are_there_when_asked_for():
    call = json.dumps({"op_name": "aten.exp.default", "args": [X], "kwargs": {}, "outputs": [X]})
    assert "loc(unknown)" in aten_text(call, True)[0] and "loc(" not in aten_text(call)[0]


def test_complex_numbers_that_json_lacks_reach_the_table():
    number = json.loads(json.dumps(plain(complex(1, float("inf"))), allow_nan=False))
    call = json.dumps({"op_name": "aten.mul.Scalar", "args": [Z, number], "kwargs": {}, "outputs": [Z]})
    assert "stablehlo.complex" in aten_text(call)[0]
