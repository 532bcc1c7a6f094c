"""Every reader of the project: valid inputs, made by other programs or by Assay itself, and the commands that read them.

A seed is a folder; its first file is the one that is damaged (or one of several, if `Seed.files` lists more). A command is a list of
words in which `{file}` is the damaged file and `{folder}` its folder, a copy of the seed folder.
"""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import time
from dataclasses import dataclass

import harm

SOURCE = pathlib.Path(__file__).resolve().parents[2]


@dataclass
class Seed:
    reader: str
    folder: pathlib.Path
    files: list  # names of the files that are damaged
    commands: list
    ways: tuple


class Seeds:
    """Makes the seeds in a folder; `left_out` lists those that could not be made, with the reason."""

    def __init__(self, folder, assay):
        self.folder, self.assay = folder, assay
        self.seeds, self.left_out = [], {}

    def add(self, reader, files, commands, ways, first=None):
        """`files`: name -> bytes or a path to copy; `first`: the files to damage (default: the first)."""
        place = self.folder / f"{reader}-{len(self.seeds)}"
        place.mkdir(parents=True)
        for name, content in files.items():
            (place / name).parent.mkdir(parents=True, exist_ok=True)
            if isinstance(content, bytes):
                (place / name).write_bytes(content)
            else:
                shutil.copyfile(content, place / name)
        names = first or [next(iter(files))]
        self.seeds.append(Seed(reader, place, names, [command.split() for command in commands], ways))

    def run(self, words, folder):
        said = subprocess.run([self.assay, *words.split()], cwd=folder, capture_output=True, text=True, timeout=600)
        if said.returncode not in (0, 1):
            raise RuntimeError(f"assay {words}: {said.stderr.strip()}")

    def make(self, wanted):
        for name, build in MAKERS.items():
            if wanted and name not in wanted:
                continue
            scratch = self.folder / f"make-{name}"
            scratch.mkdir(parents=True)
            try:
                build(self, scratch)
            except (ImportError, RuntimeError, OSError) as why:
                self.left_out[name] = str(why)
        return self.seeds


def mlir(seeds, _):
    run = "run {file} --input random --max-seconds 5 --max-memory 1G --quiet"
    for name in ("mlp_inference", "newton_while", "int8_matmul", "convolution_kinds", "embedding_gather_scatter", "switch_case"):
        path = SOURCE / "test/programs" / f"{name}.mlir"
        seeds.add("mlir", {"p.mlir": path}, [run, run + " --engine native", "verify --op --mode=I --timeout=5 --max-memory=1G {file}"], harm.TEXT)
    for name in ("while", "scatter", "sort", "fft", "reduce_window", "dynamic_slice", "quantized", "rng"):
        path = SOURCE / "test/reference" / f"{name}.mlir"
        if path.exists():
            seeds.add("mlir", {"p.mlir": path}, ["test {file} --max-seconds 10 --max-memory 1G --quiet"], harm.TEXT)


def bytecode(seeds, scratch):
    """A portable artifact, and a file that contains one, as JAX exports them."""
    import jax
    import numpy
    from jax import export

    program = export.export(jax.jit(lambda x, w: (jax.nn.softmax(x @ w), x.argsort(0))))(*(numpy.ones(s, "f") for s in ((4, 3), (3, 5))))
    for name, content in (("p.mlirbc", program.mlir_module_serialized), ("p.jax", program.serialize())):
        seeds.add("bytecode", {name: bytes(content)}, ["run {file} --input random --max-seconds 5 --max-memory 1G --quiet"], harm.BINARY)


ONE = b"func.func @main(%a: tensor<?x?xf32>) -> tensor<?x?xf32> { return %a : tensor<?x?xf32> }\n"


def npy(seeds, _):
    for path in sorted((SOURCE / "fuzz/corpus/npy").iterdir()):
        seeds.add("npy", {"a.npy": path, "p.mlir": ONE}, ["run {folder}/p.mlir --input {file} --quiet"], harm.BINARY)
    program = SOURCE / "test/cli/Inputs/add_f32.mlir"
    for path in sorted((SOURCE / "fuzz/corpus/npy").glob("f4*")):
        seeds.add("npy", {"a.npy": path, "p.mlir": program}, ["run {folder}/p.mlir --input {file} {file} --quiet"], harm.BINARY)


def npz(seeds, _):
    for path in sorted((SOURCE / "fuzz/corpus/npz").iterdir()):
        seeds.add("npz", {"a.npz": path}, ["import {file} {folder}/o.h5"], harm.ZIP)
    for name in ("mlp_inference", "integers", "complex_fft", "fp8_matmul"):
        files = {"a.npz": SOURCE / f"test/programs/{name}.npz", "p.mlir": SOURCE / f"test/programs/{name}.mlir"}
        seeds.add("npz", files, ["run {folder}/p.mlir --input {file} --expect {file} --max-seconds 10 --quiet", "import {file} {folder}/o.h5"], harm.ZIP)


