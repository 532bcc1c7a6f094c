"""`assay.torch.export`, and `.pt2` files: a model of PyTorch as a StableHLO program.

1. torch.export makes an ExportedProgram of the model (a .pt2 file is one already).
2. PyTorch's decompositions replace operators that the table of aten operators has no row for.
3. aten_program.py writes the program. Parameters and buffers are its first arguments, with the model's own names; every operation's
   location is the module and the line of the model's source.
4. A call runs it on an engine: parameters are bound, and buffers that the model writes to are kept here.

    python -m assay.torch.exporting MODEL.pt2 FOLDER [INPUT ...]     the first step of `assay run MODEL.pt2 --input INPUT`: for a model
                                                                     with open sizes, the arrays determine them
"""
import json
import os
import pathlib
import sys
import warnings

import numpy
import torch
from torch.utils._pytree import tree_flatten, tree_leaves, tree_unflatten

from ..torch_graph import decomposed, is_open, of_exported, quiet, sizes_of, with_sizes
from . import aten_program
from .aten_program import Composer, NoProgram
from .runner import Runner, host_array

RESULTS = ("USER_OUTPUT", "BUFFER_MUTATION", "USER_INPUT_MUTATION")


def export(model, *args, keywords=None, engine="native", threads=0):
    """The StableHLO program of `model(*args, **keywords)`, which is called like the model.

    model      a torch.nn.Module, a torch.export.ExportedProgram, or the path of a .pt2 file
    engine     the engine that runs it: reference, native, onednn, plugin:PATH
    Raises NoProgram with the operators that have no program, where they are, and what to do.
    """
    if isinstance(model, (str, os.PathLike)):
        return load(model, engine=engine, threads=threads)
    if not isinstance(model, torch.export.ExportedProgram):
        in_one = args[0] if len(args) == 1 and isinstance(args[0], tuple) else None  # torch.export.export's own form
        try:
            model = _traced(model, args, dict(keywords or {}))
        except Exception:
            if in_one is None:
                raise
            model = _traced(model, in_one, dict(keywords or {}))
    return Exported(model, engine, threads)


def _traced(model, args, keywords):
    """The model's ExportedProgram. A refusal of torch.export becomes one message; errors of the model are unchanged."""
    try:
        with quiet():
            return torch.export.export(model, args, keywords, strict=False)
    except Exception as error:
        if not type(error).__module__.startswith(("torch._dynamo", "torch._export", "torch._subclasses", "torch.fx.experimental")):
            raise
        said = " ".join(str(error).partition("Developer debug context")[0].split())[:400]
        raise NoProgram(f"torch.export of PyTorch {torch.__version__} cannot trace {type(model).__name__}: {said}") from error


def load(path, engine="reference", threads=0):
    """The program of a .pt2 file. Raises OSError, and ValueError for a file that torch.export.load cannot read."""
    if not os.path.exists(path):
        raise FileNotFoundError(f"there is no file '{path}'")
    try:
        exported = torch.export.load(os.fspath(path))
    except Exception as error:
        raise ValueError(f"'{path}' is not an ExportedProgram that PyTorch {torch.__version__} reads: {' '.join(str(error).split())[:300]}") from error
    return Exported(exported, engine, threads)


