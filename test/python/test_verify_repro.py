"""The repro line of every failure of `assay verify` runs unchanged and gives the same result."""
import os
import re
import shutil
import subprocess

import pytest

ASSAY = os.environ.get("ASSAY_BIN", "build/release/bin") + "/assay"
LIBRARY = os.path.join(os.path.dirname(ASSAY), "..", "lib")
LINE = re.compile(r"^(\d+):([A-Z_]+)(?: \((.*)\))? \(\d+ ms\) __REPRO: (.*)$", re.M)

BATCH = """
--reset --dt=f32,bf16,s8:s8:s32 --stag=ab,ba --bia-dt=undef,f32 --bia_mask=3 4x33:33x6_n"bert:fc*2" 2x5x64:2x64x7
--reset --dt=u8:s8:s8 --attr-scales=src:common:0.25+wei:per_oc --attr-zero-points=src:common:2 --attr-post-ops=relu:0.5+linear:2:1,sum:0.5+add:f32:per_oc 9x31:31x20
--reset --strides=80x1:: --fill=normal,heavy 4x65:65x6
4x5:6x7 4x$(true);x 4x5:5x6_n"a*b$HOME"
"""
CONV = """
--reset --dir=FWD_D,FWD_B --dt=f32,bf16 g2ic34ih5oc6kh3ph1n"resnet_50:res2a*3" ic3iw19oc4kw3sw2 ic3ih0oc3kh1
"""


def unquoted(words):
    """The shell removes quotes; a name is then printed without them or as one quoted word."""
    return words.replace('"', "").replace("'", "")


def placeless(reason):
    return re.sub(r" at address 0x[0-9a-f]+|^\S+\.batch:\d+: ", "", reason)


def verify(words, fault):
    environment = dict(os.environ, ASSAY_EXAMPLE_FAULT=fault)
    run = subprocess.run(f"{ASSAY} verify {words}", shell=True, executable="/bin/sh", env=environment, capture_output=True, text=True)
    return LINE.findall(run.stdout), run


@pytest.mark.parametrize("fault", ["drop_k", "transposed", "segv", "garbage", "hang", "nothing"])
def test_the_repro_line_of_every_failure_runs_as_it_stands(fault, tmp_path):
    folder = tmp_path / "a folder"  # paths with a space are quoted
    folder.mkdir()
    plugin = shutil.copy(os.path.join(LIBRARY, "libassay_example.so"), folder / "engine.so")
    (tmp_path / "matmul.batch").write_text(BATCH)
    (tmp_path / "conv.batch").write_text(CONV)
    # A hang takes the whole time limit of its problem: a few problems suffice.
    shard = "--shard=0/8 --timeout=0.2" if fault == "hang" else ""
    lines, run = verify(f"{shard} --engine='plugin:{plugin}' --seed=3 --matmul --batch={tmp_path}/matmul.batch "
                        f"--conv --batch={tmp_path}/conv.batch", fault)
    assert run.returncode in (1, 2), run.stderr
    bad = [line for line in lines if line[1] not in ("PASSED", "SKIPPED")]
    assert len(bad) >= 3
    for _, status, reason, words in bad[:40]:
        again, rerun = verify(words, fault)
        assert len(again) == 1, (words, rerun.stderr)
        assert (again[0][1], placeless(again[0][2]), unquoted(again[0][3])) == (status, placeless(reason), unquoted(words))


def test_the_repro_line_of_a_program_runs_too(tmp_path):
    folder = tmp_path / "my programs"
    folder.mkdir()
    program = folder / "add.mlir"
    program.write_text("func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {\n  return %a : tensor<4xf32>\n}\n")
    lines, run = verify(f"--rule=exact --op '{program}'", "")
    assert run.returncode == 0 and lines[0][1] == "PASSED", run.stdout + run.stderr
    again, _ = verify(lines[0][3], "")
    assert again[0][1:] == lines[0][1:]
