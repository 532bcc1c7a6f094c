"""`assay.audit`: how good is a test? Any acceptance function is called with wrong and right results.

    report = assay.audit(torch.testing.assert_close, torch.nn.Softmax(-1), assay.f32[64, 128])
    print(report)        a row per wrong and right result; bool(report) is True when it distinguished them all
"""
import json

import numpy

from . import arrays, frameworks, kernel_process
from .checking import FILLS, Question, prepared
from .elements import Spec
from .words import one_of, rule_named


class AuditReport:
    """The answers of an acceptance for all cases.

    rows           name, right, accepted, share_of_bound (None: infinite) of each
    accepted       names of the wrong results that it accepts
    rejected       names of the right results that it rejects
    summary        the closing line
    """

    def __init__(self, facts, table):
        self.facts, self._table = facts, table
        self.rows = facts["rows"]
        self.accepted = [row["name"] for row in self.rows if row["accepted"] and not row["right"]]
        self.rejected = [row["name"] for row in self.rows if row["right"] and not row["accepted"]]
        self.smallest_seen, self.separating = facts["smallest_fault_seen"], facts["separating_tolerance"]
        self.summary = table.strip().splitlines()[-1]

    @property
    def ok(self):
        return not self.accepted and not self.rejected

    def __bool__(self):
        return self.ok

    def __str__(self):
        return self._table.rstrip("\n")

    def __repr__(self):
        return f"<{self.summary}>"

    def to_json(self):
        return json.dumps(self.facts, indent=1)


def audit(accepts, reference, *inputs, fill="normal", seed=1, keywords=None, framework=None, entry="", max_seconds=0.0):
    """How good `accepts` is as a test of `reference`.

    accepts      called as accepts(got, expected): False or an exception of an assertion rejects, everything else accepts;
                 a result of several arrays is passed as tuples. Or the name of a rule ("close:1e-2,1e-2", "bound").
    reference, inputs, keywords, entry    as for `assay.check`
    fill, seed   the data of inputs that Assay fills
    framework    the kind of arrays that `accepts` gets; by default the one that its code names, else NumPy's
    """
    from ._assay import audit as audit_program

    missing = kernel_process.missing_extension()
    if missing:
        raise ImportError(missing)
    if not callable(accepts) and not isinstance(accepts, str):
        raise ValueError(f"accepts is {type(accepts).__name__}: a callable of (got, expected) or a rule's name")
    if not callable(accepts):
        rule_named(accepts)
    one_of("fill", fill, FILLS)
    one_of("framework", framework, (None, *arrays.FRAMEWORKS))
    question = Question(None, inputs, keywords or {}, reference=reference)
    expected, judge = prepared(reference, question, "bound", 0, max_seconds, entry)
    if expected.program is None:
        raise ValueError(f"no audit without a program: {expected.weaker}")
    data = _data(question, expected, judge, fill, seed)
    places = [((dtype, shape), values.ctypes.data) for (dtype, shape), values in zip(expected.inputs, data)]
    kind = framework or (frameworks.used_by(accepts) if callable(accepts) else None) or "numpy"

    def asked(got, due):
        return accepted(accepts, _arrays(got, kind), _arrays(due, kind))

    name = accepts if isinstance(accepts, str) else getattr(accepts, "__name__", "accepts")
    facts, table = audit_program(expected.program.text, name, places, accepts if isinstance(accepts, str) else asked, max_seconds)
    return AuditReport(json.loads(facts), table)


def accepted(accepts, *values, **keywords):
    """Whether an acceptance lets a result pass."""
    try:
        answer = accepts(*values, **keywords)
    except AssertionError:
        return False
    return answer is None or bool(answer)


def _data(question, expected, judge, fill, seed):
    """Dense bytes of every argument of the program."""
    filled = [numpy.frombuffer(one, numpy.uint8) for one in judge.fill(fill, seed)]
    for place, slot in enumerate(expected.slots):
        if not isinstance(slot, int):
            filled[place] = numpy.ascontiguousarray(slot)
        elif not isinstance(question.given[slot], Spec):
            filled[place] = arrays.host_bytes(question.given[slot])
    return filled


def _arrays(tensors, framework):
    made = [arrays.of_bytes(data, dtype, shape, framework) for dtype, shape, data in tensors]
    return made[0] if len(made) == 1 else tuple(made)
