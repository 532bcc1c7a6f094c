"""Every row of src/assay/trace/aten/Ops.def against PyTorch: the operator runs under begin_dump, `assay extract --format mlir`
makes a program and a file of the recorded tensors, and `assay test` runs it: the program must return PyTorch's results.
"""
import pathlib
import re

import pytest
import torch

from assay.torch import begin_dump, end_dump

ROWS = re.findall(r'^ATEN_OP\("([\w.]+)", ', (pathlib.Path(__file__).resolve().parents[2] / "src/assay/trace/aten/Ops.def").read_text(), re.M)
A = torch.ops.aten


def tensors():
    g = torch.Generator().manual_seed(7)

    def normal(*shape, dtype=torch.float32):
        return torch.randn(shape, generator=g).to(dtype)

    return dict(
        x=normal(3, 4), y=normal(3, 4) + 0.1, half=normal(3, 4, dtype=torch.float16), brain=normal(3, 4, dtype=torch.bfloat16),
        double=normal(3, 4, dtype=torch.float64), positive=torch.rand(3, 4, generator=g) + 0.1, row=normal(4), column=normal(3, 1),
        unit=torch.rand(3, 4, generator=g) * 1.8 - 0.9, special=torch.tensor([0.0, -0.0, float("inf"), -float("inf"), float("nan"), 1.5, -2.5, 2.5]),
        ints=torch.tensor([[5, -7, 3, 0], [1, 2, -3, 4], [9, -9, 6, -1]]), small=torch.tensor([[2, 3, -2, 5], [1, 2, 3, 4], [4, 3, 6, 7]], dtype=torch.int32),
        mask=torch.rand(3, 4, generator=g) > 0.5, mask2=torch.rand(3, 4, generator=g) > 0.5, cube=normal(2, 3, 4), cube2=normal(2, 4, 5),
        square=normal(4, 4), vector=normal(12), image=normal(2, 4, 8, 8), index=torch.tensor([2, 0, 1, 0]), normal=normal,
    )


def unary_cases(t):
    plain = "exp expm1 sin cos tan sinh cosh tanh sigmoid erf erfc neg abs sign floor ceil round trunc isnan isinf exp2 relu silu mish hardsigmoid hardswish".split()
    for name in plain:
        op = getattr(A, name).default
        for key in ("x", "half", "brain", "double"):
            op(t[key])
    for name in "neg abs sign floor ceil round isnan relu exp tanh isinf".split():
        getattr(A, name).default(t["ints"])
    for name in "relu round floor ceil sign sgn isnan isinf exp tanh trunc".split():
        getattr(A, name).default(t["special"])
    for name in "log log1p log2 log10 sqrt rsqrt reciprocal lgamma".split():
        getattr(A, name).default(t["positive"])
        getattr(A, name).default(t["positive"].half())
    for name in "asin acos atan".split():
        getattr(A, name).default(t["unit"])
    for approximate in ("none", "tanh"):
        A.gelu.default(t["x"], approximate=approximate), A.gelu.default(t["half"], approximate=approximate)
    for key in ("x", "half"):
        A.leaky_relu.default(t[key], 0.2), A.elu.default(t[key], 1.3, 1.1, 0.9), A.softplus.default(t[key] * 30), A.softplus.default(t[key], 2.0)
        A.hardtanh.default(t[key], -0.5, 0.7)
    A.bitwise_not.default(t["ints"]), A.bitwise_not.default(t["mask"]), A.logical_not.default(t["ints"]), A.logical_not.default(t["mask"])
    A.threshold_backward.default(t["x"], t["y"], 0.1), A.tanh_backward.default(t["x"], t["unit"]), A.sigmoid_backward.default(t["x"], t["unit"])


