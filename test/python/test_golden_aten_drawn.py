"""Every row of src/assay/trace/aten/Ops.def over its parameters' range: random shapes, types, dimensions, windows, epsilons, defaults left out and given. The
program of a call must return PyTorch's results. A row without a generator fails; refusals of rows are counted.
"""
import json
import pathlib
import re
import zlib

import pytest
import torch
from aten_drawn import DRAWS
from aten_drawn.draw import Draw

import assay
from assay import arrays
from assay._assay import aten_text
from assay.torch.operators import plain
from assay.torch.aten_program import tensor_record

ROWS = re.findall(r'^ATEN_OP\("([\w.]+)", ', (pathlib.Path(__file__).resolve().parents[2] / "src/assay/trace/aten/Ops.def").read_text(), re.M)
CALLS = 24  # of each row
# Relative to the largest finite result, or to 0.1: the roundings of a few operations and of sums of some dozen terms.
TOLERANCE = {torch.float64: 1e-10, torch.float32: 3e-5, torch.float16: 8e-3, torch.bfloat16: 5e-2}


def record(value):
    """An argument in the form of an entry of dump.json."""
    if isinstance(value, torch.Tensor):
        return tensor_record(value)
    return [record(item) for item in value] if isinstance(value, (list, tuple)) else plain(value)


def operator(row):
    name, overload = row.split(".")
    space = torch.ops.prims if name == "convert_element_type" else torch.ops.aten
    return getattr(getattr(space, name), overload)


def shortened(d, op, args, kwargs):
    """The call with some of the arguments left out whose value is the default."""
    schema = op._schema.arguments
    places = [one for one in schema if not one.kwarg_only]
    args, kwargs = list(args), dict(kwargs)
    while args and len(args) <= len(places) and places[len(args) - 1].has_default_value() and same(args[-1], places[len(args) - 1].default_value) and d.chance(0.6):
        args.pop()
    for one in schema:
        if one.name in kwargs and one.has_default_value() and same(kwargs[one.name], one.default_value) and d.chance(0.5):
            del kwargs[one.name]
    return args, kwargs


def same(value, default):
    return not isinstance(value, torch.Tensor) and type(value) in (type(default), int, float, bool) and value == default or value is None and default is None or value == [] and default == []


def located(args, kwargs, place):
    first, *rest = place.split(".")
    value = args[int(first)] if first.isdigit() else kwargs[first]
    for index in rest:
        value = value[int(index)]
    return value


def differs(got, due):
    """How a result differs from PyTorch's, or ""."""
    if got.dtype != due.dtype or got.shape != due.shape:
        return f"{got.dtype}{list(got.shape)} for {due.dtype}{list(due.shape)}"
    if due.is_complex():
        return differs(torch.view_as_real(got.resolve_conj()), torch.view_as_real(due.resolve_conj()))
    if not due.is_floating_point():
        return "" if torch.equal(got, due) else f"{got.tolist()} for {due.tolist()}"
    got, wide = got.double(), due.double()
    finite = wide.isfinite()
    if not torch.equal(got.isnan(), wide.isnan()) or not torch.equal(got[~finite].nan_to_num(7), wide[~finite].nan_to_num(7)) or not got[finite].isfinite().all():
        return f"{got.tolist()} for {due.tolist()}"
    largest = wide[finite].abs().max().item() if finite.any() else 0.0
    far = (got - wide)[finite].abs().max().item() if finite.any() else 0.0
    return "" if far <= TOLERANCE[due.dtype] * max(largest, 0.1) else f"off by {far:.3g} of {largest:.3g}: {got.flatten()[:6].tolist()} for {wide.flatten()[:6].tolist()}"


def compared(op, args, kwargs):
    """The difference between the program of a call and PyTorch, or "". Raises ValueError if the row refuses the call."""
    due = op(*args, **kwargs)
    due = list(due) if isinstance(due, (tuple, list)) else [due]
    entry = {
        "op_name": str(op), "args": record(list(args)), "kwargs": {name: record(value) for name, value in kwargs.items()},
        "outputs": [record(one) if isinstance(one, torch.Tensor) else None for one in due],
    }  # fmt: skip
    text, places, made = aten_text(json.dumps(entry))
    given = [located(args, kwargs, place) for place in places]
    results = assay.run(text, *(torch.as_tensor(one).contiguous() for one in given))
    results = results if isinstance(results, tuple) else (results,)
    for i, result in zip(made, results):
        result = result if isinstance(result, torch.Tensor) else arrays.of_bytes(arrays.host_bytes(result), arrays.dtype_of(result), arrays.shape_of(result), "torch")
        why = differs(result, due[i].contiguous())
        if why:
            return f"result {i}: {why}"
    return "" if made else "no result"


def shown(value):
    if isinstance(value, torch.Tensor):
        return f"{str(value.dtype).removeprefix('torch.')}{list(value.shape)}"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(shown, value))}]"
    return repr(value)


@pytest.mark.parametrize("row", ROWS)
def test_a_row_gives_what_pytorch_gives(row):
    assert row in DRAWS, f"{row} has no drawing: test/python/aten_drawn"
    op, refused, wrong, ran = operator(row), {}, [], 0
    for call in range(4 * CALLS):
        d = Draw(zlib.crc32(f"{row} {call}".encode()))
        try:
            args, kwargs = shortened(d, op, *DRAWS[row](d))
            op(*args, **kwargs)
        except (RuntimeError, IndexError, NotImplementedError):  # PyTorch itself does not support it
            continue
        try:
            why = compared(op, args, kwargs)
        except ValueError as error:
            refused[str(error)] = refused.get(str(error), 0) + 1
            continue
        ran += 1
        if why:
            wrong.append(f"{row}({', '.join(map(shown, args))}{''.join(f', {name}={shown(value)}' for name, value in kwargs.items())}): {why}")
        if ran == CALLS:
            break
    assert not wrong, f"{len(wrong)} of {ran}:\n" + "\n".join(one[:400] for one in wrong[:5])
    assert ran >= CALLS // 2, f"{ran} calls ran; refused: {refused}"


def test_every_drawing_has_a_row():
    assert set(DRAWS) <= set(ROWS)
