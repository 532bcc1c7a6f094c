"""A small, fixed sample of damaged inputs over all readers; `./dev fuzz damaged COUNT` runs more of them."""
import os
import pathlib
import subprocess
import sys

DAMAGE = pathlib.Path(__file__).resolve().parents[2] / "utils" / "damage"


def damage(tmp_path, *words, program=None):
    program = program or os.path.join(os.environ["ASSAY_BIN"], "assay")
    return subprocess.run([sys.executable, str(DAMAGE), "--assay", str(program), "--keep", str(tmp_path / "kept"), *words], capture_output=True,
                          text=True, timeout=1000)


def test_every_reader_survives(tmp_path):
    ran = damage(tmp_path, "--count", "210", "--limit", "60")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "left out" not in ran.stdout and "210 damaged inputs: 210 ended well, 0 did not" in ran.stdout, ran.stdout
    readers = {line.split()[0] for line in ran.stdout.splitlines() if line.endswith(" s") and line.split()[1].isdigit()}
    assert len(readers) == 21, sorted(readers)


def test_a_journal_with_the_largest_number(tmp_path):
    """Its offset was a hash table's reserved key."""
    ran = damage(tmp_path, "--readers", "journal", "--first", "810", "--count", "1", "--limit", "60")
    assert ran.returncode == 0 and "1 damaged inputs: 1 ended well" in ran.stdout, ran.stdout + ran.stderr


def test_what_dies_hangs_or_says_nothing_is_found(tmp_path):
    """Programs that behave badly on every input."""
    whole = os.path.join(os.environ["ASSAY_BIN"], "assay")
    for line, trouble in (("kill -SEGV $$", "exit code -11"), ("exec sleep 60", "still runs after 1.0 s"), ("exit 2", "exit code 2 without a message"),
                          ("exit 70", "exit code 70"), ("echo terminate called >&2; exit 1", "says 'terminate called'"),
                          ("echo 'assay: error: a' >&2; echo 'assay: error: b' >&2; exit 2", "2 messages")):
        program = tmp_path / "program"
        program.write_text(f'#!/bin/sh\nif [ "$1" = run ]; then {line}; fi\nexec {whole} "$@"\n')
        program.chmod(0o755)
        ran = damage(tmp_path, "--readers", "npy", "--count", "2", "--limit", "1" if "sleep" in line else "60", program=program)
        assert ran.returncode == 1 and ran.stdout.count(trouble) == 2 and "2 damaged inputs: 0 ended well, 2 did not" in ran.stdout, ran.stdout
        assert (tmp_path / "kept" / "npy-1" / "a.npy").exists()
