"""`assay compare --rule bound`: each tensor against its operation's result on the target's own inputs."""
import csv
import shutil

import torch
from torch import nn

from assay.torch import PrecisionDebugger

DUMP = "globalrank-0_localrank-0.h5"


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.up, self.act, self.norm, self.down = nn.Linear(32, 64), nn.GELU(), nn.LayerNorm(64), nn.Linear(64, 16)

    def forward(self, x):
        return self.down(self.norm(self.act(self.up(x))))


def record(folder, fault=None, noise=0.0):
    model = Net().bfloat16()
    if fault:
        module, damage = fault
        model.get_submodule(module).register_forward_hook(lambda m, a, y: (damage(y.data), None)[1])
    x = torch.randn(8, 32, generator=torch.Generator().manual_seed(1)).bfloat16()
    x = x * (1 + noise)
    with PrecisionDebugger(str(folder), model=model), torch.no_grad():
        model(x)


def rows(path):
    with open(path, newline="") as file:
        return {row["Module"]: row for row in csv.DictReader(file)}


def test_a_product_off_by_one_percent(tmp_path, assay):
    """Within the scale-aware rule of bf16, but further off than a product may be; later modules are right on their own inputs."""
    record(tmp_path / "bench")
    record(tmp_path / "target", ("up", lambda y: y.mul_(1.015)))
    pair = (f"target/{DUMP}", f"bench/{DUMP}")
    assert assay("compare", *pair).returncode == 0
    ran = assay("compare", *pair, "result.csv", "--rule", "bound")
    assert ran.returncode == 1 and "rule: bound; dtype where no program is known" in ran.stdout, ran.stdout + ran.stderr
    found = rows(tmp_path / "result.csv")
    failing = [name for name, row in found.items() if row["Status"] == "Fail"]
    assert failing == ["up.Linear.0.forward_output.0"], failing
    assert found["up.Linear.0.forward_output.0"]["Rule"] == "bound" and "outputs are not x W^T + b for its own inputs" in found["up.Linear.0.forward_output.0"]["Reason"]
    assert found["act.GELU.0.forward_input.0"]["Reason"] == "passed on: judged where it was made"
    for name in ("act.GELU.0.forward_output.0", "norm.LayerNorm.0.forward_output.0", "down.Linear.0.forward_output.0"):
        assert found[name]["Rule"] == "bound" and float(found[name]["Max Err (t)"]) > 0


def test_carried_errors_pass(tmp_path, assay):
    """Another input: everything differs by more than rule exact allows, and every module is right on its own inputs."""
    record(tmp_path / "bench")
    record(tmp_path / "target", noise=0.01)
    ran = assay("compare", f"target/{DUMP}", f"bench/{DUMP}", "result.csv", "--rule", "bound")
    found = rows(tmp_path / "result.csv")
    assert {row["Rule"] for row in found.values() if ".forward_output." in row["Module"]} == {"bound"}
    assert all(row["Status"] != "Fail" for row in found.values()), ran.stdout[-2000:]
    assert assay("compare", f"target/{DUMP}", f"bench/{DUMP}", "--rule", "exact").returncode == 1


def test_one_element_and_accumulation(tmp_path, assay):
    record(tmp_path / "bench")
    record(tmp_path / "target", ("norm", lambda y: y.view(-1)[7:8].add_(0.05)))
    ran = assay("compare", f"target/{DUMP}", f"bench/{DUMP}", "result.csv", "--rule", "bound", "--accumulation", "bf16")
    assert ran.returncode == 1 and [n for n, row in rows(tmp_path / "result.csv").items() if row["Status"] == "Fail"] == ["norm.LayerNorm.0.forward_output.0"]


def test_what_it_serves(tmp_path, assay):
    record(tmp_path / "bench")
    assert assay("compare", "bench", "bench", "--rule", "bound").returncode == 0, "folders with one dump each"
    assert "neither is given" in assay("compare", f"bench/{DUMP}", f"bench/{DUMP}", "--accumulation", "bf16").stderr
    shutil.copy(tmp_path / "bench" / DUMP, tmp_path / "bench" / "globalrank-1_localrank-1.h5")
    assert "--rule bound are for one pair of dumps: 'bench' has the dumps of 2 ranks" in assay("compare", "bench", "bench", "--rule", "bound").stderr
