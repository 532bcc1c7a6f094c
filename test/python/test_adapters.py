"""Tasks of KernelBench, of reference-kernels and of flashinfer-bench: right and wrong solutions, the reward."""
import json
import subprocess
import sys

import preloaded
import pytest

from assay import adapters

MODEL = """
import torch

class Model(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        self.linear = torch.nn.Linear(width, 8)
    def forward(self, x):
        return torch.relu(self.linear(x))

def get_inputs():
    return [torch.rand(16, 24)]

def get_init_inputs():
    return [24]
"""
NEW = """
import torch

class ModelNew(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        self.linear = torch.nn.Linear(width, 8)
    def forward(self, x):
        return {body}
"""
TASK = """
import torch

def generate_input(m, seed=0):
    return torch.randn(m, 30), torch.randn(30)

def ref_kernel(data):
    x, w = data
    return torch.sigmoid(x) * w
"""
DEFINITION = {
    "name": "scaled_sum",
    "axes": {"batch": {"type": "var"}, "width": {"type": "const", "value": 40}},
    "inputs": {"x": {"shape": ["batch", "width"], "dtype": "float32"}},
    "outputs": {"y": {"shape": ["batch"], "dtype": "float32"}},
    "reference": "import torch\n\ndef run(x):\n    return torch.sum(x, -1) * 0.5\n",
}


def write(folder, name, text):
    (folder / name).write_text(text)
    return folder / name


@pytest.mark.parametrize("body,right", [("torch.clamp(self.linear(x), min=0)", True), ("self.linear(x).abs()", False), ("torch.zeros(16, 8)", False)])
def test_kernelbench(tmp_path, body, right):
    name = f"kb_{abs(hash(body))}"
    verdict = adapters.kernelbench(write(tmp_path, f"{name}_task.py", MODEL), write(tmp_path, f"{name}_new.py", NEW.format(body=body)))
    assert bool(verdict) == right, verdict
    facts = json.loads(adapters.reward(verdict))
    assert facts["passed"] == right and set(facts) == {"passed", "status", "pattern"}


def test_reference_kernels(tmp_path):
    task = write(tmp_path, "rk_task.py", TASK)
    good = write(tmp_path, "rk_good.py", "import torch\ndef custom_kernel(data):\n    x, w = data\n    return w / (1 + torch.exp(-x))\n")
    bad = write(tmp_path, "rk_bad.py", "import torch\ndef custom_kernel(data):\n    x, w = data\n    return w / (1 + torch.exp(x))\n")
    assert adapters.reference_kernels(task, good, {"m": 7})
    assert not adapters.reference_kernels(task, bad, {"m": 7})


def test_flashinfer_and_the_command(tmp_path):
    definition = write(tmp_path, "definition.json", json.dumps(DEFINITION))

    def solution(name, body):
        sources = [{"path": f"{name}.py", "content": f"import torch\n\ndef run(x):\n    return {body}\n"}]
        return write(tmp_path, f"{name}.json", json.dumps({"name": name, "definition": "scaled_sum", "spec": {"entry_point": f"{name}.py::run"}, "sources": sources}))

    good, bad = solution("fi_good", "(x * 0.5).sum(-1)"), solution("fi_bad", "(x[:, :-1] * 0.5).sum(-1)")
    assert adapters.flashinfer(definition, good, batch=5)
    words = ["-m", "assay.adapters", "flashinfer", str(definition)]
    done = subprocess.run([sys.executable, *words, str(bad), "batch=5"], capture_output=True, text=True)
    assert done.returncode == 1 and json.loads(done.stdout) == {"passed": False, "status": "FAILED", "pattern": "every element"}, done
    done = preloaded.run(*words, str(good))
    assert done.returncode == 2 and "leaves batch open" in done.stderr, done
    for odd, code in (["odd", "a", "b"], 2), (["flashinfer", "a"], 2), ([], 2), (["--help"], 0), (["-h"], 0):
        done = preloaded.run(*words[:2], *odd)
        assert done.returncode == code and "python -m assay.adapters kernelbench" in done.stdout, (odd, done)


def test_tasks_of_whole_numbers_are_judged_on_their_own_inputs(tmp_path):
    """Integer inputs are not filled: a kernel that is right only on the given integers passes, and no floats are drawn for it."""
    task = write(tmp_path, "whole_task.py",
                 "import torch\ndef generate_input(m):\n    return torch.arange(m)\ndef ref_kernel(x):\n    return x * 2\n")
    new = write(tmp_path, "whole_new.py", "import torch\ndef custom_kernel(x):\n    assert x.tolist() == list(range(len(x)))\n    return x + x\n")
    assert adapters.reference_kernels(task, new, {"m": 7})


def test_a_file_is_loaded_once_and_a_missing_one_is_named(tmp_path):
    path = write(tmp_path, "loaded_once.py", "count = []\n")
    assert adapters.load(path) is adapters.load(path)
    with pytest.raises(FileNotFoundError, match="no file '.*loaded_none.py'"):
        adapters.load(tmp_path / "loaded_none.py")
