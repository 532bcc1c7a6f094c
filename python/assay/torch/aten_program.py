"""A graph of aten operators as the text of a StableHLO program.

Each operator becomes a private function, by its row of the table (src/assay/trace/aten/Ops.def) or by PyTorch's own decomposition into
operators that have one (decompositions.py); @main calls them. Every operation has a location: the module of the model, and the line of
its source where the graph knows it.
"""
import json
import operator
import re

import torch
from torch._subclasses.fake_tensor import unset_fake_temporarily
from torch.fx import Node
from torch.utils._pytree import tree_leaves

from .. import arrays, torch_graph
from ..elements import mlir_type
from . import control_flow, decompositions, lapack
from .operators import plain

UNSET = (*torch_graph.UNSET, "aten.empty_permuted")
_WRITERS = ("scatter", "copy", "fill", "put", "zero")  # operators that write the values of an unset tensor
_VIEWS = ("slice.", "select.", "view.", "expand.", "permute.", "transpose.", "unsqueeze.", "squeeze.", "alias.", "detach.", "diagonal.")
_DEEPEST = 12  # decompositions inside decompositions
_KEPT = 4096
_rows = {}  # a call as JSON -> the table's answer


class NoProgram(Exception):
    """Operators that have no program; `missing`: [(why, where)]."""

    def __init__(self, why, missing=()):
        super().__init__(why)
        self.missing = list(missing)


