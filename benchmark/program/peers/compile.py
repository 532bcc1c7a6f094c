"""torch.compile (Inductor, C++) with frozen weights."""
from .PyTorch import called, module_of


def prepare(model, form, threads, folder):
    import torch
    import torch._inductor.config as config

    config.freezing = True
    module, arguments = module_of(model, threads)
    with torch.no_grad():
        return called(torch.compile(module), arguments, form)