def binary_cases(t):
    for name in "add sub mul".split():
        op = getattr(A, name)
        for a, b in (("x", "y"), ("x", "row"), ("column", "row"), ("half", "half"), ("brain", "brain"), ("ints", "ints"), ("ints", "x"), ("x", "half"), ("small", "ints")):
            op.Tensor(t[a], t[b])
        op.Scalar(t["x"], 2.5), op.Scalar(t["ints"], 3), op.Tensor(t["x"], torch.tensor(1.5))
    A.add.Tensor(t["x"], t["y"], alpha=0.5), A.sub.Tensor(t["ints"], t["ints"], alpha=2), A.add.Tensor(t["mask"], t["mask2"]), A.mul.Tensor(t["mask"], t["mask2"])
    A.mul.Tensor(t["mask"], t["x"]), A.rsub.Scalar(t["x"], 1), A.rsub.Tensor(t["x"], t["y"]), A.rsub.Scalar(t["ints"], 1, 2)
    A.div.Tensor(t["x"], t["y"]), A.div.Tensor(t["ints"], t["small"] * 2 + 1), A.div.Scalar(t["half"], 3.0)
    for mode in ("floor", "trunc"):
        A.div.Tensor_mode(t["ints"], t["small"], rounding_mode=mode), A.div.Tensor_mode(t["x"] * 7, t["y"], rounding_mode=mode)
        A.div.Scalar_mode(t["ints"], 4, rounding_mode=mode)
    for name in "eq ne lt le gt ge".split():
        op = getattr(A, name)
        op.Tensor(t["x"], t["row"]), op.Tensor(t["ints"], t["small"]), op.Scalar(t["x"], 0.5), op.Scalar(t["ints"], 3), op.Scalar(t["ints"], 0.5), op.Scalar(t["special"], 0)
    for name in "bitwise_and bitwise_or bitwise_xor".split():
        op = getattr(A, name)
        op.Tensor(t["ints"], t["small"]), op.Tensor(t["mask"], t["mask2"]), op.Scalar(t["ints"], 6)
    for name in "logical_and logical_or logical_xor".split():
        getattr(A, name).default(t["mask"], t["mask2"]), getattr(A, name).default(t["ints"], t["x"])
    A.fmod.Tensor(t["x"] * 5, t["y"]), A.fmod.Tensor(t["ints"], t["small"]), A.fmod.Scalar(t["ints"], 4), A.fmod.Scalar(t["x"] * 9, 2.5)
    A.remainder.Tensor(t["x"] * 5, t["y"]), A.remainder.Tensor(t["ints"], t["small"]), A.remainder.Scalar(t["ints"], 4), A.remainder.Scalar(t["x"] * 9, -2.5)
    A.pow.Tensor_Scalar(t["x"], 2), A.pow.Tensor_Scalar(t["half"], 3), A.pow.Tensor_Scalar(t["positive"], -0.5), A.pow.Tensor_Scalar(t["ints"], 3)
    A.pow.Tensor_Tensor(t["positive"], t["x"]), A.pow.Scalar(2, t["x"])
    A.maximum.default(t["x"], t["y"]), A.minimum.default(t["ints"], t["small"].long()), A.maximum.default(t["special"], torch.zeros(8)), A.minimum.default(t["half"], -t["half"])
    A.atan2.default(t["x"], t["y"])
    A.where.self(t["mask"], t["x"], t["y"]), A.where.self(t["mask"], t["ints"], torch.tensor(0))
    A.masked_fill.Scalar(t["half"], t["mask"], float("-inf")), A.masked_fill.Tensor(t["x"], t["mask"], torch.tensor(2.0)), A.masked_fill.Scalar(t["ints"], t["mask"], 7)
    A.addcmul.default(t["x"], t["y"], t["row"], value=0.5), A.addcdiv.default(t["x"], t["y"], t["positive"], value=2)
    A.lerp.Scalar(t["x"], t["y"], 0.3), A.lerp.Tensor(t["x"], t["y"], t["unit"])
    A.clamp.default(t["x"], -0.5, 0.5), A.clamp.default(t["x"], None, 0.5), A.clamp.default(t["ints"], 0), A.clamp.Tensor(t["x"], t["row"]), A.clamp_min.default(t["x"], 0.1)
    A.clamp_min.Tensor(t["x"], t["y"]), A.clamp_max.default(t["half"], 0.1), A.clamp_max.Tensor(t["x"], t["y"])
    A.add_.Tensor(t["x"].clone(), t["y"]), A.mul_.Tensor(t["half"].clone(), 2), A.relu_.default(t["x"].clone())


