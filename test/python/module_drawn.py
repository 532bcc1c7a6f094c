"""Calls of modules with drawn shapes, epsilons and parameters, as in a recording: for each formula of src/assay/trace/ModulePrograms.cpp and
ModuleGradients.cpp the module of PyTorch that it describes."""
import dataclasses
import math
import typing

import torch
from torch import nn

from assay.torch.tensors import settings

FLOATS = (torch.float64, torch.float32)


@dataclasses.dataclass
class Call:
    """Tensors by the names of a recording after "MODULE.CLASS.": "0.forward_input.0", "params_grad.weight"; `output` is the one to judge."""

    class_name: str
    tensors: dict
    output: str
    right: typing.Any = None  # another right output; default: changed in the last place
    wrong: typing.Any = None  # default: one element moved
    settings: typing.Any = None  # the module's settings, where they were recorded


def near(d, epsilon, shape):
    """Values whose variance is of the size of epsilon: a wrong epsilon shows, and so does one that is added elsewhere."""
    return d.floats(shape, d.pick(0.5, 1, 2) * epsilon**0.5, d.pick(0, 0, 1) * epsilon**0.5)


def forward(module, x, class_name="", recorded=False):
    module = module.to(x.dtype if x.is_floating_point() else module.weight.dtype)
    parameters = {f"0.forward_params.{name}": value.detach().clone() for name, value in [*module.named_parameters(), *module.named_buffers()]}
    y = module(x)
    made_with = settings(module) if recorded else None
    tensors = parameters | {"0.forward_input.0": x, "0.forward_output.0": y.detach()}
    return Call(class_name or type(module).__name__, tensors, "0.forward_output.0", settings=made_with)


def drawn(d, module):
    """The module with drawn parameters in the drawn type."""
    module = module.to(d.dtype)
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.copy_(d.floats(parameter.shape))
    return module


def rows(d, width):
    return [*d.shape(0, 3, most=4), width]


def linear(d):
    module = drawn(d, nn.Linear(d.whole(1, 24), d.whole(1, 9), bias=d.chance(0.6)))
    return forward(module, d.floats(rows(d, module.in_features)))


def layer_norm(epsilon):
    def call(d):
        options = {} if epsilon == 1e-5 and d.chance(0.5) else {"eps": epsilon}
        options |= d.pick({}, {"elementwise_affine": False}, {"bias": False})
        width = d.whole(3, 12)
        module = drawn(d, nn.LayerNorm(d.pick(width, [width]), **options))
        return forward(module, near(d, epsilon, rows(d, width)))

    return call


def rms_norm(epsilon):
    def call(d):
        left_out = epsilon == torch.finfo(d.dtype).eps
        width = d.whole(3, 12)
        module = drawn(d, nn.RMSNorm(width, None if left_out else epsilon, elementwise_affine=d.chance(0.6)))
        return forward(module, near(d, epsilon, rows(d, width)), d.pick("RMSNorm", "LlamaRMSNorm"))

    return call


class QuickGELU(nn.Module):
    def forward(self, x):
        return x * torch.sigmoid(1.702 * x)


def plain(*made):
    return lambda d: forward(d.pick(*made)(), d.floats(d.shape(1, 4, least=2), d.pick(1, 4)))


def embedding(d):
    count = d.whole(2, 9)
    module = drawn(d, nn.Embedding(count, d.whole(1, 6), padding_idx=d.pick(None, 0)))
    return forward(module, d.indices(d.shape(1, 3), count))


def handed_on(*made):
    return lambda d: forward(d.pick(*made)().eval(), d.floats(d.shape(1, 3, least=2)))


def only(dtype, make):
    """The epsilon of a type."""

    def call(d):
        d.dtype = dtype
        return make(d)

    return call