def safetensors(seeds, _):
    path = SOURCE / "fuzz/corpus/safetensors/two.safetensors"
    seeds.add("safetensors", {"a.safetensors": path}, ["import {file} {folder}/o.h5"], harm.BINARY + harm.TEXT)


def pt(seeds, _):
    for path in sorted((SOURCE / "fuzz/corpus/pt").iterdir()):
        ways = harm.ZIP if path.suffix == ".pt" else harm.BINARY
        seeds.add("pt", {"a.pt": path}, ["import {file} {folder}/o.h5"], ways)


def msprobe(seeds, _):
    name = "Module.conv1.Conv2d.forward.0.input.0"
    listed = {"task": "tensor", "level": "mix", "data": {"Module.conv1.Conv2d.forward.0": {"input_args": [
        {"type": "torch.Tensor", "dtype": "torch.float32", "shape": [2], "Max": 1.0, "data_name": name + ".npy"}], "output": [
        {"type": "torch.Tensor", "data_name": None}]}}}
    files = {"r/dump.json": json.dumps(listed, indent=1).encode(), f"r/dump_tensor_data/{name}.npy": SOURCE / "fuzz/corpus/npy/f4.npy"}
    seeds.add("msprobe", files, ["import {folder}/r {folder}/o.h5"], harm.TEXT)


def dumps(seeds, scratch):
    """HDF5 files: made by other programs, recorded by Assay, imported."""
    commands = ["summary {file}", "compare {file} {folder}/whole.h5 --first-wrong", "compare {folder}/whole.h5 {file}"]
    seeds.run(f"run {SOURCE}/test/programs/mlp_inference.mlir --input {SOURCE}/test/programs/mlp_inference.npz --record ran.h5", scratch)
    seeds.run(f"import {SOURCE}/test/programs/integers.npz imported.h5", scratch)
    paths = sorted((SOURCE / "fuzz/corpus/hdf5").iterdir()) + [scratch / "ran.h5", scratch / "imported.h5"]
    for path in paths:
        more = [f"extract {{file}} --program {SOURCE}/test/programs/mlp_inference.mlir -o {{folder}}/t"] if path.name == "ran.h5" else []
        seeds.add("hdf5", {"a.h5": path, "whole.h5": path}, commands + more, harm.BINARY)


def journal(seeds, scratch):
    """A recording that was killed: the file, and the journal beside it."""
    import h5py
    seeds.run(f"import {SOURCE}/test/programs/mlp_inference.npz a.h5", scratch)
    for state in ("calm", "busy"):
        lines = [{"state": state, "attributes": {"tool": "assay"}, "journal": 1}]
        with h5py.File(scratch / "a.h5") as file:
            def note(name, item):
                if isinstance(item, h5py.Dataset) and item.id.get_offset() is not None:
                    lines.append({"dtype": str(item.dtype), "hash": str(item.attrs["hash"]), "name": "/" + name, "offset": item.id.get_offset(),
                                  "shape": list(item.shape)})
            file.visititems(note)
        text = "".join(json.dumps(one, separators=(",", ":")) + "\n" for one in lines)
        seeds.add("journal", {"a.h5.journal": text.encode(), "a.h5": scratch / "a.h5"}, ["summary {folder}/a.h5"], harm.TEXT, ["a.h5.journal"])
        seeds.add("journal", {"a.h5.journal": text.encode(), "a.h5": scratch / "a.h5"}, ["summary {folder}/a.h5"], harm.BINARY, ["a.h5"])


def tables(seeds, _):
    """Text that commands read: shapes, benchmark files, results of operator tests, rules, maps of names, traces, reports."""
    corpus = SOURCE / "fuzz/corpus/ckdata"
    for name in ("a.csv", "a.json", "a.log", "conv.csv"):
        seeds.add("ckdata", {name: corpus / name}, ["tune convert {file} -o {folder}/o.parquet", "report {file} -o {folder}/o.html"], harm.TEXT)
    seeds.add("shapes", {"s.csv": b"m,n,k\n8,8,8\n4,16,32\n"},
              ["tune collect --shapes {file} --kernels sample:2 --pairs 3 --threads 1 --cap 0.001 --max-seconds 5 -o {folder}/d.parquet"], harm.TEXT)
    seeds.add("trace", {"dump.json": SOURCE / "test/cli/Inputs/trace.json"}, ["extract {file} -o {folder}/t", "report {file} -o {folder}/o.html"], harm.TEXT)
    rules = b'{"default": "dtype", "rules": [{"match": "^out0$", "dtype": "bf16", "rule": "close:1e-2,1e-3"}, {"dtype": "f32", "rule": "ulp:64"}]}'
    seeds.add("rules", {"r.json": rules}, [f"run {SOURCE}/test/programs/mlp_inference.mlir --input {SOURCE}/test/programs/mlp_inference.npz --expect "
                                           f"{SOURCE}/test/programs/mlp_inference.npz --rule {{file}} --quiet"], harm.TEXT)