def shape_cases(t):
    c = t["cube"]
    A.view.default(c, [6, 4]), A._unsafe_view.default(c, [2, 12]), A.unsqueeze.default(c, 1), A.squeeze.default(t["column"]), A.squeeze.dim(t["column"], 1), A.squeeze.dims(t["column"], [1])
    A.alias.default(c), A.detach.default(c), A.clone.default(c.transpose(0, 1)), A.lift_fresh.default(c), A.lift_fresh_copy.default(c)
    torch.ops.prims.convert_element_type.default(c, torch.float16), A._to_copy.default(c, dtype=torch.float16), A._to_copy.default(t["x"] * 9, dtype=torch.int32), A._to_copy.default(t["ints"], dtype=torch.bfloat16), A._to_copy.default(t["ints"], dtype=torch.bool), A._to_copy.default(t["mask"], dtype=torch.float32)
    A.expand.default(t["column"], [3, 5]), A.expand.default(t["row"], [2, 3, -1]), A.copy.default(t["x"], t["half"]), A.permute.default(c, [2, 0, 1]), A.permute.default(c, [-1, 0, 1])
    A.transpose.int(c, 0, -1), A.t.default(t["x"]), A.t.default(t["row"])
    A.cat.default([t["x"], t["y"], t["x"]], 1), A.cat.default([t["x"], t["y"]]), A.cat.default([torch.zeros(0), t["row"]]), A.cat.default([t["ints"], t["x"]], -1), A.cat.default([t["mask"], t["mask2"]])
    A.stack.default([t["x"], t["y"]], 1), A.stack.default([t["ints"], t["ints"]], -1)
    A.slice.Tensor(c, 1, 1, 3), A.slice.Tensor(c, -1, 0, 9223372036854775807, 2), A.slice.Tensor(c, 1, -2), A.select.int(c, 1, -1), A.select.int(c, 2, 0)
    A.select_backward.default(t["x"], [3, 2, 4], 1, -1), A.slice_backward.default(t["x"], [3, 9], 1, 1, 9, 2), A.slice_backward.default(t["half"], [5, 4], 0, 2, 5, 1)
    A.split.Tensor(c, 2, 2), A.split.Tensor(c, 2, 1), A.split_with_sizes.default(c, [1, 3], 2), A.unbind.int(c, 1), A.unbind.int(t["ints"])
    A.flip.default(c, [0, 2]), A.roll.default(c, [1, -1], [0, 2]), A.roll.default(t["row"], [2]), A.repeat.default(t["x"], [2, 1, 3])
    A.constant_pad_nd.default(c, [1, 2, 0, 1], 0.5), A.constant_pad_nd.default(t["ints"], [0, 1])
    A.tril.default(t["square"]), A.triu.default(t["square"], 1), A.tril.default(t["mask"], -1), A.triu.default(t["ints"])
    A.arange.default(6), A.arange.start(2, 7), A.arange.start_step(1, 8, 2), A.arange.start_step(0.0, 1.0, 0.25), A.linspace.default(0, 47, 10), A.linspace.default(1, 1, 1)
    A.zeros.default([2, 3]), A.zeros_like.default(t["ints"]), A.new_zeros.default(t["x"], [4]), A.ones.default([2], dtype=torch.int64), A.ones_like.default(t["half"]), A.new_ones.default(t["x"], [1])
    A.full.default([2, 2], 7), A.full.default([2], float("-inf")), A.full_like.default(t["x"], 1.5), A.new_full.default(t["ints"], [3], 4), A.fill.Scalar(t["x"], 2.0), A.zero_.default(t["x"].clone())
    A.index_select.default(c, 2, torch.tensor([3, 0, 0])), A.embedding.default(t["square"], t["index"]), A.embedding.default(t["square"].half(), torch.tensor([[1, 0], [3, 2]]))
    A.index.Tensor(t["square"], [t["index"]]), A.index.Tensor(c, [None, torch.tensor([-1, 0])]), A.index.Tensor(c, [None, None, torch.tensor([[0, 1], [2, 3]])])
    A.gather.default(t["x"], 1, torch.tensor([[0, 3], [1, 1], [2, 0]])), A.gather.default(c, 0, torch.zeros(1, 3, 4, dtype=torch.int64)), A.gather.default(t["mask"], 1, torch.tensor([[0], [1], [3]]))
    A.bucketize.Tensor(t["ints"], torch.tensor([0, 3, 6])), A.bucketize.Tensor(t["ints"], torch.tensor([0, 3, 6]), right=True)


