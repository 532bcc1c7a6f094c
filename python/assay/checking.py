"""`assay.check`: judges any callable on arrays against a reference. docs/check.md has the details.

1. The reference becomes a program (reference.py), or is already one.
2. Inputs: the caller's arrays, or data that the judge fills (exact, then real), laid out between guard pages.
3. The kernel runs in a worker process (kernel_process.py, kernel_host.py), twice on the same data.
4. The C++ judge computes the truth and a bound for every element, and says what is wrong (verdict.py).
"""
import contextlib
import copy
import re

import numpy

from . import arrays, frameworks, kernel_process, mutating, own_results, reference as references, shipping
from .elements import Place, Spec, count, row_major
from .engine_kernel import EngineKernel
from .evidence import Evidence
from .fingerprint import ambient, fingerprint
from .kernel_process import KernelProcess, Layout
from .properties import examine as examine_properties, known as known_properties
from .verdict import Output, Verdict
from .words import amount, an_instance, engine_named, no_further, one_of, rule_named

FILLS = ("exact", "normal", "uniform", "heavy", "cancel", "special", "sparse", "range")
_DEFAULT = ("exact", "normal", "range", "special")
_NUMBERS = ("nan", "infinity", "subnormal", "integer_ends")
_HELD = {
    "range": "numbers at the ends of what the operations take: beyond +-88 for exp, rows of tiny numbers, of one value, with a mean of 1000",
    "special": "NaN, infinities, zeros of both signs and subnormal numbers among ordinary ones",
}
_DEFINED_ONLY = ("range", "special")  # on these data, results without a bound are not errors
LAYOUTS = ("contiguous", "transposed", "sliced", "misaligned")
_STATUS = {"failed": "FAILED", "crashed": "CRASHED", "timeout": "TIMEOUT", "unsupported": "FAILED", "invalid": "FAILED"}  # unsupported: other arrays may do
_MISTYPED = re.compile(r"out\d+ is \w+, expected \w+")  # kernel_host.py's words
_cache = {}  # fingerprint of a reference and its inputs -> (Reference, judge)
_CACHE_SIZE = 64


