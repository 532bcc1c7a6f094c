"""`torch.compile(model, backend="assay")`: forward and backward graphs of AOTAutograd as programs on an engine.

    options   engine     "native" (default), "reference", "onednn", "plugin:PATH", "python:FILE.py:FUNCTION"; "eager": PyTorch's kernels
              check      a rule such as "bound": no operators are fused, and each is judged on its own inputs; the first wrong one is an error
              record     a folder for the inputs and results of every operator, as `assay compare` reads them
              fallback   "eager" (default): PyTorch runs an operator that has no program, with one note; "refuse": that is an error
              freeze     True: parameters are packed once, until PyTorch notices a write to them (it notices none through .data or NumPy)

PyTorch finds the backend by its entry point (torch_dynamo_backends); `import assay` is not needed.
"""
import operator
import threading
import warnings

import torch
from torch._subclasses.fake_tensor import unset_fake_temporarily
from torch.fx import Node
from torch.utils._pytree import tree_map

from ..torch_graph import is_open, sizes_of, with_sizes
from ..words import engine_named, one_of, rule_named
from .aten_program import Composer, NoProgram, place_of
from .backend import is_tensor
from .partition import EagerPart, ProgramPart, is_check, operator_of, parts_of
from .runner import Runner

_said = set()
_graphs = []  # the graphs that were compiled in this process
_lock = threading.Lock()


class Settings:
    """The options of torch.compile."""

    NAMES = ("engine", "check", "record", "fallback", "freeze")

    def __init__(self, engine="native", check=None, record=None, fallback="eager", freeze=False):
        if engine != "eager":
            engine_named(engine)
        if check is not None:
            rule_named(check)
        one_of("fallback", fallback, ("eager", "refuse"))
        one_of("freeze", freeze, (False, True))
        self.engine, self.check, self.record, self.fallback, self.freeze = engine, check, record, fallback, freeze

    @classmethod
    def of(cls, options):
        for name in options or {}:
            if name not in cls.NAMES:
                raise ValueError(f"backend \"assay\" has no option {name!r}; there are {', '.join(cls.NAMES)}")
        return cls(**(options or {}))


def backend(module, inputs, *, options=None, mode=None):
    """The function that torch.compile calls with a graph."""
    from functorch.compile import make_boxed_func
    from torch._dynamo.backends.common import aot_autograd

    if mode is not None:
        raise ValueError(f"backend \"assay\" has no modes, got {mode!r}; there are options: {', '.join(Settings.NAMES)}")
    settings, lines = Settings.of(options), {}

    def compiler(kind):
        def build(graph, _):
            _give_lines(graph, lines)
            return make_boxed_func(CompiledGraph(graph, settings, kind))

        return build

    return aot_autograd(fw_compiler=compiler("forward"), bw_compiler=compiler("backward"), inference_compiler=compiler("inference"))(module, inputs)


def _give_lines(graph, lines):
    """Operators of a backward graph get the source lines of the operators whose gradients they are; `lines`: by the number in the forward pass."""
    for node in graph.graph.nodes:
        number, line = node.meta.get("seq_nr"), node.meta.get("stack_trace")
        if line:
            lines[number] = line
        elif number in lines:
            node.meta["stack_trace"] = lines[number]


def compiled_graphs():
    """The graphs that were compiled so far: a dictionary for each."""
    with _lock:
        return [graph.facts() for graph in _graphs]