def reduction_cases(t):
    c = t["cube"]
    for key in ("x", "half", "ints", "mask", "brain"):
        A.sum.default(t[key]), A.sum.dim_IntList(t[key], [1]), A.sum.dim_IntList(t[key], [0, -1], True)
    A.mean.default(c), A.mean.dim(c, [-1], True), A.mean.dim(t["half"], [0, 1]), A.prod.default(t["x"]), A.prod.dim_int(t["ints"], 1), A.amax.default(c, [1]), A.amin.default(c, [0, 2], True)
    A.amax.default(t["ints"], [1]), A.max.default(c), A.min.default(t["ints"]), A.any.default(t["mask"]), A.any.dim(t["ints"], 1), A.any.dims(t["mask"], [0, 1]), A.all.default(t["x"]), A.all.dim(t["mask"], 0, True), A.all.dims(t["mask"], [0, 1])
    A.max.dim(c, 1), A.max.dim(t["ints"], -1, True), A.min.dim(t["half"], 0), A.max.dim(t["special"], 0), A.argmax.default(c), A.argmax.default(c, 2, True), A.argmin.default(t["ints"], 1)
    A.var.correction(c, [1]), A.var.correction(c, None, correction=0), A.std.correction(t["half"], [-1], correction=1, keepdim=True), A.var_mean.correction(c, [0, 2])
    A.linalg_vector_norm.default(c), A.linalg_vector_norm.default(c, 1, [1]), A.linalg_vector_norm.default(c, float("inf"), [0, 1], True), A.logsumexp.default(c * 20, [1]), A.logsumexp.default(c, [0, 2], True)
    for key in ("x", "half", "brain"):
        A._softmax.default(t[key], 1, False), A._softmax.default(t[key], 0, False), A._log_softmax.default(t[key] * 5, -1, False)
    A._softmax.default(A.masked_fill.Scalar(t["x"], t["mask"] & (t["index"] > 0), float("-inf")), -1, False)
    A.cumsum.default(c, 1), A.cumsum.default(t["ints"], 0), A.cumsum.default(t["mask"], -1), A.cumsum.default(t["half"], 1)


