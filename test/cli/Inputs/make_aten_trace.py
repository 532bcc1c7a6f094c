"""Writes a trace of operator calls that have no StableHLO form, each for another reason: see messages_extract.test."""
import json
import sys


def t(*shape, dtype="float32"):
    return {"shape": list(shape), "dtype": f"torch.{dtype}"}


CALLS = [
    ("nosuch.default", [t(2)], [t(2)]),
    ("neg.default", [t(2)], [t(2, dtype="quint8")]),
    ("neg.default", [t(2)], []),
    ("neg.default", [t(2, dtype="quint8")], [t(2)]),
    ("t.default", [3], [t(2)]),
    ("neg.default", ["word"], [t(2)]),
    ("cat.default", [[t(2), 3]], [t(2)]),
    ("cat.default", [[]], [t(2)]),
    ("cat.default", [[t(0)]], [t(0)]),
    ("softmax.int", [t(2)], [t(2)]),
    ("_softmax.default", [t(2), 5, False], [t(2)]),
    ("neg.default", [t(2)], [t(3)]),
    ("neg.default", [t(2)], [3]),
    ("convolution.default", [t(3, 8, 8), t(4, 3, 3, 3)], [t(4, 6, 6)]),
    ("sub.Tensor", [t(2, dtype="bool"), t(2, dtype="bool")], [t(2, dtype="bool")]),
    ("add.Tensor", [t(2), t(3)], [t(2)]),
    ("upsample_nearest2d.default", [t(1, 1, 2, 2), [3, 3]], [t(1, 1, 3, 3)]),
    ("_scaled_dot_product_flash_attention_for_cpu.default", [t(1, 2, 4, 4), t(1, 2, 4, 4), t(1, 2, 4, 4), 0.5], [t(1, 2, 4, 4)]),
    ("_adaptive_avg_pool2d.default", [t(1, 1, 5, 5), [2, 2]], [t(1, 1, 2, 2)]),
    ("max.dim", [t(), 0], [t(), t(dtype="int64")]),
    ("linalg_vector_norm.default", [t(4), 3], [t()]),
    ("index_add.default", [t(2, 2), 1, t(1, dtype="int64"), t(2, 1)], [t(2, 2)]),
    ("index_put.default", [t(2, 2), [None], t(2)], [t(2, 2)]),
    ("index_put.default", [t(2, 2), [t(2, dtype="bool")], t(2)], [t(2, 2)]),
    ("scatter.src", [t(2, 2), 0, t(1, 2, dtype="int64"), t(1, 1)], [t(2, 2)]),
    ("scatter.src", [t(), 0, t(dtype="int64"), t()], [t()]),
    ("scatter.src", [t(2, 2), 0, t(1, 2), t(1, 2)], [t(2, 2)]),
    ("native_group_norm.default", [t(1, 2), None, None, 1, 2, 1, 0, 1e-5], [t(1, 2), t(1, 1), t(1, 1)]),
    ("native_group_norm.default", [t(1, 2), None, None, 1, 1 << 40, 1 << 40, 1, 1e-5], [t(1, 2), t(1, 1), t(1, 1)]),
    ("embedding_dense_backward.default", [t(2, 4), t(2, dtype="int64"), 3, -1, True], [t(3, 4)]),
    ("topk.default", [t(2, 4), 2, 0], [t(2, 4), t(2, 4, dtype="int64")]),
    ("roll.default", [t(4), [1, 2], [0]], [t(4)]),
    ("repeat.default", [t(2), [0]], [t(0)]),
    ("index.Tensor", [t(2, 2), [t(1, dtype="int64"), t(1, dtype="int64")]], [t(1)]),
    ("index.Tensor", [t(2, 2), [None]], [t(2, 2)]),
    ("index.Tensor", [t(2, 2), [t(2, dtype="bool")]], [t(1, 2)]),
    ("gather.default", [t(2, 2), 0, t(2, dtype="int64")], [t(2)]),
    # A framework never records this: fewer arguments than the operator has.
    ("index_put.default", [t(2, 2)], [t(2, 2)]),
    ("embedding_dense_backward.default", [t(2, 4), t(2, dtype="int64"), 3], [t()]),
    ("roll.default", [t(4), [1], [7]], [t(4)]),
    ("_adaptive_avg_pool2d.default", [t(4), [2, 2]], [t(2)]),
    ("upsample_nearest2d_backward.default", [t(2), [1], [1]], [t(1, 1, 1, 1)]),
    ("upsample_nearest2d.default", [t(2), [3, 3]], [t(1, 1, 3, 3)]),
    ("repeat.default", [t(2, 2), [2]], [t(4)]),
    ("index.Tensor", [t(2, 2), [None, None, t(1, dtype="int64")]], [t(1)]),
    ("gather.default", [t(2, 2), 0, t(9, 9, dtype="int64")], [t(9, 9)]),
    ("_softmax_backward_data.default", [t(), t(), 0], [t()]),
    ("argmax.default", [t(), 0], [t(dtype="int64")]),
    ("split.Tensor", [t(4, 4), 2, 1], [t(), t()]),
    ("bucketize.Tensor", [t(4), t()], [t(4, dtype="int64")]),
    ("native_group_norm_backward.default", [t(1, 2), t(1, 2), t(1, 1), t(1, 1), None, 1, 2, 1, 0, [True, True, True]], [t(1, 2)]),
    ("max_pool2d_with_indices_backward.default", [t(2), t(2)], [t(2)]),
    ("embedding.default", [t(), t(2, dtype="int64")], [t(2)]),
]
json.dump([{"name": f"{i:05}-aten", "op_name": f"aten.{op}", "args": args, "kwargs": {}, "outputs": outputs} for i, (op, args, outputs) in enumerate(CALLS)],
          open(sys.argv[1], "w"))
