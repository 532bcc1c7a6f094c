"""Cases that were skipped are listed with their reasons, whatever skipped them."""
import pathlib
import re
import subprocess
import sys

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "utils" / "gates" / "skipped_cases.py"
GTEST = """<?xml version="1.0" encoding="UTF-8"?>
<testsuites tests="2" failures="0" disabled="0" errors="0"><testsuite name="Tiles" tests="2" skipped="1">
<testcase name="Run" status="run" result="completed" time="0." classname="Tiles" />
<testcase name="Amx" status="run" result="skipped" time="0." classname="Tiles"><skipped message="Tiles.cpp:12&#x0A;this machine has no AMX" /></testcase>
</testsuite></testsuites>"""


def listed(folder, known="python.it: test_it.test_b | no such library\nunit.*: Tiles.Amx* | this machine has *"):
    (folder / "known.txt").write_text(f"# what may be skipped\n\n{known}\n")
    return subprocess.run([sys.executable, SCRIPT, folder, folder / "known.txt"], capture_output=True, text=True, timeout=60)


def test_skipped_cases_of_all_kinds(tmp_path):
    (tmp_path / "test_it.py").write_text("import pytest\ndef test_a(): pass\ndef test_b(): pytest.skip('no such library')\n")
    ran = subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--rootdir={tmp_path}", f"--junitxml={tmp_path}/python.it.xml", tmp_path],
                         capture_output=True, text=True, timeout=120)
    assert ran.returncode == 0, ran.stdout
    said = listed(tmp_path)
    assert said.returncode == 77 and "skipped in python.it: test_it.test_b: no such library" in said.stdout, said.stdout
    assert "1 cases skipped in 1 tests" in said.stdout
    (tmp_path / "unit.tiles.xml").write_text(GTEST)
    said = listed(tmp_path)
    assert said.returncode == 77 and "skipped in unit.tiles: Tiles.Amx: this machine has no AMX" in said.stdout, said.stdout
    (tmp_path / "python.it.xml").unlink()
    (tmp_path / "unit.tiles.xml").write_text(GTEST.replace("<skipped", "<other"))
    assert listed(tmp_path).returncode == 0
    (tmp_path / "unit.tiles.xml").write_text(GTEST[:100])
    assert listed(tmp_path).returncode == 1


def test_a_new_skip_is_a_fault_and_named(tmp_path):
    (tmp_path / "unit.tiles.xml").write_text(GTEST)
    known = ["unit.tiles: Tiles.Amx | this machine has no AMX", "*: * | *no AMX", "unit.tiles: Tiles.* | this machine*"]
    other = ["unit.tiles: Tiles.Run | this machine has no AMX", "unit.tiles: Tiles.Amx | this machine has no AVX-512", "lit.*: * | *", ""]
    assert [listed(tmp_path, line).returncode for line in known + other] == [77] * 3 + [1] * 4
    said = listed(tmp_path, "")
    assert "NEW SKIP in unit.tiles: Tiles.Amx: this machine has no AMX" in said.stdout and "1 of them are not known" in said.stdout, said.stdout
    # A test that was skipped as a whole counts as one; the list of skips does not count.
    (tmp_path / "unit.tiles.xml").unlink()
    for name, code in (("golden.skipped_cases", 0), ("unit.cuda_ptx", 1)):
        (tmp_path / f"{name}.whole.xml").write_text(f'<testsuites><testsuite><testcase name="{name}"><skipped message="exit code 77"/></testcase></testsuite></testsuites>')
        assert listed(tmp_path, "").returncode == code
    assert listed(tmp_path, "unit.cuda_ptx: unit.cuda_ptx | exit code 77").returncode == 77


def test_brackets_of_a_case_are_no_pattern(tmp_path):
    (tmp_path / "python.it.xml").write_text(GTEST.replace("Amx", "test_it[rng]"))
    assert listed(tmp_path, "python.it: Tiles.test_it[rng] | *").returncode == 77
    assert listed(tmp_path, "python.it: Tiles.test_it[g] | *").returncode == 1


def test_a_line_that_says_nothing_is_refused(tmp_path):
    for line in ("unit.tiles: Tiles.Amx", "unit.tiles | because", "unit.tiles: Tiles.Amx | "):
        said = listed(tmp_path, line)
        assert said.returncode == 1 and "known.txt:3: expected TEST: CASE | REASON" in said.stdout, said.stdout


def test_every_case_without_a_peer_is_known_by_its_name():
    import test_diff_elementwise
    import test_diff_structured

    names = {f"test_without_peer[{name}]" for module in (test_diff_elementwise, test_diff_structured) for name in module.WITHOUT_PEER}
    known = set(re.findall(r"test_without_peer\[\w+\]", (SCRIPT.parents[2] / "test" / "known_skips.txt").read_text()))
    assert known == names and len(names) == 10