def neural_cases(t):
    normal, c = t["normal"], t["cube"]
    for dtype in (torch.float32, torch.float16, torch.bfloat16, torch.float64):
        x, y = normal(5, 7, dtype=dtype), normal(7, 3, dtype=dtype)
        A.mm.default(x, y), A.addmm.default(normal(3, dtype=dtype), x, y)
    A.mm.default(t["ints"], t["ints"].t()), A.addmm.default(normal(5, 3), normal(5, 7), normal(7, 3), beta=0.5, alpha=2), A.bmm.default(c, t["cube2"]), A.baddbmm.default(normal(2, 3, 5), c, t["cube2"], beta=0.5)
    A.mv.default(t["x"], t["row"]), A.dot.default(t["vector"], t["vector"]), A.addmv.default(normal(3), t["x"], t["row"])
    image = t["image"]
    A.convolution.default(image, normal(6, 4, 3, 3), normal(6), [1, 1], [1, 1], [1, 1], False, [0, 0], 1), A.convolution.default(image, normal(4, 2, 3, 2), None, [2, 1], [0, 1], [1, 2], False, [0, 0], 2)
    A.convolution.default(normal(1, 3, 10), normal(2, 3, 4), normal(2), [2], [1], [1], False, [0], 1), A.convolution.default(normal(2, 3, 2, 4, 4), normal(5, 3, 2, 4, 4), normal(5), [2, 4, 4], [0, 0, 0], [1, 1, 1], False, [0, 0, 0], 1)
    A.convolution.default(image.half(), normal(6, 4, 1, 1, dtype=torch.float16), None, [1], [0], [1], False, [0], 1)
    for dtype in (torch.float32, torch.float16, torch.bfloat16):
        A.native_layer_norm.default(normal(5, 8, dtype=dtype), [8], normal(8, dtype=dtype), normal(8, dtype=dtype), 1e-6)
    A.native_layer_norm.default(normal(2, 3, 4), [3, 4], None, None, 1e-5), A.native_group_norm.default(image, normal(4), normal(4), 2, 4, 64, 2, 1e-5)
    A._native_batch_norm_legit_no_training.default(image, normal(4), normal(4), normal(4), torch.rand(4) + 0.5, 0.1, 1e-5), A.native_batch_norm.default(image, normal(4), normal(4), normal(4), torch.rand(4) + 0.5, False, 0.1, 1e-3)
    A.max_pool2d_with_indices.default(image, [3, 3], [2, 2], [1, 1]), A.max_pool2d_with_indices.default(image, [2, 2]), A.max_pool2d_with_indices.default(image, [3, 3], [2, 2], [0, 0], [1, 1], True)
    A.avg_pool2d.default(image, [2, 2]), A.avg_pool2d.default(image, [3, 3], [2, 2], [1, 1]), A._adaptive_avg_pool2d.default(image, [1, 1]), A._adaptive_avg_pool2d.default(image, [4, 2])
    q, k, v = normal(2, 3, 6, 8), normal(2, 3, 6, 8), normal(2, 3, 6, 8)
    A._scaled_dot_product_flash_attention_for_cpu.default(q, k, v), A._scaled_dot_product_flash_attention_for_cpu.default(q, k, v, 0.0, True, scale=0.3)
    A._scaled_dot_product_flash_attention_for_cpu.default(q, k, v, attn_mask=normal(2, 3, 6, 6))


