"""Not a peer (../../backend/bench.py): our own engine behind torch.compile, row-major like the exported program."""
import torch

from .PyTorch import called, module_of


def prepare(model, form, threads, folder, **options):
    module, arguments = module_of(model, threads, torch.contiguous_format)
    with torch.inference_mode():
        return called(torch.compile(module, backend="assay", options=options), arguments, form)
