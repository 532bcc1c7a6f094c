"""The parts of an operator without its own row: PyTorch's own decomposition, traced for one call.

    parts(target, args, kwargs) -> Parts or None

It decomposes one step at a time: the parts' operators may have rows, or be decomposed again. Tables: own_decompositions.py, `torch._decomp`
with the Python references of `torch._refs`, operators that PyTorch itself composes, and the aten form of `prims`.
"""
import torch
from torch.fx import Node
from torch.utils._pytree import tree_flatten, tree_leaves, tree_map, tree_unflatten

from ..torch_graph import is_open
from .backend import mutates
from .carried_numbers import OnTensors, reads_numbers

aten = torch.ops.aten
_KEPT = 1024
_traced = {}  # a call -> its Parts


class Parts:
    """One call decomposed: `nodes` of a graph, `inputs` (a placeholder for each tensor of the call, in order), `outputs`."""

    def __init__(self, module, outputs):
        self.module, self.outputs = module, outputs
        self.nodes = list(module.graph.nodes)
        self.inputs = [node for node in self.nodes if node.op == "placeholder"]


def parts(target, args, kwargs, key=None):
    """None if PyTorch has no decomposition. `key`: identifies the call, so that an earlier equal one is reused."""
    if key is not None and key in _traced:
        return _traced[key]
    found = _made(target, args, kwargs)
    if key is not None:
        while len(_traced) >= _KEPT:
            _traced.pop(next(iter(_traced)))
        _traced[key] = found
    return found


def of_graph(module, likes, changing=()):
    """A graph inside a graph as Parts, for values like these; `changing`: values that stand for numbers in the graph."""
    given = [node for node in module.graph.nodes if node.op == "placeholder"]
    if not changing and not reads_numbers(module) and all(isinstance(one, torch.Tensor) for one in likes) and not any(map(is_open, given)):
        return Parts(module, _results(module))
    places = [i for i, one in enumerate(likes) if isinstance(one, torch.Tensor)]

    def call(*tensors):
        values = list(likes)
        for place, tensor in zip(places, tensors):
            values[place] = tensor
        return OnTensors(module).run(*values)

    try:
        found = _traced_call(call, [likes[place] for place in places])
    except Exception as error:
        raise ValueError(f"PyTorch cannot trace its graph again: {' '.join(str(error).split())[:200]}") from error
    if found is None:
        raise ValueError("its graph writes in place")
    return found


def value_of(argument):
    """The stand-in for a node where it is traced: a tensor without data, a number, a graph inside the graph."""
    if isinstance(argument, Node) and argument.op == "get_attr" and "val" not in argument.meta:
        return getattr(argument.graph.owning_module, argument.target)
    return argument.meta.get("val") if isinstance(argument, Node) else argument


def _made(target, args, kwargs):
    body = _body(target)
    if body is None:
        return None
    flat, spec = tree_flatten((tree_map(value_of, args), tree_map(value_of, kwargs)))
    places = [i for i, item in enumerate(flat) if isinstance(item, torch.Tensor)]

    def call(*tensors):
        words = list(flat)
        for place, tensor in zip(places, tensors):
            words[place] = tensor
        given, named = tree_unflatten(words, spec)
        made = body(*given, **named)
        return tuple(made) if isinstance(made, tuple) else made  # a named tuple would be a separate node

    try:
        return _traced_call(call, [flat[place] for place in places])
    except Exception:  # a decomposition that does not support this call
        return None


def _traced_call(call, tensors):
    from torch._guards import detect_fake_mode
    from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode
    from torch.fx.experimental.proxy_tensor import make_fx

    mode = detect_fake_mode(tensors) or FakeTensorMode(allow_non_fake_inputs=True)
    given = _apart([one if isinstance(one, FakeTensor) else mode.from_tensor(one) for one in tensors], mode)
    with torch.no_grad(), mode:
        module = make_fx(call, tracing_mode="fake", _allow_non_fake_inputs=True)(*given)
        if any(map(mutates, module.graph.nodes)):
            module = make_fx(torch.func.functionalize(call), tracing_mode="fake", _allow_non_fake_inputs=True)(*given)
    if any(map(mutates, module.graph.nodes)):
        return None
    return Parts(module, _results(module))


def _results(module):
    (output,) = (node for node in module.graph.nodes if node.op == "output")
    made = output.args[0]
    return list(made) if isinstance(made, (tuple, list)) else [made]


def _apart(tensors, mode):
    """The tensors, with a copy in place of a repeated one: a trace would take the two arguments for one, but in another call they may differ."""
    seen, made = set(), []
    for one in tensors:
        if id(one) in seen:
            with mode:
                one = torch.empty_strided(one.shape, one.stride(), dtype=one.dtype, device=one.device)
        seen.add(id(one))
        made.append(one)
    return made


def _body(target):
    """The function that PyTorch decomposes an operator into."""
    import torch._refs  # noqa: F401  registers its functions in the table
    from torch._decomp import global_decomposition_table

    from . import own_backward, own_bags, own_gamma, own_linalg, own_places, own_special  # noqa: F401  register their functions in the table
    from .own_decompositions import BODIES

    if target in BODIES:
        return BODIES[target]
    if target is torch.ops.higher_order.flex_attention:
        from torch._higher_order_ops.flex_attention import math_attention

        return math_attention
    found = global_decomposition_table["post_autograd"].get(target)
    if found is not None:
        return found
    if not isinstance(target, torch._ops.OpOverload):
        return None
    if target._opname.endswith("_copy") and hasattr(aten, target._opname.removesuffix("_copy")):
        return _copy_of(getattr(getattr(aten, target._opname.removesuffix("_copy")), target._overloadname))
    if target.namespace == "prims":
        return getattr(target, "impl_aten", None)
    if torch._C._dispatch_has_kernel_for_dispatch_key(target.name(), "CompositeImplicitAutograd"):
        return target.decompose
    return None


def _copy_of(view):
    """The form of a view operator that returns a copy."""

    def body(*args, **kwargs):
        return tree_map(lambda one: one.clone() if isinstance(one, torch.Tensor) else one, view(*args, **kwargs))

    return body


def tensors_of(args, kwargs):
    """The nodes of a call's tensors, in the order of Parts.inputs."""
    return [one for one in tree_leaves((args, kwargs)) if isinstance(one, Node) and isinstance(value_of(one), torch.Tensor)]
