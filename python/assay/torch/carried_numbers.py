"""Graphs with numbers that a program computes: counts that a loop carries, and numbers read from tensors. Each is a tensor of one element.

The graph is traced again with tensors in place of the numbers. Arithmetic on numbers becomes arithmetic on tensors; an operator that
takes a number is replaced by its overload that takes a tensor, and an index of `select` becomes an index of `index_select`.
"""
import torch
from torch.fx import Interpreter

aten = torch.ops.aten
_CHECKS = ("_assert_scalar", "sym_constrain_range", "sym_constrain_range_for_size", "_check")
_KINDS = {bool: torch.bool, int: torch.int64, float: torch.float64}


def like(number):
    """A tensor that stands for a number."""
    return torch.empty((), dtype=next(dtype for kind, dtype in _KINDS.items() if isinstance(number, kind)))


def reads_numbers(module):
    return any(node.target is aten._local_scalar_dense.default for node in module.graph.nodes)


class OnTensors(Interpreter):
    """Runs a graph in which some numbers are tensors."""

    def call_function(self, target, args, kwargs):
        if target is aten._local_scalar_dense.default:
            return args[0].to(_KINDS[_kind_of(args[0].dtype)]).reshape(())
        if not isinstance(target, torch._ops.OpOverload) or not any(isinstance(one, torch.Tensor) for one in _numbers(target, args)):
            return super().call_function(target, args, kwargs)
        name = target._opname
        if name in _CHECKS:
            return None
        if target is aten.select.int:
            x, dim, at = args
            return x.index_select(dim, torch.where(at < 0, at + x.shape[dim], at).reshape(1)).squeeze(dim)
        return target.overloadpacket(*args, **kwargs)


def _kind_of(dtype):
    return bool if dtype is torch.bool else float if dtype.is_floating_point else int


def _numbers(target, args):
    """The arguments that the operator takes as numbers."""
    return [one for argument, one in zip(target._schema.arguments, args) if "Tensor" not in str(argument.type)]
