"""Writes the arguments and the expected result of mlp_torch.mlir: mlp_torch.py OUT.npz. PyTorch computes the result if it is installed
(`./dev setup test`); otherwise `assay.run` does, on the reference."""
import importlib.util
import pathlib
import sys

import numpy as np

rng = np.random.default_rng(0)
x = rng.standard_normal((8, 48), np.float32)
w1, w2 = rng.standard_normal((96, 48), np.float32) / 7, rng.standard_normal((16, 96), np.float32) / 10
b1, b2 = rng.standard_normal(96, np.float32), rng.standard_normal(16, np.float32)
arguments = [x, w1, b1, w2, b2]
if importlib.util.find_spec("torch"):
    import torch
    from torch.nn import functional as F

    with torch.no_grad():
        tensors = [torch.from_numpy(one) for one in arguments]
        hidden = F.gelu(F.linear(tensors[0], tensors[1], tensors[2]))
        result, who = F.linear(hidden, tensors[3], tensors[4]).numpy(), f"PyTorch {torch.__version__} on the CPU"
else:
    import assay

    result, who = assay.run(str(pathlib.Path(__file__).with_name("mlp_torch.mlir")), *arguments), "the reference (PyTorch is not installed here)"
    result = result[0] if isinstance(result, (list, tuple)) else result
np.savez(sys.argv[1], **{f"in{i}": one for i, one in enumerate(arguments)}, out0=np.asarray(result))
print(f"Its expected result: {who}.")