def check(
    kernel, reference, *inputs, engine=None, rule="bound", fill=_DEFAULT, properties=(), timeout=60.0, seed=1, keywords=None, framework=None,
    device=None, into=False, alias=False, deterministic=True, layout="contiguous", batched=(0,), threads=0, max_seconds=0.0, entry="", name=None,
    exact_division=False, algorithm=None, special=True, library=False, mutates=None, _fixed=None, _data=None, **_further,
):  # fmt: skip
    """Judges whether `kernel(*inputs)` computes `reference(*inputs)`.

    kernel         any callable on NumPy, PyTorch or JAX arrays; None: `engine` runs the reference's program
    reference      a JAX or PyTorch function, a torch.nn.Module, StableHLO (text or a path), or arguments of `assay verify`;
                   None: only the properties are checked
    inputs         arrays, specifications that Assay fills (`assay.f32[128, 512]`), and constants that both get
    engine         one of Assay's engines by name, in place of a kernel
    rule, fill     as in `assay verify`; `fill` applies to specifications only. By default a rule other than "bound", and a
                   reference that PyTorch or NumPy computes, are used on exact and normal data only
    properties     names of properties.py that need no reference: "batch_invariant", "nan_local", …
    batched        for the properties: the inputs whose first size counts rows, one for each row of the result
    timeout        seconds for one run of the kernel
    keywords       constant keyword arguments of both
    framework      "numpy", "torch" or "jax": the arrays that the kernel takes; by default those that frameworks.py finds, and
                   if the kernel cannot work on them, the others
    device         the device of PyTorch's inputs, "cuda:0"; by default that of the given ones
    into           True: the kernel writes into arrays that follow its inputs
    alias          True: the kernel may return memory of its inputs
    mutates        names or numbers of the inputs that the kernel writes to (("running_mean", "running_var")): their new values
                   are judged like results that follow its own. A reference of PyTorch or NumPy writes to them as well, any
                   other returns the new values. By default the inputs that the schema of an operator of torch.ops names
    deterministic  False: two runs on the same data may differ within the bound
    layout         of the inputs in memory: contiguous, transposed (the last two sizes), sliced (every other element),
                   misaligned (one element off a round address)
    threads, max_seconds   limits of the reference
    entry          the function of a StableHLO module
    special        False: the kernel need not support NaN, infinities, zeros of both signs and subnormal numbers, and there is
                   no special data by default. A tuple of "nan", "infinity", "subnormal", "integer_ends": need not support those
    library        True: an element also passes if it has the bits of the reference's own framework, which may be off by more
                   than the bound (PyTorch's sqrt of f32 on some processors); by default a failure only notes this
    algorithm      "wino" or "auto": convolutions may be computed by transforms (Winograd's, Fourier's), whose errors are
                   larger; "direct": they may not; by default as in the arguments of `assay verify` (--alg=wino)
    exact_division True: x / c and x / sqrt(y) must be divisions, not x * (1 / c) and x * rsqrt(y), which rule bound otherwise
                   allows

    Returns a Verdict. Raises ValueError or ImportError for an invalid question, never because of what the kernel does.
    """
    no_further("assay.check", _further)
    missing = kernel_process.missing_extension()
    if missing:
        raise ImportError(missing)
    if (kernel is None) != (engine is not None):
        raise ValueError("give a kernel, or None and engine=")
    if kernel is not None and not callable(kernel):
        hint = '; a function in a file is engine="python:FILE.py:FUNCTION", with None for the kernel' if isinstance(kernel, str) else ""
        raise ValueError(f"the kernel is {type(kernel).__name__}, not a callable{hint}")
    kernel, reference = mutating.wrapped(kernel, reference, mutates, len(inputs))
    rule_named(rule)
    if engine is not None:
        engine_named(engine)
    one_of("framework", framework, (None, *arrays.FRAMEWORKS))
    fast = _is_fast(algorithm, reference)
    _fills(fill)
    wanted = known_properties(properties)
    if reference is None and not wanted:
        raise ValueError('without a reference, name properties, such as properties="deterministic,nan_local"')
    framework = "numpy" if engine else framework
    question = Question(kernel, inputs, keywords or {}, framework, device, into, alias, layout, reference)
    question.fixed = _fixed or {}
    KernelProcess.for_kernel(kernel).prepare(question.framework)
    expected, judge = None, None
    if reference is not None:
        options = rule, threads, max_seconds, entry, exact_division, fast
        # A kernel that returns nothing does not show which integer width it expects from NumPy's functions: NumPy's own is used.
        wide = into and question.framework == "numpy" and callable(reference) and frameworks.named_by(reference) != "jax"
        expected, judge = prepared(reference, question, *options, wide=wide)
    if engine:
        question.on_engine(engine, expected)

    used = []  # judges

    def once(expected, judge):
        used.extend([judge] if judge else [])
        verdict = Verdict(name or _name(question.kernel), expected.kind if expected else "properties")
        if expected:
            verdict.notes += [one for one in (expected.weaker, expected.mode) if one]
            examination = Examination(question, expected, judge, verdict, timeout, deterministic, rule, exact_division)
            examination.library = bool(library)
            examination.not_kept, examination.given_as = _not_kept(special, question.framework), _data
            if fast:  # transforms spread values that are not finite
                examination.not_kept = sorted({*examination.not_kept, "nan", "infinity"})
            examination.examine(_rounds(question, _wanted(fill, expected, rule, special), judge), seed)
        if verdict and wanted:
            examine_properties(question, wanted, verdict, timeout, seed, batched)
        return verdict

    def attempt(framework):
        nonlocal expected, judge
        if framework != question.framework:
            question.framework = framework
            if callable(reference):  # a reference without its own framework gets the kernel's
                with contextlib.suppress(ValueError, ImportError):
                    expected, judge = prepared(reference, question, *options)
        verdict = once(expected, judge)
        if verdict.status == "FAILED" and expected and expected.trains:  # a module is in training mode unless somebody called eval()
            evaluated = copy.deepcopy(reference).eval()
            again = once(*_make(evaluated, question, *options, False)[:2])
            if again:
                again.notes.append(f"it is what {type(evaluated).__name__} computes in evaluation mode, not what it computes in training mode, in which it is")
                return again
        # JAX's default types differ from NumPy's: the kernel may mean either.
        for wide in (True, "numpy") if verdict.is_mistyped and callable(reference) and expected.kind == "JAX" else ():
            with contextlib.suppress(ValueError):
                other = prepared(reference, question, *options, wide=wide)
                again = once(*other) if other[0].outputs != expected.outputs else verdict
                if not again.is_mistyped:
                    return again
        return verdict

    try:
        return _on_arrays_that_fit(question, attempt)
    finally:
        for one in used:
            one.release()  # the judge is kept for the next check of this reference, without the memory of its evaluations


