"""assay-opt --assay-fold over every test of the interpreter: the folded programs pass all checks, bit for bit if the test
demands it, and only side effects, random numbers, collectives and calls remain."""
import os
import pathlib
import re
import subprocess

import pytest

BIN = pathlib.Path(os.environ["ASSAY_BIN"])
TESTS = sorted((pathlib.Path(__file__).resolve().parents[1] / "reference").glob("*.mlir"))
PARTS = 8
STAYS = {"rng", "custom_call", "composite", "replica_id", "partition_id", "constant", "return", "create_token", "after_all", "tuple",
         "get_tuple_element", "infeed", "outfeed", "send", "recv", "async_start", "async_done", "all_gather", "all_reduce", "all_to_all",
         "reduce_scatter", "collective_broadcast", "collective_permute", "collective_reduce", "cross-replica-sum", "optimization_barrier"}


@pytest.mark.parametrize("part", range(PARTS))
def test_checks_hold_after_folding(part, tmp_path):
    files = TESTS[part::PARTS]
    assert len(files) > 5
    folded = 0
    for file in files:
        made = subprocess.run([BIN / "assay-opt", "--split-input-file", "--assay-fold", file], capture_output=True, text=True, timeout=120)
        assert made.returncode == 0, f"{file}: {made.stderr}"
        (tmp_path / file.name).write_text(made.stdout)
        folded += "run_parallel" not in made.stdout and not set(re.findall(r"stablehlo\.([\w-]+) ", made.stdout)) - STAYS
    before = subprocess.run([BIN / "assay", "test", *files, "--quiet"], capture_output=True, text=True, timeout=600)
    after = subprocess.run([BIN / "assay", "test", *[tmp_path / file.name for file in files], "--quiet"], capture_output=True, text=True,
                           timeout=600)
    assert after.returncode == before.returncode == 0, after.stdout + after.stderr
    closing = lambda run: run.stdout.strip().splitlines()[-1]
    assert closing(before) == closing(after) and " 0 failed" in closing(after)
    assert folded > len(files) // 2  # most files have only constants and checks now