def made_json(seeds, scratch):
    """Files that Assay writes and reads again."""
    seeds.run(f"import {SOURCE}/test/programs/mlp_inference.npz a.h5", scratch)
    seeds.run("compare a.h5 a.h5 --write-map map.json --json compared.json", scratch)
    seeds.run("verify --json=verified.json --engine=reference --matmul 3x4:4x5 --dt=bf16 2x3:3x4", scratch)
    seeds.add("map", {"map.json": scratch / "map.json", "a.h5": scratch / "a.h5"}, ["compare {folder}/a.h5 {folder}/a.h5 --map {file}"], harm.TEXT)
    for name in ("compared.json", "verified.json"):
        seeds.add("report", {name: scratch / name}, ["report {file} -o {folder}/o.html"], harm.TEXT)
    seeds.run("verify --resume=done.jsonl --engine=reference --matmul 3x4:4x5 2x3:3x4", scratch)
    seeds.add("resume", {"done.jsonl": scratch / "done.jsonl"}, ["verify --resume={file} --engine=reference --matmul 3x4:4x5 2x3:3x4"], harm.TEXT)


def batch(seeds, _):
    for path in sorted((SOURCE / "inputs").glob("*/*")):
        if path.is_file() and path.suffix != ".mlir" and path.stat().st_size < 4000 and path.parent.name not in ("op", "shapes"):
            seeds.add("batch", {"b": path}, [f"verify --mode=L --max-seconds=10 --{path.parent.name} --batch={{file}}"], harm.TEXT)
    small = b"--matmul --dt=f32,bf16 --bia-dt=f32 --bia_mask=2\n3x4:4x5\n2x3x4:2x4x5n\"x\"\n--reset --conv --dir=BWD_W ic4ih6oc5kh3ph1\n"
    seeds.add("batch", {"b": small}, ["verify --engine=reference --max-memory=200M --timeout=5 --max-seconds=10 --batch={file}"], harm.TEXT)


def datasets(seeds, scratch):
    """Parquet, the journal of a killed collection, a model's folder."""
    sizes = "".join(f"{m},{n},{k}\n" for m in (4, 20) for n in (8, 30) for k in (16, 50))
    (scratch / "s.csv").write_text("m,n,k\n" + sizes)
    collect = "tune collect --shapes s.csv --kernels sample:3 --pairs 3 --threads 1 --quiet -o d.parquet"
    seeds.run(collect, scratch)
    seeds.add("parquet", {"d/d.parquet": scratch / "d.parquet"},
              ["tune features --data_dir {folder}/d -o {folder}/f.parquet",
               "tune train --data_dir {folder}/d --out_dir {folder}/m --n_splits 2 --n_estimators 2 --targets efficiency --quiet"], harm.BINARY)
    (scratch / "more.csv").write_text("m,n,k\n" + "".join(f"{m},64,64\n" for m in range(1, 3000)))
    run = subprocess.Popen([seeds.assay, *collect.replace("s.csv", "more.csv").replace("d.parquet", "k.parquet").split()], cwd=scratch)
    journal, deadline = scratch / "k.parquet.journal", time.monotonic() + 120
    while time.monotonic() < deadline and (not journal.exists() or journal.read_bytes().count(b"\n") < 12):
        time.sleep(0.01)
    run.send_signal(signal.SIGKILL)
    run.wait()
    text = b"\n".join(journal.read_bytes().split(b"\n")[:12]) + b"\n"
    seeds.add("collected", {"k.parquet.journal": text, "s.csv": b"m,n,k\n1,64,64\n"},
              ["tune collect --shapes {folder}/s.csv --kernels sample:3 --pairs 3 --threads 1 --quiet --max-seconds 5 -o {folder}/k.parquet"], harm.TEXT)
    seeds.run("tune train --data_dir d.parquet --out_dir m --n_splits 2 --n_estimators 5 --quiet", scratch)
    model = {f"m/{path.name}": path for path in sorted((scratch / "m").iterdir())}
    predict = ["tune predict --model_dir {folder}/m --m 20 --n 30 --k 50 --threads 1 --top_k 2",
               "kernels explain --m 20 --n 30 --k 50 --threads 1 --top 1"]
    seeds.add("model", model, predict, harm.TEXT, ["m/feature_spec.json", "m/train_manifest.json"])
    seeds.add("model", model, predict, harm.GZIP, ["m/model_efficiency.lgbm.gz", "m/model_tflops.lgbm.gz"])
    for path in sorted((SOURCE / "fuzz/corpus/lightgbm").iterdir()):
        seeds.add("lightgbm", {"m.lgbm": path, "rows.csv": b"1,2,3,4,5,6\n0.5,,nan,1,0,9\n"},
                  ["tune score {file} {folder}/rows.csv --rewrite {folder}/again.lgbm"], harm.TEXT)


MAKERS = {maker.__name__: maker for maker in (mlir, bytecode, npy, npz, safetensors, pt, msprobe, dumps, journal, tables, made_json, batch, datasets)}
