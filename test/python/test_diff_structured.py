"""Every structured operation of the reference engine against XLA's CPU compiler: the same StableHLO text on both sides.

Each operation has a generator of cases in structured_*.py (random shapes with 0, 1 and primes, random attributes); the
cases of an operation make one module, run once by `assay run` and once by the client that JAX uses. Where they differ the
specification decides; the cases in which XLA deviates are skipped there, with the reason in a comment.
"""
import os
import pathlib
import re
import subprocess

import numpy as np
import pytest

jax = pytest.importorskip("jax", reason="JAX's CPU client is the peer of this test")
import ml_dtypes  # noqa: E402
from jax._src import xla_bridge  # noqa: E402
from jax._src.lib import xla_client  # noqa: E402

import structured_algebra  # noqa: E402
import structured_control  # noqa: E402
import structured_index  # noqa: E402
import structured_move  # noqa: E402
import structured_window  # noqa: E402
from structured_programs import TYPES, module  # noqa: E402

jax.config.update("jax_enable_x64", True)

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
ASSAY = pathlib.Path(os.environ.get("ASSAY_BIN", ROOT / "build" / "release" / "bin")) / "assay"
SEED = 20240608

GENERATORS = {**structured_move.GENERATORS, **structured_index.GENERATORS, **structured_algebra.GENERATORS,
              **structured_window.GENERATORS, **structured_control.GENERATORS}
VARIANTS = {"reduce_pair": "reduce", "reduce_larger_body": "reduce", "reduce_window_pair": "reduce_window",
            "scatter_variadic": "scatter", "fft_real": "fft"}
WITHOUT_PEER = {"rng": "its bits are free", "dynamic_conv": "XLA takes no dynamic padding",
                "dynamic_gather": "XLA takes no dynamic slice sizes"}
# Rows of Ops.def that compute nothing, or that other tests cover.
WITHOUT_ARITHMETIC = {"after_all", "async_done", "create_token", "custom_call", "get_tuple_element", "optimization_barrier",
                      "partition_id", "replica_id", "tuple"}


def xla(text, operands):
    client = xla_bridge.get_backend("cpu")
    devices = client.local_devices()[:1]
    program = client.compile_and_load(text, xla_client.DeviceList(tuple(devices)), xla_client.CompileOptions())
    out = program.execute_sharded([jax.device_put(o, devices[0]) for o in operands])
    return [np.asarray(shards[0]) for shards in out.disassemble_into_single_device_arrays()]


def assay(tmp_path, text, operands):
    (tmp_path / "program.mlir").write_text(text)
    # Types that NumPy lacks are stored as their bits; the program's type says what they are.
    stored = [o.view(f"u{o.dtype.itemsize}") if o.dtype.kind == "V" or o.dtype.name.startswith(("bf", "float8")) else o
              for o in operands]
    np.savez(tmp_path / "in.npz", **{f"in{i}": o for i, o in enumerate(stored)})
    command = [str(ASSAY), "run", str(tmp_path / "program.mlir"), "--input", str(tmp_path / "in.npz"), "--output",
               str(tmp_path / "out.npz"), "--quiet"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-2000:]
    with np.load(tmp_path / "out.npz") as file:
        return [file[f"out{i}"] for i in range(len(file.files))]


def difference(got, want, bound):
    """None, or the difference."""
    if got.dtype != want.dtype and got.dtype.itemsize == want.dtype.itemsize:
        got = got.view(want.dtype)
    if got.shape != want.shape:
        return f"shape {got.shape}, XLA has {want.shape}"
    if want.dtype.kind in "biu":
        wrong = got != want
    else:
        eps = float(ml_dtypes.finfo(want.dtype if want.dtype.kind != "c" else want.real.dtype).eps)
        wide = np.complex128 if want.dtype.kind == "c" else np.float64
        got, want = got.astype(wide), want.astype(wide)
        scale = np.max(np.abs(want[np.isfinite(want)]), initial=0)
        with np.errstate(invalid="ignore"):
            near = (got == want) | (np.isnan(got) & np.isnan(want)) | (np.abs(got - want) <= bound * eps * scale)
        wrong = ~near
    if not wrong.any():
        return None
    at = tuple(int(i) for i in np.argwhere(wrong)[0])
    return f"{int(wrong.sum())} of {wrong.size} elements, first at {at}: {got[at]}, XLA has {want[at]}"


@pytest.mark.parametrize("name", GENERATORS)
def test_against_xla(tmp_path, name):
    cases = list(GENERATORS[name](np.random.default_rng([SEED, *name.encode()])))
    assert cases
    operands = [operand for case in cases for operand in case.operands]
    for case in cases:
        for kind, operand in zip(case.kinds, case.operands):
            assert operand.dtype == TYPES[kind], (kind, operand.dtype)
    got, want = assay(tmp_path, module(cases), operands), xla(module(cases, peer=True), operands)
    assert len(got) == len(want)
    failures, at = [], 0
    for case in cases:
        for result in range(len(case.results)):
            different = difference(got[at], want[at], case.bound)
            if different:
                types = [f"{k}{list(o.shape)}" for k, o in zip(case.kinds, case.operands)]
                failures.append(f"result {result} {case.note}: {different}\n  {', '.join(types)}\n  {case.body}")
            at += 1
    assert not failures, f"{len(failures)} of {at} results:\n" + "\n".join(failures[:6])


# Operations of several processes: test_processes.py compares them with XLA on four devices.
COLLECTIVES = {"all_gather", "all_reduce", "all_to_all", "collective_broadcast", "collective_permute", "collective_reduce",
               "infeed", "outfeed", "recv", "reduce_scatter", "send"}


# Operations with their own test, against NumPy or the specification's examples.
ELSEWHERE = {"ragged_dot": "test_ragged_dot.py", "uniform_quantize": "test_quantized.py", "uniform_dequantize": "uniform_dequantize.mlir",
             "set_dimension_size": "set_dimension_size.mlir"}  # fmt: skip


def test_every_row_has_cases():
    """Fails for a row of Ops.def that is neither generated nor listed with a reason."""
    rows = re.findall(r'^ASSAY_OP\("(?:stablehlo|chlo)\.(\w+)"', (ROOT / "src/assay/reference/Ops.def").read_text(), re.M)
    covered = {VARIANTS.get(name, name) for name in GENERATORS} | set(WITHOUT_PEER) | WITHOUT_ARITHMETIC
    covered |= {"rng_bit_generator"} | COLLECTIVES | set(ELSEWHERE)
    assert rows and not set(rows) - covered


@pytest.mark.parametrize("name", WITHOUT_PEER)
def test_without_peer(name):
    pytest.skip(f"XLA's CPU compiler has no equal of {name}: {WITHOUT_PEER[name]}; test/reference/{name}.mlir covers it")
