"""Products, convolutions, norms, pools, attention and their gradients: windows, paddings, groups, epsilons, optional arguments."""
import torch

A = torch.ops.aten
DRAWS = {}
WIDE = (torch.float64, torch.float64, torch.float32)  # types of norms and gradients, whose statistics are recorded


def sizes(d, count):
    return [d.whole(1, 6) for _ in range(count)]


def product(name, *shapes, added=None):
    def call(d):
        by = dict(zip("mnkb", sizes(d, 4)))
        made = [d.floats([by[letter] for letter in word]) for word in shapes]
        if added is None:
            return tuple(made), {}
        bias = d.joined([by[letter] for letter in added]) if len(added) == 2 else [by[letter] for letter in added]
        return (d.floats(bias), *made), {"beta": d.pick(1, 0.5, 0, 2), "alpha": d.pick(1, -2, 0.5)}

    DRAWS[f"{name}.default"] = call


product("mm", "mk", "kn"), product("bmm", "bmk", "bkn"), product("mv", "mk", "k"), product("dot", "k", "k")
product("addmm", "mk", "kn", added="mn"), product("addmv", "mk", "k", added="m"), product("baddbmm", "bmk", "bkn", added="bmn")


def windows(d, transposed):
    """Input, kernel and the arguments of a convolution that fit together."""
    d.dtype = d.pick(*WIDE)
    dims, groups = d.whole(1, 3), d.whole(1, 3)
    kernel, dilation, stride = [d.whole(1, 3) for _ in range(dims)], [d.whole(1, 2) for _ in range(dims)], [d.whole(1, 3) for _ in range(dims)]
    padding = [d.whole(0, 2) for _ in range(dims)]
    space = [max(1, (k - 1) * r + 1 - 2 * p) + d.whole(0, 4) for k, r, p in zip(kernel, dilation, padding)]
    cin, cout, images = groups * d.whole(1, 2), groups * d.whole(1, 2), d.whole(1, 2)
    weight = [cin, cout // groups, *kernel] if transposed else [cout, cin // groups, *kernel]
    extra = [d.whole(0, max(s, r) - 1) for s, r in zip(stride, dilation)] if transposed else [0] * dims
    shared = lambda one: one[:1] if len(set(one)) == 1 and d.chance(0.3) else one  # noqa: E731
    return d.floats([images, cin, *space]), d.floats(weight), cout, (shared(stride), shared(padding), shared(dilation), transposed, extra, groups)


def convolution(d):
    x, w, cout, options = windows(d, d.chance(0.4))
    return (x, w, d.pick(None, d.floats([cout])), *options), {}


def convolution_backward(d):
    x, w, cout, options = windows(d, d.chance(0.4))
    y = A.convolution.default(x, w, None, *options)
    return (d.floats(y.shape), x, w, [cout], *options, [True, True, d.chance(0.5)]), {}


DRAWS["convolution.default"], DRAWS["convolution_backward.default"] = convolution, convolution_backward


def epsilon(d):
    return d.pick(1e-5, 1e-6, 1e-3, 0.1)


def small(d, shape):
    """Values whose variance is near the usual epsilons: a wrong epsilon shows."""
    return d.floats(shape, d.pick(1, 0.03, 0.003), d.pick(0, 1))


def optional(d, shape):
    return d.pick(None, d.floats(shape), d.floats(shape))


def layer(d):
    d.dtype = d.pick(*WIDE)
    shape = d.shape(1, 4, least=2)
    inner = shape[-d.whole(1, len(shape)) :]
    return small(d, shape), inner


def layer_norm(d):
    x, inner = layer(d)
    return (x, inner, optional(d, inner), optional(d, inner), epsilon(d)), {}


def layer_norm_backward(d):
    x, inner = layer(d)
    x, d.dtype = x.double(), torch.float64  # PyTorch's own sums in f32 cancel where the variance is small
    weight, bias = optional(d, inner), optional(d, inner)
    _, mean, rstd = A.native_layer_norm.default(x, inner, weight, bias, epsilon(d))
    mask = [True, weight is not None, bias is not None]
    return (d.floats(x.shape), x, inner, mean, rstd, weight, bias, mask), {}


DRAWS["native_layer_norm.default"], DRAWS["native_layer_norm_backward.default"] = layer_norm, layer_norm_backward


def grouped(d):
    d.dtype = d.pick(*WIDE)
    groups = d.whole(1, 3)
    channels, images, space = groups * d.whole(1, 3), d.whole(1, 3), [d.whole(2, 4) for _ in range(d.whole(1, 3))]
    x = small(d, [images, channels, *space])
    return x, (images, channels, x.numel() // (images * channels), groups)


def group_norm(d):
    x, numbers = grouped(d)
    return (x, optional(d, numbers[1:2]), optional(d, numbers[1:2]), *numbers, epsilon(d)), {}


def group_norm_backward(d):
    x, numbers = grouped(d)
    x, d.dtype = x.double(), torch.float64
    weight = optional(d, numbers[1:2])
    _, mean, rstd = A.native_group_norm.default(x, weight, None, *numbers, epsilon(d))
    return (d.floats(x.shape), x, mean, rstd, weight, *numbers, [True, weight is not None, weight is not None]), {}


DRAWS["native_group_norm.default"], DRAWS["native_group_norm_backward.default"] = group_norm, group_norm_backward


def batch(d):
    d.dtype = d.pick(*WIDE)
    shape = [d.whole(2, 4), d.whole(1, 4), *(d.whole(1, 4) for _ in range(d.whole(0, 3)))]
    channels = shape[1:2]
    return small(d, shape), optional(d, channels), optional(d, channels), d.floats(channels), d.uniform(channels, 0.001, 2)


def batch_norm(d):
    x, weight, bias, mean, variance = batch(d)
    training = d.chance(0.5)
    if training and d.chance(0.4):
        mean = variance = None
    return (x, weight, bias, mean, variance, training, d.pick(0.1, 0.5), epsilon(d)), {}


def batch_norm_backward(d):
    x, weight, bias, mean, variance = batch(d)
    training, eps = d.chance(0.5), epsilon(d)
    _, own_mean, own_rstd = A.native_batch_norm.default(x, weight, bias, mean.clone(), variance.clone(), training, 0.1, eps)
    return (d.floats(x.shape), x, weight, mean, variance, own_mean, own_rstd, training, eps, [True, weight is not None, weight is not None]), {}


DRAWS["native_batch_norm.default"], DRAWS["native_batch_norm_backward.default"] = batch_norm, batch_norm_backward
DRAWS["_native_batch_norm_legit_no_training.default"] = lambda d: ((*batch(d), d.pick(0.1, 0.5), epsilon(d)), {})


def image(d, least=4, floats=True):
    shape = [*d.shape(1, 2, most=3), d.whole(least, 9), d.whole(least, 9)]
    return d.floats(shape) if floats else d.distinct(shape)


def pair(d, make):
    """One number for both dimensions, or a list of two."""
    made = [make(), make()]
    return made[:1] if made[0] == made[1] and d.chance(0.5) else made


def window(d):
    kernel = pair(d, lambda: d.whole(1, 3))
    both = kernel * 2 if len(kernel) == 1 else kernel
    stride = [] if d.chance(0.3) else pair(d, lambda: d.whole(1, 3))
    padding = [d.whole(0, size // 2) for size in both]
    return kernel, stride, padding


def max_pool(d):
    x = image(d, floats=False)
    return (x, *window(d), pair(d, lambda: d.whole(1, 2)), d.chance(0.3)), {}


def max_pool_backward(d):
    d.dtype = d.pick(*WIDE)
    while True:
        x = image(d, floats=False)
        arguments = (*window(d), [1, 1], d.chance(0.3))
        y, places = A.max_pool2d_with_indices.default(x, *arguments)
        return (d.floats(y.shape), x, *arguments, places), {}


def avg_pool(d):
    kernel, stride, padding = window(d)
    return (image(d), kernel, stride, padding, d.chance(0.1), d.chance(0.8), d.pick(None, None, None, d.whole(1, 5))), {}


DRAWS["max_pool2d_with_indices.default"], DRAWS["max_pool2d_with_indices_backward.default"], DRAWS["avg_pool2d.default"] = max_pool, max_pool_backward, avg_pool


def blocks(d):
    """Lead sizes, coarse sizes, and fine ones that are whole multiples."""
    lead, coarse = d.shape(1, 2, most=3), [d.whole(1, 4), d.whole(1, 4)]
    return lead, coarse, [size * d.whole(1, 3) for size in coarse]


def adaptive(d):
    lead, coarse, fine = blocks(d)
    return (d.floats([*lead, *fine]), coarse), {}


def adaptive_backward(d):
    lead, coarse, fine = blocks(d)
    return (d.floats([*lead, *coarse]), d.floats([*lead, *fine])), {}


def upsample(d):
    _, coarse, fine = blocks(d)
    scales = [f / c for f, c in zip(fine, coarse)] if d.chance(0.5) else [None, None]
    return (d.floats([d.whole(1, 2), d.whole(1, 3), *coarse]), fine, *scales), {}


def upsample_backward(d):
    _, coarse, fine = blocks(d)
    lead = [d.whole(1, 2), d.whole(1, 3)]
    scales = [f / c for f, c in zip(fine, coarse)] if d.chance(0.5) else [None, None]
    return (d.floats([*lead, *fine]), fine, [*lead, *coarse], *scales), {}


DRAWS["_adaptive_avg_pool2d.default"], DRAWS["_adaptive_avg_pool2d_backward.default"] = adaptive, adaptive_backward
DRAWS["upsample_nearest2d.default"], DRAWS["upsample_nearest2d_backward.default"] = upsample, upsample_backward


def attention(d):
    d.dtype = d.pick(*WIDE)
    b, h, tokens, channels = d.whole(1, 2), d.whole(1, 3), d.whole(1, 6), d.whole(1, 8)
    causal = d.chance(0.4)
    keys = tokens if causal and d.chance(0.5) else d.whole(1, 7)
    q, k, v = d.floats([b, h, tokens, channels]), d.floats([b, h, keys, channels]), d.floats([b, h, keys, channels])
    options = {} if causal or d.chance(0.5) else {"attn_mask": d.floats([d.pick(1, b), d.pick(1, h), tokens, keys])}
    if options and d.chance(0.4):
        options["attn_mask"][:, :, d.whole(0, tokens - 1)] = float("-inf")  # the row sees nothing
    return (q, k, v, 0.0, causal), options | ({"scale": d.number(0.1, 1)} if d.chance(0.5) else {})


def attention_backward(d):
    (q, k, v, dropout, causal), options = attention(d)
    out, sums = A._scaled_dot_product_flash_attention_for_cpu.default(q, k, v, dropout, causal, **options)
    return (d.floats(out.shape), q, k, v, out, sums, dropout, causal), options


DRAWS["_scaled_dot_product_flash_attention_for_cpu.default"] = attention
DRAWS["_scaled_dot_product_flash_attention_for_cpu_backward.default"] = attention_backward


def volume(d, floats=True):
    shape = [*d.shape(1, 2, most=2), *(d.whole(3, 5) for _ in range(3))]
    return d.floats(shape) if floats else d.distinct(shape)


def window3(d):
    kernel = [d.whole(1, 3) for _ in range(3)]
    return kernel, [] if d.chance(0.3) else [d.whole(1, 3) for _ in range(3)], [d.whole(0, size // 2) for size in kernel]


DRAWS["max_pool3d_with_indices.default"] = lambda d: ((volume(d, False), *window3(d), [1, 1, 1], d.chance(0.3)), {})
DRAWS["avg_pool3d.default"] = lambda d: ((volume(d), *window3(d), d.chance(0.1), d.chance(0.8), d.pick(None, None, d.whole(1, 5))), {})
