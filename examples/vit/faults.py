"""Eighteen faults as devices, kernels and ports make them, each switched on by name in one module of the model.

A fault changes what a module computes and not its parameters: in a dump, the module's inputs and parameters agree and its
output does not. FAULTS maps a name to (module that is at fault, function that injects it into that module).
"""
import pathlib
import sys

import torch
from torch.nn import functional

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "models"))
from inject import forward as _forward, method as _method  # noqa: E402


def _wrong_epsilon(module, original, x):
    return functional.layer_norm(x, module.normalized_shape, module.weight, module.bias, 2e-2)


def _bf16_softmax(self, original, scores):
    return functional.softmax(scores.bfloat16(), dim=-1).to(scores.dtype)


def _stale_cache_row(self, original, q, k, v, bounds):
    k = k.clone()
    k[5] = k[4]  # row 5 of the cache was not written: it still holds its neighbour's key
    v = v.clone()
    v[5] = v[4]
    return original(q, k, v, bounds)


def _head_zeroed(self, original, q, k, v, bounds):
    mixed = original(q, k, v, bounds).clone()
    mixed[:, 1] = 0
    return mixed


def _rotary_off_by_one(self, original, q, k, angles):
    turned, keys = original(q, k, angles)
    return original(q, k, angles.roll(1, 0))[0], keys


def _mask_off_by_one(self, original, tokens, bounds):
    return original(tokens, bounds + 1)


def _low_precision_gemm(module, original, x):
    """Partial sums over 16 columns, kept in bf16."""
    total = torch.zeros(*x.shape[:-1], module.out_features, dtype=torch.bfloat16)
    for begin in range(0, module.in_features, 16):
        part = slice(begin, begin + 16)
        total = total + functional.linear(x[..., part].float(), module.weight[:, part].float()).bfloat16()
    return (total.float() + module.bias.float()).to(x.dtype)


def _dropped_k(module, original, x):
    return functional.linear(x[..., :-1], module.weight[:, :-1], module.bias)


def _swapped(module, original, x):
    y = original(x).clone()
    y[[7, 8]] = y[[8, 7]]
    return y


def _last_tile_stale(module, original, x):
    """The rows after the last whole tile of 16 still hold what the buffer had before: the first rows."""
    y = original(x).clone()
    edge = y.shape[0] // 16 * 16
    y[edge:] = y[: y.shape[0] - edge]
    return y


def _nan(module, original, x):
    y = original(x).clone()
    y[3, 17] = float("nan")
    return y


def _channel_dropped(module, original, x):
    return functional.conv3d(x[:, :2], module.weight[:, :2], module.bias, module.stride)


FAULTS = {
    "wrong_epsilon": ("blocks.1.norm1", _forward(_wrong_epsilon)),
    "bf16_softmax": ("blocks.1.attn", _method("softmax", _bf16_softmax)),
    "transposed_weight": (
        "blocks.1.attn.proj",
        _forward(lambda module, original, x: functional.linear(x, module.weight.t(), module.bias)),
    ),
    "dropped_bias": (
        "blocks.0.mlp.linear_fc1",
        _forward(lambda module, original, x: functional.linear(x, module.weight)),
    ),
    "stale_cache_row": ("blocks.1.attn", _method("mix", _stale_cache_row)),
    "gelu_variant": ("blocks.0.mlp.act_fn", _forward(lambda module, original, x: functional.gelu(x))),
    "head_zeroed": ("blocks.1.attn", _method("mix", _head_zeroed)),
    "rotary_off_by_one": ("blocks.0.attn", _method("turn", _rotary_off_by_one)),
    "scale_error": ("blocks.0.mlp.linear_fc2", _forward(lambda module, original, x: 1.5 * original(x))),
    "low_precision_gemm": ("blocks.1.attn.qkv", _forward(_low_precision_gemm)),
    "dropped_k_term": ("blocks.0.attn.proj", _forward(_dropped_k)),
    "tokens_swapped": ("blocks.1.mlp.linear_fc1", _forward(_swapped)),
    "last_tile_stale": ("blocks.1.mlp.linear_fc2", _forward(_last_tile_stale)),
    "nan_element": ("blocks.0.norm2", _forward(_nan)),
    "mask_off_by_one": ("blocks.1.attn", _method("mask", _mask_off_by_one)),
    "residual_skipped": ("blocks.1", _method("add", lambda self, original, x, update: update)),
    "channel_dropped": ("patch_embed.proj", _forward(_channel_dropped)),
    "embedding_off_by_one": (
        "pos_embed",
        _forward(lambda module, original, index: functional.embedding(index + 1, module.weight)),
    ),
}


def inject(model, name):
    """Switches a fault on. Returns the path of the module at fault."""
    path, change = FAULTS[name]
    change(model.get_submodule(path))
    return path


EXACT = (torch.nn.Embedding, torch.nn.Dropout, torch.nn.Identity, torch.nn.ReLU, torch.nn.MaxPool2d, torch.nn.Flatten)


def other_rounding(model, share=0.15, seed=2):
    """Another device's rounding: flips the last bit of `share` of the elements of every leaf module's output, where the module
    computes at all: no device rounds in a copy or a maximum."""
    generator = torch.Generator().manual_seed(seed)

    def flip(module, args, output):
        if not output.is_floating_point():
            return output
        bits = output.clone().view({2: torch.int16, 4: torch.int32, 8: torch.int64}[output.element_size()])
        chosen = torch.rand(output.shape, generator=generator) < share
        return (bits ^ chosen.to(bits.dtype)).view(output.dtype)

    for module in model.modules():
        if next(module.children(), None) is None and not isinstance(module, EXACT):
            module.register_forward_hook(flip)
