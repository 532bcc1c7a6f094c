"""assay.replay: a trace with right operators passes; of others, only the wrong operator fails."""
import csv
import os
import subprocess
import sys

import preloaded

RECORD = """
import sys, torch
from assay.torch import begin_dump, end_dump
torch.manual_seed(0)
x, w, b = torch.randn(6, 8).half(), torch.randn(8, 8).half(), torch.randn(8).half()
if sys.argv[1] == "wrong":
    library = torch.library.Library("aten", "IMPL")
    def addmm(b, x, w, beta=1, alpha=1):
        return ((x[:, :-1].float() @ w[:-1].float()) + b.float()).half()   # the last term of each sum is missing
    library.impl("addmm", addmm, "CPU")
begin_dump(X_DEBUG=0x102, X_DEDUP=False, X_DUMP_NUM=9)
for _ in range(2):
    x = torch.softmax(torch.addmm(b, x, w), dim=-1)
    x = torch.nn.functional.layer_norm(x, (8,))
x.unsqueeze(0).expand(2, 6, 8).sum(0).neg_()
end_dump()
"""


def run(tmp_path, kind):
    ran = preloaded.run("-c", RECORD, kind, cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr
    (folder,) = (tmp_path / "xray_debug").iterdir()
    judged = preloaded.run("-m", "assay.replay", folder / "dump.json", tmp_path / "out.csv")
    with open(tmp_path / "out.csv", newline="") as file:
        return judged, list(csv.DictReader(file))


def test_right_operators_hold(tmp_path):
    judged, rows = run(tmp_path, "right")
    assert judged.returncode == 0, judged.stdout + judged.stderr
    assert len([row for row in rows if ".forward_output." in row["Module"]]) >= 6


def test_only_the_wrong_operator_fails(tmp_path):
    judged, rows = run(tmp_path, "wrong")
    assert judged.returncode == 1, judged.stdout + judged.stderr
    failed = {row["Module"] for row in rows if row["Status"]}
    assert failed and all("aten-addmm-default" in name and ".forward_output." in name for name in failed), failed
    # Both of its calls, and none of the later ones that read the wrong data.
    assert len(failed) == 2


def test_a_trace_without_tensors_says_that_nothing_was_replayed(tmp_path):
    code = RECORD.replace("X_DUMP_NUM=9", "X_DUMP_NUM=0")
    assert preloaded.run("-c", code, "right", cwd=tmp_path).returncode == 0
    (folder,) = (tmp_path / "xray_debug").iterdir()
    judged = subprocess.run([sys.executable, "-m", "assay.replay", folder / "dump.json"], capture_output=True, text=True)
    assert judged.returncode == 3 and "NOTHING WAS REPLAYED" in judged.stderr


NONE_AND_RANDOM = """
import torch
from assay.torch import begin_dump, end_dump
torch.manual_seed(0)
x, grad = torch.randn(6, 8), torch.randn(6, 8)
begin_dump(X_DUMP_NUM=99)
y, mean, rstd = torch.ops.aten.native_layer_norm(x, [8], torch.ones(8), torch.zeros(8), 1e-5)
torch.ops.aten.native_layer_norm_backward(grad, x, [8], mean, rstd, torch.ones(8), torch.zeros(8), [False, True, True])
torch.rand(6)
end_dump()
"""


def test_none_keeps_its_place_and_what_was_not_replayed_is_no_mismatch(tmp_path):
    assert preloaded.run("-c", NONE_AND_RANDOM, cwd=tmp_path).returncode == 0
    (folder,) = (tmp_path / "xray_debug").iterdir()
    judged = preloaded.run("-m", "assay.replay", folder / "dump.json", tmp_path / "out.csv")
    assert judged.returncode == 0, judged.stdout + judged.stderr
    assert "1 of " in judged.stderr and "were not replayed" in judged.stderr
    with open(tmp_path / "out.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    backward = [row for row in rows if "layer_norm_backward" in row["Module"] and ".forward_output." in row["Module"]]
    assert [row["Module"].rsplit(".", 1)[1] for row in backward] == ["1", "2"] and not any(row["Status"] for row in backward)
    dumps = [folder / "dump" / "operators.h5", folder / "dump" / "replayed.h5"]
    strict = subprocess.run([os.path.join(os.environ["ASSAY_BIN"], "assay"), "compare", *dumps], capture_output=True, text=True)
    assert strict.returncode == 1 and "0 Fail; 1 only in the target" in strict.stdout, strict.stdout
