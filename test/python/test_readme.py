"""The README shows what really happens."""
import os
import re
import subprocess

import documents
import pytest

README = (documents.SOURCE / "README.md").read_text()

# The parts under a heading that have something to run.
SECTIONS = [part for part in re.split(r"^## ", README, flags=re.M) if documents.blocks(part)]


@pytest.mark.parametrize("section", SECTIONS, ids=[part.split("\n")[0] for part in SECTIONS])
def test_section_does_what_it_shows(section, tmp_path):
    assert documents.run(section, tmp_path) > 0


def test_what_is_promised_stands_there():
    assert "./dev demo" in README and "./dev test" in README
    assert len(README.splitlines()) < 120 and README.count("![") == 1
    assert len(SECTIONS) == 3


def test_the_environment_of_a_checkout_has_the_program_and_the_package():
    if documents.BIN.resolve() != (documents.SOURCE / "build/release/bin").resolve():
        pytest.skip("another build than build/release")
    command = 'eval "$(./dev env)" && assay --version && python -c "import assay; print(assay.check.__name__)" && ls "$ASSAY/bin/assay"'
    environment = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "ASSAY_BIN", "ASSAY")}
    run = subprocess.run(["bash", "-c", command], cwd=documents.SOURCE, env={**environment, "PATH": "/usr/bin:/bin"}, capture_output=True, text=True)
    assert run.returncode == 0 and run.stdout.startswith("assay ") and "\ncheck\n" in run.stdout, run.stdout + run.stderr