# By the name of a row and, where it has one, its epsilon.
FORWARD = {
    "x W^T + b": linear,
    **{("layer norm", eps): layer_norm(eps) for eps in (1e-3, 1e-5, 1e-6, 1e-12)},
    **{("rms norm", eps): rms_norm(eps) for eps in (1e-5, 1e-6, 1e-8)},
    **{("rms norm", torch.finfo(t).eps): only(t, rms_norm(torch.finfo(t).eps)) for t in FLOATS},
    "gelu (tanh)": plain(lambda: nn.GELU("tanh")), "gelu (erf)": plain(nn.GELU, lambda: nn.GELU("none")), "gelu (sigmoid)": plain(QuickGELU),
    "silu": plain(nn.SiLU), "relu": plain(nn.ReLU), "sigmoid": plain(nn.Sigmoid), "tanh": plain(nn.Tanh),
    "softmax": plain(lambda: nn.Softmax(dim=-1)), "row of the table": embedding,
    "identity": handed_on(nn.Identity, nn.Dropout, nn.Dropout1d, lambda: nn.Dropout(0.0)),
}  # fmt: skip
EXACT = {"relu", "row of the table", "identity"}  # these do not round


def gradient(d, module, parameter, inputs):
    """All calls of a module, backward: the inputs and gradients of each, and the parameter's gradient."""
    tensors, total, kept = {}, 0, []
    for i, x in enumerate(inputs):
        y = module(x)
        g = d.floats(y.shape)
        total = total + (y * g).sum()
        tensors |= {f"{i}.forward_input.0": x, f"{i}.forward_output.0": y.detach()}
        kept.append((f"{i}.backward_grad_output.0", g))
    total.backward()
    tensors |= dict(reversed(kept))
    tensors[f"params_grad.{parameter}"] = getattr(module, parameter).grad
    return Call(type(module).__name__, tensors, f"params_grad.{parameter}")


def several(d, draw):
    first = draw()
    return [first] + [d.floats(first.shape, float(first.std()) or 1.0) for _ in range(d.whole(0, 2))]


def of_rows(make, parameter, epsilon=None):
    def call(d):
        width = d.whole(3, 9)
        module = drawn(d, make(width))
        wide = [d.whole(2, 4), *rows(d, width)]
        return gradient(d, module, parameter, several(d, lambda: near(d, epsilon, wide) if epsilon else d.floats(wide)))

    return call


def of_images(make, parameter, epsilon=None, least=1):
    def call(d):
        channels, dims = d.pick(2, 4, 6), d.whole(1, 3)
        module = drawn(d, make(d, channels, dims))
        shape = [d.whole(2, 3), channels, *(d.whole(max(least, 2), 4) for _ in range(dims))]
        return gradient(d, module, parameter, several(d, lambda: near(d, epsilon, shape) if epsilon else d.floats(shape)))

    return call


def convolution(d, channels, dims):
    kind = (nn.Conv1d, nn.Conv2d, nn.Conv3d)[dims - 1]
    return kind(channels, d.pick(2, 4), d.whole(1, 3), stride=d.whole(1, 2), padding=d.whole(1, 2), groups=d.pick(1, 2))


def batch_norm(epsilon):
    return lambda d, channels, dims: (nn.BatchNorm1d, nn.BatchNorm2d, nn.BatchNorm3d)[dims - 1](channels, **({} if epsilon == 1e-5 else {"eps": epsilon}))


def group_norm(d, channels, dims):
    return nn.GroupNorm(d.pick(1, 2, channels), channels)