class CompiledGraph:
    """One graph; if its sizes are open, it has a plan for each size that occurs."""

    def __init__(self, module, settings, kind):
        self.module, self.settings, self.kind = module, settings, kind
        placeholders = [node for node in module.graph.nodes if node.op == "placeholder"]
        for node in placeholders:
            if is_tensor(node) and node.meta["val"].device.type != "cpu":
                raise ValueError(f"backend \"assay\" computes on the CPU; {node.name} is on {node.meta['val'].device}")
        self.open = any(map(is_open, placeholders))
        self.fixed = _parameters(kind) if settings.freeze else ()  # numbers of placeholders
        self.plans, self.runs, self.judged, self.undecided = {}, 0, 0, 0
        with _lock:
            _graphs.append(self)
            self.number = len(_graphs)
        if not self.open:
            self.plans[()] = Plan(module, module.graph, self)

    def __call__(self, *given):
        key = sizes_of(given) if self.open else ()
        plan = self.plans.get(key)
        if plan is None:
            plan = self.plans[key] = Plan(self.module, with_sizes(self.module, given), self)
        self.runs += 1
        return plan.run(given)

    def facts(self):
        plans = list(self.plans.values())
        eager = {}
        for part in (part for plan in plans[:1] for part in plan.left):
            name = str(operator_of(part.node))
            eager[name] = eager.get(name, 0) + 1
        return {
            "graph": self.number, "kind": self.kind, "sizes": len(plans), "runs": self.runs, "judged": self.judged, "undecided": self.undecided,
            "programs": sum(isinstance(part, ProgramPart) for plan in plans[:1] for part in plan.parts),
            "operators": sum(len(part.nodes) for plan in plans[:1] for part in plan.parts if isinstance(part, ProgramPart)), "eager": eager,
        }  # fmt: skip


class Plan:
    """A graph with known sizes: its parts, planned."""

    def __init__(self, module, graph, owner):
        self.settings = owner.settings
        (output,) = (node for node in graph.nodes if node.op == "output")
        views = _views_of_one(graph, output.args[0])
        self.results = [(one, _dense_strides(one), views.get(one)) for one in output.args[0]]
        self.placeholders = [node for node in graph.nodes if node.op == "placeholder"]
        self.attributes = {node: _attribute(module, node.target) for node in graph.nodes if node.op == "get_attr"}
        self.parts = parts_of(graph)
        self._say_what_is_left()
        self.watch = _watch(owner)
        for part in self.parts:
            if isinstance(part, ProgramPart) and self.settings.engine != "eager":
                part.results = part.values() if self.watch is not None else part.read_outside(views.values())
                fixed = {*(self.placeholders[i] for i in owner.fixed), *self.attributes}
                kept = [i for i, node in enumerate(part.inputs) if node in fixed] if self.settings.freeze else ()
                part.runner = Runner(Composer(part.graph(part.results), unset=True).compose()[0], self.settings.engine, kept=kept)

    def _say_what_is_left(self):
        eager = [part for part in self.parts if isinstance(part, EagerPart) and part.node.target is not operator.getitem]
        self.left = left = [part for part in eager if not is_check(part.node)]  # PyTorch runs checks of values in any case
        if left and self.settings.fallback == "refuse":
            lines = [f"  {operator_of(part.node)}, at {place_of(part.node)}: {part.why}" for part in left]
            raise NoProgram("\n".join(["operators without a program (option fallback=\"eager\" leaves them to PyTorch):", *lines]))
        for part in left:
            name = str(operator_of(part.node))
            if name not in _said:
                _said.add(name)
                warnings.warn(f"assay: {name} runs in PyTorch, first at {place_of(part.node)}: {part.why}", stacklevel=2)

    def run(self, given):
        env = dict(zip(self.placeholders, given)) | self.attributes
        for part in self.parts:
            if isinstance(part, EagerPart):
                env[part.node] = self._eagerly(part.node, env)
            elif self.settings.engine == "eager":
                for node in part.nodes:
                    env[node] = self._eagerly(node, env)
            else:
                env.update(zip(part.results, part.runner([env[node] for node in part.inputs])))
            if self.watch is not None:
                self.watch.see(part, env)
        for base in {base for _, _, base in self.results if base is not None}:
            env[base] = _as_laid_out(env[base], _dense_strides(base))
        return tuple(_result(one, strides, base, env) if isinstance(one, Node) else one for one, strides, base in self.results)

    def _eagerly(self, node, env):
        words = tree_map(lambda one: _as_laid_out(_value(one, env), _dense_strides(one)) if isinstance(one, Node) else one, (node.args, node.kwargs))
        return node.target(*words[0], **words[1])


