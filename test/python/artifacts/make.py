"""Makes the files in this folder: artifacts as the newest JAX writes them, with the inputs and XLA's results. Run by hand, with that JAX:

    python test/python/artifacts/make.py

No test needs it. Each program needs a feature that its version of StableHLO introduced; `model` is a function exported by jax.export.
"""
import pathlib

import jax
import jax.export
import jax.numpy as jnp
import numpy as np
from jax._src.interpreters import mlir
from jaxlib import _jax
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo

HERE = pathlib.Path(__file__).resolve().parent

F8_CONVOLUTION = """func.func public @main(%a: tensor<1x5x5x2xf8E4M3FN>, %b: tensor<2x2x2x3xf8E5M2>) -> tensor<1x4x4x3xf32> {
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {}
      {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
      : (tensor<1x5x5x2xf8E4M3FN>, tensor<2x2x2x3xf8E5M2>) -> tensor<1x4x4x3xf32>
  return %0 : tensor<1x4x4x3xf32>
}"""
F8_ALGORITHM = """func.func public @main(%a: tensor<3x4xf8E4M3FN>, %b: tensor<4x2xf8E4M3FN>) -> tensor<3x2xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0],
      algorithm = <lhs_precision_type = f8E4M3FN, rhs_precision_type = f8E4M3FN, accumulation_type = f32, lhs_component_count = 1,
                   rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false>
      : (tensor<3x4xf8E4M3FN>, tensor<4x2xf8E4M3FN>) -> tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
}"""
WEAK_ORDER = """func.func public @main(%a: tensor<10x10xf32>, %b: tensor<10x10xf32>) -> (RESULTS) {
COMPARISONS
  return %EQ, %NE, %GE, %GT, %LE, %LT : RESULTS
}""".replace("RESULTS", ", ".join(["tensor<10x10xi1>"] * 6)).replace("COMPARISONS", "\n".join(
    f"  %{d} = stablehlo.compare {d}, %a, %b, WEAKORDER : (tensor<10x10xf32>, tensor<10x10xf32>) -> tensor<10x10xi1>"
    for d in ("EQ", "NE", "GE", "GT", "LE", "LT")))  # fmt: skip


def save(name, artifact, inputs, outputs):
    (HERE / f"{name}.mlirbc").write_bytes(artifact)
    narrow = lambda a: np.asarray(a).view(np.uint8) if np.asarray(a).dtype.name.startswith("float8") else np.asarray(a)
    np.savez_compressed(HERE / f"{name}.npz", **{f"in{i}": narrow(a) for i, a in enumerate(inputs)}, **{f"out{i}": narrow(a) for i, a in enumerate(outputs)})


def from_text(name, text, version, inputs):
    device = jax.devices("cpu")[0]
    context = mlir.make_ir_context()
    with context:
        module = ir.Module.parse(text)
        artifact = stablehlo.serialize_portable_artifact(module, version)
    program = device.client.compile_and_load(mlir.module_to_bytecode(module), _jax.DeviceList((device,)), _jax.CompileOptions())
    save(name, artifact, inputs, program.execute([jax.device_put(a, device) for a in inputs]))


def model(x, kernel, w):
    y = jax.lax.conv_general_dilated(x, kernel, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))
    y = jax.nn.gelu(y).mean((1, 2)) @ w
    order = jnp.sort(y, axis=-1)
    return jax.nn.softmax(y), order, jnp.cumsum(order, -1), jax.lax.top_k(y, 2)


def main():
    rng = np.random.default_rng(0)
    draw = lambda *shape: rng.standard_normal(shape).astype(np.float32)
    from_text("f8_convolution", F8_CONVOLUTION, "1.20.0", [draw(1, 5, 5, 2).astype(jnp.float8_e4m3fn), draw(2, 2, 2, 3).astype(jnp.float8_e5m2)])
    from_text("f8_algorithm", F8_ALGORITHM, "1.21.0", [draw(3, 4).astype(jnp.float8_e4m3fn), draw(4, 2).astype(jnp.float8_e4m3fn)])
    special = np.array([-np.nan, np.nan, -np.inf, -1, -0.0, 0.0, 1, 2, np.inf], np.float32)
    special = np.append(special, np.uint32(0x7F800001).view(np.float32))
    from_text("weak_order", WEAK_ORDER, "1.22.0", list(np.meshgrid(special, special, indexing="ij")))
    inputs = [draw(2, 6, 6, 3), draw(3, 3, 3, 4), draw(4, 5)]
    exported = jax.export.export(jax.jit(model), platforms=["cpu"])(*inputs)
    save("model", exported.mlir_module_serialized, inputs, jax.tree.leaves(jax.jit(model)(*inputs)))
    print(jax.__version__, stablehlo.get_current_version())


if __name__ == "__main__":
    main()
