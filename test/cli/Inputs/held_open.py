"""held_open.py ASSAY FOLDER: commands' messages about a dump that another process has open for writing."""
import subprocess
import sys

import h5py

with h5py.File(f"{sys.argv[2]}/open.h5", "w") as file:
    file["1/x"] = [1.0]
    file.flush()
    for words in (["summary", "open.h5"], ["run", "same.mlir", "--input", "random", "--record", "open.h5"]):
        done = subprocess.run([sys.argv[1], *words], cwd=sys.argv[2], capture_output=True, text=True)
        print(done.returncode, done.stderr.strip())
