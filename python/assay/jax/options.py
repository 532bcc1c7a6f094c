"""Questions to XLA's compiler for processors, on the platform `assay`. Its options, `jax.jit(f, compiler_options={...})`, do nothing here, but a
name or a value that it does not know is refused: it gets them with an empty program. The cost of a program (`cost_analysis()`) is also its answer.
"""


def register():
    import jax
    from jax._src import compiler, stages, xla_bridge
    from jax._src.interpreters import mlir, pxla
    from jaxlib import _jax, xla_client
    from jaxlib.mlir import ir

    original = compiler.get_compile_options
    known = set()

    def ask_xla(overrides):
        key = repr(sorted(overrides.items()))
        if key in known or "cpu" not in xla_bridge.backends():
            return
        device = jax.devices("cpu")[0]
        options = original(num_replicas=1, num_partitions=1, env_options_overrides=overrides, backend=device.client)
        with mlir.make_ir_context():
            empty = ir.Module.parse("func.func public @main() {\n  return\n}")
        device.client.compile_and_load(empty, executable_devices=xla_client.DeviceList((device,)), compile_options=options)
        known.add(key)

    def get_compile_options(*positional, **more):
        overrides = more.get("env_options_overrides")
        if overrides and getattr(more.get("backend"), "platform", None) == "assay":
            ask_xla(dict(overrides))
        return original(*positional, **more)

    compiler.get_compile_options = get_compile_options
    lowered, compiled = pxla.MeshComputation.cost_analysis, stages.Executable.cost_analysis

    def cost_of(module):
        return _jax.hlo_module_cost_analysis(xla_bridge.get_backend("cpu"), module)

    def of_lowered(self):
        if self.compile_args["backend"].platform != "assay" or "cpu" not in xla_bridge.backends():
            return lowered(self)
        return cost_of(self.hlo().as_hlo_module())

    def of_compiled(self):
        executable = self.xla_extension_executable()
        devices = executable.local_devices() if hasattr(executable, "local_devices") else []
        if not devices or devices[0].platform != "assay" or "cpu" not in xla_bridge.backends():
            return compiled(self)
        return cost_of(executable.hlo_modules()[0])

    pxla.MeshComputation.cost_analysis, stages.Executable.cost_analysis = of_lowered, of_compiled
