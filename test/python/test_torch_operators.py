"""begin_dump and end_dump: dump.json, its tensors, and the pytest files made from them."""
import csv
import json
import os
import pathlib
import subprocess
import sys

import h5py
import numpy
import pytest
import torch

from assay.torch import begin_dump, end_dump


@pytest.fixture
def trace(tmp_path, monkeypatch):
    """trace(function, **settings) -> (entries, folder of dump.json)."""
    monkeypatch.chdir(tmp_path)

    def run(function, **settings):
        begin_dump(**settings)
        function()
        end_dump(clear_context=True)
        folder = max((tmp_path / "xray_debug").iterdir(), key=os.path.getmtime)
        return json.loads((folder / "dump.json").read_text()), folder

    return run


def test_an_entry_has_names_shapes_strides_ranges_and_the_place(trace):
    x = torch.arange(6, dtype=torch.float32).reshape(2, 3)
    entries, _ = trace(lambda: torch.add(x.t(), 2.0, alpha=3), X_DEBUG=0x102)
    assert [entry["name"] for entry in entries] == ["00000-aten", "00001-aten"]
    assert [entry["op_name"] for entry in entries] == ["aten.t.default", "aten.add.Tensor"]
    tensor, number = entries[1]["args"]
    assert tensor["shape"] == [3, 2] and tensor["stride"] == [1, 3]
    assert tensor["dtype"] == "torch.float32" and tensor["device"] == "cpu"
    assert (tensor["min"], tensor["max"], tensor["file"]) == (0.0, 5.0, None)
    assert number == 2.0 and entries[1]["kwargs"] == {"alpha": 3}
    assert entries[1]["outputs"][0]["shape"] == [3, 2]
    assert "test_torch_operators.py" in entries[1]["stack"][-1]
    assert entries[1]["count"] == 1


def test_dedup_counts_calls_and_leaves_gaps_in_the_numbers(trace):
    a, b = torch.ones(2), torch.ones(3)

    def calls():
        for _ in range(4):
            a + 1
        b + 1
        a + 2

    entries, _ = trace(calls, X_DEBUG=0x102, X_DEDUP=True)
    assert [(entry["name"], entry["count"]) for entry in entries] == [
        ("00000-aten", 4),
        ("00004-aten", 1),
        ("00005-aten", 1),
    ]


def test_debug_bits(trace):
    entries, _ = trace(lambda: torch.ones(2) + 1, X_DEBUG=0x002)
    assert entries[1]["args"][0]["min"] is None
    with pytest.raises(ValueError, match="known bits"):
        begin_dump(X_DEBUG=0x1000)


def test_settings_come_from_the_environment(trace, monkeypatch):
    monkeypatch.setenv("X_DEBUG", "0x102")
    monkeypatch.setenv("X_DEDUP", "True")
    monkeypatch.setenv("X_DUMP_NUM", "1")
    x = torch.ones(2, 2)
    entries, folder = trace(lambda: [x @ x, x @ x])
    assert entries[0]["count"] == 2
    assert sum(argument["file"] is not None for argument in entries[0]["args"]) == 1


def test_saved_tensors_have_the_values_before_the_call(trace):
    x = torch.tensor([1.0, -2.0])
    entries, folder = trace(lambda: x.mul_(3), X_DUMP_NUM=5)
    path, member = entries[0]["args"][0]["file"].split(":")
    with h5py.File(folder / path, "r") as file:
        numpy.testing.assert_array_equal(file[member][()], [1.0, -2.0])
        output = entries[0]["outputs"][0]["file"].split(":")[1]
        numpy.testing.assert_array_equal(file[output][()], [3.0, -6.0])


def test_special_values_survive_json(trace):
    x = torch.tensor([float("nan"), float("inf"), 1.0])
    entries, _ = trace(lambda: torch.full_like(x, float("-inf"), dtype=torch.float64).add(1 + 2j))
    assert entries[0]["args"][1] == {"float": "-inf"}
    assert entries[0]["kwargs"]["dtype"] == {"dtype": "torch.float64"}
    assert entries[1]["args"][1] == {"complex": [1.0, 2.0]}


def test_a_trace_goes_on_after_end_without_clearing(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for clear in (False, True):
        begin_dump(X_DEBUG=0x102, X_DEDUP=True)
        torch.ones(2)
        end_dump(clear_context=clear)
    (folder,) = (tmp_path / "xray_debug").iterdir()
    (entry,) = json.loads((folder / "dump.json").read_text())
    assert entry["count"] == 2


def test_misuse_and_nothing_recorded(trace, capfd):
    with pytest.raises(RuntimeError, match="end_dump without begin_dump"):
        end_dump()
    entries, _ = trace(lambda: None)
    assert entries == [] and "NOTHING WAS RECORDED" in capfd.readouterr().err


def some_operators():
    torch.manual_seed(0)
    x = torch.randn(6, 8).half()
    table, index = torch.randn(10, 4), torch.tensor([1, 9, 0])
    torch.nn.functional.linear(x, torch.randn(5, 8).half(), torch.randn(5).half())
    torch.nn.functional.layer_norm(x, (8,))
    torch.softmax(x.t(), dim=0)
    torch.nn.functional.embedding(index, table)
    torch.arange(5).expand(3, 5).contiguous().cumsum(1)
    torch.linspace(0, 47, 10)
    torch.where(x > 0, x, torch.zeros(())).sum()
    torch.rand(3)
    torch.cat([table, table[1:2]]).masked_fill(torch.ones(11, 1).bool(), float("-inf"))
    torch.view_as_complex(table.reshape(10, 2, 2)).abs()


def jprof(folder, *flags):
    from assay import program

    return subprocess.run(
        [program.find(), "extract", "--format", "pytest", *flags, "dump.json"], cwd=folder, capture_output=True, text=True
    )


def run_pytests(folder, *flags):
    environment = {**os.environ, "PYTHONPATH": ""}  # the tests do not need Assay
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "pytests", *flags]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, env=environment, timeout=300)


