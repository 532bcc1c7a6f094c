"""PyTorch references as programs: the graph of torch_graph.py, each operator by its row of the table of aten operators.

A module's parameters and buffers become arguments of the program that never change. Where an operator has no row the
whole reference is computed by PyTorch in f64 instead (eager), and the verdict says that this is weaker than a bound.
"""
import json
import re

import numpy
import torch

from . import arrays
from .elements import mlir_type, placed
from .reference import Reference
from .torch.operators import plain
from .torch_graph import methods


class NoProgram(Exception):
    """Operators of the reference that the table lacks."""


def make(function, specs, arguments, keywords):
    from ._assay import Program

    called = Called(function, arguments, keywords).eval()
    examples = tuple(example(spec) for spec in specs)
    for method in methods(examples):
        try:
            text, slots = Composer(method(called, examples)).compose()
            return Reference(Program.parse(text, "reference.mlir"), slots, "PyTorch")
        except NoProgram as missing:
            why = str(missing)
        except Exception as error:
            why = f"torch.export cannot trace the reference ({' '.join(str(error).split())[:200]})"
    return eager(called, examples, why)


class Called(torch.nn.Module):
    """A function or module with its constant arguments in place."""

    def __init__(self, function, arguments, keywords):
        super().__init__()
        self.function, self.arguments, self.keywords = function, arguments, keywords

    def forward(self, *tensors):
        return self.function(*placed(self.arguments, tensors), **self.keywords)


def example(spec):
    kind = getattr(torch, spec.dtype, None)
    if kind is None:
        raise ValueError(f"PyTorch has no {spec.dtype}")
    return torch.ones(spec.shape, dtype=kind)


def eager(called, examples, why):
    """PyTorch's own results in f64. The types of the results are those of an ordinary run."""
    import copy

    from .kernel_host import flat

    with torch.no_grad():
        results = flat(called(*examples))
    outputs = [(str(one.dtype).removeprefix("torch."), tuple(one.shape)) for one in results]
    wide = copy.deepcopy(called).double()

    def compute(data):
        """(bytes of the result's type, f64 or None) of each result."""
        tensors = []
        for one, values in zip(examples, data):
            flat_ = torch.from_numpy(numpy.array(values)) if values.size else torch.zeros(0, dtype=torch.uint8)
            tensors.append(flat_.view(one.dtype).reshape(one.shape))
        with torch.no_grad():
            made = flat(wide(*(one.double() if one.is_floating_point() else one for one in tensors)))
        kinds = [getattr(torch, dtype) for dtype, _ in outputs]
        return [(arrays.host_bytes(one.to(kind)), arrays.host_bytes(one.double()) if one.is_floating_point() else None) for one, kind in zip(made, kinds)]

    weaker = f"{why}: PyTorch computed it in f64, judged by rule dtype, which is weaker than a derived bound"
    return Reference(None, list(range(len(examples))), "PyTorch in f64", weaker, compute, outputs)


class Composer:
    """Writes one private function per operator of a graph and a main function that calls them."""

    def __init__(self, graph):
        self.graph, self.functions, self.lines = graph, [], []
        self.names, self.missing = {}, set()

    def compose(self):
        """(text, slots). Raises NoProgram with the operators that have no row."""
        slots, parameters, results = [], [], self.graph.results
        for node in self.graph.nodes:
            if node in self.graph.slots:
                self.names[node] = f"%a{len(parameters)}"
                parameters.append(f"%a{len(parameters)}: {_kind(node)}")
                slot = self.graph.slots[node]
                slots.append(slot if isinstance(slot, int) else arrays.host_bytes(slot))
            elif node.op == "call_function" and (node.users or node in results):
                self._call(node)
        if self.missing:
            raise NoProgram(f"no program for {', '.join(sorted(self.missing))}")
        if not all(isinstance(one, torch.fx.Node) for one in results):
            raise NoProgram("a result that is no tensor")
        kinds = ", ".join(_kind(node) for node in results)
        values = ", ".join(self._value(node) for node in results)
        head = f"func.func public @main({', '.join(parameters)}) -> ({kinds}) {{"
        return "\n".join([*self.functions, head, *self.lines, f"  func.return {values} : {kinds}", "}", ""]), slots

    def _value(self, node):
        return self.names.get(node, "%missing")

    def _call(self, node):
        from ._assay import aten_text

        if getattr(node.target, "__name__", "") == "getitem":
            return self._item(node)
        found = node.meta.get("val")
        outputs = list(found) if isinstance(found, (tuple, list)) else [found]
        entry = {
            "op_name": str(node.target),
            "args": [_plain(value) for value in node.args],
            "kwargs": {name: _plain(value) for name, value in node.kwargs.items()},
            "outputs": [_record(one) for one in outputs],
        }
        try:
            text, places, made = aten_text(json.dumps(entry))
        except ValueError as error:
            self.missing.add(re.sub(r" has no StableHLO form here$", "", str(error)))
            return None
        return self._write(node, text, [_at(node, place) for place in places], made, outputs)

    def _write(self, node, text, operands, made, outputs):
        number = len(self.functions)
        body = text[text.index("func.func") : text.rindex("}")] if text.startswith("module") else text
        self.functions.append(re.sub(r"func\.func (public |private )?@main", f"func.func private @op{number}", body.strip(), count=1))
        values = ", ".join(self._value(one) for one in operands)
        kinds = ", ".join(_kind(one) for one in operands)
        results = ", ".join(mlir_type(arrays.dtype_of(outputs[i]), outputs[i].shape) for i in made)
        self.lines.append(f"  %v{number}:{len(made)} = func.call @op{number}({values}) : ({kinds}) -> ({results})")
        for place, i in enumerate(made):
            self.names[(node, i)] = f"%v{number}#{place}"
        if isinstance(node.meta["val"], torch.Tensor):
            self.names[node] = f"%v{number}#0"

    def _item(self, node):
        source, index = node.args
        if (source, index) not in self.names:
            if not self.missing:
                self.missing.add(f"result {index} of {source.target}")
            return
        self.names[node] = self.names[(source, index)]


def _kind(node):
    return mlir_type(arrays.dtype_of(node.meta["val"]), node.meta["val"].shape)


def _record(value):
    """A tensor as an entry of dump.json has it."""
    if not isinstance(value, torch.Tensor):
        return None
    return {"shape": [int(size) for size in value.shape], "dtype": str(value.dtype), "stride": None, "device": "cpu", "min": None, "max": None, "file": None}


def _plain(value):
    if isinstance(value, torch.fx.Node):
        found = value.meta.get("val")
        return _record(found) if isinstance(found, torch.Tensor) else plain(found)
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return plain(value)


def _at(node, place):
    """The node behind a place such as "1.2" or "weight"."""
    first, *rest = place.split(".")
    value = node.args[int(first)] if first.isdigit() else node.kwargs[first]
    for index in rest:
        value = value[int(index)]
    return value
