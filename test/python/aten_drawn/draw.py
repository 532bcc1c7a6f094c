"""The base of all families: a random source with shapes, tensors and parameters."""
import random

import torch

FLOATS = (torch.float64, torch.float64, torch.float64, torch.float32, torch.float32, torch.float16, torch.bfloat16)
INTS = (torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8)
SPECIAL = (float("inf"), -float("inf"), float("nan"), 0.0, -0.0)


class Draw:
    """The random source of one call; `dtype` is the type of its floats."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.torch = torch.Generator().manual_seed(seed)
        self.dtype = self.random.choice(FLOATS)

    def whole(self, low, high):
        return self.random.randint(low, high)

    def pick(self, *choices):
        return self.random.choice(choices)

    def chance(self, share):
        return self.random.random() < share

    def number(self, low=-3.0, high=3.0):
        """A parameter that every type holds exactly."""
        return round(self.random.uniform(low, high) * 16) / 16

    def shape(self, low=0, high=4, least=1, most=5):
        return [self.whole(least, most) for _ in range(self.whole(low, high))]

    def floats(self, shape, scale=1.0, shift=0.0, special=0.0, dtype=None):
        made = torch.randn(shape, generator=self.torch, dtype=torch.float64) * scale + shift
        if self.chance(special) and made.numel():
            flat = made.view(-1)
            for value in SPECIAL:
                flat[self.whole(0, flat.numel() - 1)] = value
        return made.to(dtype or self.dtype)

    def quarters(self, shape, most=12, nonzero=False):
        """Multiples of 1/4: quotients and remainders of them are exact in every type."""
        made = torch.randint(1 if nonzero else -4 * most, 4 * most + 1, shape, generator=self.torch).double() / 4
        if nonzero:
            made *= torch.where(torch.rand(shape, generator=self.torch) < 0.5, -1.0, 1.0)
        return made.to(self.dtype)

    def uniform(self, shape, low, high, dtype=None):
        return (torch.rand(shape, generator=self.torch, dtype=torch.float64) * (high - low) + low).to(dtype or self.dtype)

    def ints(self, shape, low=-9, high=9, dtype=None):
        dtype = dtype or self.pick(*INTS)
        return torch.randint(0 if dtype == torch.uint8 else low, high + 1, shape, generator=self.torch).to(dtype)

    def indices(self, shape, size, negative=False):
        low = -size if negative else 0
        return torch.randint(low, size, shape, generator=self.torch)

    def bools(self, shape):
        return torch.rand(shape, generator=self.torch) < 0.5

    def distinct(self, shape):
        """Distinct floats, in random order."""
        count = 1
        for size in shape:
            count *= size
        return ((torch.randperm(count, generator=self.torch).double() - count // 2) / 4).reshape(shape).to(self.dtype)

    def anything(self, shape, special=0.0):
        return self.pick(lambda: self.floats(shape, 2, special=special), lambda: self.floats(shape, 2, special=special), lambda: self.ints(shape), lambda: self.bools(shape))()

    def numbers(self, shape, special=0.0):
        return self.floats(shape, 2, special=special) if self.chance(0.7) else self.ints(shape)

    def axis(self, rank, low=None):
        """A dimension, from the front or from the back."""
        at = self.whole(0, max(rank - 1, 0))
        return at - rank if rank and self.chance(0.4) else at

    def axes(self, rank, least=1):
        chosen = self.random.sample(range(rank), self.whole(min(least, rank), rank))
        return [at - rank if self.chance(0.3) else at for at in chosen]

    def joined(self, shape):
        """A shape that broadcasts to this one."""
        kept = shape[self.whole(0, len(shape)) if self.chance(0.4) else 0 :]
        return [1 if self.chance(0.25) else size for size in kept]

    def pair(self, make, other=None):
        whole = self.shape(0, 4)
        shapes = [whole, self.joined(whole)]
        self.random.shuffle(shapes)
        return make(shapes[0]), (other or make)(shapes[1])
