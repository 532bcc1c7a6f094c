"""Cases that were skipped are listed with their reasons, whoever skipped them."""
import pathlib
import subprocess
import sys

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "utils" / "gates" / "skipped_cases.py"
GTEST = """<?xml version="1.0" encoding="UTF-8"?>
<testsuites tests="2" failures="0" disabled="0" errors="0"><testsuite name="Tiles" tests="2" skipped="1">
<testcase name="Run" status="run" result="completed" time="0." classname="Tiles" />
<testcase name="Amx" status="run" result="skipped" time="0." classname="Tiles"><skipped message="Tiles.cpp:12&#x0A;this machine has no AMX" /></testcase>
</testsuite></testsuites>"""


def listed(folder):
    return subprocess.run([sys.executable, SCRIPT, folder], capture_output=True, text=True, timeout=60)


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
