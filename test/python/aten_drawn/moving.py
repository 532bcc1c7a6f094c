"""Rows that move, make or repeat elements: every rank, dimensions from both ends, batches, empty parts."""
import torch

DRAWS = {}


def one(name, *rest, low=0, high=4):
    """x of a random shape and the other arguments that `rest` draws from (d, shape)."""
    def call(d):
        shape = d.shape(low, high)
        return (d.anything(shape), *(part(d, shape) for part in rest)), {}

    DRAWS[name] = call


def regrouped(d, shape):
    """Sizes with the same number of elements; one of them may be -1."""
    sizes = list(shape)
    d.random.shuffle(sizes)
    while len(sizes) > 1 and d.chance(0.5):
        sizes[:2] = [sizes[0] * sizes[1]]
    sizes = [1] * d.whole(0, 1) + sizes
    if sizes and d.chance(0.3):
        sizes[d.whole(0, len(sizes) - 1)] = -1
    return sizes


one("view.default", regrouped), one("_unsafe_view.default", regrouped)
one("unsqueeze.default", lambda d, s: d.whole(-len(s) - 1, len(s)))
one("alias.default"), one("detach.default"), one("lift_fresh.default"), one("lift_fresh_copy.default")


def squeezed(d):
    return d.anything([1 if d.chance(0.5) else size for size in d.shape()])


SAME_WIDTH = ((torch.float32, torch.int32), (torch.float64, torch.int64), (torch.float16, torch.int16), (torch.bfloat16, torch.int16), (torch.int64, torch.uint64), (torch.uint8, torch.int8))
DRAWS["view.dtype"] = lambda d: (lambda kinds: ((d.ints(d.shape(), 0, 99, kinds[0]) if not kinds[0].is_floating_point else d.floats(d.shape(), special=0.2, dtype=kinds[0]), kinds[1]), {}))(d.pick(*SAME_WIDTH))
DRAWS["squeeze.default"] = lambda d: ((squeezed(d),), {})
DRAWS["squeeze.dim"] = lambda d: (lambda x: ((x, d.axis(x.dim())), {}))(squeezed(d))
DRAWS["squeeze.dims"] = lambda d: (lambda x: ((x, d.axes(x.dim(), 0)), {}))(squeezed(d))
TARGETS = (torch.float16, torch.float32, torch.float64, torch.bfloat16, torch.int32, torch.int64, torch.bool)


def turned(d):
    x = d.anything(d.shape())
    return x.permute(d.random.sample(range(x.dim()), x.dim()))


DRAWS["clone.default"] = lambda d: ((turned(d),), {})
DRAWS["_to_copy.default"] = lambda d: ((turned(d),), {"dtype": d.pick(*TARGETS)} if d.chance(0.8) else {})
DRAWS["convert_element_type.default"] = lambda d: ((turned(d), d.pick(*TARGETS)), {})


def expand(d):
    whole = d.shape(0, 4)
    own = [1 if d.chance(0.4) else size for size in whole[d.whole(0, len(whole)) :]]
    behind = len(whole) - len(own)
    return (d.anything(own), [-1 if i >= behind and own[i - behind] == size and d.chance(0.3) else size for i, size in enumerate(whole)]), {}


DRAWS["expand.default"] = expand
DRAWS["copy.default"] = lambda d: (lambda s: ((d.floats(s), d.numbers(d.joined(s))), {}))(d.shape())
one("permute.default", lambda d, s: [at - len(s) if d.chance(0.3) else at for at in d.random.sample(range(len(s)), len(s))])
one("transpose.int", lambda d, s: d.axis(len(s)), lambda d, s: d.axis(len(s)))
one("t.default", high=2)


def joined(d, stacked):
    shape, count = d.shape(0 if stacked else 1, 4), d.whole(1, 4)
    axis = d.axis(len(shape) + stacked)
    parts = []
    for _ in range(count):
        own = list(shape)
        if not stacked:
            own[axis] = d.whole(0, 4)
        parts.append(d.numbers(own))
    if not stacked and d.chance(0.2):
        parts.insert(d.whole(0, count), torch.zeros(0, dtype=d.dtype))
    return (parts, axis), {}


DRAWS["cat.default"] = lambda d: joined(d, False)
DRAWS["stack.default"] = lambda d: joined(d, True)


def sliced(d):
    shape = d.shape(1, 4)
    axis = d.axis(len(shape))
    ends = (None, 9223372036854775807, *range(-6, 7))
    return (d.anything(shape), axis, d.pick(None, *range(-6, 7)), d.pick(*ends), d.whole(1, 3)), {}


DRAWS["slice.Tensor"] = sliced


