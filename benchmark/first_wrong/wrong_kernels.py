"""Kernels that compute wrong results, as replacements for the operators of a running model: a recording shows them as it would
show a broken device. A fault changes the results of one call of one operator, or of all its calls.
"""
import torch

from assay.torch import operators


def _rows(y):
    return y.view(-1, y.shape[-1]) if y.dim() > 1 else y.view(1, -1)


def _element(y, at):
    flat = y.view(-1)
    flat[at % flat.numel()] += 0.5 * float(y.float().square().mean().sqrt()) + 1e-3


def _zero(y, at):
    flat = y.view(-1)
    flat[int(flat.abs().argmax())] = 0


def _column(y, at):
    _rows(y)[:, at % y.shape[-1]] *= 1.06


def _row(y, at):
    rows = _rows(y)
    rows[at % len(rows)] *= 0.94


def _head(y, at):
    width = max(1, y.shape[-1] // 4)
    _rows(y)[:, -width:] *= 1.05


def _tile(y, at):
    rows = _rows(y)
    rows[at % len(rows) :][:4, :4] *= 0.9


def _stale(y, at):
    rows = _rows(y)
    if len(rows) > 1:
        rows[-1] = rows[-2]
    else:
        rows[0, -1] = rows[0, -2]


def _swapped(y, at):
    rows = _rows(y)
    if len(rows) > 1:
        rows[[0, -1]] = rows[[-1, 0]]
    else:
        rows[0, [0, -1]] = rows[0, [-1, 0]]


def _scale(y, at):
    y *= 1.02 if y.element_size() < 4 else 1.002


def _coarse(y, at):
    """Loses the last bits of all elements, like a product in a narrower type."""
    if y.element_size() >= 4:
        y.copy_(y.bfloat16())
    else:
        y.view(torch.int16).bitwise_and_(~7)


def _nan(y, at):
    y.view(-1)[at % y.numel()] = float("nan")


DAMAGE = {
    "one element": _element, "one zero": _zero, "one column": _column, "one row": _row, "one head": _head, "one tile": _tile,
    "stale row": _stale, "two rows swapped": _swapped, "whole tensor off": _scale, "narrower type": _coarse, "one NaN": _nan,
}


def damaged(y, how, at):
    """Changes y as a broken kernel would. Returns whether the change exceeds rounding where y was finite before: a NaN from the
    inputs is not this kernel's."""
    before, work = y.clone(), y.contiguous()
    DAMAGE[how](work, at)
    y.copy_(work)
    change = (y.double() - before.double()).abs()
    size = float(before.double().nan_to_num(0, 0, 0).abs().max())
    return bool((~(change <= 32 * torch.finfo(y.dtype).eps * size) & before.isfinite()).any())


class _Wrong:
    """An operator as the recorder calls it, with a wrong result."""

    def __init__(self, func, kernel):
        self.func, self.kernel, self.namespace = func, kernel, func.namespace

    def __call__(self, *args, **kwargs):
        return self.kernel(self.func(*args, **kwargs))

    def __str__(self):
        return str(self.func)


class Kernels:
    """While it is entered, `wrong(number, operator)` decides which calls return wrong results (`how`, `at`), and `replaced` maps
    operators to other implementations. `seen` lists (number, operator, innermost module, whether that is a leaf) for every
    recorded call, `hit` the numbers of the calls whose results were changed."""

    def __init__(self, debugger=None, wrong=None, how=None, at=0, replaced=None):
        self.debugger, self.wrong, self.how, self.at, self.replaced = debugger, wrong, how, at, replaced or {}
        self.seen, self.hit = [], []

    def __enter__(self):
        self.original = original = operators.OperatorRecorder.__torch_dispatch__

        def dispatch(recorder, func, types, args=(), kwargs=None):
            if recorder.paused:
                return original(recorder, func, types, args, kwargs)
            number, name = recorder.index, str(func)
            self.seen.append((number, name, *self._module()))
            if name in self.replaced:
                other = self.replaced[name]
                func = _Wrong(func, lambda y, func=func: other(func, *args, **(kwargs or {})))
            elif self.wrong is not None and self.wrong(number, name):
                func = _Wrong(func, lambda y: self._damage(number, y))
            return original(recorder, func, types, args, kwargs)

        operators.OperatorRecorder.__torch_dispatch__ = dispatch
        return self

    def __exit__(self, *_):
        operators.OperatorRecorder.__torch_dispatch__ = self.original

    def _module(self):
        stack = self.debugger._recording.stack if self.debugger else []
        if not stack:
            return "", False
        module = self.debugger.model.get_submodule(stack[-1][0])
        return stack[-1][0], next(module.children(), None) is None

    def _damage(self, number, result):
        for y in result if isinstance(result, (tuple, list)) else [result]:
            if isinstance(y, torch.Tensor) and y.is_floating_point() and y.numel() > 1:
                if damaged(y, self.how, self.at):
                    self.hit.append(number)
                break
        return result


def bf16_sums(func, *args, **kwargs):
    """A product whose partial sums are stored in bf16."""
    a, b = args[-2], args[-1]
    total = torch.zeros(*a.shape[:-1], b.shape[-1], dtype=torch.bfloat16)
    for begin in range(0, a.shape[-1], 16):
        total += (a[..., begin : begin + 16].float() @ b[..., begin : begin + 16, :].float()).bfloat16()
    if len(args) == 3:
        total = total + args[0]
    return total.to(a.dtype)
