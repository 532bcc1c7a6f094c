"""Not a peer (../../backend/bench.py): peers/backend.py with option freeze, whose weights are packed once as those of `assay run` are."""
from . import backend


def prepare(model, form, threads, folder):
    return backend.prepare(model, form, threads, folder, freeze=True)
