"""The vision transformer recorded twice: rounding passes, each fault is named first by `assay compare --first-wrong`."""
import os
import subprocess

import pytest
import vit
from faults import FAULTS
from record import record

FILE = "globalrank-0_localrank-0.h5"


@pytest.fixture(scope="module")
def bench(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bench")
    record(folder)
    return folder / FILE


def first_wrong(target, bench):
    program = os.path.join(os.environ["ASSAY_BIN"], "assay")
    ran = subprocess.run([program, "compare", target, bench, "--first-wrong", "--quiet"], capture_output=True, text=True)
    lines = [line for line in ran.stdout.splitlines() if line.startswith("first wrong: ")]
    assert len(lines) == 1, ran.stdout + ran.stderr
    return lines[0].removeprefix("first wrong: "), ran


def test_rounding_alone_is_no_fault(tmp_path, bench):
    record(tmp_path, rounding=True)
    named, ran = first_wrong(tmp_path / FILE, bench)
    assert named.split()[0] == "none" and ran.returncode == 0, ran.stdout


@pytest.mark.parametrize("fault", FAULTS)
def test_the_faulty_module_is_named_first(tmp_path, bench, fault):
    culprit = record(tmp_path, rounding=True, fault=fault)
    named, ran = first_wrong(tmp_path / FILE, bench)
    name = type(vit.build(vit.SMALL).get_submodule(culprit)).__name__
    assert named.split()[0].rstrip(",:;").startswith(f"{culprit}.{name}") or named.split()[0] == culprit, ran.stdout
    assert ran.returncode == 1
