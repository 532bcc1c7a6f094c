"""Single wrong kernels under a training step, on other devices: the call is named first, and devices without a fault are not accused.
`./dev bench first_wrong --single` does the same with eight models and more faults."""
import os
import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "benchmark" / "first_wrong"))
import single_faults  # noqa: E402


@pytest.fixture(autouse=True)
def the_program_under_test(monkeypatch):
    monkeypatch.setenv("PATH", os.environ["ASSAY_BIN"], prepend=os.pathsep)


@pytest.mark.parametrize("model", ["unet", "lstm"])
def test_single_faults_are_named_first(model):
    rows = single_faults.run_model(model, 6, full=False, say=lambda *words: None)
    assert len([row for row in rows if row[2] != "no fault"]) >= 4
    assert [row for row in rows if not row[5]] == []
