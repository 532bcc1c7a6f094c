"""Results that PyTorch leaves open: where several elements are equal, any of their places is a right result of an unstable sort, topk, kthvalue,
median or mode.

    found = Choices.of(graph)                     None: every result of the graph is the only right one
    found.settled(given, results)                 the results, with the reference's place wherever another place has an equal element

A place that is out of range, is used twice, or has a different element is unchanged, so that the judge reports it.
"""
import operator

import torch

from .. import torch_graph
from .aten_program import Composer, NoProgram
from .runner import Runner

aten = torch.ops.aten
# The overload: where its dimension is among the arguments, and whether each place may occur only once.
OPEN = {
    aten.sort.default: (1, True), aten.sort.stable: (None, True), aten.topk.default: (2, True), aten.kthvalue.default: (2, False),
    aten.median.dim: (1, False), aten.nanmedian.dim: (1, False), aten.mode.default: (1, False),
}  # fmt: skip


class Place:
    """A result that is the places of an operator; `values`: the number of the result with the elements, if there is one."""

    def __init__(self, number, node, values):
        self.number, self.node, self.values = number, node, values
        self.at, self.once = OPEN[node.target]

    def word(self, name, at, otherwise):
        args = self.node.args
        return args[at] if at is not None and at < len(args) else self.node.kwargs.get(name, otherwise)

    def ordered(self, x, places, results):
        """The places in ascending order, where the operator may return them in any order."""
        if self.node.target is not aten.topk.default or self.word("sorted", 4, True):
            return places
        dim = self.word("dim", self.at, -1)
        elements = x.gather(dim, places.clamp(0, max(x.shape[dim] - 1, 0)))
        order = torch.sort(elements, dim=dim, descending=bool(self.word("largest", 3, True)), stable=True)[1]
        if self.values is not None:
            results[self.values] = results[self.values].gather(dim, order)
        return places.gather(dim, order)

    def settle(self, x, due, results):
        got, dim = results[self.number], self.word("dim", self.at, -1)
        if got.shape != due.shape or got.dtype != due.dtype or x.dim() == 0:
            return
        lost = due.dim() < x.dim()  # keepdim=False
        mine, right = (one.unsqueeze(dim) if lost else one for one in (got, due))
        mine = self.ordered(x, mine, results)
        inside = (mine >= 0) & (mine < x.shape[dim])
        element, wanted = x.gather(dim, mine.clamp(0, x.shape[dim] - 1)), x.gather(dim, right)
        same = inside & ((element == wanted) | ((element != element) & (wanted != wanted)))
        if self.once:
            order = mine.sort(dim)[0]
            same = same & ~(order.narrow(dim, 1, order.shape[dim] - 1) == order.narrow(dim, 0, order.shape[dim] - 1)).any(dim, keepdim=True) if order.shape[dim] else same
        settled = torch.where(same, right, mine)
        results[self.number] = settled.squeeze(dim) if lost else settled


def _source(node):
    """(the operator, the number of its result) of a node; does not look through views that keep all elements in order."""
    if isinstance(node, torch.fx.Node) and node.target is operator.getitem:
        return node.args
    return node, 0


class Choices:
    def __init__(self, graph, places):
        self.slots, self.places = [], places
        operands = [place.node.args[0] for place in places]
        results = [graph.results[place.number] for place in places]
        text, self.slots = Composer(torch_graph.Graph(graph.nodes, graph.slots, [*operands, *results])).compose()
        self.runner = Runner(text, "reference", 1)

    @classmethod
    def of(cls, graph):
        found, sources = [], [_source(one) for one in graph.results]
        for number, (node, part) in enumerate(sources):
            if getattr(node, "target", None) not in OPEN or part != 1 or node.kwargs.get("stable"):
                continue
            values = next((i for i, source in enumerate(sources) if source == (node, 0)), None)
            found.append(Place(number, node, values))
        try:
            return cls(graph, found) if found else None
        except NoProgram:
            return None

    def settled(self, given, results):
        """`given`: a tensor for each of the caller's; `results`: tensors in the order of the graph's results."""
        made = self.runner([given[slot] if isinstance(slot, int) else slot for slot in self.slots])
        count, results = len(self.places), list(results)
        for place, x, due in zip(self.places, made[:count], made[count:]):
            place.settle(x, due, results)
        return results
