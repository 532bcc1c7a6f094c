"""Runs one recorded operator call on a device and on the CPU, and measures how far apart the results are.

Needs PyTorch and nothing else. The expected result is computed on the CPU with every float widened to f64 (complex to
complex128) and rounded once to the type of the result under test; an operator that has no f64 form runs in its own type.
"""
import hashlib
import math
import pathlib

import torch

COLUMNS = ["name", "op_name", "dtype", "shape", "min-val", "max-val", "is_pass", "max"]
COLUMNS += [f"1e-{n}" for n in range(1, 11)]
DEVICE = object()  # stands for the device under test among the arguments

# An element passes when |got - expected| <= LIMIT * (|expected| + rms(expected)); integers must be equal.
LIMIT = {torch.float64: 1e-11, torch.float32: 2e-5, torch.float16: 4e-3, torch.bfloat16: 3e-2}
FOLDER = pathlib.Path(__file__).parent


class T:
    """A recorded tensor: the facts to make it again. `file` is relative to the folder of dump.json."""

    def __init__(self, shape, dtype, stride=None, low=None, high=None, file=None, offset=0):
        self.shape, self.dtype, self.stride, self.low, self.high = shape, dtype, stride, low, high
        self.file, self.offset = file, offset

    def make(self, generator, device, root, load):
        """(tensor on `device`, whether recorded data were wanted and not found)."""
        wanted = load and self.file is not None
        data = self._load(root) if wanted else None
        values = self._random(generator, device) if data is None else data
        return self._laid_out(values.to(device)), wanted and data is None

    def _load(self, root):
        path = (FOLDER / root / self.file).resolve()
        if not path.is_file():
            return None
        count = math.prod(self.shape)
        size = torch.empty(0, dtype=self.dtype).element_size()
        if count == 0:
            return torch.empty(self.shape, dtype=self.dtype)
        with open(path, "rb") as file:
            file.seek(self.offset)
            data = file.read(count * size)
        if len(data) != count * size:
            raise ValueError(f"{path} ends before the tensor at offset {self.offset}")
        return torch.frombuffer(bytearray(data), dtype=self.dtype).reshape(self.shape)

    def _random(self, generator, device):
        low = float(self.low) if self.low is not None else 0.0
        high = float(self.high) if self.high is not None else 1.0
        if not (math.isfinite(low) and math.isfinite(high)):
            low, high = -1.0, 1.0
        where = dict(generator=generator, device=generator.device)
        if self.dtype is torch.bool:
            return torch.randint(0, 2, self.shape, **where).bool()
        if self.dtype.is_complex:
            return torch.randn(self.shape, dtype=torch.complex64, **where).to(self.dtype)
        if self.dtype.is_floating_point:
            unit = torch.rand(self.shape, dtype=torch.float32, **where)
            return (low + (high - low) * unit).clamp(low, high).to(self.dtype)
        return torch.randint(int(low), int(high) + 1, self.shape, **where).to(self.dtype)

    def _laid_out(self, values):
        if self.stride is None or list(values.stride()) == list(self.stride) or any(s < 0 for s in self.stride):
            return values
        extent = 1 + sum((n - 1) * s for n, s in zip(self.shape, self.stride)) if values.numel() else 0
        if 0 in self.stride and values.numel():  # an expanded tensor: its elements repeat
            index = tuple(slice(0, 1) if s == 0 else slice(None) for s in self.stride)
            return values[index].expand(self.shape)
        laid = torch.zeros(extent, dtype=values.dtype, device=values.device).as_strided(self.shape, self.stride)
        return laid.copy_(values)


class Outcome:
    """The result of one call; row() is its line in the table."""

    def __init__(self, name, op_name):
        self.name, self.op_name, self.passed, self.text, self.unloaded = name, op_name, True, "", False
        self.dtype = self.shape = self.low = self.high = ""
        self.largest, self.counts = 0.0, [0] * 10

    def row(self):
        verdict = "pass" if self.passed else "fail"
        return [self.name, self.op_name, self.dtype, self.shape, self.low, self.high, verdict, self.largest, *self.counts]


def default_device():
    accelerator = getattr(torch, "accelerator", None)
    if accelerator is not None and accelerator.is_available():
        return accelerator.current_accelerator().type
    return "cuda" if torch.cuda.is_available() else "cpu"


def resolve(op_name):
    """torch.ops' overload of a recorded name such as aten.add.Tensor, or None."""
    place = torch.ops
    for part in op_name.split("."):
        place = getattr(place, part, None)
        if place is None:
            return None
    return place


