"""Every test of the suite has its own temporary and XDG folders, and fails if it leaves a file there."""
import json
import os
import pathlib
import subprocess

import pytest

OWN = pathlib.Path(__file__).resolve().parents[2] / "utils" / "gates" / "own_folders"
VARIABLES = ("TMPDIR", "TEST_TMPDIR", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME")


def ran(tmp_path, script, **environment):
    (tmp_path / "outer").mkdir(exist_ok=True)
    return subprocess.run([OWN, tmp_path, "unit.one", "bash", "-c", script], capture_output=True, text=True, timeout=60,
                          env={**os.environ, "TMPDIR": str(tmp_path / "outer"), **environment})


def test_folders_are_new_and_go_with_the_test(tmp_path):
    before = {name: str(tmp_path / name) for name in VARIABLES[1:]}
    script = "; ".join(f'ls -A "${name}" >/dev/null && echo "${name}"' for name in VARIABLES) + '; echo x >"$XDG_STATE_HOME/x"; echo ${ASSAY_CACHE_DIR:-none}'
    done = ran(tmp_path, script, ASSAY_CACHE_DIR="/elsewhere", **before)
    *folders, cache = done.stdout.split()
    assert done.returncode == 0 and len(folders) == len(VARIABLES) and cache == "none", done.stderr
    assert not set(folders) & set(before.values()), "the user's own"
    assert not any(os.path.exists(folder) for folder in folders), "removed with what is in them"
    assert os.listdir(tmp_path / "outer") == [], "nor is anything else left"


@pytest.mark.parametrize("left", ['mkdir -p "$TMPDIR/a/b"', 'echo x >"$TMPDIR/a"', 'mkdir "$(dirname "$(mktemp -u)")/.a"'])
def test_what_a_test_leaves_fails_it_and_is_named(tmp_path, left):
    done = ran(tmp_path, left)
    assert done.returncode == 1 and "own_folders: the test left in its temporary folder:" in done.stdout and "a\n" in done.stdout, done.stdout
    assert ran(tmp_path, f"{left}; exit 77").returncode == 1, "a skipped one, too"
    assert ran(tmp_path, f"{left}; exit 3").returncode == 3, "a test that fails keeps its own code"
    assert ran(tmp_path, f'{left}; rm -rf "$TMPDIR"/*a "$TMPDIR"/.a').returncode == 0


@pytest.mark.parametrize("code", [0, 1, 77])
def test_the_code_is_the_command_s(tmp_path, code):
    assert ran(tmp_path, f"exit {code}").returncode == code
    skipped = [path.read_text() for path in (tmp_path / "results").iterdir()]
    assert len(skipped) == (code == 77) and all('<testcase name="unit.one"><skipped ' in text for text in skipped)
    assert ran(tmp_path, "exit 0").returncode == 0 and not any((tmp_path / "results").iterdir()), "of the latest run"


def test_compiled_kernels_are_the_build_s(tmp_path):
    assert ran(tmp_path, 'echo x >"$XDG_CACHE_HOME/assay/kernels/one"').returncode == 0
    assert ran(tmp_path, 'cat "$XDG_CACHE_HOME/assay/kernels/one"').stdout == "x\n"


def test_every_test_of_the_suite_is_run_so():
    build = pathlib.Path(os.environ["ASSAY_BIN"]).parent
    shown = subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1"], capture_output=True, text=True, check=True, timeout=60)
    tests = [entry for entry in json.loads(shown.stdout)["tests"] if entry.get("command")]
    assert len(tests) > 100
    assert [entry["name"] for entry in tests if entry["command"][0] != str(OWN)] == []