def table(path):
    with open(path, newline="") as file:
        return {row["name"]: row for row in csv.DictReader(file)}


@pytest.mark.parametrize("factory", ["load", "random"])
def test_extracted_tests_pass_on_the_cpu(trace, factory):
    entries, folder = trace(some_operators, X_DEBUG=0x102, X_DEDUP=True, X_DUMP_NUM=5)
    made = jprof(folder, "--cpu_init", "--blacklist", f"--factory={factory}")
    assert made.returncode == 0, made.stderr
    ran = run_pytests(folder, "--detail_compare_path=./out.csv", "--seed", "42", "--device", "cpu")
    assert ran.returncode == 0, ran.stdout
    assert "the CPU was compared with itself" in ran.stdout
    rows = table(folder / "out.csv")
    kept = [entry["name"] for entry in entries if not entry["op_name"].startswith(("aten.rand", "aten.lift"))]
    assert sorted(rows) == kept and len(kept) < len(entries)
    header = "name,op_name,dtype,shape,min-val,max-val,is_pass,max," + ",".join(f"1e-{n}" for n in range(1, 11))
    assert (folder / "out.csv").read_text().splitlines()[0] == header
    assert all(row["is_pass"] == "pass" for row in rows.values())
    linspace = next(row for row in rows.values() if row["op_name"] == "aten.linspace.default")
    assert (linspace["dtype"], linspace["shape"]) == ("torch.float32", "[10]")
    assert (float(linspace["min-val"]), float(linspace["max-val"])) == (0.0, 47.0)


def test_a_wrong_operator_is_caught_and_counted(trace):
    entries, folder = trace(lambda: torch.ones(4, 4) @ torch.full((4, 4), 2.0), X_DUMP_NUM=5)
    assert jprof(folder, "--blacklist").returncode == 0
    with open(folder / "pytests" / "conftest.py", "a") as file:  # a device whose matrix product is off by one element
        file.write(
            "\nimport torch\n_library = torch.library.Library('aten', 'IMPL')\n"
            "def _wrong(a, b):\n"
            "    out = torch.einsum('ij,jk->ijk', a, b).sum(1)\n"
            "    if a.dtype == torch.float32: out[1, 2] += 0.05\n"
            "    return out\n"
            "_library.impl('mm', _wrong, 'CPU')\n"
        )
    ran = run_pytests(folder, "--detail_compare_path=./out.csv")
    assert ran.returncode == 1 and "worst at flat index 6" in ran.stdout
    (row,) = [row for row in table(folder / "out.csv").values() if row["op_name"] == "aten.mm.default"]
    assert row["is_pass"] == "fail" and row["1e-1"] == "0" and row["1e-2"] == "1"


def test_a_device_with_fewer_results_fails(trace):
    _, folder = trace(lambda: torch.ones(4, 4).max(dim=1), X_DUMP_NUM=5)
    assert jprof(folder, "--blacklist").returncode == 0
    with open(folder / "pytests" / "conftest.py", "a") as file:  # a device that forgets the indices
        file.write(
            "\n_expected = operator_call._expected\n"
            "operator_call._expected = lambda op, inputs: (*operator_call._tensors(_expected(op, inputs)), operator_call.torch.ones(1))\n"
        )
    ran = run_pytests(folder, "--detail_compare_path=./out.csv", "-k", "max")
    assert ran.returncode == 1 and "2 results, expected 3" in ran.stdout, ran.stdout


def test_inputs_do_not_depend_on_what_else_runs_and_follow_the_seed(trace):
    wide = torch.linspace(-1, 1, 50)  # random data in a range, not one number that would be the same for both seeds
    _, folder = trace(lambda: wide * torch.linspace(0, 2, 50) + 1, X_DEBUG=0x102)
    assert jprof(folder, "--cpu_init").returncode == 0
    ranges = []
    for flags in (["--seed", "1"], ["--seed", "1", "-k", "add"], ["--seed", "2"]):
        run_pytests(folder, "--detail_compare_path=./out.csv", *flags)
        (row,) = [row for row in table(folder / "out.csv").values() if row["op_name"] == "aten.add.Tensor"]
        ranges.append(row)
    assert ranges[0] == ranges[1]
    assert ranges[0]["min-val"] != ranges[2]["min-val"] and ranges[0]["max-val"] != ranges[2]["max-val"]


def test_missing_tensor_files_are_said(trace):
    _, folder = trace(lambda: torch.ones(3) + torch.ones(3), X_DUMP_NUM=2)
    assert jprof(folder).returncode == 0
    (folder / "dump" / "operators.h5").unlink()
    assert "random data in the recorded range" in run_pytests(folder).stdout


def test_the_older_command_names_call_the_program(tmp_path):
    source = pathlib.Path(__file__).resolve().parents[2] / "python"
    code = "import sys; from assay import entry; sys.argv[1:] = ['--help']; sys.exit(entry.{}())"
    for name, words in (("jprof", "--cpu_init"), ("summary", "OUT")):
        ran = subprocess.run([sys.executable, "-c", code.format(name)], capture_output=True, text=True, cwd=source)
        assert ran.returncode == 0 and words in ran.stdout, ran.stderr