# By the class, the parameter and the epsilon of a row.
BACKWARD = {
    ("Linear", "bias", 0): of_rows(lambda width: nn.Linear(width, 5), "bias"),
    ("Linear", "weight", 0): of_rows(lambda width: nn.Linear(width, 5), "weight"),
    ("LayerNorm", "bias", 0): of_rows(nn.LayerNorm, "bias"),
    ("Conv", "bias", 0): of_images(convolution, "bias"),
    ("GroupNorm", "bias", 0): of_images(group_norm, "bias"),
    ("BatchNorm", "bias", 0): of_images(batch_norm(1e-5), "bias"),
    **{("LayerNorm", "weight", eps): of_rows(lambda width, eps=eps: nn.LayerNorm(width, eps), "weight", eps) for eps in (1e-3, 1e-5, 1e-6, 1e-12)},
    **{("RMSNorm", "weight", eps): of_rows(lambda width, eps=eps: nn.RMSNorm(width, eps), "weight", eps) for eps in (1e-5, 1e-6, 1e-8)},
    **{("RMSNorm", "weight", torch.finfo(t).eps): only(t, of_rows(nn.RMSNorm, "weight", torch.finfo(t).eps)) for t in FLOATS},
    **{("BatchNorm", "weight", eps): of_images(batch_norm(eps), "weight", eps) for eps in (1e-3, 1e-5)},
}  # fmt: skip


def turned(x, angles):
    """Rotary embedding of [sequences, heads, tokens, channels]."""
    low, high = x.chunk(2, -1)
    c, s = angles.cos(), angles.sin()
    return torch.cat([low * c - high * s, high * c + low * s], -1)


