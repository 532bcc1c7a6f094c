"""PyTorch, operation by operation: oneDNN and MKL, with images in channels-last memory."""
import torch
from models import MODELS
from torch_rows import made


def module_of(model, threads, layout=torch.channels_last):
    torch.set_num_threads(threads)
    module, arguments = made(MODELS[model].torch)
    if any(one.dim() == 4 and one.shape[1] == 3 for one in arguments):
        module = module.to(memory_format=layout)
        arguments = tuple(one.to(memory_format=layout) for one in arguments)
    return module, arguments


def called(function, arguments, form):
    """(call, results): the JAX row of a model has other weights, so only the PyTorch form's results can be compared."""
    def call():
        with torch.inference_mode():
            return function(*arguments)

    results = call()
    results = results if isinstance(results, tuple) else (results,)
    return call, [result.numpy() for result in results] if form == "torch" else []


def prepare(model, form, threads, folder):
    module, arguments = module_of(model, threads)
    return called(module, arguments, form)
