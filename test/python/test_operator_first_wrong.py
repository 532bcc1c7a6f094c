"""First wrong operator: dumps of operator calls, and of StableHLO programs, each operator run again on its own inputs; the
same calls as framework-free tests."""
import json
import pathlib
import re
import shutil

import h5py
import numpy
import pytest
import torch
import vit
from faults import other_rounding
from record import record

from assay.torch import PrecisionDebugger, begin_dump, end_dump

SOURCE = pathlib.Path(__file__).resolve().parents[2]
FILE = "globalrank-0_localrank-0.h5"


def operators(folder, monkeypatch, rounding=False):
    """A trace of the vision transformer with all tensors, in `folder`; with `rounding`, sums are made in another order."""
    folder.mkdir()
    monkeypatch.chdir(folder)
    model = vit.build(vit.SMALL)
    if rounding:
        other_rounding(model)
    inputs = vit.inputs(vit.SMALL)
    with torch.no_grad():
        begin_dump(X_DEBUG=0x102, X_DUMP_NUM=100)
        model(*inputs)
        end_dump()
    (process,) = (folder / "xray_debug").iterdir()
    return process


def first_wrong(ran):
    (line,) = [line for line in ran.stdout.splitlines() if line.startswith("first wrong: ")]
    return line.removeprefix("first wrong: ").split(":")[0].split(" (")[0]


@pytest.fixture(scope="module")
def traces(tmp_path_factory):
    """The same model twice, equal and with another rounding."""
    folder = tmp_path_factory.mktemp("traces")
    with pytest.MonkeyPatch.context() as patch:
        return {name: operators(folder / name, patch, rounding=name == "rounding") for name in ("bench", "equal", "rounding")}


@pytest.fixture(params=["equal", "rounding"])
def changed(request, tmp_path, traces):
    """Two traces, equal or with the rounding of another device throughout; in the target one recorded output is changed as a
    faulty kernel would."""
    bench, target = (shutil.copytree(traces[name], tmp_path / side) for side, name in (("bench", "bench"), ("target", request.param)))

    def change(operator, which, function):
        with h5py.File(target / "dump" / "operators.h5", "r+") as file:
            names = [name for name in file["1"] if f".{operator}." in name and name.endswith("forward_output.0")]
            name = names[which]
            data = function(file["1"][name][()])
            del file["1"][name]
            file["1"][name] = data
        return name.split(".")[0], target / "dump" / "operators.h5", bench / "dump" / "operators.h5"

    return change


FAULTS = {
    "softmax in bf16": ("aten-_softmax-default", 1, lambda y: torch.from_numpy(y).bfloat16().to(torch.float32).numpy()),
    "product without its bias": ("aten-addmm-default", 2, lambda y: (y * 0.98).astype(y.dtype)),
    "gelu off by three parts in a thousand": ("aten-gelu-default", 0, lambda y: (y * 1.003).astype(y.dtype)),
    "one element": ("aten-native_layer_norm-default", 1, lambda y: _one(y, 5, 0.25)),
    "swapped rows of a copy": ("aten-view-default", 3, lambda y: y[::-1].copy()),
}


def _one(y, at, step):
    y = y.copy()
    y.reshape(-1)[at] += step
    return y


@pytest.mark.parametrize("fault", FAULTS)
def test_the_changed_operator_is_named(changed, fault, assay):
    culprit, target, bench = changed(*FAULTS[fault])
    ran = assay("compare", target, bench, "--first-wrong", "--quiet")
    assert ran.returncode == 1 and first_wrong(ran) == culprit, ran.stdout + ran.stderr


def drop(file, group, which):
    """Removes the recorded tensors of call `which` and lowers the numbers after it by one, as in a trace without that call."""
    numbers = sorted({name.split("-")[0] for name in group})
    gone = numbers[which]
    for name in sorted(group):
        number, rest = name.split("-", 1)
        if number == gone:
            del group[name]
        elif number > gone:
            group.move(name, f"{int(number) - 1:05d}-{rest}")


@pytest.mark.parametrize("changed", ["equal"], indirect=True)  # other roundings come with other calls
def test_an_extra_call_shifts_nothing(changed, assay, tmp_path):
    """The bench has one call fewer, in its dump and in its description: the same culprit, and only Fails that follow from it."""
    culprit, target, bench = changed(*FAULTS["gelu off by three parts in a thousand"])
    with h5py.File(bench, "r+") as file:
        drop(file, file["1"], 5)
    description = bench.parent.parent / "dump.json"
    entries = json.loads(description.read_text())
    del entries[5]
    for i, entry in enumerate(entries):
        entry["name"] = f"{i:05d}-" + entry["name"].split("-", 1)[1]
    description.write_text(json.dumps(entries))
    ran = assay("compare", target, bench, "--first-wrong", "--quiet", "--json", "out.json")
    facts = json.loads((tmp_path / "out.json").read_text())
    assert first_wrong(ran) == culprit, ran.stdout + ran.stderr
    assert facts["unmatched_bench"] == 0 and 0 < facts["unmatched_target"] <= 4 and facts["failed"] <= 2, ran.stdout


