"""Copies an .npz and moves element 37 of out0 (float32) by 1e-3 of its RMS: move_one_element.py IN.npz OUT.npz.

Plain Python, because the demo does not install NumPy: an .npz is a zip of .npy files, and an .npy is a header followed
by the raw data.
"""
import math
import struct
import sys
import zipfile

source, target = sys.argv[1:]
with zipfile.ZipFile(source) as archive, zipfile.ZipFile(target, "w") as moved:
    for name in archive.namelist():
        data = archive.read(name)
        if name == "out0.npy":
            start = 10 + struct.unpack("<H", data[8:10])[0]
            assert b"<f4" in data[:start], "out0 is not float32"
            values = list(struct.unpack(f"<{(len(data) - start) // 4}f", data[start:]))
            values[37] += 1e-3 * math.sqrt(sum(value * value for value in values) / len(values))
            data = data[:start] + struct.pack(f"<{len(values)}f", *values)
        moved.writestr(name, data)