def attention(d, mask, rotary=False):
    """From the projections to the input of the output projection: heads, groups of keys, sequences, tokens, the mask. A rotary embedding is
    recorded as its angles or as their cosines and sines, once for all sequences or for each."""
    channels, groups, shared = d.pick(8, 16, 24), d.whole(1, 2), d.whole(1, 3)
    heads, tokens = groups * shared, d.whole(4, 9)
    sequences = 1 if mask == "blocks" else d.whole(1, 3)
    lead = d.pick([sequences, tokens], [sequences, tokens]) if sequences > 1 else d.pick([tokens], [1, tokens])
    q, k, v = (d.floats([*lead, one * channels]) for one in (heads, groups, groups))
    tensors = {"q.Linear.0.forward_output.0": q, "k.Linear.0.forward_output.0": k, "v.Linear.0.forward_output.0": v}
    if shared == 1 and d.chance(0.5):
        tensors = {"qkv.Linear.0.forward_output.0": torch.cat([q, k, v], -1)}
    angles, bounds = d.uniform([tokens, channels // 2], -3, 3), torch.tensor([0, d.whole(1, tokens - 1)])
    if rotary:
        each = angles if d.chance(0.5) else angles.repeat(sequences, 1)
        both = torch.cat([each, each], -1) if d.chance(0.5) else each
        table = d.pick([each], [both.cos(), both.sin()])
        tensors = {f"rotary.Table.0.forward_input.{i}": part for i, part in enumerate(table)} | tensors
    if mask == "blocks":
        tensors = {"bounds.Bounds.0.forward_input.0": bounds} | tensors
    part = lambda x, count: x.reshape(sequences, tokens, count, channels).transpose(1, 2)  # noqa: E731
    qs, ks, vs = part(q, heads), part(k, groups), part(v, groups)
    if rotary:
        qs, ks = turned(qs, angles), turned(ks, angles)

    def result(shift):
        seen = torch.ones(tokens, tokens, dtype=torch.bool)
        if mask == "causal":
            seen = seen.tril(shift)
        elif mask == "blocks":
            block = torch.searchsorted(bounds, torch.arange(tokens), right=True) + 0
            seen = block[:, None] == block[None, :]
            seen[0, -1] |= shift != 0
        elif shift:
            seen[0, 0] = False
        y = nn.functional.scaled_dot_product_attention(qs, ks, vs, attn_mask=seen, enable_gqa=shared > 1)
        return y.transpose(1, 2).reshape(*lead, heads * channels)

    due = result(0)
    return Call("", tensors | {"proj.Linear.0.forward_input.0": due}, "proj.Linear.0.forward_input.0", due + due.abs() * torch.finfo(d.dtype).eps, result(1))


ATTENTION = {
    f"{kind}{', rotary' if rotary else ''}": lambda d, kind=kind, rotary=rotary: attention(d, kind, rotary) for kind in ("", "causal", "blocks") for rotary in (False, True)
}


def windows(d, dims):
    """Settings of a convolution: one number for all dimensions, or one for each."""
    each = lambda low, high: d.pick(d.whole(low, high), tuple(d.whole(low, high) for _ in range(dims)))  # noqa: E731
    return {"stride": each(1, 2), "padding": each(0, 2), "dilation": each(1, 2), "groups": d.pick(1, 2), "bias": d.chance(0.5)}


def convolution_of(kind, dims):
    def module(d):
        options = windows(d, dims)
        if "Transpose" in kind:
            options |= {"stride": 2, "output_padding": d.whole(0, 1)}
        return drawn(d, getattr(nn, kind)(4, d.pick(2, 4), d.pick(d.whole(1, 3), tuple(d.whole(1, 3) for _ in range(dims))), **options))

    return module


def convolved(kind, dims):
    def call(d):
        module = convolution_of(kind, dims)(d)
        return module, d.floats([d.whole(1, 3), 4, *(d.whole(5, 7) for _ in range(dims))])

    return call


def statistics(d, module):
    with torch.no_grad():
        for name, value in module.named_buffers():
            if value.is_floating_point():
                value.copy_(d.uniform(value.shape, 0.5, 2) if "var" in name else d.floats(value.shape))
    return module


def batch_normed(dims):
    def call(d):
        options = d.pick({}, {"eps": d.uniform([], 0.001, 0.5).item()}, {"affine": False}, {"track_running_stats": False})
        module = drawn(d, (nn.BatchNorm1d, nn.BatchNorm2d, nn.BatchNorm3d)[dims - 1](3, **options))
        return statistics(d, module).train(d.chance(0.5)), d.floats([d.whole(2, 3), 3, *(d.whole(2, 4) for _ in range(dims))])

    return call


def group_normed(d):
    options = d.pick({}, {"eps": d.uniform([], 0.001, 0.5).item()}, {"affine": False})
    module = drawn(d, nn.GroupNorm(d.pick(1, 2, 3, 6), 6, **options))
    return module, d.floats([d.whole(1, 3), 6, *d.shape(1, 3, least=2, most=4)])


def layer_normed(d):
    shape = d.shape(1, 4, least=2)
    options = d.pick({}, {"eps": d.uniform([], 0.001, 0.5).item()}, {"elementwise_affine": False}, {"bias": False})
    module = drawn(d, nn.LayerNorm(shape[-d.whole(1, len(shape)) :], **options))
    return module, d.floats(shape)


def activation(*made):
    """Modules with a drawn parameter, on both sides of 0 and at their limits."""
    return lambda d: (d.pick(*made)(d), d.floats(d.shape(1, 4, least=2), d.pick(1, 4)))


def over_dimension(kind):
    def call(d):
        shape = d.shape(1, 4, least=2)
        return kind(dim=d.axis(len(shape))), d.floats(shape, 3)

    return call


def pooled(kind):
    def call(d):
        kernel = d.pick(d.whole(2, 3), (d.whole(2, 3), d.whole(2, 3)))
        options = d.pick({}, {"stride": d.whole(1, 3)}, {"padding": 1}, {"stride": (2, 1), "padding": (0, 1)})
        options |= d.pick({}, {"ceil_mode": True}, {"count_include_pad": False}, {"ceil_mode": True, "count_include_pad": False}, {"divisor_override": 7}) if kind is nn.AvgPool2d else d.pick({}, {"dilation": 2})
        return kind(kernel, **options), d.floats([d.whole(1, 2), d.whole(1, 3), d.whole(6, 9), d.whole(6, 9)])

    return call


CONVOLUTIONS = {f"{kind}{dims}d": (f"{kind}{dims}d", dims) for kind in ("Conv", "ConvTranspose") for dims in (1, 2, 3)}

# By the class of a row of ModuleOperators.cpp: modules whose settings were recorded, each with an input.
MODULES = {
    **{name: convolved(*which) for name, which in CONVOLUTIONS.items()},
    **{f"BatchNorm{dims}d": batch_normed(dims) for dims in (1, 2, 3)},
    "GroupNorm": group_normed, "LayerNorm": layer_normed,
    "LeakyReLU": activation(lambda d: nn.LeakyReLU(), lambda d: nn.LeakyReLU(d.number(0, 2))),
    "ELU": activation(lambda d: nn.ELU(), lambda d: nn.ELU(d.number(0.1, 3))),
    "CELU": activation(lambda d: nn.CELU(), lambda d: nn.CELU(d.number(0.25, 3))),
    "SELU": activation(lambda d: nn.SELU()), "Mish": activation(lambda d: nn.Mish()),
    "Softplus": activation(lambda d: nn.Softplus(), lambda d: nn.Softplus(d.number(0.25, 3), d.number(1, 4))),
    "Hardswish": activation(lambda d: nn.Hardswish()), "Hardsigmoid": activation(lambda d: nn.Hardsigmoid()),
    "Hardtanh": activation(lambda d: nn.Hardtanh(), lambda d: nn.Hardtanh(d.number(-2, -0.5), d.number(0.5, 2))), "ReLU6": activation(lambda d: nn.ReLU6()),
    "Softmax": over_dimension(nn.Softmax), "LogSoftmax": over_dimension(nn.LogSoftmax),
    "MaxPool2d": pooled(nn.MaxPool2d), "AvgPool2d": pooled(nn.AvgPool2d),
}  # fmt: skip
EXACT |= {"Hardtanh", "ReLU6", "MaxPool2d"}
RECORDED = {name: lambda d, make=make: forward(*make(d), recorded=True) for name, make in MODULES.items()}


def backward(of, make):
    """A module's call, backward: the gradient of its input or of its weight."""

    def call(d):
        module, x = make(d)
        module, x = module.to(x.dtype), x.requires_grad_()
        tensors = {f"0.forward_params.{name}": value.detach().clone() for name, value in [*module.named_parameters(), *module.named_buffers()]}
        y = module(x)
        g = d.floats(y.shape)
        (y * g).sum().backward()
        output = "0.backward_grad_input.0" if of == "input" else "params_grad.weight"
        tensors |= {"0.forward_input.0": x.detach(), "0.forward_output.0": y.detach(), "0.backward_grad_output.0": g}
        return Call(type(module).__name__, tensors | {output: x.grad if of == "input" else module.weight.grad}, output, settings=settings(module))

    return call


def beside_terms(make):
    """Over two elements a normalisation's gradient is the small remainder of terms that cancel: only a fault larger than the terms' roundings
    shows."""

    def call(d):
        made = make(d)
        if math.prod(made.settings["normalized_shape"]) == 2:
            y = made.tensors[made.output]
            made.wrong = y.clone()
            made.wrong.view(-1)[y.numel() // 2] += 0.3 * y.abs().max().item()
        return made

    return call


CONVOLUTION_GRADIENTS = {f"{name} {of}": backward(of, MODULES[name]) for name in CONVOLUTIONS for of in ("input", "weight")}
# By the class of a gradient's row, except for convolutions.
INPUT_GRADIENTS = {
    **{name: backward("input", MODULES[name]) for name in ("BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "GroupNorm", "LeakyReLU", "Mish", "Hardswish", "Softmax", "LogSoftmax")},
    **{kind.__name__: backward("input", activation(lambda d, kind=kind: kind())) for kind in (nn.ReLU, nn.SiLU, nn.Tanh, nn.Sigmoid)},
    "LayerNorm": beside_terms(backward("input", MODULES["LayerNorm"])),
    # Far below 0 its slope is what remains of 1 + erf after cancellation; there a bound says less than rule dtype.
    "GELU": backward("input", lambda d: (d.pick(nn.GELU(), nn.GELU("tanh")), d.floats(d.shape(1, 4, least=2)))),
}