def test_a_suspect_says_the_line_of_the_model(changed, assay):
    culprit, target, bench = changed(*FAULTS["gelu off by three parts in a thousand"])
    ran = assay("compare", target, bench, "--first-wrong", "--quiet")
    (line,) = [line for line in ran.stdout.splitlines() if line.startswith(f"  1. aten.gelu ({culprit}) in ")]
    assert "vit.py:" in line, line


def test_uninitialised_memory_is_no_culprit(tmp_path, monkeypatch, assay):
    for name, value in (("bench", 1.0), ("target", 7.0)):
        (tmp_path / name).mkdir()
        monkeypatch.chdir(tmp_path / name)
        begin_dump(X_DUMP_NUM=100)
        for memory in (torch.empty(40), torch.ones(40).new_empty(40), torch.empty_like(torch.ones(40))):
            memory.exp()
        end_dump()
        (process,) = (tmp_path / name / "xray_debug").iterdir()
        with h5py.File(process / "dump" / "operators.h5", "r+") as file:
            for key in list(file["1"]):
                if "empty" in key and ".forward_output." in key:
                    del file["1"][key]
                    file["1"][key] = numpy.full(40, value, numpy.float32)
                elif "exp" in key:
                    del file["1"][key]
                    file["1"][key] = numpy.full(40, value if "input" in key else numpy.exp(value), numpy.float32)
        process.rename(tmp_path / name / "trace")
    ran = assay("compare", "target/trace/dump/operators.h5", "bench/trace/dump/operators.h5", "--first-wrong", "--quiet")
    assert first_wrong(ran) == "none" and ran.returncode == 0, ran.stdout  # the tensors differ, but no operator computed them
    assert "memory that nothing wrote" in ran.stdout, ran.stdout


def test_calls_without_tensors_are_tests_too(tmp_path, monkeypatch, assay):
    monkeypatch.chdir(tmp_path)
    begin_dump(X_DUMP_NUM=100)
    torch.arange(10), torch.full((3,), 2.5)
    end_dump()
    (process,) = (tmp_path / "xray_debug").iterdir()
    made = assay("extract", process / "dump.json", "--format", "mlir", "-o", "tests")
    assert made.returncode == 0, made.stderr
    ran = assay("test", "tests")
    assert ran.returncode == 0 and ran.stdout.startswith("2 passed, 0 failed"), ran.stdout
    (victim,) = (tmp_path / "tests").glob("*full*.mlir")
    victim.write_text(victim.read_text().replace("2.5", "2.75"))
    ran = assay("test", "tests")
    assert ran.returncode == 1 and "1 failed" in ran.stdout, ran.stdout


def test_dump_torch_api_names_the_operator(tmp_path, assay):
    """The modules' dump with operators inside: the description is next to it, so no file needs to be named."""
    for name, rounding in (("bench", False), ("target", True)):
        model = vit.build(vit.SMALL)
        if rounding:
            other_rounding(model)
        with torch.no_grad(), PrecisionDebugger(dump_path=str(tmp_path / name), step=[1], model=model, dump_torch_api=True):
            model(*vit.inputs(vit.SMALL))
        assert (tmp_path / name / FILE.replace(".h5", "_operators.json")).exists()
    ran = assay("compare", tmp_path / "target" / FILE, tmp_path / "bench" / FILE, "--first-wrong", "--quiet")
    assert "replayed in f64" in ran.stdout, ran.stdout + ran.stderr
    with h5py.File(tmp_path / "target" / FILE, "r+") as file:
        name = [name for name in file["1"] if ".aten-gelu-default." in name and name.endswith("forward_output.0")][0]
        file["1"][name][...] = file["1"][name][()] * 1.05  # in place: the dataset's place in the file shows the module around it
    ran = assay("compare", tmp_path / "target" / FILE, tmp_path / "bench" / FILE, "--first-wrong", "--quiet")
    (line,) = [line for line in ran.stdout.splitlines() if f". aten.gelu ({name.split('.')[0]}) " in line]
    assert re.search(r" in blocks\.0\.mlp\.act_fn, \S*vit\.py:\d+ ", line), line
    assert ran.returncode == 1 and first_wrong(ran) == name.split(".")[0], ran.stdout
    made = assay("extract", tmp_path / "bench" / FILE, "--format", "both", "-o", "tests")
    assert made.returncode == 0, made.stderr
    ran = assay("test", "tests")
    assert ran.returncode == 0, ran.stdout
    assert list((tmp_path / "tests").glob("test_aten_*.py"))


