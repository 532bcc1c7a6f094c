"""What `assay.check` keeps between checks follows what the user changes: arguments of the check, globals, attributes, weights, modes."""
import importlib
import signal
import subprocess
import sys
import time

import pytest
import torch

import assay

X = assay.f32[4, 6]


def scaled(x, total):
    total += x * 2


def rightly_scaled(x, total):
    total.add_(2 * x)


@pytest.fixture
def user_module(tmp_path, monkeypatch):
    """An importable module of the user, and another that it imports."""
    (tmp_path / "user_settings.py").write_text("OFFSET = 1.0\n")
    (tmp_path / "user_kernels.py").write_text(
        "import torch, user_settings\n"
        "SCALE = 1.0\n"
        "TABLE = [1, 2]\n"
        "def scaled(x: torch.Tensor): return x * SCALE + user_settings.OFFSET\n"
        "def indexed(x: torch.Tensor): return x * TABLE[1]\n"
        "_ready = False\n"
        "def lazy(x: torch.Tensor):\n"
        "    global _ready, _factor\n"
        "    if not _ready: _ready, _factor = True, 3.0\n"
        "    return x * _factor\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    names = ("user_kernels", "user_settings")
    yield importlib.import_module("user_kernels")
    for name in names:
        sys.modules.pop(name, None)


def test_other_outputs_of_the_same_reference():
    wrong = assay.check(rightly_scaled, scaled, X, X, framework="torch", mutates=())
    assert wrong.status == "FAILED"  # it writes to an input that is not named
    assert assay.check(rightly_scaled, scaled, X, X, framework="torch", mutates="total")
    assert assay.check(rightly_scaled, scaled, X, X, framework="torch", mutates=(1,))


def test_globals_that_a_script_sets_reach_the_worker(user_module):
    for scale, offset in ((2.0, 1.0), (3.0, 1.0), (3.0, -1.0)):
        user_module.SCALE, user_module.user_settings.OFFSET = scale, offset
        verdict = assay.check(user_module.scaled, lambda x, a=scale, b=offset: torch.add(x * a, b), X)
        assert verdict, verdict
        wrong = assay.check(user_module.scaled, lambda x, a=scale, b=offset: torch.add(x * (a + 1), b), X)
        assert wrong.status == "FAILED"
    user_module.TABLE[1] = 5
    assert assay.check(user_module.indexed, lambda x: torch.mul(x, 5), X)


def test_what_a_module_sets_itself_stays_its_own(user_module):
    user_module.lazy(torch.ones(1))  # this process is ready, the worker is not
    assert assay.check(user_module.lazy, lambda x: torch.mul(x, 3), X)


def test_references_that_read_changed_globals(user_module):
    for scale, offset in ((2.0, 1.0), (4.0, 1.0), (4.0, 0.0)):
        user_module.SCALE, user_module.user_settings.OFFSET = scale, offset

        def kernel(x: torch.Tensor, a=scale, b=offset):
            return x * a + b

        assert assay.check(kernel, user_module.scaled, X)


class Affine(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.offset = 2.0
        self.weight = torch.nn.Parameter(torch.full((6,), 2.0))

    def forward(self, x):
        return x * self.weight + self.offset


def affine(weight, offset):
    def kernel(x: torch.Tensor):
        return x * weight + offset

    return kernel


def test_attributes_and_weights_of_a_module():
    module = Affine()
    assert assay.check(affine(2.0, 2.0), module, X)
    module.offset = 3.0
    assert assay.check(affine(2.0, 3.0), module, X)
    module.weight.data.fill_(4.0)  # no version counter changes
    assert assay.check(affine(4.0, 3.0), module, X)
    module.weight.detach().numpy()[:] = 5.0
    assert assay.check(affine(5.0, 3.0), module, X)
    module.weight.data = torch.full((6,), 6.0)
    assert assay.check(affine(6.0, 3.0), module, X)
    assert assay.check(affine(5.0, 3.0), module, X).status == "FAILED"


def test_default_type_of_pytorch():
    def reference(x):
        return torch.ones(3) * x.to(torch.get_default_dtype()).sum()

    def kernel(x: torch.Tensor):
        return torch.ones(3, dtype=torch.float64) * x.double().sum()

    assert assay.check(kernel, reference, X).status == "FAILED"
    torch.set_default_dtype(torch.float64)
    try:
        verdict = assay.check(kernel, reference, X)
        assert verdict and "f64[3]" in str(verdict), verdict
    finally:
        torch.set_default_dtype(torch.float32)


def batch_statistics(x: torch.Tensor):
    return (x - x.mean(0)) / torch.sqrt(x.var(0, unbiased=False) + 1e-5)


def running_statistics(x: torch.Tensor):
    return x / (1 + 1e-5) ** 0.5


def test_a_module_is_judged_in_its_mode_and_left_as_it_is():
    module = torch.nn.BatchNorm1d(6)
    spec = assay.f32[16, 6]
    verdict = assay.check(batch_statistics, module, spec)
    assert verdict and "training mode" in str(verdict), verdict
    verdict = assay.check(running_statistics, module, spec)  # built and never told: the kernel's author may mean either mode
    assert verdict and "evaluation mode, not" in str(verdict), verdict
    assert assay.check(lambda x: x / 2, module, spec).status == "FAILED"
    assert module.training and int(module.num_batches_tracked) == 0
    assert assay.check(running_statistics, module.eval(), spec)
    assert assay.check(batch_statistics, module, spec).status == "FAILED"
    assert assay.check(batch_statistics, module.train(), spec)


def test_a_module_that_draws_numbers_is_judged_in_evaluation():
    module = torch.nn.Sequential(torch.nn.Dropout(0.5), torch.nn.ReLU())
    verdict = assay.check(lambda x: torch.relu(x), module, X)
    assert verdict and "draws random numbers" in str(verdict), verdict
    assert module.training and module[0].training
    assert "mode" not in str(assay.check(lambda x: torch.relu(x), torch.nn.ReLU(), X))


def test_rows_of_all_inputs_that_have_them():
    def attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor):
        rows = [torch.softmax(q[i] @ k[i].T, -1) @ v[i] for i in range(q.shape[0])]
        return torch.stack(rows) if len({len(q), len(k), len(v)}) == 1 else q + torch.ones(5, 5)

    verdict = assay.check(attention, None, *[assay.f32[4, 8, 6]] * 3, properties="batch_invariant")
    assert verdict and "inputs 0, 1, 2" in str(verdict), verdict


def test_sizes_in_parentheses():
    with pytest.raises(TypeError, match=r"brackets: assay.f32\[3, 4\]"):
        assay.f32(3, 4)


@pytest.mark.parametrize("unit", [16, 0.25, 10.0])
def test_halves_before_a_rounding(unit):
    def half_up(x: torch.Tensor):
        return torch.floor(x * unit + 0.5)

    def to_even(x: torch.Tensor):
        return torch.round(x * unit)

    spec = assay.f32[40, 16]
    assert assay.check(to_even, lambda x: torch.round(x * unit), spec)
    if unit != 10.0:  # a product that is not exact decides ties itself
        assert assay.check(half_up, lambda x: torch.round(x * unit), spec).status == "FAILED"


@pytest.mark.parametrize("scale", [0.0625, 0.5])
def test_halves_after_a_scale_that_is_an_argument(scale):
    def half_up(x: torch.Tensor, s: torch.Tensor):
        return torch.floor(x / s + 0.5).clamp(-128, 127)

    def to_even(x: torch.Tensor, s: torch.Tensor):
        return torch.round(x / s).clamp(-128, 127)

    reference = lambda x, s: torch.round(x / s).clamp(-128, 127)  # noqa: E731
    for scales in (torch.tensor([scale]), assay.f32[1]):
        assert assay.check(to_even, reference, assay.f32[40, 16], scales)
        assert assay.check(half_up, reference, assay.f32[40, 16], scales).status == "FAILED"


def test_an_interrupt_ends_a_kernel_that_runs(tmp_path):
    script = tmp_path / "slow.py"
    script.write_text(
        "import time, assay\n"
        "def slow(x):\n"
        "    print('runs', file=open('started', 'w')); time.sleep(120)\n"
        "    return x\n"
        "assay.check(slow, None, assay.f32[4], framework='numpy', properties='deterministic')\n"
    )
    run = subprocess.Popen([sys.executable, script], cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    while not (tmp_path / "started").exists() and run.poll() is None:
        time.sleep(0.05)
    run.send_signal(signal.SIGINT)
    said = run.communicate(timeout=60)[1]
    assert run.returncode and "KeyboardInterrupt" in said, said


def test_an_infinity_is_not_the_largest_number():
    x = torch.tensor([70000.0, 1e5, 3.0, -70000.0, 65519.0])

    def cast(x: torch.Tensor):
        return x.to(torch.float16)

    def saturated(x: torch.Tensor):
        return torch.clamp(x, -65504, 65504).to(torch.float16)

    for kernel, reference in ((cast, saturated), (saturated, cast)):
        assert assay.check(kernel, kernel, x)
        assert assay.check(kernel, reference, x).status == "FAILED"


def test_a_sweep_takes_every_size_in_every_type():
    cases = assay.sweep(n=16, layouts=True, types=("f32", "bf16")).mark.args[1]
    for word in ("f32", "bf16"):
        sizes = {n for n, layout, dtype in cases if dtype.word == word and layout == "contiguous"}
        assert {1, 15, 16, 17, 67} <= sizes, cases
