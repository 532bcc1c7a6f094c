"""Completions: bash completes each command, subcommand and flag that the help lists; the files of zsh and fish name them all too."""
import subprocess
import sys

import documents
import pytest

sys.path.insert(0, str(documents.SOURCE / "utils/gates"))
import program_help  # noqa: E402

PROGRAM = documents.BIN / "assay"
COMMANDS = list(program_help.commands(PROGRAM))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("completions")
    subprocess.run([sys.executable, documents.SOURCE / "utils/generate/completions.py", PROGRAM, made], check=True)
    return made


def _complete(folder, *words):
    script = f'source {folder}/bash-completion/completions/assay; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _assay; printf "%s\\n" "${{COMPREPLY[@]}}"'
    return subprocess.run(["bash", "-c", script, "_", *words], capture_output=True, text=True, check=True).stdout.split()


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_flags_are_completed(folder, words):
    flags = {alias for _, aliases in program_help.flags(program_help.help_of(PROGRAM, *words)) for alias in aliases}
    assert flags
    for at in (words, (*words, "file.mlir")):
        assert flags <= set(_complete(folder, "assay", *at, "-")), at
    for name in ("zsh/site-functions/_assay", "fish/vendor_completions.d/assay.fish"):
        text = (folder / name).read_text()
        missing = [flag for flag in flags if flag.lstrip("-") not in text]
        assert not missing, f"{name} lacks {missing}"


def test_commands_are_completed(folder):
    names = [words[0] for words in COMMANDS]
    assert set(names) <= set(_complete(folder, "assay", ""))
    assert _complete(folder, "assay", "doc") == ["doctor"]
    assert "collect" in _complete(folder, "assay", "tune", "co")
    assert _complete(folder, "assay", "run", "model.ml") == []  # files are bash's own
