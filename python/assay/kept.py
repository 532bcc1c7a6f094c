"""Folders that outlive the call that made them (evidence of failed checks, sources of tasks): all in one place of the user's cache,
`$ASSAY_CACHE_DIR/checks`, `$XDG_CACHE_HOME/assay/checks` or `~/.cache/assay/checks`, the latest LIMIT of them.
"""
import os
import pathlib
import shutil
import tempfile

LIMIT = 40


def place():
    """The folder that holds them."""
    own, cache = os.environ.get("ASSAY_CACHE_DIR"), os.environ.get("XDG_CACHE_HOME")
    base = pathlib.Path(own) if own else pathlib.Path(cache or pathlib.Path.home() / ".cache") / "assay"
    return base / "checks"


def folder(prefix):
    """A new folder whose name begins with prefix; the oldest ones beyond LIMIT are removed. A temporary folder if the cache cannot be written."""
    try:
        place().mkdir(parents=True, exist_ok=True)
        made = pathlib.Path(tempfile.mkdtemp(prefix=prefix, dir=place()))
    except OSError:
        return pathlib.Path(tempfile.mkdtemp(prefix=f"assay-{prefix}"))
    for old in _by_age(made)[LIMIT - 1 :]:
        shutil.rmtree(old, ignore_errors=True)
    return made


def _by_age(new):
    """The other folders, the latest first; another process may remove some meanwhile."""
    found = []
    for one in place().iterdir():
        try:
            found.append((one.stat().st_mtime_ns, one))
        except OSError:
            continue
    return [one for _, one in sorted(found, reverse=True) if one != new]
