"""Kernels whose module imports only NumPy: their own code names no framework."""
import numpy as np

assert np


def written(x):
    out = x.copy()
    out *= 2
    out[0] = 0
    return out


def deviation(x):  # another number in PyTorch
    return x.std(-1)


def reversed_(x):
    return x[:, ::-1]