def gradient_cases(t):
    normal, x, g = t["normal"], t["x"], t["y"]
    for approximate in ("none", "tanh"):
        A.gelu_backward.default(g, x, approximate=approximate), A.gelu_backward.default(t["half"], t["half"] * 2, approximate=approximate)
    A.silu_backward.default(g, x * 3), A.leaky_relu_backward.default(g, x, 0.2, False)
    A.elu_backward.default(g, 1.3, 1.1, 0.9, False, x), A.elu_backward.default(g, 1.3, 1.1, 0.9, True, A.elu.default(x, 1.3, 1.1, 0.9))
    A.softplus_backward.default(g, x, 2.0, 1.0), A.hardtanh_backward.default(g, x, -0.5, 0.7), A.hardswish_backward.default(g, x * 3), A.mish_backward.default(g, x)
    A._prelu_kernel.default(x, x.abs() + 0.1), A._prelu_kernel_backward.default(g, x, x.abs() + 0.1)
    for dim in (0, 1):
        A._softmax_backward_data.default(g, A._softmax.default(x, dim, False), dim, torch.float32)
        A._log_softmax_backward_data.default(g, A._log_softmax.default(x, dim, False), dim, torch.float32)
    for shape, sizes in (((5, 8), [8]), ((2, 3, 4), [3, 4])):
        y, mean, rstd = A.native_layer_norm.default(normal(*shape), sizes, normal(*sizes), None, 1e-5)
        A.native_layer_norm_backward.default(normal(*shape), y, sizes, mean, rstd, normal(*sizes), normal(*sizes), [True] * 3)
        A.native_layer_norm_backward.default(normal(*shape), y, sizes, mean, rstd, None, None, [True, False, False])
    image, weight = t["image"], normal(4)
    _, mean, rstd = A.native_group_norm.default(image, None, None, 2, 4, 64, 2, 1e-5)
    A.native_group_norm_backward.default(normal(2, 4, 8, 8), image, mean, rstd, weight, 2, 4, 64, 2, [True] * 3)
    A.native_group_norm_backward.default(normal(2, 4, 8, 8), image, mean, rstd, None, 2, 4, 64, 2, [True, False, False])
    stats = normal(4), torch.rand(4) + 0.5
    _, mean, rstd = A.native_batch_norm.default(image, weight, normal(4), *stats, True, 0.1, 1e-3)
    A.native_batch_norm.default(image, None, None, None, None, True, 0.1, 1e-5)
    A.native_batch_norm_backward.default(normal(2, 4, 8, 8), image, weight, *stats, mean, rstd, True, 1e-3, [True] * 3)
    A.native_batch_norm_backward.default(normal(2, 4, 8, 8), image, weight, *stats, torch.zeros(0), torch.zeros(0), False, 1e-3, [True, True, False])


def convolution_cases(t):
    """Every convolution, its transposed form, and the three gradients of both: with varying strides, paddings, dilations and groups."""
    normal = t["normal"]
    cases = [
        ((2, 4, 8, 7), (6, 4, 3, 3), [1, 1], [1, 1], [1, 1], 1),
        ((2, 4, 9, 8), (6, 2, 3, 2), [2, 1], [0, 1], [1, 2], 2),
        ((1, 3, 10), (5, 3, 4), [3], [2], [1], 1),
        ((2, 4, 6, 6), (8, 1, 3, 3), [2, 2], [1, 1], [1, 1], 4),
        ((1, 2, 4, 4, 5), (3, 2, 2, 2, 3), [1, 2, 1], [0, 0, 1], [1, 1, 1], 1),
    ]
    for x, w, stride, padding, dilation, groups in cases:
        dims = len(stride)
        image, kernel = normal(*x), normal(*w)
        y = A.convolution.default(image, kernel, None, stride, padding, dilation, False, [0] * dims, groups)
        arguments = stride, padding, dilation, False, [0] * dims, groups
        A.convolution_backward.default(normal(*y.shape), image, kernel, [w[0]], *arguments, [True] * 3)
        turned = normal(*y.shape)
        for extra in ([0] * dims, [size - 1 for size in stride]):
            arguments = stride, padding, dilation, True, extra, groups
            z = A.convolution.default(turned, kernel, normal(w[1] * groups), *arguments)
            A.convolution_backward.default(normal(*z.shape), turned, kernel, [w[1] * groups], *arguments, [True, True, False])


