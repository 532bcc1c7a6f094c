"""The layers of the benchmark: the convolutions, and their three directions as programs (as JAX writes them) and as calls of PyTorch."""
from dataclasses import dataclass

import jax
import ml_dtypes
import numpy as np
import torch


@dataclass
class Layer:
    name: str
    inputs: int
    outputs: int
    size: tuple  # of the image, without batch and channels
    kernel: int
    stride: int = 1
    dilation: int = 1
    groups: int = 1
    batch: int = 2

    @property
    def pad(self):
        return (self.kernel - 1) // 2 * self.dilation if self.kernel > self.stride else 0

    @property
    def result_size(self):
        return tuple((n + 2 * self.pad - self.dilation * (self.kernel - 1) - 1) // self.stride + 1 for n in self.size)

    @property
    def flops(self):
        taps = self.kernel ** len(self.size) * self.inputs // self.groups
        return 2 * self.batch * self.outputs * taps * int(np.prod(self.result_size))


LAYERS = [
    Layer("resnet50 stem", 3, 64, (224, 224), 7, 2),
    Layer("resnet50 3x3 64", 64, 64, (56, 56), 3),
    Layer("resnet50 1x1 256-128", 256, 128, (56, 56), 1),
    Layer("resnet50 1x1 s2 512-1024", 512, 1024, (28, 28), 1, 2),
    Layer("resnet50 3x3 s2 512", 512, 512, (14, 14), 3, 2),
    Layer("vgg19 3x3 128", 128, 128, (112, 112), 3, batch=1),
    Layer("mobilenet dw 3x3 96", 96, 96, (112, 112), 3, 2, groups=96),
    Layer("mobilenet dw 3x3 576", 576, 576, (14, 14), 3, groups=576),
    Layer("mobilenet dw 5x5 120", 120, 120, (28, 28), 5, groups=120),
    Layer("convnext dw 7x7 96", 96, 96, (56, 56), 7, groups=96),
    Layer("convnext dw 7x7 768", 768, 768, (7, 7), 7, groups=768),
    Layer("resnext 32x4 128", 128, 128, (56, 56), 3, groups=32),
    Layer("resnext 32x16 512", 512, 512, (14, 14), 3, groups=32),
    Layer("dilated 3x3 d2 256", 256, 256, (28, 28), 3, dilation=2),
    Layer("audio 15 64", 64, 64, (4000,), 15),
    Layer("audio stem 79 s4", 1, 64, (16000,), 79, 4),
    Layer("unet3d 3x3x3 32-64", 32, 64, (24, 24, 24), 3, batch=1),
    Layer("unet3d 2x2x2 s2 64-128", 64, 128, (24, 24, 24), 2, 2, batch=1),
]
DIRECTIONS = ["forward", "data", "weights"]
LAYOUTS = ["last", "first"]  # the place of the channels
DTYPES = ["f32", "bf16", "u8s8"]  # u8s8: images and filters of bytes, sums of 32 bits, forward only


def aligned(array):
    """A copy that begins on a cache line, like the memory of tensor libraries. NumPy's memory begins 16 bytes into one, and vectors that
    straddle lines make depthwise kernels up to two thirds slower."""
    memory = np.empty(array.nbytes + 64, np.uint8)
    copy = memory[-memory.ctypes.data % 64:][:array.nbytes].view(array.dtype).reshape(array.shape)
    copy[...] = array
    return copy


class Case:
    """A layer in a direction and a layout, with the same numbers for both sides."""

    def __init__(self, layer, direction, layout, dtype="f32", seed=5):
        self.layer, self.direction, self.last, self.dtype = layer, direction, layout == "last", dtype
        random, n = np.random.default_rng(seed), len(layer.size)
        draw = lambda *shape: random.standard_normal(shape).astype(np.float32 if dtype == "f32" else ml_dtypes.bfloat16)
        self.image = draw(layer.batch, *self.placed(layer.size, layer.inputs))
        taps = (layer.kernel,) * n
        self.filter = draw(*taps, layer.inputs // layer.groups, layer.outputs) if self.last else draw(
            layer.outputs, layer.inputs // layer.groups, *taps)
        if dtype == "u8s8":  # sums that f32 can represent exactly, because the peer's result is f32
            self.image = random.integers(0, 16, self.image.shape, np.uint8)
            self.filter = random.integers(-16, 16, self.filter.shape, np.int8)
        self.gradient = draw(layer.batch, *self.placed(layer.result_size, layer.outputs))
        self.image, self.filter, self.gradient = map(aligned, (self.image, self.filter, self.gradient))

    def placed(self, size, channels):
        return (*size, channels) if self.last else (channels, *size)

    def convolve(self, image, filter):
        one, n = self.layer, len(self.layer.size)
        space = "DHW"[3 - n:]
        if self.dtype == "u8s8":
            image, filter = image.astype(np.int32), filter.astype(np.int32)
        order = (f"N{space}C", f"{space}IO", f"N{space}C") if self.last else (f"NC{space}", f"OI{space}", f"NC{space}")
        return jax.lax.conv_general_dilated(image, filter, (one.stride,) * n, [(one.pad, one.pad)] * n, rhs_dilation=(one.dilation,) * n,
                                            dimension_numbers=order, feature_group_count=one.groups)

    def program(self):
        """The text of a program and its arguments."""
        if self.direction == "forward":
            function, arguments = self.convolve, (self.image, self.filter)
        elif self.direction == "data":
            function = lambda filter, gradient: jax.linear_transpose(lambda image: self.convolve(image, filter), self.image)(gradient)[0]
            arguments = self.filter, self.gradient
        else:
            function = lambda image, gradient: jax.linear_transpose(lambda filter: self.convolve(image, filter), self.filter)(gradient)[0]
            arguments = self.image, self.gradient
        return jax.jit(function).lower(*arguments).as_text(), arguments

    def torch_view(self, array, is_filter=False):
        """The dimensions are in PyTorch's order, and the memory is that of `array` if it has one of PyTorch's formats; lines become images
        of one row."""
        n = len(self.layer.size)
        value = torch.from_numpy(array.view(np.int16)).view(torch.bfloat16) if self.dtype == "bf16" else torch.from_numpy(array)
        if self.last:
            value = value.permute(n + 1, n, *range(n)) if is_filter else value.permute(0, n + 1, *range(1, n + 1))
        value = value.unsqueeze(2) if n == 1 else value
        if not self.last:
            return value.contiguous()
        return value.contiguous(memory_format=torch.channels_last_3d if n == 3 else torch.channels_last)

    def torch_call(self):
        one, n = self.layer, max(2, len(self.layer.size))
        line = len(one.size) == 1
        values = lambda number, other: ([other] if line else []) + [number] * len(one.size)
        geometry = values(one.stride, 1), values(one.pad, 0), values(one.dilation, 1), False, [0] * n, one.groups
        image, filter = self.torch_view(self.image), self.torch_view(self.filter, True)
        if self.dtype == "u8s8":
            return self.quantized_call(image, filter, geometry)
        gradient = self.torch_view(self.gradient)
        if self.direction == "forward":
            return lambda: torch.ops.aten.convolution(image, filter, None, *geometry)
        mask = [self.direction == "data", self.direction == "weights", False]
        return lambda: torch.ops.aten.convolution_backward(gradient, image, filter, None, *geometry, mask)[mask.index(True)]

    def quantized_call(self, image, filter, geometry):
        """oneDNN's integer convolution with factors of 1; the filter is packed beforehand."""
        stride, pad, dilation, groups = *geometry[:3], geometry[5]
        outputs, call = filter.shape[0], torch.ops.onednn.qconv_pointwise
        ones, zeros = torch.ones(outputs), torch.zeros(outputs, dtype=torch.int64)
        packed = torch.ops.onednn.qconv_prepack(filter, ones, 1.0, 0, stride, pad, dilation, groups, list(image.shape))
        return lambda: call(image, 1.0, 0, packed, ones, zeros, None, stride, pad, dilation, groups, 1.0, 0, torch.float32, "none", [], "")

    def as_ours(self, theirs):
        """PyTorch's result as an array with our order of dimensions."""
        theirs = theirs.squeeze(2) if len(self.layer.size) == 1 else theirs
        n = len(self.layer.size)
        if self.last:
            back = (*range(2, n + 2), 1, 0) if self.direction == "weights" else (0, *range(2, n + 2), 1)
            theirs = theirs.permute(*back)
        return theirs.float().numpy()

    @staticmethod
    def difference(ours, theirs):
        """The greatest difference, relative to the greatest value."""
        ours = np.asarray(ours).astype(np.float32)
        assert ours.shape == theirs.shape, (ours.shape, theirs.shape)
        return float(np.abs(ours - theirs).max() / np.abs(theirs).max())