def run(op_name, name, case, device, seed, root="..", load=True, cpu_init=True):
    """Runs a case {args, kwargs} and judges every tensor of its result."""
    import pytest

    op = resolve(op_name)
    if op is None:
        pytest.skip(f"{op_name} is not registered here: import the package that defines it")
    outcome = Outcome(name, op_name)
    number = int.from_bytes(hashlib.sha256(f"{seed} {name}".encode()).digest()[:6], "big")
    generator = torch.Generator("cpu" if cpu_init else device).manual_seed(number)

    def made(value):
        if isinstance(value, T):
            tensor, missing = value.make(generator, generator.device, root, load)
            outcome.unloaded |= missing
            return tensor
        if isinstance(value, list):
            return [made(item) for item in value]
        return value

    inputs = [made(case["args"]), {key: made(value) for key, value in case["kwargs"].items()}]
    on_device = _each(inputs, lambda tensor: tensor.to(device, copy=True), device)
    got = op(*on_device[0], **on_device[1])
    expected = _expected(op, inputs)
    results, truths = list(_tensors(got)), list(_tensors(expected))
    if len(results) != len(truths):
        outcome.passed, outcome.largest = False, math.inf
        outcome.text = f"{op_name} {name}: {len(results)} results, expected {len(truths)}"
    for got_one, expected_one in zip(results, truths):
        _judge(outcome, got_one, expected_one)
    return outcome


def _each(value, change, device, widen=False):
    """Copies nested arguments with every tensor changed, DEVICE replaced, and float types widened where asked."""
    if isinstance(value, torch.Tensor):
        return change(value)
    if isinstance(value, (list, tuple)):
        return [_each(item, change, device, widen) for item in value]
    if isinstance(value, dict):
        return {key: _each(item, change, device, widen) for key, item in value.items()}
    if value is DEVICE:
        return torch.device(device)
    if widen and isinstance(value, torch.dtype) and value.is_floating_point:
        return torch.float64
    return value


def _wide(tensor):
    tensor = tensor.cpu()
    if tensor.is_floating_point():
        return tensor.double()
    return tensor.to(torch.complex128) if tensor.is_complex() else tensor.clone()


def _expected(op, inputs):
    """The CPU's result with floats widened to f64; in the recorded types where the operator has no such form."""
    if "dtype" not in op._overloadname or "view" not in str(op):  # a reinterpreting view needs its own width
        try:
            wide = _each(inputs, _wide, "cpu", widen=True)
            return op(*wide[0], **wide[1])
        except (RuntimeError, NotImplementedError, TypeError, ValueError):
            pass
    plain = _each(inputs, lambda tensor: tensor.cpu().clone(), "cpu")
    return op(*plain[0], **plain[1])


def _tensors(value):
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _tensors(item)
    elif isinstance(value, (bool, int, float)):
        yield torch.tensor(value)


def _judge(outcome, got, expected):
    got, expected = got.detach().cpu(), expected.detach().cpu().to(got.dtype)
    if outcome.dtype == "":
        outcome.dtype, outcome.shape = str(got.dtype), str(list(got.shape))
        if expected.numel() and not expected.is_complex():
            low, high = torch.aminmax(expected.double())
            outcome.low, outcome.high = low.item(), high.item()
    if got.shape != expected.shape:
        outcome.passed, outcome.largest = False, math.inf
        outcome.text = f"{outcome.op_name}: shape {list(got.shape)}, expected {list(expected.shape)}"
        return
    if got.numel() == 0:
        return
    limit = LIMIT.get(got.dtype, 0.0)
    if got.is_complex():
        limit = LIMIT[torch.float32 if got.dtype is torch.complex64 else torch.float64]
        got, expected = torch.view_as_real(got), torch.view_as_real(expected)
    elif got.is_floating_point() and got.dtype not in LIMIT:
        limit = 0.25
    wide_got, wide = got.double(), expected.double()
    same = (got == expected) | (torch.isnan(wide_got) & torch.isnan(wide))
    error = torch.where(same, 0.0, (wide_got - wide).abs())
    error = torch.where(torch.isnan(error), math.inf, error)
    finite = wide[torch.isfinite(wide)]
    rms = finite.square().mean().sqrt().item() if finite.numel() else 0.0
    allowed = limit * (wide.abs().nan_to_num(0.0, 0.0, 0.0) + rms)
    outcome.largest = max(outcome.largest, error.max().item())
    for n in range(10):
        outcome.counts[n] += int((error > 10.0 ** -(n + 1)).sum())
    bad = (error > allowed).flatten().nonzero()
    if len(bad):
        worst = int(error.argmax())
        outcome.passed = False
        outcome.text = (
            f"{outcome.op_name} {outcome.name}: {len(bad)} of {error.numel()} elements are off; worst at flat index "
            f"{worst}: got {wide_got.flatten()[worst].item()!r}, expected {wide.flatten()[worst].item()!r}"
        )