class Exported:
    """A model as a program. `text`: StableHLO; `names`: of @main's arguments; `parameters`: {name: tensor} of the first ones."""

    def __init__(self, exported, engine="native", threads=0):
        try:
            with quiet():
                self._made = exported.run_decompositions(decomposed())
        except (AssertionError, KeyError) as error:  # such as derived sizes (2 * batch) of a file, or one buffer under two names
            raise NoProgram(f"PyTorch {torch.__version__} cannot take the exported program apart: {error}") from error
        self._engine, self._threads, self._runners = engine, threads, {}
        signature = self._made.graph_signature
        outputs = [(one.kind.name, one.target, one.arg) for one in signature.output_specs if one.kind.name in RESULTS]
        self._outputs = sorted(outputs, key=lambda one: RESULTS.index(one[0]))  # in the order of the program's results
        written = {target for kind, target, _ in self._outputs if kind == "BUFFER_MUTATION"}
        state = {**self._made.state_dict, **self._made.constants}
        specs = [one for one in signature.input_specs if one.target in state and isinstance(state[one.target], torch.Tensor)]
        self.parameters = {one.target: _kept(state[one.target], one.target in written) for one in specs}
        self._inputs = [(one.arg, node.meta.get("val")) for node, one in zip(self._made.graph.nodes, signature.input_specs) if one.kind.name == "USER_INPUT"]
        self._open = any(is_open(node) for node in self._made.graph.nodes if node.op == "placeholder")
        self._program = None if self._open else self._compose(of_exported(self._made, RESULTS))

    @property
    def text(self):
        """The program. Raises ValueError if sizes are open: then there is a program for each size of the arguments, which `save` writes."""
        return self._fixed()[0]

    @property
    def names(self):
        return self._fixed()[2]

    def _fixed(self, given=()):
        """The program; if sizes are open, for these arguments."""
        if not self._open:
            return self._program
        if not given:
            raise ValueError("the model was exported with open sizes (dynamic_shapes): it has a program for each size that it is called with; "
                             "arguments say which: save(path, *arguments), or assay run model.pt2 --input in.npz")  # fmt: skip
        return self._compose(self._specialised(given))

    def _compose(self, graph):
        """(text, slots with names for the model's own tensors, names of the arguments, numbers among the results by index)."""
        values = [_number(one) for one in graph.results]
        numbers = {place: value for place, value in enumerate(values) if value is not None}
        graph.results = [one for one, value in zip(graph.results, values) if value is None]
        try:
            text, slots = Composer(graph, unset=True).compose()
        except NoProgram as missing:
            raise _explained(missing) from None
        labels = [graph.labels[node] for node in graph.nodes if node in graph.slots]
        return text, [slot if isinstance(slot, int) else label for slot, label in zip(slots, labels)], labels, numbers

    def __call__(self, *args, **keywords):
        """The model's results. Buffers that it writes to change in `parameters`, arguments that it writes to change in place."""
        given = self._given(args, keywords)
        tensors = [one for one in given if isinstance(one, torch.Tensor)]
        slots, numbers, runner = self._runner(given)
        made = iter(runner([tensors[slot] if isinstance(slot, int) else self.parameters[slot] for slot in slots]))
        count = sum(not _is_none(argument) for _, _, argument in self._outputs)
        return self._results([numbers[place] if place in numbers else next(made) for place in range(count)], dict(zip([argument.name for argument, _ in self._inputs], given)))

    def _given(self, args, keywords):
        flat, spec = tree_flatten((args, keywords))
        wanted = self._made.call_spec.in_spec
        if spec != wanted:
            raise ValueError(f"the model was exported for arguments like {wanted}, got {spec}")
        values = [torch.as_tensor(one) if isinstance(one, numpy.ndarray) else one for one in flat]
        for (argument, like), value in zip(self._inputs, values):
            if (why := _differs(value, argument, like)) is not None:
                raise ValueError(f"argument {argument.name} is {why}")
        return values

    def _runner(self, given):
        key = sizes_of(given) if self._open else ()
        if key not in self._runners:
            text, slots, _, numbers = self._fixed(given)
            self._runners[key] = slots, numbers, Runner(text, self._engine, self._threads)
        return self._runners[key]

    def _specialised(self, given):
        """The graph with the sizes of these arguments."""
        values = iter(given)
        inputs = [next(values) if one.kind.name == "USER_INPUT" else self.parameters.get(one.target, node.meta.get("val"))
                  for node, one in zip(self._made.graph.nodes, self._made.graph_signature.input_specs)]  # fmt: skip
        try:
            return of_exported(self._made, RESULTS, with_sizes(self._made.graph_module, inputs))
        except (RuntimeError, AssertionError) as error:  # such as an odd size where an even one was traced
            raise ValueError(f"the exported model does not take arguments of these sizes: {str(error).strip().splitlines()[0]}") from error

    @property
    def is_open(self):
        return self._open

    def arguments_like(self, arrays):
        """The model's flat arguments with these arrays in place of its tensors. Raises ValueError."""
        rest, flat = iter(arrays), []
        specs = [one.arg for one in self._made.graph_signature.input_specs if one.kind.name == "USER_INPUT"]
        for spec in specs:
            value = spec if hasattr(spec, "value") else next(rest, None)
            if value is None:
                names = ", ".join(one.name for one in specs if not hasattr(one, "value"))
                raise ValueError(f"the model was exported with open sizes (dynamic_shapes): give an array for each of {names} in .npz or .npy files (--input), "
                                 f"whose sizes say which program it is; there is none for {spec.name}")  # fmt: skip
            flat.append(spec.value if value is spec else torch.as_tensor(value) if type(spec).__name__ == "TensorArgument" else value.item())
        return flat

    def _results(self, made, given):
        values, users = iter(made), []
        for kind, target, argument in self._outputs:
            value = None if _is_none(argument) else next(values)
            if kind == "USER_OUTPUT":
                users.append(value)
            else:
                (self.parameters if kind == "BUFFER_MUTATION" else given)[target].copy_(value)
        return tree_unflatten(users, self._made.call_spec.out_spec)

    def save(self, path, *inputs):
        """PATH.mlir: the program, beside it PATH.npz with its arguments (in0, in1, ...: parameters, then `inputs`). Any other path: a
        folder that `assay run` reads, the program with its weights. If sizes are open, `inputs` determine them."""
        path, flat = pathlib.Path(path), tree_leaves(inputs)
        text, slots = self._fixed(flat)[:2]
        if path.suffix == ".mlir":
            path.write_text(text)
            given = [one for one in flat if isinstance(one, (torch.Tensor, numpy.ndarray))]
            values = [self.parameters[slot] if not isinstance(slot, int) else given[slot] for slot in slots if not isinstance(slot, int) or slot < len(given)]
            numpy.savez(path.with_suffix(".npz"), **{f"in{i}": host_array(torch.as_tensor(one)) for i, one in enumerate(values)})
            return
        for part in ("functions", "data", "constants"):
            (path / part).mkdir(parents=True, exist_ok=True)
        (path / "functions" / "forward.mlir").write_text(text)
        places = [{"type_": "input_arg", "position": slot, "name": ""} if isinstance(slot, int) else {"type_": "parameter", "position": -1, "name": slot} for slot in slots]
        meta = {"name": "forward", "stablehlo_version": "1.0.0", "input_locations": places, "unused_inputs": []}
        (path / "functions" / "forward.meta").write_text(json.dumps(meta))
        for name, tensor in self.parameters.items():
            with open(path / "data" / name, "wb") as file:
                numpy.save(file, host_array(tensor))


