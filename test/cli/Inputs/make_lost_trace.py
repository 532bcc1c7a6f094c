"""A trace of one call whose tensors are missing in the file that it names."""
import json
import pathlib
import sys

import h5py

folder = pathlib.Path(sys.argv[1])
folder.mkdir()
h5py.File(folder / "data.h5", "w").close()
tensor = {"shape": [2], "dtype": "torch.float32", "stride": [1], "device": "cpu", "min": 0, "max": 1, "file": "data.h5:/gone"}
call = {"name": "00000-aten", "op_name": "aten.neg.default", "args": [tensor], "kwargs": {}, "outputs": [tensor], "stack": [], "count": 1}
(folder / "trace.json").write_text(json.dumps([call]))
