"""A backend of torch.compile that records what compiled code computes, operator by operator.

The compiler's graphs get every operator's result as one more output before they are compiled, so the recorded tensors were computed by the
compiled code itself. More outputs can prevent fusion: a fault of a fusion may then disappear, as with every record of
intermediates. Hooks and dispatch modes do not see compiled code, and a dispatch mode would switch it off.
"""
import torch
from torch.fx import Node
from torch.utils._pytree import tree_map

from .compiled import transforming
from .session import say
from .tensors import reason


def make(debugger, inner):
    """The backend; `inner` is "inductor", "decomposed" (Inductor's graphs, run operator by operator), "eager" or a function (graph module, example inputs) -> callable."""
    from functorch.compile import make_boxed_func
    from torch._dynamo.backends.common import aot_autograd

    compile_graph = _INNER.get(inner, inner)
    if not callable(compile_graph):
        raise ValueError(f"inner is {inner!r}, expected \"inductor\", \"decomposed\", \"eager\" or a function (graph, inputs) -> callable")

    def compiler(backward):
        def build(graph, inputs):
            return make_boxed_func(_Recorded(debugger, graph, inputs, compile_graph, backward).run)

        return build

    decompositions = _decompositions() if inner in ("inductor", "decomposed") else None
    return aot_autograd(fw_compiler=compiler(False), bw_compiler=compiler(True), decompositions=decompositions)


def _decompositions():
    from torch._inductor.decomposition import select_decomp_table

    return select_decomp_table()


def _inductor(graph, inputs):
    from torch._inductor import config
    from torch._inductor.compile_fx import compile_fx_inner

    # Rounds values between operators to their type, as they are recorded; a fused loop would continue with f32.
    with config.patch(emulate_precision_casts=True):
        compiled = compile_fx_inner(graph, inputs)
    return lambda *args: compiled(list(args))


_INNER = {"inductor": _inductor, "eager": lambda graph, inputs: graph, "decomposed": lambda graph, inputs: graph}


class _Recorded:
    """One compiled graph."""

    def __init__(self, debugger, graph, inputs, compile_graph, backward):
        self._debugger, self._backward = debugger, backward
        (output,) = (node for node in graph.graph.nodes if node.op == "output")
        self._outputs = len(output.args[0])
        self._inputs = [node for node in graph.graph.nodes if node.op == "placeholder"]
        self._nodes = [node for node in graph.graph.nodes if node.op == "call_function" and _computes(node)]
        self._shown = [node for node in graph.graph.nodes if node.op == "call_function" and is_tensor(node) and not mutates(node)]
        output.meta["user_visible_output_idxs"] = list(range(self._outputs))  # in the layout that the model expects
        output.args = ((*output.args[0], *self._shown),)
        graph.recompile()
        self._compiled = compile_graph(graph, inputs)
        strides = _reported_strides()
        if strides:  # the arguments after them count as gradients where the backward pass is compiled
            del strides[self._outputs :]

    def run(self, *given):
        recorder = self._debugger._recording.operators
        recording = recorder is not None and not recorder.ended and not recorder.paused and not transforming()
        # A compiled graph may write into its arguments, or reuse their memory.
        before = [value.detach().clone() if isinstance(value, torch.Tensor) else value for value in given] if recording else ()
        results = self._compiled(*given)
        if recording:
            try:
                self._record(recorder, before, results[self._outputs :])
            except Exception as error:  # the model continues
                say(f"a compiled graph is not recorded: {reason(error)}")
        return tuple(results[: self._outputs])

    def _record(self, recorder, inputs, shown):
        values = dict(zip(self._inputs, inputs)) | dict(zip(self._shown, shown))
        for node in self._nodes:
            result = result_of(node, values)
            needed = [source for source in node.all_input_nodes if source not in values]
            if result is None or needed:
                recorder.session.skip(f"{recorder.index:05d} {node.target}", "a size that only the compiled code knows is among its arguments")
                continue
            args, kwargs = tree_map(lambda item: values.get(item, item) if isinstance(item, Node) else item, (node.args, node.kwargs))
            recorder.add(node.target, args, kwargs, result, [self._place(node)])

    def _place(self, node):
        """The module of the model whose code the node comes from."""
        stack = list((node.meta.get("nn_module_stack") or {}).values())
        where = str(stack[-1][0]).replace("L['self'].", "").replace("L['fn'].", "").replace("L['self']", "").replace("L['fn']", "") if stack else ""
        return f"compiled code{', backward' if self._backward else ''}" + (f", module {where}" if where else "")


def _reported_strides():
    """The list in which Inductor says how it laid out a graph's outputs; None outside a compilation."""
    context = torch._guards.TracingContext.try_get()
    return context.output_strides if context is not None else None


def is_tensor(node):
    return isinstance(node.meta.get("val"), torch.Tensor)


def is_list(node):
    return isinstance(node.meta.get("val"), (tuple, list))


def mutates(node):
    schema = getattr(node.target, "_schema", None)
    return schema is not None and schema.is_mutable


def _computes(node):
    """Whether it is an operator with a result, and not one that takes an item of a result or writes to an argument."""
    return hasattr(node.target, "_schema") and not mutates(node) and (is_tensor(node) or is_list(node))


def result_of(node, values):
    """The node's tensor, or the list of the tensors that something takes from its list (None for the others)."""
    if node in values:
        return values[node]
    if not is_list(node):
        return None
    taken = {user.args[1]: values.get(user) for user in node.users if user.op == "call_function" and len(user.args) == 2}
    return [taken.get(i) for i in range(len(node.meta["val"]))]
