"""Not a peer (../../backend/bench.py): peers/backend.py with the option freeze, which packs the weights once, as `assay run` does."""
from . import backend


def prepare(model, form, threads, folder):
    return backend.prepare(model, form, threads, folder, freeze=True)