def _parameters(kind):
    """The numbers of a graph's arguments that are parameters or buffers; none are known for a backward graph."""
    context = torch._guards.TracingContext.try_get()
    metadata = context and context.fw_metadata
    return tuple(metadata.static_input_indices) if metadata and kind != "backward" else ()


def _watch(owner):
    """The observer that is called after each part; None if no option needs one."""
    if owner.settings.check is None and owner.settings.record is None:
        return None
    from .watching import Watch

    return Watch(owner.settings, owner)


def _value(node, env):
    """The value of a node in this run; the graph knows numbers."""
    return env[node] if node in env else node.meta["val"]


def _views_of_one(graph, results):
    """{a result that is a view of a tensor or of part of it: the node whose memory it has}; PyTorch handles views of arguments."""
    makers, sharing = {}, {}
    for node in graph.nodes:
        if is_tensor(node) and node.meta["val"].layout is torch.strided:
            makers.setdefault(node.meta["val"].untyped_storage()._cdata, node)
    for one in dict.fromkeys(one for one in results if isinstance(one, Node) and is_tensor(one) and one.meta["val"].layout is torch.strided):
        sharing.setdefault(makers[one.meta["val"].untyped_storage()._cdata], []).append(one)
    shown = {base: group for base, group in sharing.items() if base.op == "call_function" and _dense_strides(base)}
    return {one: base for base, group in shown.items() for one in group if one is not base and _is_plain(one) and (len(group) > 1 or _leaves_places_out(one))}


def _result(node, strides, base, env):
    if base is None:
        return _as_laid_out(_value(node, env), strides)
    like, whole = node.meta["val"], env[base]
    if like.dtype is not whole.dtype:  # the places of a view are counted in its own type
        whole = torch.view_as_real(whole) if whole.is_complex() else whole.view(like.dtype)
    return whole.as_strided(like.shape, like.stride(), like.storage_offset()).detach()


def _as_laid_out(value, strides):
    """The tensor with these strides; None: its own."""
    if strides is None or not isinstance(value, torch.Tensor) or value.stride() == strides or value.numel() < 2:
        return value
    return torch.empty_strided(value.shape, strides, dtype=value.dtype).copy_(value)


def _dense_strides(node):
    """The strides that PyTorch expects of a node, if they are those of a dense tensor that is not row-major; else None."""
    expected = node.meta.get("val") if isinstance(node, Node) else None
    if not isinstance(expected, torch.Tensor) or expected.layout is not torch.strided:
        return None
    shape, strides = tuple(expected.shape), expected.stride()
    known = all(isinstance(number, int) for number in (*shape, *strides))
    return strides if known and _is_dense(shape, strides) else None


def _is_plain(node):
    """Whether its memory holds its values, not their conjugates or negatives."""
    return not node.meta["val"].is_conj() and not node.meta["val"].is_neg()


def _leaves_places_out(node):
    value = node.meta["val"]
    return all(isinstance(number, int) for number in (*value.shape, *value.stride())) and value.numel() > 1 and _dense_strides(node) is None


def _is_dense(shape, strides):
    """Whether each element has its own place and there are no gaps."""
    due = 1
    for step, size in sorted((step, size) for step, size in zip(strides, shape) if size != 1):
        if step != due:
            return False
        due *= size
    return True


def _attribute(module, target):
    """A constant of the graph, or a graph inside it. PyTorch counts writes to the copy, in whatever mode the model runs."""
    for name in target.split("."):
        module = getattr(module, name)
    with torch.inference_mode(False), unset_fake_temporarily():
        return module.detach().clone() if isinstance(module, torch.Tensor) else module