def placing_cases(t):
    normal, image, index = t["normal"], t["image"], torch.tensor([2, 0, 2, 1])
    for ceil, size, stride, padding in ((False, [2, 2], [2, 2], [0, 0]), (True, [3, 3], [2, 2], [1, 1])):
        y, places = A.max_pool2d_with_indices.default(image, size, stride, padding, [1, 1], ceil)
        A.max_pool2d_with_indices_backward.default(normal(*y.shape), image, size, stride, padding, [1, 1], ceil, places)
    A._adaptive_avg_pool2d_backward.default(normal(2, 4, 2, 4), image), A._adaptive_avg_pool2d_backward.default(normal(2, 4, 1, 1), image)
    A.upsample_nearest2d.default(image, [16, 24], 2.0, 3.0), A.upsample_nearest2d_backward.default(normal(2, 4, 16, 24), [16, 24], [2, 4, 8, 8], 2.0, 3.0)
    A.index_add.default(normal(3, 5), 0, index, normal(4, 5)), A.index_add.default(normal(3), 0, index, normal(4), alpha=0.5)
    A.index_put.default(normal(3, 4, 2), [index], normal(4, 4, 2), True), A.index_put.default(normal(3, 4), [torch.tensor([0, -1]), torch.tensor([3, 1])], normal(2))
    A.index_put.default(normal(3, 4), [index, index], normal(1), True)
    A.scatter.src(normal(3, 4), 1, torch.tensor([[0, 2], [3, 1], [1, 0]]), normal(3, 2)), A.scatter_add.default(normal(3, 4), 0, torch.tensor([[0, 2, 0, 0]]), normal(1, 4))
    A.embedding_dense_backward.default(normal(2, 4, 3), torch.tensor([[2, 0, 2, 1], [1, 1, 1, 4]]), 5, -1, False), A.embedding_dense_backward.default(normal(4, 3), index, 5, 2, False)
    A.topk.default(normal(3, 7), 2), A.topk.default(normal(6), 3, -1), A.unsafe_split.Tensor(t["cube"], 2, 2), A.scalar_tensor.default(2.5, dtype=torch.float16)
    q, k, v = normal(2, 3, 6, 8), normal(2, 3, 6, 8), normal(2, 3, 6, 8)
    for causal, mask in ((False, None), (True, None), (False, normal(2, 3, 6, 6))):
        out, sums = A._scaled_dot_product_flash_attention_for_cpu.default(q, k, v, 0.0, causal, attn_mask=mask, scale=0.4)
        A._scaled_dot_product_flash_attention_for_cpu_backward.default(normal(2, 3, 6, 8), q, k, v, out, sums, 0.0, causal, attn_mask=mask, scale=0.4)


def order_cases(t):
    x, ints, index = t["x"], t["ints"], torch.tensor([[0, 2, 0, 1]])
    A.sort.default(x, 0, True), A.sort.default(t["special"]), A.sort.stable(ints, stable=True, dim=1), A.kthvalue.default(x, 2, 1), A.topk.default(x, 2, 0, False)
    A.cummax.default(ints, 1), A.cummin.default(x, 0), A.cumprod.default(x, 1), A.cumprod.default(ints, 0)
    A.scatter.value(x, 0, index, 1.5), A.scatter.reduce(x, 0, index, t["y"], reduce="multiply"), A.scatter.value_reduce(x, 0, index, 2.0, reduce="add")
    for reduce in ("sum", "prod", "mean", "amax", "amin"):
        A.scatter_reduce.two(x, 0, index, t["y"], reduce), A.scatter_reduce.two(x, 0, index, t["y"], reduce, include_self=False)


