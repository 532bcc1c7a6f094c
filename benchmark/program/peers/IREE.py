"""IREE's compiler for processors, on the program's own text: the faster of two sets of options.

By default it compiles convolutions with channels first to loops without vectors. There, windows unrolled into products whose operands are
packed are up to ten times as fast; in other programs they are slower.
"""
import os
import statistics
import sys
import time

OPTIONS = {
    "as it is": [],
    "products of windows": ["--iree-global-opt-use-im2col-for-convs", "--iree-opt-data-tiling=false", "--iree-dispatch-creation-data-tiling"],
}
STACK_BYTES = 1 << 20  # BERT's reductions need more than the default of 32 KiB for a function


def compiled(folder, name):
    """The file of a program compiled ahead of time, or the compiler's error message."""
    from iree.compiler import tools

    file = folder / f"iree {name}.vmfb"
    flags = ["--iree-llvmcpu-target-cpu=host", "--iree-opt-level=O3", f"--iree-llvmcpu-stack-allocation-limit={STACK_BYTES // 4}", *OPTIONS[name]]
    try:
        if not file.exists():
            tools.compile_file(str(folder / "program.mlir"), input_type="stablehlo", target_backends=["llvm-cpu"], extra_args=flags, output_file=str(file))
        return file, ""
    except tools.CompilerToolError as error:
        return None, next((line for line in str(error).splitlines() if "error:" in line), str(error).splitlines()[0])


def device_of(threads):
    """Only the calling thread, or a worker on each core of this process."""
    import iree.runtime as runtime

    if threads == 1:
        return runtime.get_device("local-sync")
    cores = ",".join(map(str, sorted(os.sched_getaffinity(0))))
    runtime.flags.parse_flags(f"--task_topology_cpu_ids={cores}", f"--task_worker_stack_size={STACK_BYTES}")
    return runtime.get_device("local-task")


def loaded(file, device):
    import iree.runtime as runtime

    context = runtime.SystemContext(config=runtime.Config(device=device))
    module = runtime.VmModule.mmap(context.instance, str(file))
    context.add_vm_module(module)
    return context.modules[module.name]["main"]


def seconds(call):
    """The median of three calls after a warm-up call."""
    times = []
    for _ in range(4):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return statistics.median(times[1:])


def prepare(model, form, threads, folder):
    import iree.runtime as runtime
    import numpy as np

    device = device_of(threads)
    with np.load(folder / "data.npz") as data:
        inputs = [runtime.asdevicearray(device, data[f"in{i}"]) for i in range(sum(name.startswith("in") for name in data.files))]
    calls, refusals = [], []
    for name in OPTIONS:
        file, why = compiled(folder, name)
        if file:
            calls.append(lambda function=loaded(file, device): function(*inputs))
        else:
            refusals.append(why)
    if not calls:
        sys.exit(f"IREE does not compile it: {refusals[0]}")
    call = min(calls, key=seconds)
    results = call()
    return call, [result.to_host() for result in (results if isinstance(results, (tuple, list)) else (results,))]
