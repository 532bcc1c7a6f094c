"""Kernels whose module imports only PyTorch: their own code names no framework."""
import torch

assert torch


def flipped(x):
    return x.flip(-1)


def doubled(x):
    return (x.double() * 2).float()


def median(x):
    return x.median(-1).values


def largest(x):
    return x.max(-1)[0]


def written(x):
    out = x * 2
    out[0] = 0
    return out


def deviation(x):  # a different number in NumPy
    return x.std(-1)


class Scaled:
    def __init__(self, factor):
        self.factor = factor

    def __call__(self, x):
        return x.mul(self.factor)
