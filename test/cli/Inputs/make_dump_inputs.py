"""Writes the wrong and odd files that messages_dumps.test feeds to the commands on dumps."""
import json
import pathlib
import sys

import h5py
import numpy as np

out = pathlib.Path(sys.argv[1])


def write(name, content):
    path = out / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content))


# Polygraphy's results and inputs.
write("no_iterations.json", {"lst": [["runner"]]})
write("no_outputs.json", {"lst": [["runner", [{"inputs": {}}]]]})
write("neither.json", {"some": 1})
write("no_array.json", {"lst": [["runner", [{"outputs": {"x": 3}}]]]})
write("cut.json", "{")
write("unknown.ending", "x")

# Folders of msprobe.
write("statistics/dump.json", {"data": {"x": {"data_name": None}}})
write("statistics/step0/rank0/dump.json", {"data": {"x": {"data_name": None}}})
write("empty/readme", "nothing")
for rank in range(2):
    write(f"two/step0/rank{rank}/dump.json", '{"data": {"x": {"data_name": "Tensor.add.0.forward.input.0.npy"}}}')
    path = out / f"two/step0/rank{rank}/dump_tensor_data"
    path.mkdir()
    np.save(path / "Tensor.add.0.forward.input.0.npy", np.zeros(3, np.float32))

# Operator traces.
call = {"name": "00000-aten", "op_name": "aten.add.Tensor", "args": [{"shape": [2], "dtype": "torch.float32"}], "kwargs": {}, "outputs": []}
write("no_list.json", {"calls": []})
write("no_object.json", [3])
write("no_name.json", [{"name": "x"}])
write("strides.json", [dict(call, args=[{"shape": [2, 2], "dtype": "torch.float32", "stride": [1]}])])

# CSV files of generated tests.
titles = ["name", "op_name", "dtype", "shape", "min-val", "max-val", "is_pass", "max"] + [f"1e-{n}" for n in range(1, 11)]
write("short.csv", "name,op_name\nx,y\n")
write("words.csv", ",".join(titles) + "\nx,add,f32,2,0,1,pass,many" + ",0" * 10 + "\n")

# Layouts and maps of names.
write("list.json", [1])
write("no_mesh.json", {"tensors": []})
write("unnamed.json", {"mesh": ["tp 2"], "tensors": [{"tp": "sum"}]})
write("words.json", {"mesh": ["tp 2"], "tensors": [{"name": "*", "tp": "halves"}]})
write("numbered.json", {"mesh": ["tp 2"], "numbered": ["x"]})
write("tensors.json", {"mesh": ["tp 2"], "tensors": {"name": "*"}})
write("map.json", {"prefixes": 3})
write("mapping.json", {"module": {"a": "b"}})

# Dumps.
def dump(name, tensors, **attributes):
    path = out / name
    path.parent.mkdir(parents=True, exist_ok=True)
    with h5py.File(path, "w") as file:
        for key, value in tensors.items():
            file[key] = value
            for attribute, text in attributes.items():
                file[key].attrs[attribute] = text


one = {"/0/a.Linear.0.forward_output.0": np.ones((2, 2), np.float32)}
dump("one.h5", one)
dump("none.h5", {})
dump("other.h5", {"/0/b.Conv.0.forward_output.0": np.ones((2, 2), np.float32)})
ranks = ["globalrank-0_localrank-0.h5", "globalrank-1_localrank-1.h5"]
for rank, name in enumerate(ranks):
    dump(f"ranks/{name}", one)
    dump(f"others/{name}", {"/0/b.Conv.0.forward_output.0": np.ones(3, np.float32)})
    dump(f"half/{name}", one, **({"placement": "tp 0/2: sum"} if rank == 0 else {}))
    dump(f"unknown/{name}", one, placement=f"tp {rank}/2: halves")
(out / "nodumps").mkdir()

# Types that no tensor has.
with h5py.File(out / "types.h5", "w") as file:
    def typed(name, type_):
        space = h5py.h5s.create_simple((2,))
        h5py.h5d.create(file.id, name.encode(), type_, space)

    wide = h5py.h5t.NATIVE_INT32.copy()
    wide.set_size(3)
    typed("three", wide)
    typed("opaque", h5py.h5t.create(h5py.h5t.OPAQUE, 5))
    typed("extended", h5py.h5t.NATIVE_LDOUBLE)
    typed("array", h5py.h5t.array_create(h5py.h5t.NATIVE_INT32, (2,)))