def further_cases(t):
    x, y, special = t["x"], t["y"], t["special"]
    A.acosh.default(t["positive"] + 1), A.asinh.default(x), A.atanh.default(t["unit"]), A.erfinv.default(t["unit"]), A.digamma.default(t["positive"]), A.special_i1e.default(x)
    A.special_zeta.default(t["positive"] + 1.5, t["positive"] + 1)
    for order in (0, 1, 4):
        A.polygamma.default(order, t["positive"])
    degrees = torch.tensor([[-1.0, 0.0, 1.0, 2.0], [3.5, 7.0, 9.0, 12.0], [5.0, 6.0, 10.0, 4.0]])
    for name in ("chebyshev_polynomial_t", "chebyshev_polynomial_u", "chebyshev_polynomial_v", "chebyshev_polynomial_w", "hermite_polynomial_h", "hermite_polynomial_he",
                 "laguerre_polynomial_l", "legendre_polynomial_p"):  # fmt: skip
        polynomial = getattr(A, f"special_{name}").default
        polynomial(t["unit"], degrees)
        polynomial(t["unit"] * 2, degrees)
        polynomial(t["column"], t["ints"])
        polynomial(torch.tensor([0.0, 1.0, -1.0, 0.5]), degrees)
        polynomial(t["double"], degrees * 20)
        if "chebyshev" in name:
            getattr(A, f"special_shifted_{name}").default(t["unit"] / 2 + 0.5, degrees)
            getattr(A, f"special_shifted_{name}").default(t["x"], degrees)
    A.fmax.default(special, special.flip(0)), A.fmin.default(special, special.flip(0)), A.hypot.default(x, y), A.hypot.default(special, special.flip(0)), A.hypot.default(special, special.roll(1)), A.nextafter.default(x, y), A.signbit.default(special)
    A.copysign.Tensor(x, y), A.copysign.Scalar(special, -1.0), A.view.dtype(special, torch.int32)
    volume = t["normal"](2, 3, 4, 5, 6)
    A.max_pool3d_with_indices.default(volume, [2, 2, 2]), A.avg_pool3d.default(volume, [2, 3, 2], [2, 2, 2], [1, 1, 0])
    for op in (A.bitwise_left_shift, A.bitwise_right_shift):
        op.Tensor(t["ints"], t["ints"].abs()), op.Tensor_Scalar(t["small"], 2)
    for op in (getattr(A, "__lshift__"), getattr(A, "__rshift__")):
        op.Tensor(t["ints"], t["ints"].abs()), op.Scalar(t["small"], 2)
    z = A.complex.default(x, y)
    A.mul.Scalar(z, 2 + 1j), A.add.Scalar(z, 1 - 2j), A.constant_pad_nd.default(z, [1, 0], 0j)
    for op in (A.view_as_real, A._conj, A._conj_physical, A.angle, A.sgn):
        op.default(z.clone())
    A.view_as_complex.default(t["normal"](3, 2)), A._fft_c2c.default(z, [0, 1], 1, False), A._fft_r2c.default(x, [1], 0, True), A._fft_r2c.default(x, [0, 1], 2, False)
    A._fft_c2r.default(torch.fft.rfft(t["normal"](3, 7)), [1], 2, 7)


FAMILIES = [order_cases, further_cases, gradient_cases, convolution_cases, placing_cases, unary_cases, binary_cases, shape_cases, reduction_cases, neural_cases]
_seen = {}


@pytest.mark.parametrize("family", FAMILIES, ids=lambda f: f.__name__)
def test_programs_give_what_pytorch_gave(family, tmp_path, monkeypatch, assay):
    monkeypatch.chdir(tmp_path)
    t = tensors()
    begin_dump(X_DEBUG=0x2, X_DUMP_NUM=100)
    try:
        family(t)
    finally:
        end_dump()
    (folder,) = (tmp_path / "xray_debug").iterdir()
    made = assay("extract", folder / "dump.json", "--format", "mlir", "-o", "tests")
    assert made.returncode == 0, made.stderr
    # A case without a program would not be tested at all; only random numbers have no program.
    assert [name for name in re.findall(r"left out: (\S+)", made.stdout) if not name.startswith("aten.rand")] == []
    ran = assay("test", "tests")
    assert ran.returncode == 0, ran.stdout[-8000:]
    _seen[family.__name__] = {re.sub(r"^\d+-[a-z]+_(aten|prims)_", "", path.stem) for path in (tmp_path / "tests").glob("*.mlir")}


def test_every_row_was_run():
    if len(_seen) < len(FAMILIES):
        pytest.skip("a family did not run or failed")
    seen = set().union(*_seen.values())
    seen |= {re.sub(r"__", "_", name) for name in seen}  # add_.Tensor shares the row of add.Tensor
    missing = [row for row in ROWS if row.replace(".", "_") not in seen]
    assert len(ROWS) >= 150
    assert missing == []
