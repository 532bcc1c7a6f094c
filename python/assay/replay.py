"""Judges recorded operator calls on their own recorded inputs: python -m assay.replay dump.json [assay compare's flags].

Each call of the trace whose tensors were all saved (begin_dump with X_DUMP_NUM large enough) runs again in PyTorch on the
CPU, floats widened to f64 and results rounded once to the recorded type. The results are written beside the recording as
`dump/replayed.h5` under the same names, and `assay compare RECORDED REPLAYED` judges: inputs agree by construction, so an
output that fails is the operator's own fault. Calls that were not replayed are counted apart and are not a mismatch.
"""
import importlib.util
import json
import pathlib
import subprocess
import sys
import tempfile

import torch

from . import program
from .torch.session import Session, say


def replay(dump):
    """Writes dump/replayed.h5 for a dump.json. Returns (recorded file, replayed file, calls replayed)."""
    dump = pathlib.Path(dump).resolve()
    recorded, replayed = dump.parent / "dump" / "operators.h5", dump.parent / "dump" / "replayed.h5"
    calls = {entry["name"]: entry for entry in json.loads(dump.read_text())}
    session, left_out = Session(replayed, summary=False), len(calls)
    for name, op_name, case, call in _cases(dump):
        try:
            done = _replay_one(session, calls[name], op_name, case, call)
        except (RuntimeError, TypeError, ValueError, NotImplementedError) as error:
            say(f"{name} {op_name} was not replayed: {error}")
            done = False
        left_out -= done
    session.close()
    if left_out:
        say(f"{left_out} of {len(calls)} calls were not replayed (tensors not saved, random, or unknown here)")
    return recorded, replayed, session.recorded


def _cases(dump):
    """(name, op_name, case, the support module) of every call in order: the cases of the extracted tests."""
    with tempfile.TemporaryDirectory() as folder:
        words = [program.find(), "extract", "--format", "pytest", "--blacklist", "--quiet", "-o", folder, str(dump)]
        made = subprocess.run(words, capture_output=True, text=True)
        if made.returncode not in (0, 3):
            raise ValueError(made.stderr.strip())
        sys.path.insert(0, folder)
        try:
            call = _load(pathlib.Path(folder) / "operator_call.py", "operator_call")
            found = []
            for path in pathlib.Path(folder).glob("test_*.py"):
                module = _load(path, path.stem)
                found += [(name, case) for name, case in module.CASES.items()]
        finally:
            sys.path.remove(folder)
            sys.modules.pop("operator_call", None)
    call.FOLDER = dump.parent
    ops = {entry["name"]: entry["op_name"] for entry in json.loads(dump.read_text())}
    for name, case in sorted(found, key=lambda pair: pair[0]):
        yield name, ops[name], case, call


def _load(path, name):
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def _replay_one(session, entry, op_name, case, call):
    op = call.resolve(op_name)
    inputs = []

    def made(value, name):
        if isinstance(value, call.T):
            if value.file is None:
                raise ValueError(f"its argument {name} was not saved")
            tensor, missing = value.make(None, "cpu", ".", True)
            if missing:
                raise ValueError(f"'{value.file}' is missing")
            inputs.append((name, tensor))
            return tensor
        if isinstance(value, list):
            return [made(item, f"{name}.{i}") for i, item in enumerate(value)]
        return value

    args = [made(value, str(i)) for i, value in enumerate(case["args"])]
    kwargs = {key: made(value, key) for key, value in case["kwargs"].items()}
    if op is None:
        raise ValueError("it is not registered here")
    before = [(name, tensor.clone()) for name, tensor in inputs]
    result = call._expected(op, [args, kwargs])
    outputs = result if isinstance(result, (list, tuple)) else [result]  # a None counts as a result, as in the recording
    prefix = f"{entry['name']}.{op_name.replace('.', '-')}.0"
    for name, tensor in before:
        session.put(1, f"{prefix}.forward_input.{name}", tensor)
    for i, record in enumerate(entry["outputs"]):
        if i < len(outputs) and isinstance(record, dict) and record.get("file"):
            dtype = getattr(torch, record["dtype"].removeprefix("torch."))
            session.put(1, f"{prefix}.forward_output.{i}", torch.as_tensor(outputs[i]).to(dtype))
    return True


def main():
    if len(sys.argv) < 2 or sys.argv[1] in ("-h", "--help"):
        print(__doc__)
        return 0 if len(sys.argv) > 1 else 2
    try:
        recorded, replayed, count = replay(sys.argv[1])
    except (OSError, ValueError) as error:
        print(f"assay.replay: {error}", file=sys.stderr)
        return 2
    if count == 0:
        print("assay.replay: NOTHING WAS REPLAYED: record with X_DUMP_NUM large enough", file=sys.stderr)
        return 3
    return program.call("compare", recorded, replayed, "--ignore-unmatched", *sys.argv[2:])


if __name__ == "__main__":
    sys.exit(main())
