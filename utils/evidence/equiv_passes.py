"""Asks `assay passes` about every pass of XLA's CPU compiler, for randomly drawn functions of JAX and the programs of test/programs.

    python utils/evidence/equiv_passes.py [COUNT] [SEED]      ASSAY_BIN names the folder of the program

XLA's passes should keep the function, so a pair that `differs` counts as a false alarm until somebody has looked at it.
The functions come from the sweep (utils/jax_sweep), COUNT of them (300). Exit code 1 with a false alarm."""

import argparse
import collections
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
ASSAY = pathlib.Path(os.environ.get("ASSAY_BIN", ROOT / "build/release/bin")) / "assay"
BATCH = 20
LONG = {"collatz_int", "gpt2_small_prefill", "resnet50_inference"}  # one does not end on random data; two take minutes


def compile_function(label):
    """XLA compiles a function of the sweep and dumps its passes; the module is called jit__lambda_."""
    sys.path.insert(0, str(ROOT / "utils/jax_sweep"))
    from functions import callables
    from programs import made

    module, name, dtype = re.fullmatch(r"(.*)\.([^.]+)\.([^.]+)", label).groups()
    function = next(f for m, n, f in callables() if (m, n) == (module, name))
    return made(module, name, function, dtype) is not None


def compile_text(path):
    """The same for a program in a text file."""
    import jax
    from jax._src import compiler, xla_bridge
    from jax._src.interpreters import mlir
    from jaxlib.mlir import ir

    backend = xla_bridge.get_backend("cpu")
    options = compiler.get_compile_options(num_replicas=1, num_partitions=1)
    devices = jax.local_devices()[:1]
    with mlir.make_ir_context():
        module = ir.Module.parse(path.read_text())
        module.operation.attributes["sym_name"] = ir.StringAttr.get("jit__lambda_" + path.stem)
        compiler.backend_compile_and_load(backend, module, jax._src.lib.xla_client.DeviceList(tuple(devices)), options, [])
    return True


def child(items):
    """Runs in a separate process whose XLA_FLAGS request dumps; prints one line for each item that was compiled."""
    import jax

    jax.config.update("jax_enable_x64", True)
    for item in items:
        try:
            done = compile_text(pathlib.Path(item)) if item.endswith(".mlir") else compile_function(item)
        except Exception as error:  # noqa: BLE001 (what XLA does not take is not a program)
            print(f"{item}: {str(error).splitlines()[0][:120]}", file=sys.stderr)
            done = False
        if done:
            print(item, flush=True)


def asked(items, folder):
    """(items that XLA compiled, report of `assay passes`)."""
    dump = folder / "dump"
    flags = f"--xla_dump_to={dump} --xla_dump_hlo_pass_re=.* --xla_dump_large_constants=true"
    environment = {**os.environ, "XLA_FLAGS": flags, "JAX_PLATFORMS": "cpu", "ASSAY_PYTHON": sys.executable}
    ran = subprocess.run([sys.executable, __file__, "--child", *items], env=environment, capture_output=True, text=True)
    print(ran.stderr, end="", file=sys.stderr)
    if not dump.is_dir():
        return [], []
    for path in dump.iterdir():
        if path.is_file() and "jit__lambda" not in path.name:
            path.unlink()
    report = folder / "report.json"
    said = subprocess.run([ASSAY, "passes", dump, "--jobs", "2", "--json", report, "--quiet"], env=environment, capture_output=True, text=True)
    if not report.exists():
        print(said.stderr, file=sys.stderr)
        return ran.stdout.split(), []
    return ran.stdout.split(), json.loads(report.read_text())["passes"]


def drawn(count, seed):
    sys.path.insert(0, str(ROOT / "utils/jax_sweep"))
    from functions import TYPES, callables

    labels = [f"{module}.{name}.{dtype}" for module, name, _ in callables() for dtype in TYPES]
    random.Random(seed).shuffle(labels)
    texts = [str(path) for path in sorted((ROOT / "test/programs").glob("*.mlir")) if path.stem not in LONG]
    return texts, labels[: count * 3]


def main(count, seed):
    texts, labels = drawn(count, seed)
    compiled, counts, alarms = 0, collections.Counter(), []
    queue, functions = texts + labels, 0
    while queue and functions < count:
        batch, queue = queue[:BATCH], queue[BATCH:]
        with tempfile.TemporaryDirectory() as folder:
            names, pairs = asked(batch, pathlib.Path(folder))
        compiled += len(names)
        functions += sum(not name.endswith(".mlir") for name in names)
        for pair in pairs:
            counts[pair["verdict"]] += 1
            if pair["verdict"] not in ("equal", "equal but for precision"):
                alarms.append(f"{pair['group']}: {pair['pass']}: {pair['line'][:300]} (of {', '.join(names)[:200]})")
                print(alarms[-1], file=sys.stderr, flush=True)
        print(f"{compiled} programs: {dict(counts)}", file=sys.stderr, flush=True)
    print("\n".join(alarms))
    print(f"{compiled} programs, {sum(counts.values())} pairs: " + ", ".join(f"{n} {verdict}" for verdict, n in counts.most_common()))
    return 1 if counts["differs"] else 0


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        child(sys.argv[2:])
    else:
        options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
        options.add_argument("count", type=int, nargs="?", default=300)
        options.add_argument("seed", type=int, nargs="?", default=1)
        sys.exit(main(**vars(options.parse_args())))
