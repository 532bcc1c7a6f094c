"""Tasks of kernel benchmarks, judged by assay.check: files in, a verdict fit as a reward out.

    kernelbench(reference.py, solution.py)   classes Model and ModelNew, get_inputs(), get_init_inputs()
    reference_kernels(task.py, solution.py)  functions ref_kernel(data), generate_input(...) and custom_kernel(data)
    flashinfer(definition.json, solution.json, **axes)   a definition's reference source, a solution's Python sources

    python -m assay.adapters kernelbench reference.py solution.py      prints the reward as JSON

The reward says whether the kernel passed and the pattern of what is wrong: never data, seeds or bounds, so that nothing
can be learnt but to be right.
"""
import importlib.util
import json
import pathlib
import signal
import sys

from . import arrays, kept
from .checking import check
from .elements import Spec


def reward(verdict):
    """The part of a verdict that a training loop may see, as JSON text."""
    return json.dumps({"passed": verdict.ok, "status": verdict.status, "pattern": verdict.pattern})


def kernelbench(reference, solution, seed=1, **options):
    """Judges ModelNew of `solution` against Model of `reference`: on the task's own inputs, then on filled ones."""
    import torch

    task, new = load(reference), load(solution)
    arguments = _list(task.get_init_inputs() if hasattr(task, "get_init_inputs") else [])
    models = []
    for made in (getattr(task, "Model"), getattr(new, "ModelNew")):
        torch.manual_seed(seed)  # both get the same parameters
        models.append(made(*arguments).eval())
    torch.manual_seed(seed)
    return both(models[1], models[0], _list(task.get_inputs()), options)


def reference_kernels(task, solution, sizes=None, **options):
    """Judges custom_kernel of `solution` against ref_kernel of `task` on the inputs of generate_input(**sizes)."""
    made, new = load(task), load(solution)
    data = made.generate_input(**(sizes or {}))
    inputs = list(data) if isinstance(data, (tuple, list)) else [data]
    packed = isinstance(data, (tuple, list))
    return both(Packed(new.custom_kernel, packed), Packed(made.ref_kernel, packed), inputs, options, "torch")


def flashinfer(definition, solution, options=None, **axes):
    """Judges a solution of flashinfer-bench against its definition's reference, for the given variable axes."""
    described, solved = (json.loads(pathlib.Path(path).read_text()) for path in (definition, solution))
    if solved.get("definition", described["name"]) != described["name"]:
        raise ValueError(f"the solution is of '{solved['definition']}', the definition is '{described['name']}'")
    sizes = {name: axis.get("value", axes.get(name)) for name, axis in described["axes"].items()}
    missing = [name for name, size in sizes.items() if size is None]
    if missing:
        raise ValueError(f"the definition leaves {', '.join(missing)} open: name a size for each")
    inputs = []
    for name, tensor in described["inputs"].items():
        if tensor.get("shape") is None:
            raise ValueError(f"input '{name}' is a scalar without a value; only tensors can be filled")
        inputs.append(Spec(tensor["dtype"], [sizes[size] if isinstance(size, str) else size for size in tensor["shape"]]))
    folder = kept.folder("task-")
    (folder / "flashinfer_reference.py").write_text(described["reference"])
    for source in solved["sources"]:
        (folder / source["path"]).parent.mkdir(parents=True, exist_ok=True)
        (folder / source["path"]).write_text(source["content"])
    file, _, function = solved["spec"]["entry_point"].partition("::")
    kernel = getattr(load(folder / file), function or "run")
    return check(kernel, load(folder / "flashinfer_reference.py").run, *inputs, framework="torch", **(options or {}))


class Packed:
    """A function that takes one tuple, as a function of the tuple's items."""

    def __init__(self, function, packed):
        self.function, self.packed = function, packed
        self.__name__ = function.__name__

    def __call__(self, *inputs):
        return self.function(inputs if self.packed else inputs[0])


def both(kernel, reference, inputs, options, framework=None):
    """The verdict on the task's inputs; if they pass, that on floats that Assay fills."""
    verdict = check(kernel, reference, *inputs, framework=framework, **options)
    filled = [Spec(arrays.dtype_of(one), arrays.shape_of(one)) if _is_float(one) else one for one in inputs]
    if verdict and any(isinstance(one, Spec) for one in filled):
        verdict = check(kernel, reference, *filled, framework=framework or "torch", **options)
    return verdict


def _is_float(value):
    return arrays.is_tensor(value) and arrays.dtype_of(value).startswith(("float", "bfloat"))


def _list(value):
    return list(value) if isinstance(value, (tuple, list)) else [value]


def load(path):
    """Imports a file as a module with its own name, which a worker can import too. Raises FileNotFoundError."""
    path = pathlib.Path(path).resolve()
    if not path.is_file():
        raise FileNotFoundError(f"no file '{path}'")
    known = sys.modules.get(path.stem)
    if known is not None and getattr(known, "__file__", None) == str(path):
        return known
    if str(path.parent) not in sys.path:
        sys.path.insert(0, str(path.parent))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


def main(words):
    tasks = {"kernelbench": kernelbench, "reference_kernels": reference_kernels, "flashinfer": flashinfer}
    if len(words) < 3 or words[0] not in tasks:
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # `| head` ends it silently
        print(__doc__)
        return 0 if words[:1] in (["-h"], ["--help"]) else 2
    try:
        axes = {name: int(size) for name, _, size in (word.partition("=") for word in words[3:])}
        if words[0] == "reference_kernels":
            verdict = reference_kernels(words[1], words[2], axes)
        else:
            verdict = tasks[words[0]](words[1], words[2], **axes)
    except (OSError, ValueError, ImportError, AttributeError, KeyError) as error:
        print(f"assay.adapters: {error}", file=sys.stderr)
        return 2
    print(reward(verdict))
    return 0 if verdict else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