def selected(d):
    shape = d.shape(1, 4)
    axis = d.axis(len(shape))
    return (d.anything(shape), axis, d.whole(-shape[axis], shape[axis] - 1)), {}


DRAWS["select.int"] = selected


def selected_back(d):
    whole = d.shape(1, 4)
    axis = d.axis(len(whole))
    part = list(whole)
    part.pop(axis)
    return (d.anything(part), whole, axis, d.whole(-whole[axis], whole[axis] - 1)), {}


def sliced_back(d):
    whole = d.shape(1, 4)
    axis = d.axis(len(whole))
    start, step = d.whole(0, whole[axis]), d.whole(1, 3)
    part = list(whole)
    part[axis] = len(range(start, whole[axis], step))
    return (d.anything(part), whole, axis, start, whole[axis], step), {}


DRAWS["select_backward.default"], DRAWS["slice_backward.default"] = selected_back, sliced_back


def split(d):
    shape = d.shape(1, 4)
    axis = d.axis(len(shape))
    return (d.anything(shape), d.whole(1, shape[axis] + 1), axis), {}


def split_sizes(d):
    shape = d.shape(1, 4)
    axis = d.axis(len(shape))
    left, sizes = shape[axis], []
    while left:
        sizes.append(d.whole(0, left))
        left -= sizes[-1]
    return (d.anything(shape), sizes, axis), {}


DRAWS["split.Tensor"] = DRAWS["unsafe_split.Tensor"] = split
DRAWS["split_with_sizes.default"] = split_sizes
one("unbind.int", lambda d, s: d.axis(len(s)), low=1)
one("flip.default", lambda d, s: d.axes(len(s), 0))


def roll(d):
    shape = d.shape(0, 4)
    axes = d.axes(len(shape), 0)
    return (d.anything(shape), [d.whole(-7, 7) for _ in axes] or [d.whole(-7, 7)], axes), {}


DRAWS["roll.default"] = roll
one("repeat.default", lambda d, s: [d.whole(1, 3) for _ in range(len(s) + d.whole(0, 2))])


def padded(d):
    shape = d.shape(1, 4, least=2)
    amounts = [d.whole(-1, 3) if d.chance(0.3) else d.whole(0, 3) for _ in range(2 * d.whole(1, len(shape)))]
    return (d.numbers(shape), amounts, d.pick(0, 1, 2)), {}


DRAWS["constant_pad_nd.default"] = padded
for name in ("tril", "triu"):
    one(f"{name}.default", lambda d, s: d.pick(0, d.whole(-5, 5)), low=2)

KINDS = (None, torch.float32, torch.float64, torch.int64, torch.int32)


def typed(d):
    return {} if d.chance(0.4) else {"dtype": d.pick(*KINDS[1:])}


DRAWS["arange.default"] = lambda d: ((d.pick(d.whole(0, 9), d.number(0.25, 9)),), typed(d))
DRAWS["arange.start"] = lambda d: ((d.whole(-4, 2), d.whole(2, 9)), typed(d))
DRAWS["arange.start_step"] = lambda d: ((d.whole(-4, 2), d.whole(2, 9), d.whole(1, 3)), typed(d)) if d.chance(0.6) else ((d.number(-4, 0), d.number(0, 4), d.pick(0.25, 0.5, 1.5)), {})
DRAWS["linspace.default"] = lambda d: ((d.number(), d.number(), d.whole(1, 12)), {} if d.chance(0.5) else {"dtype": torch.float64})


def options(d, like=False):
    return {} if d.chance(0.5) else {"dtype": d.pick(torch.float64, torch.int32, torch.bool, torch.float16)}


for name, value in (("zeros", ()), ("ones", ()), ("full", (0,))):
    fill = (lambda d: (d.pick(2, 1.5, True, float("-inf")),)) if value else (lambda d: ())
    floating = (lambda d: {}) if value else options
    DRAWS[f"{name}.default"] = lambda d, fill=fill, options=floating: ((d.shape(0, 3), *fill(d)), options(d))
    DRAWS[f"{name}_like.default"] = lambda d, fill=fill, options=floating: ((d.floats(d.shape(0, 3)), *fill(d)), options(d))
    DRAWS[f"new_{name}.default"] = lambda d, fill=fill, options=floating: ((d.floats(d.shape(0, 3)), d.shape(0, 3), *fill(d)), options(d))
DRAWS["zero.default"] = lambda d: ((d.anything(d.shape()),), {})
DRAWS["scalar_tensor.default"] = lambda d: ((d.pick(d.number(), d.whole(-3, 3)),), options(d))
DRAWS["fill.Scalar"] = lambda d: ((d.floats(d.shape()), d.pick(d.number(), d.whole(-3, 3))), {})
