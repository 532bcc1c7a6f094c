"""A forked child has the recorder's hooks and none of its writer: the recording ends in it with one note, its model runs on, and
the parent's file is what it would be without the child. Each program is killed after two minutes: a hang is a failure."""
import os
import subprocess
import sys

import h5py
import numpy
import preloaded
import pytest

preloaded.load("torch", "h5py", "assay.torch")
FILE = "dump/globalrank-0_localrank-0.h5"
# Large tensors keep the writing thread busy while the process forks.
MODEL = """
import multiprocessing, os, sys, torch
from assay.torch import PrecisionDebugger, begin_dump, end_dump
torch.manual_seed(0)
torch.set_num_threads(1)  # PyTorch's own threads are not there in a child either
model = torch.nn.Sequential(*(torch.nn.Linear(256, 256) for _ in range(24)))
x = torch.randn(512, 256)
want = model(x)

def child():
    got = model(x)
    got.sum().backward()
    model(x)
    assert torch.equal(got, want), "the child's model gives something else"

def fork(end):
    pid = os.fork()
    if pid == 0:
        child()
        end()
        sys.exit(0) if os.environ.get("END") != "_exit" else os._exit(0)
    assert os.waitpid(pid, 0)[1] == 0
"""
MODULES = MODEL + """
def step():
    model.zero_grad()
    model(x).sum().backward()

debugger = PrecisionDebugger("dump", model=model, dump_torch_api=OPERATORS)
debugger.start()
step()
FORK
debugger.step()
step()
debugger.stop()
"""
FORKS = """
fork(lambda: None)
fork(lambda: (debugger.step(), model(x), debugger.stop()))
fork(lambda: (debugger.start(), model(x), PrecisionDebugger('dump', model=model).start(), model(x)))
fork(lambda: fork(lambda: None))
os.environ["END"] = "_exit"
fork(lambda: None)
process = multiprocessing.get_context("fork").Process(target=child)
process.start()
process.join()
assert process.exitcode == 0
"""
WORKERS = """
class Rows(torch.utils.data.Dataset):
    def __len__(self):
        return 4
    def __getitem__(self, i):
        return model(x[i]).detach()
loader = torch.utils.data.DataLoader(Rows(), num_workers=2, multiprocessing_context="fork", timeout=60)
assert torch.allclose(torch.cat(list(loader)), want[:4], atol=1e-5)
"""


def run(folder, program):
    ran = preloaded.run("-c", program, cwd=folder, timeout=120)
    assert ran.returncode == 0, ran.stderr
    return ran.stderr


def content(path):
    with h5py.File(path) as file:
        return {f"{step}/{name}": data[()] for step in file for name, data in file[step].items()}


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    folders = {}
    for operators in (False, True):
        folders[operators] = tmp_path_factory.mktemp("alone")
        assert run(folders[operators], MODULES.replace("OPERATORS", str(operators)).replace("FORK", "")) == ""
    return folders


def left(said, children):
    """Each child prints the note once, and nothing else is printed."""
    lines = said.splitlines()
    assert len(lines) == len(set(lines)) == children and all("ends in the child process" in line for line in lines), said


@pytest.mark.parametrize("operators", [False, True])
def test_children_that_run_the_recorded_model(tmp_path, alone, operators):
    left(run(tmp_path, MODULES.replace("OPERATORS", str(operators)).replace("FORK", FORKS)), 6)
    got, want = content(tmp_path / FILE), content(alone[operators] / FILE)
    assert list(got) == list(want)
    for name, value in want.items():
        numpy.testing.assert_array_equal(got[name], value, name)
    assert not list(tmp_path.glob("dump/*.journal"))


def test_workers_of_a_loader_that_run_the_recorded_model(tmp_path, alone):
    left(run(tmp_path, MODULES.replace("OPERATORS", "False").replace("FORK", WORKERS)), 2)
    assert list(content(tmp_path / FILE)) == list(content(alone[False] / FILE))


