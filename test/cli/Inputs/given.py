"""usage: given.py STEM: tensors for verify_input.test, in every format that --input reads."""
import json
import struct
import sys

import h5py
import numpy as np

stem = sys.argv[1]
random = np.random.default_rng(7)
src = random.standard_normal((20, 64)).astype(np.float32) * np.float32(3.7)
wei = random.uniform(-2, 5, (64, 12)).astype(np.float32)
special = src.copy()
special[3, 5], special[7, 2] = np.nan, np.inf
halves = (src.view(np.uint32) >> 16).astype(np.uint16)
np.save(stem + ".npy", wei)
np.savez(stem + ".npz", src=src, special=special, wide=src.astype(np.float64), halves=halves,
         bytes=random.integers(0, 256, (20, 64)).astype(np.uint8), image=random.standard_normal((1, 4, 6, 6)).astype(np.float32),
         before=random.standard_normal((20, 12)).astype(np.float32))
with h5py.File(stem + ".h5", "w") as file:
    file["a/wei"] = wei
header = json.dumps({"src": {"dtype": "F32", "shape": [20, 64], "data_offsets": [0, src.nbytes]}}).encode()
with open(stem + ".safetensors", "wb") as file:
    file.write(struct.pack("<Q", len(header)) + header + src.tobytes())
