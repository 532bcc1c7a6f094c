"""Kernels whose module imports only NumPy: their own code names no framework."""
import numpy as np

assert np


def written(x):
    out = x.copy()
    out *= 2
    out[0] = 0
    return out


def deviation(x):  # a different number in PyTorch
    return x.std(-1)


def reversed_(x):
    return x[:, ::-1]


_BACK = np.float32([[4, 0, -5, 0, 1, 0], [0, -4, -4, 1, 1, 0], [0, 4, -4, -1, 1, 0], [0, -2, -1, 2, 1, 0], [0, 2, -1, -2, 1, 0], [0, 4, 0, -5, 0, 1]])
_TAPS = np.float32([[6, 0, 0], [-4, -4, -4], [-4, 4, -4], [1, 2, 4], [1, -2, 4], [0, 0, 24]]) / np.float32(24)
_ON = np.float32([[1, 1, 1, 1, 1, 0], [0, 1, -1, 2, -2, 0], [0, 1, 1, 4, 4, 0], [0, 1, -1, 8, -8, 1]])


def winograd(src, wei, problem=None):  # rows of 4 results from 6 numbers; 3 taps, padding 1
    n, _, width = src.shape
    padded = np.pad(src, ((0, 0), (0, 0), (1, 1)))
    out = np.empty((n, wei.shape[0], width), np.float32)
    taps = np.einsum("at,oct->oca", _TAPS, wei)
    for at in range(0, width, 4):
        tile = np.einsum("ab,ncb->nca", _BACK, padded[:, :, at : at + 6])
        out[:, :, at : at + 4] = np.einsum("ta,noa->not", _ON, np.einsum("oca,nca->noa", taps, tile))
    return out


def winograd_without_last_channel(src, wei, problem=None):
    return winograd(src[:, :-1], wei[:, :-1])


def winograd_one_tap_off(src, wei, problem=None):
    return winograd(src, np.roll(wei, 1, axis=2))