class Composer:
    """Writes a program of a graph (torch_graph.Graph). `unset`: tensors that nothing was written to count as zeros."""

    def __init__(self, graph, unset=False):
        self.graph, self.unset = graph, unset
        self.results = {one for one in graph.results if isinstance(one, Node)}
        self.functions, self.lines, self.names, self.missing = [], [], {}, {}
        self.depth, self.count, self.where = 0, 0, ""

    def compose(self):
        """(text, the graph's slots: what each argument of @main is). Raises NoProgram with the operators that have none."""
        slots, parameters, results = [], [], self.graph.results
        for node in self.graph.nodes:
            if node in self.graph.slots:
                self.names[node] = f"%a{len(parameters)}"
                label = self.graph.labels.get(node, "")
                parameters.append(f"%a{len(parameters)}: {kind_of(node)}" + (f" loc({_quoted(label)})" if label else ""))
                slots.append(self.graph.slots[node])
            elif node.op == "call_function" and (node.users or node in self.results):
                self.where = location(node)
                self._call_of_values(node)
        if self.missing:
            raise NoProgram(f"no program for {', '.join(sorted(self.missing))}", self.missing.items())
        if not all(isinstance(one, Node) for one in results):
            raise NoProgram("a result that is not a tensor")
        kinds = ", ".join(kind_of(node) for node in results)
        values = ", ".join(self.value(node) for node in results)
        head = f"func.func public @main({', '.join(parameters)}) -> ({kinds}) {{"
        return "\n".join([*self.functions, head, *self.lines, f"  func.return {values} : {kinds}", "}", ""]), slots

    def _call_of_values(self, node):
        """The call, if none of its sizes and numbers depends on values: PyTorch's JSON cannot express those."""
        missing = self.missing
        try:
            self.call(node)
        except RuntimeError as error:
            if type(error).__name__ != "GuardOnDataDependentSymNode":
                raise
            self.depth, self.missing = 0, missing
            missing.setdefault(f"{node.target} (a size or a number that depends on values)", _unquoted(self.where))

    def value(self, node):
        return self.names.get(node, "%missing")

    def call(self, node):
        """Writes the operations of a node: by its row, or by the parts that it decomposes into."""
        made = node.meta.get("val")
        if getattr(node.target, "__name__", "") == "getitem" and not isinstance(made, (int, float)):
            return self._item(node)
        if made is None or isinstance(made, (bool, int, float, torch.SymInt, torch.SymFloat, torch.SymBool)):
            return None  # a number: its readers read its value
        outputs = list(made) if isinstance(made, (tuple, list)) else [made]
        wanted = _wanted(node, outputs, self.results)
        for i in [i for i in wanted if outputs[i].numel() == 0]:  # nothing to compute, whatever the operator
            self._name(node, {i: self._line("dense<>", _type(outputs[i]))})
            wanted = wanted - {i}
        if not wanted:
            return None  # or a check of values, an effect
        if control_flow.has_program(node.target):
            return self._control_flow(node)
        if str(node.target).rpartition(".")[0] in UNSET and (self.unset or self.depth or _is_written(node)):
            self.names[node] = self._line(_splat(made), kind_of(node))
            return None
        try:
            words = _call_words(node, [one if i in wanted else None for i, one in enumerate(outputs)])
            found = lapack.row(node, wanted) or _row(words)
        except (ValueError, OverflowError) as error:
            words, found = None, str(error)
        if not isinstance(found, str) and wanted <= set(found[2]):
            return self._write(node, found, outputs)
        if not self._take_apart(node, words, outputs, wanted):
            why = found if isinstance(found, str) else f"{node.target}: a result that its program lacks"
            if words is not None and not _has_row(str(node.target)):
                why = str(node.target)
            self.missing.setdefault(why, _unquoted(self.where))
        return None

    def _control_flow(self, node):
        try:
            function = control_flow.Function(self, node)
        except ValueError as error:
            return self.missing.setdefault(f"{node.target} ({error})", _unquoted(self.where))
        number = len(self.functions)
        self.functions.append(function.text(f"op{number}"))
        operands, kinds = [word for word, _ in function.operands], [function.results[i].kind for i in function.made]
        self._call(node, number, operands, kinds, function.made)

    def graph_function(self, parts):
        """(name, results as tensors without data) of a function that is a graph inside the graph."""
        outer = self.lines, self.names, self.results, self.where
        tensors = [node for node in parts.inputs if isinstance(node.meta.get("val"), torch.Tensor)]
        self.lines, self.results = [], {one for one in parts.outputs if isinstance(one, Node)}
        self.names = {node: f"%a{i}" for i, node in enumerate(tensors)}
        self._nodes(parts)
        results = [one for one in parts.outputs if isinstance(one, Node) and isinstance(one.meta.get("val"), torch.Tensor)]
        kinds, values = ", ".join(map(kind_of, results)), ", ".join(map(self.value, results))
        name = f"op{len(self.functions)}"
        head = f"func.func private @{name}({', '.join(f'{self.names[one]}: {kind_of(one)}' for one in tensors)}) -> ({kinds}) {{"
        self.functions.append("\n".join([head, *self.lines, f"  func.return {values} : {kinds}" if results else "  func.return", "}"]))
        self.lines, self.names, self.results, self.where = outer
        return name, [one.meta.get("val") if isinstance(one, Node) else one for one in parts.outputs]

    def _write(self, node, found, outputs):
        text, places, made = found
        number, operands = len(self.functions), [_at(node, place) for place in places]
        body = re.sub(r"func\.func (public |private )?@main", f"func.func private @op{number}", text, count=1)
        self.functions.append(body.replace("loc(unknown)", f"loc({self.where})"))
        self._call(node, number, operands, [_type(outputs[i]) for i in made], made)

    def _call(self, node, number, operands, results, made):
        """The line that calls function `number`; `made`: the numbers of the node's results that it returns."""
        values = ", ".join(self.value(one) for one in operands)
        kinds = ", ".join(kind_of(one) for one in operands)
        name = f"%v{self.count}"
        self.count += 1
        self.lines.append(f"  {name}:{len(made)} = func.call @op{number}({values}) : ({kinds}) -> ({', '.join(results)}) loc({self.where})")
        self._name(node, {i: f"{name}#{place}" for place, i in enumerate(made)})

    def _name(self, node, names):
        """`names`: the name of each value, by the number of the result."""
        for i, name in names.items():
            self.names[(node, i)] = name
        if isinstance(node.meta.get("val"), torch.Tensor) and 0 in names:
            self.names[node] = names[0]

    def _take_apart(self, node, words, outputs, wanted):
        """Whether PyTorch's decomposition has a program; if not, the lines written for it are removed."""
        if self.depth >= _DEEPEST or not isinstance(node.target, (torch._ops.OpOverload, torch._ops.HigherOrderOperator)):
            return False
        words = words if isinstance(node.target, torch._ops.OpOverload) else None  # the words lack graphs among the arguments
        found = decompositions.parts(node.target, node.args, node.kwargs, words)
        if found is None or any(_repeats(one, node) for one in found.nodes):
            return False
        given = decompositions.tensors_of(node.args, node.kwargs)
        if len(given) != len(found.inputs) or len(found.outputs) < len(outputs):
            return False
        state = len(self.functions), len(self.lines), dict(self.missing), self.count
        self.missing, self.depth = {}, self.depth + 1
        inside = self._inside(found, given)
        self.depth -= 1
        names = {i: inside[one] for i, one in enumerate(found.outputs) if i in wanted and one in inside} if not self.missing else {}
        if not wanted <= set(names) or any(not _same(found.outputs[i], outputs[i]) for i in wanted):
            del self.functions[state[0] :], self.lines[state[1] :]
            self.count = state[3]
            inner, self.missing = self.missing, state[2]
            for why in inner:
                self.missing.setdefault(f"{node.target} ({why})" if self.depth == 0 else why, _unquoted(self.where))
            return bool(inner)
        self.missing = state[2]
        self._name(node, names)
        return True

    def _inside(self, found, given):
        """{node: name} of the results that the parts of a call compute."""
        for node, source in zip(found.inputs, given):
            self.names[node] = self.value(source)
        self._nodes(found)
        return {one: self.names[one] for one in found.outputs if isinstance(one, Node) and one in self.names}

    def _nodes(self, found):
        for node in found.nodes:
            if node.op == "get_attr":
                self._constant(node, getattr(found.module, node.target, None))
            elif node.op == "call_function" and (node.users or node in found.outputs):
                self.call(node)

    def _constant(self, node, tensor):
        if isinstance(tensor, torch.Tensor):
            node.meta.setdefault("val", tensor)
            with unset_fake_temporarily():
                self.names[node] = self._line(*_dense(tensor))

    def _line(self, value, kind, shape=None):
        """A constant; `shape`: the type that it is reshaped to."""
        name = f"%c{self.count}"
        self.count += 1
        self.lines.append(f"  {name} = stablehlo.constant {value} : {kind}")
        if shape is None:
            return name
        self.lines.append(f"  {name}r = stablehlo.reshape {name} : ({kind}) -> {shape}")
        return f"{name}r"

    def _item(self, node):
        source, index = node.args
        if (source, index) in self.names:
            self.names[node] = self.names[(source, index)]
        elif not self.missing:
            self.missing[f"result {index} of {source.target}"] = _unquoted(self.where)


