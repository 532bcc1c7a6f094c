"""Writes the wrong models, lists and data that messages_tune.test feeds to `assay tune`. arguments: the folder, the shipped model's."""
import json
import pathlib
import shutil
import sys

import pyarrow
import pyarrow.parquet

out, shipped = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
spec = json.loads((shipped / "feature_spec.json").read_text())
TREE = """tree
version=v4
num_class=1
num_tree_per_iteration=1
max_feature_idx=1
objective=regression
feature_names={names}
feature_infos=none none
tree_sizes=1

Tree=0
num_leaves=1
num_cat=0
leaf_value=1
is_linear=0
shrinkage=1


end of trees
"""


def write(name, content):
    path = out / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content))


# Lists of shapes.
write("header.csv", "a,b\n1,2\n")
write("size.csv", "m,n,k\n8,8,0\n")
write("none.csv", "m,n,k\n")
write("shapes.csv", "m,n,k\n8,8,8\n")

# Models and rows.
write("small.lgbm", TREE.format(names="a b"))
write("plain.lgbm.gz", TREE.format(names="a b"))
write("words.csv", "1,x\n")
write("names.txt", "x\n")
write("cut/feature_spec.json", "{")
write("list/feature_spec.json", [1])


def model(name, trees=None, **changes):
    write(f"{name}/feature_spec.json", {**spec, **changes})
    for target in trees or []:
        shutil.copy(shipped / "model_efficiency.lgbm.gz", out / name / f"model_{target}.lgbm.gz")


model("unknown_target", targets={"speed": {}})
model("no_details", targets={"efficiency": 3})
model("offset", targets={"efficiency": {"offset_feature": "nosuch"}})
model("no_targets", targets={})
model("no_trees", targets={"efficiency": {}})
model("latency", ["latency"], targets={"latency": {"log_transform": True}})
model("otherlayout", ["efficiency"], layout="rrr", targets={"efficiency": spec["targets"]["efficiency"]})
model("whole", ["efficiency"], targets={"efficiency": spec["targets"]["efficiency"]})
published = {"op_type": "gemm_universal", "dtype": "fp8", "layout": "rcr", "arch": "gfx950", "feature_names": ["M", "N"], "targets": ["tflops"]}
for name, version in (("published", 0), ("encoding", 7)):
    write(f"{name}/feature_spec.json", {**published, "feature_encoding_version": version})
    write(f"{name}/model_tflops.lgbm", TREE.format(names="M N"))

# CK Tile's files.
write("no_results.json", {"runs": []})
write("cut.json", "{")
write("other.csv", "x,y\n1,2\n")
write("damaged.json", {"results": [{"config": {}}]})
write("bin/rocminfo", "#!/bin/sh\nexit 3\n")
(out / "bin/rocminfo").chmod(0o755)

# Data sets.
rows = {"op_type": ["gemm", "gemm"], "dtype": ["f32", "f64"], "arch": ["here", "here"], "layout": ["rcr", "rcr"], "m": [8, 8], "n": [8, 8], "k": [8, 16],
        "kernel_name": ["x", "y"], "is_valid": [True, True], "measured_tflops": [1.0, 2.0], "latency_ms": [1.0, 1.0], "bandwidth_gb_s": [1.0, 1.0]}


def data(name, **changes):
    (out / name).mkdir(parents=True, exist_ok=True)
    pyarrow.parquet.write_table(pyarrow.table({key: value for key, value in {**rows, **changes}.items() if value}), out / name / "a.parquet")


data("mixed")
data("unknown_type", dtype=["zz", "zz"])
data("hardware", op_type=["gemm_universal"] * 2, dtype=["fp8", "fp8"], hw_num_cus=[256.0, 304.0],
     **{f"{part}_{side}": [16, 16] for part in ("tile", "warp", "warp_tile") for side in "mnk"})
data("nameless", kernel_name=None)
known = {"arch": [spec["arch"]] * 2, "threads": [1, 1], "batch": [1, 1]}
data("otherorder", dtype=["f32", "f32"], layout=["zzz", "zzz"], **known)

write("x.parquet.journal", "{}\n")