def _on_arrays_that_fit(question, attempt):
    """The verdict on the arrays that were chosen; if the kernel cannot work on them, on those of another framework."""
    choice = question.choice
    first = verdict = attempt(question.framework)
    refused = [(question.framework, first.reason)]
    for other in choice.others if first.is_unfit else ():
        verdict = attempt(other)
        if not verdict.is_unfit:
            break
        refused.append((other, verdict.reason))
    if verdict.is_unfit:
        question.framework, verdict = choice.framework, first
    verdict.told_arrays(choice, question.framework, refused)
    return verdict


class Question:
    """The kernel's arguments."""

    def __init__(self, kernel, inputs, keywords, framework=None, device=None, into=False, alias=False, layout="contiguous", reference=None):
        one_of("layout", layout, LAYOUTS)
        one_of("framework", framework, (None, *arrays.FRAMEWORKS))
        self.kernel, self.keywords, self.into, self.alias, self.layout = an_instance("kernel", kernel), keywords, into, alias, layout
        self.reference = an_instance("reference", reference)
        self.arguments, self.given, self.fixed = [], [], {}
        for value in inputs:
            is_tensor = arrays.is_tensor(value)
            self.arguments.append(Place(len(self.given)) if is_tensor else value)
            if is_tensor:
                self.given.append(value)
        self.choice = frameworks.Choice(framework, "framework= says so") if framework else frameworks.choose(kernel, self.given, reference)
        self.framework = self.choice.framework
        self.device = str(device) if device else next(filter(None, map(arrays.device_of, self.given)), None)
        if self.device and self.device != "cpu":
            if self.framework != "torch":
                raise ValueError(f"device={device!r} is one of PyTorch's, but the kernel gets {frameworks.TITLES[self.framework]} arrays ({self.choice.why}): name framework=\"torch\"")
            self.choice.others = []
        self.specs = [one if isinstance(one, Spec) else Spec(arrays.dtype_of(one), arrays.shape_of(one)) for one in self.given]

    def on_engine(self, engine, expected):
        """The kernel is an engine, which gets all arguments of the program. Raises ValueError, FileNotFoundError."""
        if expected.program is None or not all(isinstance(slot, int) for slot in expected.slots):
            raise ValueError("an engine needs a reference that is a program of the inputs alone: no module with parameters")
        self.kernel = EngineKernel(engine, expected.program.text, expected.outputs)

    def take(self, specs):
        """Sets the inputs that a program names, where the caller passed none."""
        self.specs, self.given = specs, list(specs)
        self.arguments = [Place(i) for i in range(len(specs))]


def prepared(reference, question, rule, threads, seconds, entry, exact_division=False, fast=False, wide=False):
    """(Reference, judge or None), reused from an earlier check if nothing has changed."""
    if isinstance(reference, str):
        what = reference
    else:
        what = fingerprint(reference)
    constants = fingerprint([item for item in question.arguments if not isinstance(item, Place)]), fingerprint(question.keywords)
    places = tuple(isinstance(item, Place) for item in question.arguments)
    key = (what, tuple(question.specs), places, constants, question.framework, rule, threads, seconds, entry, exact_division, fast, wide, ambient())
    known = what is not None and not question.fixed and None not in constants and not (isinstance(what, str) and what.endswith(".mlir"))
    if known and key in _cache:
        found = _cache[key]
    else:
        found = _make(reference, question, rule, threads, seconds, entry, exact_division, fast, wide)
        follows_data = (found[0].eager is not None or found[0].of_values) and not all(isinstance(one, Spec) for one in question.given)
        if known and not follows_data:  # without a program, the sizes of results may be valid for this data only
            while len(_cache) >= _CACHE_SIZE:
                _cache.pop(next(iter(_cache)))
            _cache[key] = found
    if found[0].inputs and not question.specs:
        question.take([Spec(dtype, shape) for dtype, shape in found[0].inputs])
    return found[:2]


