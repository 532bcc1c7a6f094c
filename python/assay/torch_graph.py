"""The operators of a PyTorch function or model as a graph. A Graph has `nodes` (torch.fx), `slots` (per placeholder: the number of
the caller's tensor, or one that never changes), `results` (nodes) and `labels` (per placeholder: its name in the model).

There are two methods. `traced` runs a small reference once and notes each operator that reaches the dispatcher: nothing
beyond PyTorch itself is imported, whereas torch.export needs seconds for its compiler before it begins. Cases that such
a run cannot cover (values read back, tensors written in place, random numbers, sizes that depend on data, tensors from
outside) are left to `exported`.
"""
import contextlib
import logging
import math
import operator
import warnings
from unittest import mock

import torch
from torch.overrides import TorchFunctionMode
from torch.utils._pytree import tree_leaves, tree_map
from torch.utils._python_dispatch import TorchDispatchMode

LARGEST = 1 << 20  # elements of the inputs; a longer run costs more than the import of torch.export
UNTRUE = (torch.Tag.data_dependent_output, torch.Tag.dynamic_output_shape, torch.Tag.nondeterministic_seeded)
UNSET = ("aten.empty", "aten.empty_like", "aten.new_empty", "aten.empty_strided", "aten.new_empty_strided")
NORMS = ("aten::native_batch_norm", "aten::cudnn_batch_norm", "aten::miopen_batch_norm")  # they write statistics, which their schemas do not show
NUMBERS = (torch.ops.aten._local_scalar_dense.default, torch.ops.aten.equal.default)  # read values
READ_BACK = {
    torch.Tensor.numpy, torch.Tensor.tolist, torch.Tensor.item, torch.Tensor.__array__, torch.Tensor.__dlpack__,
    torch.Tensor.data_ptr, torch.Tensor.untyped_storage,
}  # fmt: skip


@contextlib.contextmanager
def quiet():
    """Suppresses the output of PyTorch's tracers: a deprecation, and tracebacks of errors that they raise anyway."""
    log = logging.getLogger("torch._subclasses.fake_tensor")
    level = log.level
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".*LeafSpec", FutureWarning)
        log.setLevel(logging.CRITICAL)
        try:
            yield
        finally:
            log.setLevel(level)


class NotTraced(Exception):
    """Raised, with the reason, if one run does not show what a reference computes."""


class Graph:
    def __init__(self, nodes, slots, results, labels=None):
        self.nodes, self.slots, self.results, self.labels = nodes, slots, results, labels or {}


def methods(given):
    """The functions that make a Graph of a module and tensors, the quick one first; `given`: objects with the tensors' shapes."""
    small = sum(math.prod(one.shape) for one in given) <= LARGEST
    return (traced, exported, functional) if small else (exported,)


@quiet()
def exported(called, examples):
    """Makes a Graph by torch.export."""
    made = torch.export.export(called, examples, strict=False).run_decompositions(decomposed())
    return of_exported(made, ("USER_OUTPUT",))


@quiet()
def functional(called, examples):
    """Makes a Graph by two runs without data: first every operator, including gradients that the reference itself computes; then with writes in place
    turned into values."""
    from torch.fx.experimental.proxy_tensor import make_fx

    with torch.no_grad():
        plain = make_fx(called, tracing_mode="fake", _allow_non_fake_inputs=True)(*examples)
        made = make_fx(torch.func.functionalize(plain), tracing_mode="fake", _allow_non_fake_inputs=True)(*examples)
    nodes, slots = list(made.graph.nodes), {}
    for place, node in enumerate(node for node in nodes if node.op == "placeholder"):
        slots[node] = place
    for node in nodes:
        if node.op == "get_attr" and isinstance(getattr(made, node.target), torch.Tensor):  # not a graph inside it
            slots[node] = node.meta["val"] = getattr(made, node.target).detach()
        elif node.op == "call_function" and getattr(node.target, "_schema", None) is not None and node.target._schema.is_mutable:
            raise NotTraced(f"{node.target} writes in place")
    (output,) = (node for node in nodes if node.op == "output")
    return Graph(nodes, slots, [one for one in tree_leaves(output.args[0]) if one is not None])


