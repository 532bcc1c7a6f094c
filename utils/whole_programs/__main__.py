"""Runs programs as users export them, from JAX and from PyTorch (by torchax if it is installed), in every form in which they are stored.

usage: python3 utils/whole_programs [--only NAME,...] [--keep DIR] [--torchax DIR]

Each program is written as text, as bytecode, as portable artifacts of jaxlib's current and an older version, and as a file of jax.export; `assay run`
runs each on both engines. A form that jaxlib itself cannot write is listed. The results are compared with XLA's and PyTorch's by rule dtype, and all
forms must give the same bits. Prints a row per program; exits 1 when one differs, 3 when there was none. `./dev conformance programs` runs it.
"""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile
import warnings

os.environ["XLA_FLAGS"] = os.environ.get("XLA_FLAGS", "") + " --xla_force_host_platform_device_count=4"
os.environ.setdefault("JAX_PLATFORMS", "cpu")
ROOT = pathlib.Path(__file__).resolve().parents[2]
OLDER = "1.9.0"
# (program, form): those that are refused, and the message
REFUSED = {("jax_fp8", "mlirbc"): "written by a newer MLIR"}  # constants of 8-bit floats have a new encoding


def forms(text, serialized, name, folder):
    """{form: file}"""
    from jaxlib.mlir import ir
    from jaxlib.mlir.dialects import stablehlo
    from jax._src.interpreters import mlir as lowering

    files = {form: folder / f"{name}.{form}" for form in ("mlir", "mlirbc")}
    files["mlir"].write_text(text)
    if serialized:
        files["jax.export"] = folder / f"{name}.exported"
        files["jax.export"].write_bytes(serialized)
    with lowering.make_ir_context():
        module = ir.Module.parse(text)
        with open(files["mlirbc"], "wb") as out:
            module.operation.write_bytecode(out)
        for version in (stablehlo.get_current_version(), OLDER):
            try:
                artifact = stablehlo.serialize_portable_artifact(module, version)
            except Exception as error:  # an operation that the version lacks
                print(f"  {name}: no artifact of {version}: {str(error).splitlines()[0][:90]}", file=sys.stderr)
                continue
            files[version] = folder / f"{name}.{version}.mlirbc"
            files[version].write_bytes(artifact)
    return files


def store(path, arrays, prefix):
    """Types that NumPy lacks are passed as their bits, 4-bit integers as a byte each."""
    import numpy as np

    def plain(array):
        array = np.asarray(array)
        if array.dtype.name in ("int4", "uint4"):
            return array.astype(np.int8 if array.dtype.name == "int4" else np.uint8)
        return array.view(np.uint16) if array.dtype.name == "bfloat16" else array

    np.savez(path, **{f"{prefix}{i}": plain(array) for i, array in enumerate(arrays)})


def run(file, inputs, outputs, folder, engine):
    """(verdict, bytes of the results)"""
    import numpy as np

    assay = pathlib.Path(os.environ.get("ASSAY_BIN", ROOT / "build/release/bin")) / "assay"
    result = folder / "result.npz"
    result.unlink(missing_ok=True)
    words = [assay, "run", file, "--input", inputs, "--expect", outputs, "--rule", "dtype", "--engine", engine, "--output", result, "--quiet"]
    ran = subprocess.run(list(map(str, words)), capture_output=True, text=True, timeout=300)
    if ran.returncode != 0:
        said = (ran.stderr or ran.stdout).strip().splitlines()
        return f"exit code {ran.returncode}: {said[0] if said else ''}", None
    held = np.load(result)
    return "agrees", [held[name].tobytes() for name in held.files]


def judge(name, text, cases, serialized, folder):
    """Whether all forms agree on all cases; prints the row."""
    files, problems = forms(text, serialized, name, folder), []
    for number, (arguments, results) in enumerate(cases):
        inputs, outputs = folder / f"{name}.{number}.in.npz", folder / f"{name}.{number}.out.npz"
        store(inputs, arguments, "in")
        store(outputs, results, "out")
        bits = {}
        for engine in ("reference", "native"):
            for form, file in files.items():
                verdict, bits[form] = run(file, inputs, outputs, folder, engine)
                if (said := REFUSED.get((name, form))) and said in verdict:
                    continue
                if verdict != "agrees":
                    problems.append(f"{form} on {engine}: {verdict}")
                elif bits[form] != bits["mlir"]:
                    problems.append(f"{form} on {engine}: other bits than the text's")
    print(f"{name:<26} {len(files)} forms  {'agrees' if not problems else 'DIFFERS'}")
    for problem in problems:
        print(f"    {problem}")
    return not problems


def programs(only):
    """(name, text, [(inputs, results)], file of jax.export or None)"""
    import jax
    import jax_models

    jax.config.update("jax_enable_x64", True)
    wanted = lambda name: not only or name in only
    for name, (function, arguments) in jax_models.models().items():
        if wanted(name):
            text, inputs, results, serialized = jax_models.exported(function, arguments)
            yield name, text, [(inputs, results)], serialized
    if wanted("jax_dynamic_batch"):
        yield ("jax_dynamic_batch", *jax_models.dynamic())
    if wanted("jax_shard_map"):
        text, inputs, results, serialized = jax_models.sharded()
        yield "jax_shard_map", text, [(inputs, results)], serialized
    try:
        import torch_models

        torch_models.load_torchax()
    except ImportError as missing:
        print(f"the programs of PyTorch are left out: {missing} (python -m pip install --no-deps --target DIR torchax, then --torchax DIR)")
        return
    jax.config.update("jax_enable_x64", False)  # as in PyTorch: constants are f32
    for name, (module, arguments) in torch_models.models().items():
        if wanted(name):
            text, inputs, results = torch_models.exported(module, arguments)
            yield name, text, [(inputs, results)], None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="names of programs, with commas")
    parser.add_argument("--keep", type=pathlib.Path, help="the programs and their data are left there")
    parser.add_argument("--torchax", type=pathlib.Path, help="the folder that torchax was installed in")
    options = parser.parse_args()
    sys.path.insert(0, str(pathlib.Path(__file__).parent))
    if options.torchax:
        sys.path.insert(0, str(options.torchax))
    warnings.simplefilter("ignore")
    agreed = total = 0
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.keep or pathlib.Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        for name, text, cases, serialized in programs(set(filter(None, options.only.split(",")))):
            total += 1
            agreed += judge(name, text, cases, serialized, folder)
    print(f"whole programs: {agreed} of {total} agree in every form")
    return 3 if not total else 0 if agreed == total else 1


if __name__ == "__main__":
    sys.exit(main())
