"""What `torch.compile(model, backend="assay")` does with every operator of a run: judges it (check), records it (record)."""
import atexit
import pathlib
import threading

import torch
from torch.fx import Node
from torch.utils._pytree import tree_map

from ..torch_graph import UNSET
from .aten_program import Composer, module_path, place_of, source_line
from .backend import result_of
from .operators import OperatorRecorder
from .partition import EagerPart, read_by, single
from .runner import dense_tensor
from .session import Session, write_json


class WrongOperator(AssertionError):
    """An operator's result is beyond its bound on the operator's own inputs; `operator`, `module`, `line` (file, number) identify it."""

    def __init__(self, text, operator, module, line):
        super().__init__(text)
        self.operator, self.module, self.line = operator, module, line


class Watch:
    """Is called after each part of a plan ran, with the values of all nodes."""

    def __init__(self, settings, owner):
        self.settings, self.owner, self.judges = settings, owner, {}
        self.lock = threading.Lock()  # a judge holds the data of one call

    def see(self, part, env):
        with self.lock:
            for node in [part.node] if isinstance(part, EagerPart) else part.nodes:
                if node.target.__class__.__name__ == "builtin_function_or_method":  # an item of a result
                    continue
                unset = str(node.target).rpartition(".")[0] in UNSET
                if self.settings.check is not None and not isinstance(part, EagerPart) and not unset:
                    self._judge(node, env)
                if self.settings.record is not None:
                    self._record(node, env)

    def _judge(self, node, env):
        judge, inputs, results = self._judge_of(node)
        given, made = [dense_tensor(env[one]) for one in inputs], [dense_tensor(env[one]) for one in results]
        judge.prepare([one.data_ptr() for one in given], "given")
        found = judge.judge([one.data_ptr() for one in made], "given")
        self.owner.judged += 1
        self.owner.undecided += found["status"] == "MISTRUSTED"
        if found["status"] == "FAILED":
            raise self._wrong(node, found)

    def _judge_of(self, node):
        if node not in self.judges:
            from .._assay import Judge, Program

            graph = single(node)
            text, _ = Composer(graph, unset=True).compose()
            self.judges[node] = Judge(Program.parse(text, str(node.target)), self.settings.check), list(dict.fromkeys(read_by(node))), graph.results
        return self.judges[node]

    def _wrong(self, node, found):
        row = next(row for row in found["results"] if row["status"] == "FAILED")
        worst = row["worst"][0] if row["worst"] else None
        at = f"; {worst['index']}: expected {worst['expected']:.9g} got {worst['got']:.9g} error {worst['error']:.3g} bound {worst['bound']:.3g}" if worst else ""
        text = (f"check={self.settings.check!r}: the first wrong operator is {node.target} in {place_of(node)} ({self.owner.kind}, graph {self.owner.number}): "
                f"{row['failures']} of {row['elements']} elements of {row['name']}{at}")  # fmt: skip
        return WrongOperator(text, str(node.target), module_path(node), source_line(node))

    def _record(self, node, env):
        recorder = _recorder(self.settings.record)
        args, kwargs = tree_map(lambda one: env.get(one, one.meta.get("val")) if isinstance(one, Node) else one, (node.args, node.kwargs))
        recorder.add(node.target, args, kwargs, result_of(node, env), [f"compiled code, {self.owner.kind}, {place_of(node)}"])


_recorders = {}  # folder -> OperatorRecorder


def _recorder(folder):
    key = str(pathlib.Path(folder).resolve())
    if key not in _recorders:
        (pathlib.Path(key) / "dump").mkdir(parents=True, exist_ok=True)
        _recorders[key] = OperatorRecorder(Session(pathlib.Path(key) / "dump" / "operators.h5", summary=False), file="dump/operators.h5")
    return _recorders[key]


@atexit.register
def end_records():
    """Completes recordings: at the process's end, or before."""
    for folder, recorder in list(_recorders.items()):
        write_json(pathlib.Path(folder) / "dump.json", recorder.entries)
        recorder.session.close()
        del _recorders[folder]
