"""The same models as PyTorch modules: torchvision's and transformers' own, with random weights, so that the exported programs are those of their
users."""
import os
import sys
import warnings

import torch
from torch import nn

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
warnings.filterwarnings("ignore")


def import_torchvision():
    """torchvision's wheel may be for another build of PyTorch. Its own operators are missing then, but no model here needs them. (transformers
    imports torchvision too.)"""
    register = torch.library.register_fake
    lenient = lambda op, *rest, **words: (lambda f: f) if str(op).startswith("torchvision::") else register(op, *rest, **words)
    torch.library.register_fake = lenient
    try:
        import torchvision
    except ImportError:
        return None
    finally:
        torch.library.register_fake = register
    return torchvision


def torchvision(name, batch=1):
    return getattr(import_torchvision().models, name)(weights=None), (torch.randn(batch, 3, 224, 224),)


class FirstResult(nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def forward(self, ids):
        return self.inner(ids, return_dict=False)[0]


def transformer(kind, tokens=128, words=30000, **configuration):
    """`kind`: (the class of the model, the class of its configuration) in transformers."""
    import_torchvision()
    import transformers

    model, configure = (getattr(transformers, name) for name in kind)
    extra = {"add_pooling_layer": False} if kind[0] == "BertModel" else {}
    return FirstResult(model(configure(**configuration), **extra)), (torch.randint(0, words, (1, tokens)),)


class Decoder(nn.Module):
    """One step of GPT-2 small: one more token, with the keys and values of the previous ones."""

    def __init__(self, past=128, words=50257, width=768, heads=12, layers=12):
        super().__init__()
        self.heads, self.past = heads, past
        self.table, self.place = nn.Embedding(words, width), nn.Embedding(1024, width)
        part = lambda: nn.ModuleDict(dict(a=nn.LayerNorm(width), qkv=nn.Linear(width, 3 * width), out=nn.Linear(width, width),
                                          b=nn.LayerNorm(width), up=nn.Linear(width, 4 * width), down=nn.Linear(4 * width, width)))
        self.blocks, self.norm = nn.ModuleList(part() for _ in range(layers)), nn.LayerNorm(width)

    def forward(self, ids, keys, values, position):
        x = self.table(ids) + self.place(position)
        here = torch.arange(self.past)
        new = [], []
        for i, block in enumerate(self.blocks):
            q, k, v = block["qkv"](block["a"](x)).view(3, self.heads, 1, -1)
            k = torch.where((here == position)[None, :, None], k, keys[i])
            v = torch.where((here == position)[None, :, None], v, values[i])
            scores = (q @ k.transpose(1, 2) / q.shape[-1] ** 0.5).masked_fill(here > position, -1e9)
            x = x + block["out"]((scores.softmax(-1) @ v).view(1, -1))
            x = x + block["down"](nn.functional.gelu(block["up"](block["b"](x)), approximate="tanh"))
            new[0].append(k)
            new[1].append(v)
        return self.norm(x) @ self.table.weight.T, torch.stack(new[0]), torch.stack(new[1])


def decoder(past=128):
    cache = torch.randn(2, 12, 12, past, 64)
    return Decoder(past), (torch.tensor([7]), cache[0], cache[1], torch.tensor([past - 1]))


class Sequence(nn.Module):
    def __init__(self, width=512):
        super().__init__()
        self.layer = nn.LSTM(width, width)

    def forward(self, x):
        return self.layer(x)[0]


def lstm(steps=100, batch=8, width=512):
    return Sequence(width), (torch.randn(steps, batch, width),)


def made(build):
    """(module, arguments), the same at each call."""
    torch.manual_seed(7)
    module, arguments = build()
    return module.eval(), arguments


def export(build):
    """(text, inputs, outputs) as torch.export and torchax write them: weights are arguments."""
    sys.path.append(os.path.join(ROOT, "utils/whole_programs"))
    from torch_models import exported

    return exported(*made(build))


def export_by_assay(build, folder):
    """Writes program.mlir and data.npz by assay.torch.export."""
    import numpy

    import assay.torch

    module, arguments = made(build)
    assay.torch.export(module, *arguments).save(folder / "program.mlir", *arguments)
    with torch.inference_mode():
        results = module(*arguments)
    results = results if isinstance(results, tuple) else (results,)
    with numpy.load(folder / "program.npz") as inputs:
        numpy.savez(folder / "data.npz", **inputs, **{f"out{i}": one.numpy() for i, one in enumerate(results)})
