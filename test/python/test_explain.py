"""Every verdict, error, rule, kind of data and property that the sources define has an explanation: `assay explain`."""
import json
import re
import subprocess

import examples_world
import pytest

SOURCE = examples_world.SOURCE / "src" / "assay"

# Kind of explanation: the source that defines its names, and where they are in it.
DEFINED = {
    "verdict": ("verify/Report.cpp", r'(?s)kNames\[\] = \{(.*?)\}'),
    "error": ("support/Error.cpp", r'(?s)errorCodeName\(ErrorCode code\) \{(.*?)\n\}'),
    "rule": ("numerics/Rules.cpp", r'(?s)(\{"bound", .*?\};)'),
    "data": ("judge/SumBounds.cpp", r'(?s)kNames\[\] = \{(.*?)\}'),
    "property": ("verify/properties/Properties.def", r'(?s)(ASSAY_PROPERTY\("deterministic".*)'),
}
FIRST_WORD = {"rule": r'\{"(\w+)"', "property": r'ASSAY_PROPERTY\("(\w+)"'}
NEVER_SHOWN = {"given", "INITIALIZED", "EXECUTED"}  # data from files; states of modes that check nothing


@pytest.mark.parametrize("kind", DEFINED)
def test_every_defined_name_is_explained(kind):
    path, pattern = DEFINED[kind]
    part = re.search(pattern, (SOURCE / path).read_text())[1]
    names = set(re.findall(FIRST_WORD.get(kind, r'"([\w ]+)"'), part)) - NEVER_SHOWN
    assert len(names) > 4, f"{path}: the names were not found: {names}"
    for name in names:
        found = subprocess.run([examples_world.BIN / "assay", "explain", name, "--json", "-"], capture_output=True, text=True)
        assert found.returncode == 0, f"{path}: '{name}' has no row in tools/assay/Explanations.def: {found.stderr}"
        assert kind in [row["kind"] for row in json.loads(found.stdout)], f"{name} is explained, but not as {kind}"