def _make(reference, question, rule, threads, seconds, entry, exact_division, fast, wide):
    from ._assay import Judge

    made = references.make(reference, question, entry, wide)
    judge = Judge(made.program, rule, seconds, threads, bool(exact_division), fast) if made.program else None
    return made, judge, reference  # the reference is kept alive, so that no other object takes its id


def _is_fast(algorithm, reference):
    """Whether convolutions may be computed by transforms. Raises ValueError."""
    one_of("algorithm", algorithm, (None, "direct", "wino", "auto"))
    if algorithm is None and isinstance(reference, str):
        algorithm = "wino" if re.search(r"(^|\s)--alg=\S*(wino|auto)", reference.lower()) else None
    return algorithm in ("wino", "auto")


def _kinds(question, fill):
    """The kinds of data to run on: those of `fill`, or "given" where every input is an array."""
    if all(not isinstance(one, Spec) for one in question.given):
        return ("given",)
    return _fills(fill)


def _rounds(question, fill, judge):
    """Pairs (kind of data, draw); a kind has the draws that its patterns need."""
    return [(kind, draw) for kind in _kinds(question, fill) for draw in range(judge.draws(kind) if kind in _DEFINED_ONLY and judge else 1)]


def _wanted(fill, expected, rule, special):
    """The kinds of data: the named ones, or the default ones that can be judged and are requested."""
    if fill != _DEFAULT:
        return fill
    judged = rule == "bound" and not expected.eager
    return tuple(kind for kind in fill if (judged or kind not in _DEFINED_ONLY) and (special is not False or kind != "special"))


def _not_kept(special, framework):
    """The special numbers that the kernel need not support. Raises ValueError."""
    named = () if isinstance(special, bool) else (special,) if isinstance(special, str) else tuple(special)
    for one in named:
        one_of("special", one, _NUMBERS)
    return frameworks.not_kept(framework, named)


def _fills(fill):
    kinds = (fill,) if isinstance(fill, str) else tuple(fill)
    for kind in kinds:
        one_of("fill", kind, FILLS)
    if not kinds:
        raise ValueError(f"fill names no kind of data; there are {', '.join(FILLS)}")
    return kinds


def _name(kernel):
    return getattr(kernel, "__name__", None) or type(kernel).__name__