def decomposed():
    """The decompositions for torch.export: PyTorch's own table, without the operators that have a row."""
    from ._assay import aten_operators

    table, rows = torch.export.default_decompositions(), set(aten_operators())
    for overload in list(table):
        if str(overload).removeprefix("aten.") in rows:
            table.pop(overload)
    return table


def of_exported(made, kinds, graph=None):
    """The graph of an ExportedProgram; `kinds`: which of its outputs are results, in this order; `graph`: its own with other sizes."""
    nodes, slots, labels, place = list((graph or made.graph).nodes), {}, {}, 0
    for node, spec in zip(nodes, made.graph_signature.input_specs):  # arguments are first
        if isinstance(node.meta.get("val"), torch.Tensor) and spec.kind.name != "TOKEN":  # a token orders effects and has no value
            state = made.state_dict.get(spec.target)
            slots[node] = place if spec.target is None else made.constants.get(spec.target) if state is None else state
            labels[node] = spec.target or spec.arg.name
            place += spec.target is None
    (output,) = (node for node in nodes if node.op == "output")
    outputs = list(zip([one.kind.name for one in made.graph_signature.output_specs], output.args[0]))
    return Graph(nodes, slots, [one for kind in kinds for found, one in outputs if found == kind and one is not None], labels)


def is_open(node):
    """Whether a size of a tensor, or a number, is known only when the graph is called."""
    value = node.meta.get("val")
    return any(isinstance(size, torch.SymInt) for size in (value.shape if isinstance(value, torch.Tensor) else [value]))


def sizes_of(given):
    """The key of a call of a graph with open sizes."""
    return tuple(tuple(one.shape) if isinstance(one, torch.Tensor) else one for one in given)


def with_sizes(module, inputs):
    """A copy of a graph whose nodes have the types that these inputs give them; tensors among them need not have data."""
    import copy

    from torch._subclasses.fake_tensor import FakeTensorMode
    from torch.fx.experimental.symbolic_shapes import ShapeEnv
    from torch.fx.passes.fake_tensor_prop import FakeTensorProp

    mode = FakeTensorMode(allow_non_fake_inputs=True, shape_env=ShapeEnv())  # a loop's body may have sizes that depend on values
    copied = torch.fx.GraphModule(module, copy.deepcopy(module.graph))
    given = [mode.from_tensor(one.detach(), static_shapes=True) if isinstance(one, torch.Tensor) else one for one in inputs]  # detached: only its shape counts
    placeholders = [node for node in copied.graph.nodes if node.op == "placeholder"]
    FakeTensorProp(copied, mode).propagate_dont_convert_inputs(*given)
    for node, value in zip(placeholders, given):
        node.meta["val"] = value
    return copied.graph


def traced(called, examples, values=False):
    """Makes a Graph by one run on `examples`. Raises NotTraced, and the reference's exceptions. `values`: the graph may be valid only for these
    values, with the sizes and the numbers computed from them."""
    tape = Tape(called, examples, values)
    with torch.no_grad(), mock.patch.object(torch, "compile", _refuse_compiler), Sealed(values), tape:
        returned = called(*examples)
    return Graph(list(tape.graph.nodes), tape.slots, [tape.node(one) for one in tree_leaves(returned) if one is not None])


def _refuse_compiler(*_, **__):
    raise NotTraced("torch.compile is called, as torch.cond and torch.while_loop do")  # it would take the recorder for a part of the program


class Sealed(TorchFunctionMode):
    """Forbids that a tensor's value leaves PyTorch, where it could not be followed; single numbers may, with `numbers`."""

    def __init__(self, numbers=False):
        super().__init__()
        self.refused = READ_BACK - {torch.Tensor.item} if numbers else READ_BACK

    def __torch_function__(self, function, types, args=(), kwargs=None):
        if function in self.refused:
            raise NotTraced(f"{function.__name__} reads values")
        return function(*args, **(kwargs or {}))