def test_the_note_is_one_write(tmp_path):
    """Children share the stream: a note and its newline in two writes would mix with another's. A pipe of packets shows each write."""
    out, into = os.pipe2(os.O_DIRECT)
    program = MODULES.replace("OPERATORS", "False").replace("FORK", "fork(lambda: None)")
    ran = subprocess.Popen([sys.executable, "-u", "-c", program], cwd=tmp_path, stderr=into)
    os.close(into)
    writes = []
    while packet := os.read(out, 1 << 16):
        writes.append(packet.decode())
    os.close(out)
    assert ran.wait(timeout=120) == 0 and len(writes) == 1, writes
    left(writes[0], 1)


def test_many_forks_while_the_writer_is_busy(tmp_path):
    program = MODULES.replace("OPERATORS", "False").replace("FORK", "for _ in range(20):\n    model(x)\n    fork(lambda: None)")
    left(run(tmp_path, program), 20)
    assert sum(name.startswith("1/Sequential.") and ".forward_output." in name for name in content(tmp_path / FILE)) == 21


def test_a_child_of_a_killed_parent_does_not_keep_the_file(tmp_path, assay):
    program = MODEL + """
import signal, time
debugger = PrecisionDebugger("dump", model=model)
debugger.start()
model(x)
debugger._recording.session._writer.flush()
if os.fork() == 0:
    time.sleep(60)
os.kill(os.getpid(), signal.SIGKILL)
"""
    ran = subprocess.Popen([sys.executable, "-c", program], cwd=tmp_path, start_new_session=True)
    try:
        ran.wait(timeout=120)
        summary = assay("summary", FILE, "--quiet", "x.csv")
        assert summary.returncode == 0, summary.stderr
        assert "Sequential.0.forward_output.0" in (tmp_path / "x.csv").read_text()
    finally:
        os.killpg(ran.pid, 9)


def test_a_child_may_record_for_itself(tmp_path):
    program = MODULES.replace("OPERATORS", "False").replace("FORK", """
if os.fork() == 0:
    with PrecisionDebugger("own", model=model):
        model(x)
    sys.exit(0)
os.wait()
""")
    run(tmp_path, program)
    assert "1/Sequential.0.forward_output.0" in content(tmp_path / FILE.replace("dump/", "own/"))
    assert "2/Sequential.0.forward_output.0" in content(tmp_path / FILE)


def test_a_debugger_that_was_not_started_records_in_a_child(tmp_path):
    run(tmp_path, MODEL + """
debugger = PrecisionDebugger("dump", model=model)
if os.fork() == 0:
    with debugger:
        model(x)
    sys.exit(0)
os.wait()
""")
    assert "1/Sequential.0.forward_output.0" in content(tmp_path / FILE)


TRACE = MODEL + """
begin_dump(X_DUMP_NUM=5)
y = model(x)
FORK
y = model(x)
end_dump()
"""


def test_an_operator_trace(tmp_path):
    left(run(tmp_path, TRACE.replace("FORK", "fork(lambda: None)\nfork(end_dump)")), 2)
    (folder,) = (tmp_path / "xray_debug").iterdir()
    names = list(content(folder / "dump" / "operators.h5"))
    assert sum("aten-addmm-default.0.forward_output" in name for name in names) == 48
    assert (folder / "dump.json").read_text().count('"op_name": "aten.addmm.default"') == 48


JAX = """
import os, sys, jax, jax.numpy as jnp
from assay.jax import record

def model(x):
    return jnp.tanh(x @ x).sum()

with record(model, "run.h5") as recorded:
    x = jnp.ones((64, 64))
    want = recorded(x)
    if os.fork() == 0:
        recorded.close()  # leaving `with` in the child does as much
        recorded._function = lambda x: "the function itself"  # XLA's own threads are not in a child
        assert recorded(x) == recorded(x) == "the function itself"
        os._exit(0)
    assert os.wait()[1] == 0
    recorded(x)
"""


def test_a_function_of_jax(tmp_path):
    assert run(tmp_path, JAX).count("ends in the child process") == 1
    assert {name.split("/")[0] for name in content(tmp_path / "run.h5")} == {"1", "2"}
