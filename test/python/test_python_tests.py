"""Files of test/python that nothing runs fail the suite (utils/gates/python_tests.py)."""
import os
import pathlib
import subprocess
import sys

SOURCE = pathlib.Path(__file__).resolve().parents[2]
GATE = SOURCE / "utils" / "gates" / "python_tests.py"


def said(build, *words):
    ran = subprocess.run([sys.executable, GATE, build, *words], capture_output=True, text=True, timeout=60)
    return ran.returncode, ran.stdout


def build_of(folder, *tests):
    (folder / "CTestTestfile.cmake").write_text("".join(f"add_test({name} true)\n" for name in tests))
    return folder


def test_this_build_runs_all_of_them():
    assert said(pathlib.Path(os.environ["ASSAY_BIN"]).parent) == (0, "every file of test/python is a test\n")


def test_a_file_that_is_not_run_is_named(tmp_path):
    (tmp_path / "test" / "python").mkdir(parents=True)
    for name in ("test_a.py", "test_b.py", "helper.py"):
        (tmp_path / "test" / "python" / name).touch()
    code, text = said(build_of(tmp_path, "python.a"), tmp_path)
    assert code == 1 and "1 files of test/python are not run and there is no .venv (`./dev setup test` makes it)" in text and text.endswith(": test_b.py\n")
    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    (tmp_path / ".venv" / "bin" / "python").touch()
    code, text = said(build_of(tmp_path, "unit.a"), tmp_path)
    assert code == 1 and ".venv" not in text and text.endswith(": test_a.py, test_b.py\n")
    assert said(build_of(tmp_path, "python.a", "python.b"), tmp_path)[0] == 0
    code, text = said(tmp_path / "none")
    assert code == 1 and "ctest names no tests of" in text