def _kept(tensor, written):
    return tensor.detach().clone() if written else tensor.detach()


def _differs(value, argument, like):
    """The given type and the one that the program is for; None if they agree."""
    if isinstance(like, torch.Tensor):
        kind = value.dtype if isinstance(value, torch.Tensor) else type(value).__name__
        return None if kind is like.dtype else f"{kind}, the model was exported for a tensor of {like.dtype}"
    if hasattr(argument, "value") and (isinstance(value, torch.Tensor) or value is not argument.value and value != argument.value):
        return f"{value!r}, the model was exported with {argument.value!r}, which is a constant of its program"
    return None


def _is_none(argument):
    """Whether a result of the model is None."""
    return hasattr(argument, "value") and argument.value is None


def _number(result):
    """The value of a result that is not a tensor: a number, which the graph knows."""
    value = result.meta.get("val") if isinstance(result, torch.fx.Node) else result
    return None if isinstance(value, torch.Tensor) else value


def _explained(missing):
    lines = [f"  {why}, first in {where}" for why, where in missing.missing]
    text = "\n".join([str(missing) if not lines else "operators without a program:", *lines])
    return NoProgram(f"{text}\nreplace them in the model, or run it by torch.compile(model, backend=\"assay\"), which leaves them to PyTorch", missing.missing)


def sizes_from(exported, words):
    """Arguments of a model with open sizes, from .npz and .npy files: in0, in1, ... are its tensors. Raises ValueError, OSError."""
    arrays = []
    for word in words:
        path, separator, name = word.partition(".npz:")
        if separator:
            arrays.append(numpy.load(f"{path}.npz")[name])
        elif path.endswith(".npy"):
            arrays.append(numpy.load(path))
        elif path.endswith(".npz"):
            found = numpy.load(path)
            arrays += [found[name] for name in map("in{}".format, range(len(found))) if name in found]
    return exported.arguments_like(arrays)


def main(words):
    warnings.filterwarnings("ignore")  # PyTorch's own warnings about code that the user did not write
    try:
        exported = load(words[0])
        exported.save(words[1], *sizes_from(exported, words[2:]) if exported.is_open else ())
    except (OSError, ValueError, NoProgram) as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
