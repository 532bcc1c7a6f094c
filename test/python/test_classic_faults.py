"""The table of classic faults (utils/classic_faults): assay.check finds each fault that missed.txt does not list, and passes right kernels."""
import json
import os
import subprocess
import sys

import documents

TABLE = documents.SOURCE / "utils/classic_faults"


def test_the_table_is_as_it_was():
    run = subprocess.run([sys.executable, TABLE], capture_output=True, text=True, env={**os.environ, "ASSAY_PYTHON": sys.executable}, timeout=900)
    assert run.returncode == 0 and ": 0 not as they should be" in run.stdout, run.stdout + run.stderr


def test_the_page_has_every_fault():
    code = "import sys; sys.path.insert(0, sys.argv[1]); import table; print(*(row.fault for row in table.all_rows() if not row.is_right), sep='\\n')"
    faults = subprocess.run([sys.executable, "-c", code, TABLE], capture_output=True, text=True, check=True).stdout.splitlines()
    rows = json.loads((documents.SOURCE / "docs/tables/classic_faults.json").read_text())["rows"]
    assert len(faults) >= 120 and faults == [row[1] for row in rows]
    page = (documents.SOURCE / "docs/classic_faults.md").read_text()
    check, verify = (sum(row[column] != "**missed**" for row in rows) for column in (2, 3))
    assert f"{len(rows)} faults: `assay.check` finds {check}, `assay verify` {verify}." in page
    assert all(row[4] for row in rows if "**missed**" in row)
