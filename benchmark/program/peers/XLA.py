"""XLA's CPU compiler: the JAX function, or what PyTorch exported, called through jax.export's artifact."""
import os


def export(build):
    """(text, inputs, outputs) of a JAX row; arguments that the function does not read are left out."""
    import jax
    import numpy as np
    function, inputs, _ = build()
    lowered = jax.jit(function).lower(*inputs)
    kept = sorted(lowered._lowering.compile_args["kept_var_idx"])
    results = jax.tree_util.tree_leaves(lowered.compile()(*inputs))
    flat = jax.tree_util.tree_leaves(inputs)
    return lowered.as_text(), [np.asarray(flat[k]) for k in kept], [np.asarray(result) for result in results]


def prepare(model, form, threads, folder):
    os.environ["XLA_FLAGS"] = f"--xla_cpu_multi_thread_eigen={str(threads > 1).lower()} intra_op_parallelism_threads={threads}"
    import jax
    import jaxlib.xla_client as xla
    import numpy as np

    client = jax.devices()[0].client
    text = (folder / "program.mlir").read_text()
    executable = client.compile_and_load(text, xla.DeviceList(tuple(client.local_devices()[:1])), xla.CompileOptions())
    with np.load(folder / "data.npz") as data:
        inputs = [jax.device_put(data[f"in{i}"]) for i in range(sum(name.startswith("in") for name in data.files))]

    def call():
        results = executable.execute_sharded(inputs).disassemble_into_single_device_arrays()
        for result in results:
            result[0].block_until_ready()
        return results

    return call, [np.asarray(result[0]) for result in call()]
