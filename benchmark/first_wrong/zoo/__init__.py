"""Small models of many kinds, in plain torch, for the random faults and differences of drawn.py.

A model is a function without arguments, marked `@model`, that returns (module, its inputs). Its weights and inputs are the
same at every call. Shapes are tiny: a case takes well under a second.
"""
import importlib
import inspect

import torch

MODELS = {}  # name -> function () -> (module, inputs)
FAMILIES = ("transformers", "attention", "recurrent", "vision", "others", "training")


def model(build):
    MODELS[build.__name__] = build
    return build


def models_of(table):
    """`@model` for rows (name, class, arguments, inputs): a class that is used in more than one form."""
    for name, kind, arguments, inputs in table:
        MODELS[name] = lambda kind=kind, arguments=arguments, inputs=inputs: (kind(**arguments), inputs())


def rand(*shape, seed=3):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def ints(high, *shape, seed=4):
    return torch.randint(high, shape, generator=torch.Generator().manual_seed(seed))


def build(name):
    """(module, inputs) of a model. Parameters and buffers that are constant at the start are varied, so that none is
    trivial."""
    torch.manual_seed(11)
    module, inputs = MODELS[name]()
    generator = torch.Generator().manual_seed(5)
    with torch.no_grad():
        for key, parameter in module.named_parameters():
            if parameter.is_floating_point() and parameter.numel() > 1 and bool((parameter == parameter.flatten()[0]).all()):
                parameter += 0.1 * torch.randn(parameter.shape, generator=generator)
        for key, buffer in module.named_buffers():
            if "running" in key:
                buffer += 0.1 * torch.rand(buffer.shape, generator=generator)
    return module, inputs


def load():
    for family in FAMILIES:
        importlib.import_module(f"{__name__}.{family}")
    return dict(sorted(MODELS.items()))


def folder():
    return inspect.getfile(load).rsplit("/", 1)[0]
