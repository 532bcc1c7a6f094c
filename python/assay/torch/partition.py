"""A compiled graph in parts: programs of Assay, and operators that stay with PyTorch.

An operator without a program (random numbers, sizes that depend on data, no row in the table) runs in PyTorch. Operators between such
ones are gathered into as few programs as their order allows; random operators keep their order, so that they draw the same numbers as eager PyTorch.
"""
import operator

import torch
from torch.fx import Node
from torch.utils._pytree import tree_leaves

from ..torch_graph import Graph
from .aten_program import Composer, NoProgram
from .backend import is_list, is_tensor


class ProgramPart:
    """Nodes that one program computes, in the graph's order."""

    def __init__(self, nodes):
        self.nodes = nodes
        inside = set(nodes)
        self.inputs = list(dict.fromkeys(one for node in nodes for one in read_by(node) if one not in inside))

    def graph(self, results):
        return Graph([*self.inputs, *self.nodes], {node: i for i, node in enumerate(self.inputs)}, results)

    def values(self):
        """Every node that is a tensor."""
        return [node for node in self.nodes if is_tensor(node)]

    def read_outside(self, more=()):
        """The tensors that nodes outside of the part read, and those of `more`."""
        inside, more = set(self.nodes), set(more)
        return [node for node in self.values() if node in more or not inside.issuperset(node.users)]


class EagerPart:
    """One operator that PyTorch runs, and the reason."""

    def __init__(self, node, why):
        self.node, self.why = node, why


def parts_of(graph):
    """The parts of a graph in the order in which they run."""
    nodes = [node for node in graph.nodes if node.op == "call_function" and _computes(node)]
    why, levels, last_random = {}, {}, 0
    programs, eager = {}, {}
    for node in nodes:
        if _is_item(node):
            source = node.args[0]
            why[node], level = why.get(source), levels.get(source, 0)
        else:
            why[node] = unsupported(node)
            before = [(levels.get(one, 0), why.get(one) is not None) for one in read_by(node)]
            level = max((level + (left and why[node] is None) for level, left in before), default=0)
        if why[node] is not None and _is_random(node):
            level = last_random = max(level, last_random)
        levels[node] = level
        if why[node] is None:
            programs.setdefault(level, []).append(node)
        else:
            eager.setdefault(level, []).append(node)
    parts = []
    for level in range(max(levels.values(), default=0) + 1):
        parts += [ProgramPart(programs[level])] if level in programs else []
        parts += [EagerPart(node, why[node]) for node in eager.get(level, [])]
    return parts


def single(node):
    """A graph of one operator alone; its arguments are inputs."""
    items = [user for user in node.users if _is_item(user)]
    inputs = list(dict.fromkeys(read_by(node)))
    return Graph([*inputs, node, *items], {one: i for i, one in enumerate(inputs)}, [node] if is_tensor(node) else items)


def unsupported(node):
    """Why an operator has no program; None if it has one."""
    if not has_result(node) or operator_of(node) is not node.target:
        return f"{operator_of(node)}: an effect"
    try:
        Composer(single(node), unset=True).compose()
    except NoProgram as missing:
        return str(missing)
    except (ValueError, TypeError, KeyError, RuntimeError) as error:  # a type that programs lack, a size that is not known
        return f"{node.target}: {' '.join(str(error).split())[:200]}"
    return None


def operator_of(node):
    """The operator that a node runs, also if PyTorch keeps it in order with others because it has an effect."""
    return node.args[1] if node.target is torch.ops.higher_order.with_effects else node.target


def is_check(node):
    """Whether an operator has no result: it only checks values."""
    return not has_result(node) or operator_of(node) is not node.target and not getattr(getattr(operator_of(node), "_schema", None), "returns", True)


def has_result(node):
    """Whether a node's result is tensors; a check of values has none."""
    return is_tensor(node) or is_list(node)


def read_by(node):
    """The tensors that a node reads, as nodes."""
    return [one for one in tree_leaves((node.args, node.kwargs)) if isinstance(one, Node) and has_result(one)]


def _is_item(node):
    return node.target is operator.getitem


def _computes(node):
    """Whether a node computes tensors; numbers are known when the graph is planned."""
    return has_result(node) or "val" not in node.meta


def _is_random(node):
    return torch.Tag.nondeterministic_seeded in getattr(node.target, "tags", ())