def _repeats(part, node):
    """Whether a part is the call that was decomposed: the operator, on tensors of the same types and with the same words."""

    def words(one):
        values = [decompositions.value_of(each) for each in tree_leaves((one.args, one.kwargs))]
        return [(tuple(each.shape), each.dtype) if isinstance(each, torch.Tensor) else each for each in values]

    return part.target is node.target and words(part) == words(node)


def kind_of(node):
    return _type(node.meta["val"])


def _type(value):
    return mlir_type(arrays.dtype_of(value), [int(size) for size in value.shape])


def _same(node, output):
    """Whether a part's result has the type of the call's."""
    found = node.meta.get("val") if isinstance(node, Node) else None
    return isinstance(found, torch.Tensor) and found.dtype == output.dtype and tuple(found.shape) == tuple(output.shape)


def _is_written(node):
    """Whether every reader of a tensor without values, or of a view of it, first writes to it."""
    def writes(user):
        name = str(user.target).partition(".")[2]
        first = bool(user.args) and user.args[0] is node
        return first and (any(word in name for word in _WRITERS) or name.startswith(_VIEWS) and _is_written(user))

    return len(node.users) > 0 and all(map(writes, node.users))


def _wanted(node, outputs, results):
    """The results of a node that something reads."""
    if isinstance(node.meta.get("val"), torch.Tensor):
        return {0}
    taken = {user.args[1] for user in node.users if user.target is operator.getitem and (user.users or user in results)}
    return {i for i in taken if isinstance(outputs[i], torch.Tensor)}


