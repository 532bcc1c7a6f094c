"""make_file_inputs.py FOLDER: a .pt without the bytes of a tensor, an .npz that claims more than deflate can give, and a dump whose tensor a trace does not have."""
import struct
import sys
import zipfile

import numpy
import torch

folder = sys.argv[1]
torch.save({"a": torch.ones(3)}, f"{folder}/whole.pt")
with zipfile.ZipFile(f"{folder}/whole.pt") as whole, zipfile.ZipFile(f"{folder}/storage.pt", "w", zipfile.ZIP_STORED) as out:
    for member in whole.infolist():
        if not member.filename.endswith("data/0"):
            out.writestr(member.filename, whole.read(member))
numpy.savez_compressed(f"{folder}/claims.npz", a=numpy.zeros(100000, "f4"))
with open(f"{folder}/claims.npz", "r+b") as file:
    directory = file.read().index(b"PK\x01\x02")
    file.seek(directory + 24)  # the size before compression
    file.write(struct.pack("<I", 0x7FFFFFF0))
