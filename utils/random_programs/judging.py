"""Runs a program by XLA and by Assay's engines, and judges each alone against the exact result, by the derived bound of every operation."""
import numpy

import program as programs


# Faults of XLA, each with the smallest program on which it is wrong.
KNOWN = (
    ("atan2 of a constant by itself is folded to NaN at 0", lambda p: any(use.name == "atan2" and len(set(use.operands)) == 1 for use in p.uses)),
    ("cos and sin of 16 bits give more than 1 for arguments beyond a few hundred",
     lambda p: p.uses[-1].name in ("cos", "sin") and any(a.dtype.itemsize == 2 for a in p.inputs)),
)  # fmt: skip


def known_reason(program, who):
    """The known reason why XLA is wrong on this program; None: no known reason, or another side."""
    return next((why for why, holds in KNOWN if who == "XLA" and holds(program)), None)


def lowered(program, wanted=None):
    import jax

    return jax.jit(program.function(wanted)).lower(*program.inputs)


def faults(program, engines, reverse=False):
    """[(side, result, reason)]; empty: all are right."""
    from assay._assay import Judge, Program

    made = lowered(program)
    text = made.as_text()
    inputs = [numpy.asarray(a, order="C") for a in program.inputs]
    kept = made._lowering.compile_args.get("kept_var_idx", range(len(inputs)))  # JAX drops inputs that no operation reads
    inputs = [a for i, a in enumerate(inputs) if i in kept]
    judge = Judge(Program.parse(text, "random.mlir"), "bound", 60.0, 2)
    judge.prepare([a.ctypes.data for a in inputs])
    found = []
    for who, results in runs(made, text, program, inputs, engines):
        if isinstance(results, str):
            found.append((who, None, results))
            continue
        verdict = judge.judge([a.ctypes.data for a in results], "given")
        wrong = [i for i, row in enumerate(verdict["results"]) if row["status"] == "FAILED"]
        found += [(who, wrong[0], "; ".join([verdict["reason"], *verdict["findings"][1:2]]))] if wrong else []
    return found


def runs(made, text, program, inputs, engines):
    """[(side, its results or why there are none)]."""
    import assay

    yield "XLA", [numpy.asarray(a, order="C") for a in made.compile()(*program.inputs)]
    for engine in engines:
        try:
            results = assay.load(text, engine=engine)(*inputs)
            yield engine, [numpy.asarray(a, order="C") for a in (results if isinstance(results, tuple) else (results,))]
        except (RuntimeError, ValueError, MemoryError) as error:
            yield engine, str(error)


def smallest(program, engines, who):
    """The smallest program on which `who` is still wrong: keeps one result, then removes operations."""
    import jax

    fails = lambda one: any(other == who for other, _, _ in faults(one, engines))
    for result in program.results():
        one = programs.only(program, result)
        if len(program.results()) > 1 and fails(one):
            program = one
            break
    at = 0
    while at < len(program.uses) and len(program.uses) > 1:
        first = len(program.inputs)
        (value,) = jax.jit(program.function([first + at]))(*program.inputs)
        smaller = programs.cut(program, at, numpy.asarray(value))
        results = smaller.results()
        smaller = programs.only(smaller, results[-1]) if results else smaller
        if smaller.uses and fails(smaller):
            program, at = smaller, 0
        else:
            at += 1
    return program