def _call_words(node, outputs):
    """The call in the form of an entry of dump.json."""
    entry = {
        "op_name": str(node.target),
        "args": [_plain(value) for value in node.args],
        "kwargs": {name: _plain(value) for name, value in node.kwargs.items()},
        "outputs": [tensor_record(one) for one in outputs],
    }
    return json.dumps(entry)


def _row(words):
    """(text of the function, places of its operands, the results that it computes), or why the table has none."""
    from .._assay import aten_text

    if words not in _rows:
        while len(_rows) >= _KEPT:
            _rows.pop(next(iter(_rows)))
        try:
            text, places, made = aten_text(words, True)
            text = text[text.index("func.func") : text.rindex("}")] if text.startswith("module") else text
            _rows[words] = text.strip(), places, made
        except ValueError as error:
            _rows[words] = str(error)
    return _rows[words]


def _has_row(name):
    from .._assay import has_aten_row

    return has_aten_row(name)


def tensor_record(value):
    """A tensor in the form of an entry of dump.json."""
    if not isinstance(value, torch.Tensor):
        return None
    stride = [int(step) for step in value.stride()] if value.layout is torch.strided else None
    return {"shape": [int(size) for size in value.shape], "dtype": str(value.dtype), "stride": stride, "device": "cpu", "min": None, "max": None, "file": None}


def _plain(value):
    if isinstance(value, Node):
        found = value.meta.get("val")
        return tensor_record(found) if isinstance(found, torch.Tensor) else plain(found)
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


def _splat(value):
    kind = value.dtype
    zero = "false" if kind is torch.bool else "(0.0, 0.0)" if kind.is_complex else "0.0" if kind.is_floating_point else "0"
    return f"dense<{zero}>"


def _dense(tensor):
    """(literal, its type, the type it is reshaped to or None)."""
    tensor = tensor.detach().cpu().contiguous()
    kind, count = _type(tensor), tensor.numel()
    if count == 0:
        return "dense<>", kind, None
    if tensor.dtype is torch.bool:
        flat = ", ".join("true" if one else "false" for one in tensor.reshape(-1).tolist())
        return f"dense<[{flat}]>", mlir_type("bool", [count]), kind
    return f'dense<"0x{bytes(arrays.host_bytes(tensor)).hex().upper()}">', kind, None


def module_path(node):
    """The module of the model whose code a node comes from; "" if the graph does not know it, or it is the model itself."""
    stack = list((node.meta.get("nn_module_stack") or node.meta.get("fwd_nn_module_stack") or {}).values())
    path = str(stack[-1][0]) if stack else ""
    path = re.sub(r"\['?([^'\]]+)'?\]", r".\1", path).lstrip(".")  # L['self'].layers['0'] and similar
    return re.sub(r"^(L\.|self\b\.?|fn\b\.?|_modules\.)*", "", path).replace("._modules", "").strip(".")


def source_line(node):
    """(file, line) of the innermost call outside of PyTorch, else of the innermost call; None if the graph does not know it. Code that PyTorch
    generated (<eval_with_key>) has no file."""
    frames = [frame for frame in re.findall(r'File "([^"]+)", line (\d+)', node.meta.get("stack_trace") or "") if not frame[0].startswith("<eval_with_key>")]
    own = [frame for frame in frames if "/torch/" not in frame[0].replace("\\", "/")]
    return (own or frames or [None])[-1]


def location(node):
    """The location of a node as MLIR writes it."""
    name, line = _quoted(module_path(node) or "main"), source_line(node)
    return name if line is None else f"{name}({_quoted(line[0])}:{line[1]}:1)"


def place_of(node):
    """"fc1 at model.py:12": a node's origin, for readers."""
    return _unquoted(location(node))


def _quoted(text):
    return '"' + "".join(c if c.isprintable() and c not in '"\\' else f"\\{ord(c):02X}" for c in text) + '"'


def _unquoted(where):
    found = re.fullmatch(r'"(.*?)"\("(.*)":(\d+):1\)', where)
    return f"{found[1]} at {found[2]}:{found[3]}" if found else where.strip('"')