class Tape(TorchDispatchMode):
    """Notes each operator as a node."""

    def __init__(self, called, examples, values=False):
        super().__init__()
        self.values, self.given = values, {}
        if values:
            from .torch_values import GIVEN

            self.given = GIVEN
        self.graph, self.slots, self.nodes, self.kept = torch.fx.Graph(), {}, {}, []
        self.fixed = set()  # tensors that depend on no argument
        for place, one in enumerate(examples):
            self.slots[self._placeholder(one)] = place
        self.state = {id(one): one for one in [*called.parameters(), *called.buffers()]}

    @classmethod
    def _should_skip_dynamo(cls):
        return False  # otherwise PyTorch imports its compiler to exclude this function

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        fixed = all(id(one) in self.fixed for one in tree_leaves((args, kwargs)) if isinstance(one, torch.Tensor))
        if fixed and torch.Tag.data_dependent_output in function.tags:
            return function(*args, **kwargs)  # on numbers that the reference itself holds
        if self.values and function in NUMBERS:
            return function(*args, **kwargs)
        if self.values and function in self.given:
            return self._of_values(function, args, kwargs)
        if self.values and function._schema.is_mutable:
            return self._written(function, args, kwargs)
        if function._schema.is_mutable or self._writes_statistics(function, args) or any(tag in function.tags for tag in UNTRUE):
            raise NotTraced(f"{function} writes in place, is random or depends on values")
        result = function(*args, **kwargs)
        if str(function).rpartition(".")[0] in UNSET:
            self.kept.append(result)  # without a node: its values are not defined
            return result
        if fixed:
            self.fixed.update(id(one) for one in tree_leaves(result) if isinstance(one, torch.Tensor))
        words = tree_map(self._word, (args, kwargs))
        node = self.graph.call_function(function, *words)
        if isinstance(result, torch.Tensor):
            self._keep(result, node)
        elif result is None:
            self.graph.erase_node(node)  # a check of values, which passed
        elif not isinstance(result, (tuple, list)):
            raise NotTraced(f"{function} gives no tensor")
        else:
            node.meta["val"] = result
            for place, one in enumerate(result):
                if isinstance(one, torch.Tensor):
                    self._keep(one, self.graph.call_function(operator.getitem, (node, place)))
        return result

    def _writes_statistics(self, function, args):
        """Whether an operator updates running statistics that do not belong to a module."""
        if function._schema.name not in NORMS:
            return False
        _, _, _, mean, variance, training = args[:6]
        return training and any(one is not None and id(one) not in self.state for one in (mean, variance))

    def _of_values(self, function, args, kwargs):
        """A result with the size that these values determine."""
        made = function(*args, **kwargs)
        with self:
            found = self.given[function](made, *args, **kwargs)
        if found is None:
            raise NotTraced(f"{function} depends on values")
        return found

    def _written(self, function, args, kwargs):
        """An in-place write to a tensor that shares memory with no other gives it a new node."""
        name, tensor = str(function._schema.name).removeprefix("aten::"), args[0]
        plain = getattr(getattr(torch.ops.aten, name[:-1], None), function._overloadname, None) if name.endswith("_") else None
        shared = any(one is not tensor and torch._C._is_alias_of(one, tensor) for one in self.kept)
        if plain is None or shared or self.node(tensor).op == "placeholder":
            raise NotTraced(f"{function} writes in place")
        node = self.graph.call_function(plain, *tree_map(self._word, (args, kwargs)))
        function(*args, **kwargs)
        return self._keep(tensor, node) and tensor

    def node(self, tensor):
        """The node of a tensor. Raises NotTraced if none made it."""
        found = self.nodes.get(id(tensor))
        if found is None and id(tensor) in self.state:
            found = self._placeholder(tensor)
            self.slots[found] = tensor
        if found is None:
            raise NotTraced("a tensor that no operator made")
        return found

    def _word(self, value):
        return self.node(value) if isinstance(value, torch.Tensor) else value

    def _placeholder(self, tensor):
        return self._keep(tensor, self.graph.placeholder(f"a{len(self.slots)}"))

    def _keep(self, tensor, node):
        node.meta["val"] = tensor
        self.nodes[id(tensor)] = node
        self.kept.append(tensor)  # kept alive, so that another tensor does not get its id
        return node