def test_extracted_tests_need_no_framework_and_catch_a_fault(tmp_path, monkeypatch, assay):
    process = operators(tmp_path / "bench", monkeypatch)
    made = assay("extract", process / "dump.json", "--format", "mlir", "-o", "tests")
    assert made.returncode == 0 and "left out: aten." not in made.stdout, made.stdout
    for engine in ("reference", "native"):
        ran = assay("test", "tests", "--engine", engine)
        assert ran.returncode == 0, ran.stdout
    victim = sorted((tmp_path / "tests").glob("*gelu*.mlir"))[0]
    text = victim.read_text()
    assert "stablehlo.tanh" in text
    victim.write_text(text.replace("stablehlo.tanh", "stablehlo.logistic"))
    ran = assay("test", "tests")
    assert ran.returncode == 1 and victim.stem in ran.stdout and "1 failed" in ran.stdout


PROGRAM = SOURCE / "test" / "programs" / "mlp_inference.mlir"


def recorded(assay, tmp_path, name, change=None):
    text = PROGRAM.read_text()
    (tmp_path / f"{name}.mlir").write_text(change(text) if change else text)
    ran = assay("run", f"{name}.mlir", "--input", PROGRAM.with_suffix(".npz"), "--quiet", "--record", f"{name}.h5")
    assert ran.returncode == 0, ran.stderr
    return tmp_path / f"{name}.h5"


def test_operations_of_a_program(tmp_path, assay):
    bench = recorded(assay, tmp_path, "bench")
    target = recorded(assay, tmp_path, "target", lambda text: text.replace("stablehlo.tanh", "stablehlo.logistic", 1))
    names = []
    with h5py.File(target) as file:
        file.visit(lambda name: names.append(name))
    (culprit,) = {name.removeprefix("1/").split(".logistic.")[0] for name in names if ".logistic." in name}
    ran = assay("compare", target, bench, "--first-wrong", "--program", "bench.mlir", "--quiet")
    assert ran.returncode == 1 and first_wrong(ran) == culprit, ran.stdout
    # A kernel of low precision within the rule's tolerance: only the replay detects it.
    tuned = recorded(assay, tmp_path, "tuned")
    with h5py.File(tuned, "r+") as file:
        file[f"1/{culprit}.tanh.0.forward_output.0"][...] *= numpy.float32(1 + 3e-6)
    ran = assay("compare", tuned, bench, "--first-wrong", "--program", "bench.mlir", "--quiet")
    assert first_wrong(ran) == culprit and "; certain: it was computed again from its own inputs" in ran.stdout, ran.stdout
    clean = assay("compare", recorded(assay, tmp_path, "again"), bench, "--first-wrong", "--program", "bench.mlir", "--quiet")
    assert clean.returncode == 0 and first_wrong(clean) == "none"


def test_operations_of_a_program_as_tests(tmp_path, assay):
    recorded(assay, tmp_path, "bench")
    made = assay("extract", "bench.h5", "--program", "bench.mlir")
    assert made.returncode == 0, made.stderr
    ran = assay("test", "mlirtests")
    assert ran.returncode == 0 and " 0 failed" in ran.stdout, ran.stdout
    alone = assay("extract", "bench.h5")
    assert alone.returncode == 2 and "--program" in alone.stderr


def test_golden_says_who_is_worse(tmp_path, assay):
    """bench and target in fp16, golden in f64: rounding alone is as good; a fault is worse, and the one that is named."""
    record(tmp_path / "bench", vit.SMALL)
    record(tmp_path / "rounded", vit.SMALL, rounding=True)
    record(tmp_path / "faulty", vit.SMALL, rounding=True, fault="gelu_variant")
    model = vit.build(vit.SMALL).to(torch.float64)  # the same weights as the fp16 model has
    inputs = [x.double() if x.is_floating_point() else x for x in vit.inputs(vit.SMALL)]
    with torch.no_grad(), PrecisionDebugger(dump_path=str(tmp_path / "golden"), step=[1], model=model):
        model(*inputs)
    words = ["bench/" + FILE, "--golden", "golden/" + FILE, "--first-wrong", "--quiet"]
    clean = assay("compare", "rounded/" + FILE, *words)
    assert clean.returncode == 0 and first_wrong(clean) == "none", clean.stdout
    assert "against golden: " in clean.stdout and "the target is worse in 0," in clean.stdout
    faulty = assay("compare", "faulty/" + FILE, *words)
    assert faulty.returncode == 1 and first_wrong(faulty) == "blocks.0.mlp.act_fn", faulty.stdout
    # Exchanged, the bench is the faulty side: the target is no worse, and nothing is named.
    for fault in ("gelu_variant", "scale_error"):
        record(tmp_path / fault, vit.SMALL, fault=fault)
        turned = assay("compare", "rounded/" + FILE, f"{fault}/" + FILE, "--golden", "golden/" + FILE, "--first-wrong", "--quiet")
        assert first_wrong(turned) == "none" and "the target is worse in 0," in turned.stdout, turned.stdout
    assert "better in 0" not in turned.stdout
    missing = assay("compare", "rounded/" + FILE, "bench/" + FILE, "--golden", "nothing.h5")
    assert missing.returncode == 2 and "nothing.h5" in missing.stderr
