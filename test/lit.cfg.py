# The lit suites: every .mlir and .test file below test/ with RUN lines. `assay`, `assay-opt`, FileCheck and `not` are found
# on PATH; %assay and %assay-opt are the same programs by their full path.
import ctypes
import ctypes.util
import os

import lit.formats


def has_cuda():
    """Whether the driver opens a device, and there is a compiler or library for its kernels (examples/plugin_cuda)."""
    try:
        opens = ctypes.CDLL("libcuda.so.1").cuInit(0) == 0
    except OSError:
        return False
    return opens and bool(os.environ.get("ASSAY_CUDA_LIBRARIES") or ctypes.util.find_library("nvrtc") or ctypes.util.find_library("cublas"))


config.name = "assay"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs", "lit.cfg.py"]
config.test_source_root = os.path.dirname(__file__)

config.environment["PATH"] = os.pathsep.join([config.assay_bin, config.llvm_tools, os.environ.get("PATH", "")])
config.environment["OMP_WAIT_POLICY"] = "passive"  # tests run in parallel: waiting threads leave their cores to them
own = ("TMPDIR", "TEST_TMPDIR", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME")  # utils/gates/own_folders
for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS", "HOME", "ASSAY_CUDA_LIBRARIES", *own):
    if name in os.environ:
        config.environment[name] = os.environ[name]

# `./dev mutants` switches faults on, and caches off, through the environment.
if "ASSAY_MUTANT" in os.environ or "ASSAY_MUTANT_REACH" in os.environ:
    for name in ("ASSAY_MUTANT", "ASSAY_MUTANT_REACH", "ASSAY_CACHE_DIR"):
        if name in os.environ:
            config.environment[name] = os.environ[name]

# The longer name first: lit replaces text, not words.
config.substitutions.append(("%assay-opt", os.path.join(config.assay_bin, "assay-opt")))
config.substitutions.append(("%assay", os.path.join(config.assay_bin, "assay")))
config.substitutions.append(("%plugins", os.path.join(config.assay_bin, "..", "lib")))
config.substitutions.append(("%programs", os.path.join(config.test_source_root, "programs")))
config.substitutions.append(("%example_plugin", os.path.join(config.assay_bin, "..", "lib", "libassay_example.so")))
config.substitutions.append(("%source", config.assay_source))
config.substitutions.append(("%python", os.path.join(config.assay_source, ".venv", "bin", "python")))

if os.path.exists(os.path.join(config.assay_source, ".venv", "bin", "python")):
    config.available_features.add("python")
if os.path.exists(os.path.join(config.assay_bin, "..", "lib", "libassay_onednn.so")):
    config.available_features.add("onednn")
if has_cuda():
    config.available_features.add("cuda")
if "avx512bw" in open("/proc/cpuinfo").read():
    config.available_features.add("avx512")
if config.assay_sanitize:
    config.available_features.add("sanitized")
