"""`assay.equiv`: are two functions the same, up to the laws that a compiler may use?

    answer = assay.equiv(f, g, assay.f32[4, 8], assay.f32[8])
    answer.ok                  equal, or equal but for precision
    print(answer)              the closing line of `assay equiv`, docs/equivalence.md
"""

import json
import pathlib
import re
import subprocess
import tempfile

import numpy

from . import arrays, kernel_process, program, reference
from .checking import Question
from .elements import mlir_type

_ENTRY = "assay_entry"


class Equivalence:
    """The answer of `assay equiv`.

    verdict      "equal", "equal but for precision", "differs", "not decided"
    line         the closing line
    facts        its JSON: result, index, how, data, parts, notes
    """

    def __init__(self, facts):
        self.facts, self.verdict, self.line = facts, facts["verdict"], facts["line"]

    @property
    def ok(self):
        return self.verdict in ("equal", "equal but for precision")

    def __bool__(self):
        return self.ok

    def __str__(self):
        parts = self.facts.get("parts")
        return self.line + (f"\nthey first differ at\n  {parts[0]}\n  {parts[1]}" if parts else "")

    def __repr__(self):
        return f"<{self.line}>"

    def raise_for_status(self):
        if not self.ok:
            raise AssertionError(str(self))


def equiv(f, g, *inputs, draws=2, laws="", precision_may_change=False, seed=0, keywords=None, max_seconds=0.0):
    """Whether f and g are the same function of the inputs.

    f, g      functions of JAX or PyTorch, torch.nn.Modules, StableHLO as text or a file, a problem as the arguments of `assay verify`
    inputs    the arguments of both: `assay.f32[128, 512]`, arrays (only their types and sizes), and other values
    laws, draws, precision_may_change, seed, max_seconds    as for `assay equiv`
    """
    missing = kernel_process.missing_extension()
    if missing:
        raise ImportError(missing)
    if arrays.is_tensor(f) or arrays.is_tensor(g):
        raise ValueError(f"equiv compares two functions, which come before the inputs; the {'first' if arrays.is_tensor(f) else 'second'} is an input")
    made = []
    for function in (f, g):
        question = Question(None, inputs, keywords or {}, reference=function)
        one = reference.make(function, question)
        if one.program is None:
            raise ValueError(f"no program is made of {getattr(function, '__name__', function)}: {one.weaker}")
        made.append(one)
    shared = _shared(*made)
    with tempfile.TemporaryDirectory(prefix="assay-equiv-") as folder:
        paths = [pathlib.Path(folder) / name for name in ("f.mlir", "g.mlir")]
        for path, one in zip(paths, made):
            path.write_text(_text(one, shared))
        words = [program.find(), "equiv", *paths, "--entry", _ENTRY, "--entry-b", _ENTRY, "--json", "-", "--map"]
        words += ["--draws", draws, "--seed", seed, *(["--laws", laws] if laws else []), *(["--max-seconds", max_seconds] if max_seconds else [])]
        words += ["--precision-may-change"] * bool(precision_may_change)
        run = subprocess.run([str(word) for word in words], capture_output=True, text=True)
    if not run.stdout.strip():
        raise ValueError(run.stderr.strip().removeprefix("assay: error: "))
    return Equivalence(json.loads(run.stdout))


def _key(slot, type_):
    return numpy.ascontiguousarray(slot).tobytes(), type_[0], tuple(type_[1])


def _fixed(one):
    """The constants of a program, such as a module's parameters: bytes and type of each."""
    return [_key(slot, type_) for slot, type_ in zip(one.slots, one.inputs) if not isinstance(slot, int)]


def _shared(f, g):
    """Constants that both programs have. They become arguments, so their values do not matter."""
    return [key for key in dict.fromkeys(_fixed(f)) if key in set(_fixed(g))]


def _text(one, shared):
    """The program with an entry function that takes the caller's tensors in order, then the shared constants."""
    name = one.program.function
    text = re.sub(rf"(func\.func )(?:public |private )?@{re.escape(name)}\b", rf"\1private @{name}", one.program.text)
    types = {slot: type_ for slot, type_ in zip(one.slots, one.inputs) if isinstance(slot, int)}
    count = max(types, default=-1) + 1
    if sorted(types) != list(range(count)):
        raise ValueError("an input that the function does not use has no type in its program")
    arguments = [f"%a{i}: {mlir_type(*types[i])}" for i in range(count)]
    arguments += [f"%s{i}: {mlir_type(dtype, shape)}" for i, (_, dtype, shape) in enumerate(shared)]
    lines, operands = [], []
    for place, (slot, type_) in enumerate(zip(one.slots, one.inputs)):
        if isinstance(slot, int):
            operands.append(f"%a{slot}")
        elif (key := _key(slot, type_)) in shared:
            operands.append(f"%s{shared.index(key)}")
        else:
            lines.append(f'%c{place} = stablehlo.constant dense<"0x{key[0].hex().upper()}"> : {mlir_type(*type_)}')
            operands.append(f"%c{place}")
    results = [mlir_type(dtype, shape) for dtype, shape in one.program.outputs]
    inner = ", ".join(mlir_type(*type_) for type_ in one.inputs)
    names = ", ".join(f"%r#{i}" for i in range(len(results))) if len(results) > 1 else "%r"
    bound = f"%r:{len(results)}" if len(results) > 1 else "%r"
    lines.append(f"{bound} = func.call @{name}({', '.join(operands)}) : ({inner}) -> ({', '.join(results)})")
    lines.append(f"return {names} : {', '.join(results)}")
    body = "\n    ".join(lines)
    entry = f"  func.func public @{_ENTRY}({', '.join(arguments)}) -> ({', '.join(results)}) {{\n    {body}\n  }}\n"
    end = text.rstrip().rfind("}")
    return text[:end] + entry + text[end:]