class Examination:
    """A check in progress: the kernel on every kind of data, up to the first that fails."""

    def __init__(self, question, expected, judge, verdict, timeout, deterministic, rule, exact_division=False):
        self.question, self.expected, self.judge, self.verdict = question, expected, judge, verdict
        self.timeout, self.deterministic, self.rule, self.exact_division = timeout, deterministic, rule, bool(exact_division)
        self.library, self.not_kept, self.given_as = False, [], None  # given_as: the kind of data that given arrays were drawn as
        self.process = KernelProcess.for_kernel(question.kernel)
        self.outputs = [Spec(dtype, shape) for dtype, shape in expected.outputs]

    def examine(self, rounds, seed):
        question = self.question
        shipped = shipping.dumps((question.kernel, question.arguments, question.keywords))
        layouts = [Layout(f"in{i}", spec.dtype, spec.shape, _strides(spec.shape, question.layout)) for i, spec in enumerate(question.specs)]
        layouts += [Layout(f"out{i}", spec.dtype, spec.shape, is_output=True) for i, spec in enumerate(self.outputs)]
        ended, text = self.process.create(shipped, layouts, question.framework, question.device, question.into, question.alias, chosen=question.choice)
        if ended == "invalid":
            raise ValueError(f"{_name(question.kernel)}: {text}")
        if ended != "ok":
            return self.stop(ended, text, None, None)
        undecided = []
        for i, (kind, draw) in enumerate(rounds):
            data = self.data(kind, seed, draw)
            if not self.on(kind, data, at_end=i % 2 == 0) and self.verdict.status != "MISTRUSTED":
                return None
            undecided.append((kind, self.verdict.status == "MISTRUSTED"))
            self.verdict.status = ""
        # Data at the edges may leave many results open: then the other kinds of data decide, if there are any.
        ordinary = [is_open for kind, is_open in undecided if kind not in _DEFINED_ONLY]
        if any(ordinary) if ordinary else all(is_open for _, is_open in undecided):
            self.verdict.status = "MISTRUSTED"
        else:
            self.verdict.status, self.verdict.reason, self.verdict.pattern = "PASSED", "", ""
            ended, text = self.process.watch_memory(self.timeout)
            if ended != "ok":
                self.stop(ended, text, rounds[-1][0], data)
        return None

    def data(self, kind, seed, draw=0):
        """Dense bytes of every argument of the program."""
        made = [None] * len(self.expected.slots)
        if kind != "given":
            made = [numpy.frombuffer(one, numpy.uint8) for one in self.filler().fill(kind, seed, draw, self.not_kept)]
        for place, slot in enumerate(self.expected.slots):
            if not isinstance(slot, int):
                made[place] = slot
            elif not isinstance(self.question.given[slot], Spec):
                made[place] = arrays.host_bytes(self.question.given[slot])
        return made

    def filler(self):
        if self.judge is None:
            from ._assay import Judge, Program

            self.judge = Judge(Program.parse(references.identity_text(self.question.specs), "inputs.mlir"), "dtype", 0, 0)
        return self.judge

    def on(self, kind, data, at_end):
        """Runs and judges on one kind of data. Returns whether all results are right."""
        own = {slot: values for slot, values in zip(self.expected.slots, data) if isinstance(slot, int)}
        misaligned = self.question.layout == "misaligned"
        self.process.place(at_end or misaligned, int(misaligned))
        self.process.write_inputs([own[i] for i in range(len(self.question.specs))])
        results = None
        for run in range(2):
            self.process.fill_outputs(kernel_process.CONTENTS[run])  # shows a kernel that reads its output before it writes it
            ended, text, seconds = self.process.run(self.timeout)
            self.verdict.seconds[f"{kind} {run}"] = seconds
            refused = own_results.refusal(self.question, self.expected, data) if ended in ("failed", "unsupported") and kind == "special" else None
            if refused:
                self.verdict.notes.append(f"special data is not judged: the reference raises {refused} on it, too")
                return True
            if ended != "ok":
                return self.stop(ended, text, kind, data)
            self.said(text)
            outside = self.process.written_outside()
            if outside:
                return self.stop("failed", f"wrote outside of {outside}", kind, data)
            if run == 0:
                results = [numpy.array(one) for one in self.process.outputs()]
        differing = self.differences(results)
        again = [numpy.array(one) for one in self.process.outputs()]
        good = self.judged(kind, data, results) and (not differing or self.judged(kind, data, again))
        if good and differing and self.deterministic:
            return self.stop("failed", f"two runs on the same data differ: {differing} (deterministic=False allows it within the bound)", kind, data, results)
        return good

    def said(self, text):
        import json

        report = json.loads(text)
        self.verdict.printed = self.verdict.printed or report["printed"]
        note = f"the kernel left {amount(report['threads_left'], 'thread')} running"
        if report["threads_left"] and note not in self.verdict.notes:
            self.verdict.notes.append(note)

    def differences(self, results):
        from ._assay import pattern

        for i, (spec, first, second) in enumerate(zip(self.outputs, results, self.process.outputs())):
            if not spec.shape or not count(spec.shape) or numpy.array_equal(first, second):
                if numpy.array_equal(first, second):
                    continue
                return f"out{i}"
            wrong = (first != second).reshape(count(spec.shape), -1).any(axis=1)
            return f"{int(wrong.sum())} of {wrong.size} elements of out{i}: {pattern(list(spec.shape), numpy.flatnonzero(wrong).tolist())}"
        return ""

    def judged(self, kind, data, results):
        found = self.against(kind, data, results)
        if found["status"] != "PASSED" and self.expected.choices:
            own = {slot: one for slot, one in zip(self.expected.slots, data) if isinstance(slot, int)}
            found = self.against(kind, data, self.expected.choices(own, results))
        if found["status"] == "FAILED" and self.rule == "bound":
            found = self.beside_library(kind, data, results, found)
        rows = [Output(spec, kind, row) for spec, row in zip(self.outputs, found["results"])]
        written = getattr(self.question.kernel, "written", ())
        for row, name in zip(rows[len(self.outputs) - len(written) :], written):
            row.name = f"{name} afterwards"
        self.verdict.outputs += rows
        if found["status"] == "PASSED":
            return True
        wrong = next((row for row in rows if row.status != "PASSED"), None)
        reason = f"{wrong.name} on {kind} data: {found['reason']}" if wrong else found["reason"]
        self.verdict.status, self.verdict.reason = found["status"], reason
        self.verdict.pattern = wrong.pattern if wrong else ""
        self.verdict.notes += [f"{kind} data has {_HELD[kind]}"] if kind in _HELD else []
        self.keep(kind, data, results)
        return False

    def beside_library(self, kind, data, results, found):
        """The judge's answer. If wrong elements have the bits of the reference's own framework, that is noted, or they pass."""
        theirs = own_results.of(self.question, self.expected, data)
        if theirs is None:
            return found
        framework, own = theirs
        again = self.against(kind, data, own_results.as_right(self.expected, data, results, own))
        wrong, left = (sum(row["failures"] for row in words["results"]) for words in (found, again))
        if wrong == left:
            return found
        if again["status"] == "PASSED" and self.library:
            self.verdict.notes.append(f"{wrong} elements beyond the bound on {kind} data have the bits of {framework} own result (library=True)")
            return again
        self.verdict.notes.append(own_results.words(framework, self.expected, wrong - left, wrong))
        return found

    def against(self, kind, data, results):
        """The judge's answer on results."""
        if self.expected.eager:
            return self.against_eager(data, results)
        self.judge.prepare([one.ctypes.data for one in data], self.given_as or kind, self.not_kept)
        return self.judge.judge([one.ctypes.data for one in results], kind)

    def against_eager(self, data, results):
        """Judges by rule dtype against the f64 results of the reference's own framework."""
        from ._assay import judge_tensor

        rows, status, reason = [], "PASSED", ""
        for i, (spec, (due, exact), got) in enumerate(zip(self.outputs, self.expected.eager(data), results)):
            rule = "dtype" if self.rule == "bound" else self.rule
            found = judge_tensor(rule, spec.dtype, list(spec.shape), got.ctypes.data, due.ctypes.data, exact.ctypes.data if exact is not None else 0)
            row = dict(found, name=f"out{i}", status="PASSED" if found["passed"] else "FAILED", measure=found["rule"], undecided=0, pattern="")
            row["worst_fraction"] = found["worst"][0]["fraction"] if found["worst"] else 0.0
            rows.append(row)
            if not found["passed"] and status == "PASSED":
                status, reason = "FAILED", found["text"]
        return {"results": rows, "status": status, "reason": reason}

    def stop(self, ended, text, kind, data, results=None):
        """Records that the kernel did not run to its end."""
        self.verdict.status, self.verdict.is_unfit = _STATUS[ended], ended == "unsupported"
        self.verdict.is_mistyped = bool(_MISTYPED.fullmatch(text))
        self.verdict.pattern = text
        self.verdict.reason = self.verdict.pattern + (f", on {kind} data" if kind else "")
        self.keep(kind, data, results)
        return False

    def keep(self, kind, data, results):
        self.verdict._evidence = Evidence(self.question, self.expected, self.outputs, kind, data, results, self.rule, self.timeout, self.exact_division, self.not_kept)


def _strides(shape, layout):
    if layout in ("contiguous", "misaligned") or not shape or (layout == "transposed" and len(shape) < 2):
        return row_major(shape)
    if layout == "sliced":
        return tuple(2 * step for step in row_major(shape))
    turned = row_major((*shape[:-2], shape[-1], shape[-2]))
    return (*turned[:-2], turned[-1], turned[-2])
