"""The two processes of a rank, as `mpirun` starts it: one that waits and one that works."""

import os
import pathlib
import signal

import pytest


@pytest.fixture(autouse=True)
def where_ranks_meet(tmp_path, monkeypatch):
    """The temporary folder: killed ranks leave their shared files there."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))


def kill_working(rank):
    """Kills the working process, whose parent waits for it; False if it does not exist (any more)."""
    try:
        found = pathlib.Path(f"/proc/{rank.pid}/task/{rank.pid}/children").read_text().split()
        os.kill(int(found[0]), signal.SIGKILL)
    except (OSError, IndexError):
        return False
    return True
