"""The worker process of a Python kernel: `python -m assay.kernel_host MODULE LIMIT`. Not for users.

`assay._assay.serve` speaks the protocol of Assay's workers (shared memory, guard pages, notes of a crash) and calls the
Host here: create() takes a problem, run() gets the addresses of its tensors, calls the kernel and copies its results.
Inputs are in memory that cannot be written. MODULE is "python:FILE.py:FUNCTION" for the engine of that name, or
"python:" where each problem brings its callable (assay.check).
"""
import base64
import contextlib
import ctypes
import importlib
import importlib.util
import inspect
import io
import json
import os
import pathlib
import sys
import threading
import time
import traceback

from . import arrays, frameworks, shipping
from .elements import Place, numpy_dtype, numpy_name, packed_bits, placed
from .words import amount

OK, UNSUPPORTED, INVALID, FAILED = range(4)
CLOCK = time.perf_counter  # saved before a kernel is loaded, which might replace it
COLD_BYTES = 64 << 20
PRINTED_AT_MOST = 4000
# Exceptions of a callable written for another framework's arrays; not those caused by data or the machine.
OTHER_ARRAYS = (AttributeError, TypeError, ValueError, RuntimeError, ctypes.ArgumentError)


class Host:
    def __init__(self, module):
        self.file, _, self.function = module.removeprefix("python:").rpartition(":")
        self.loaded, self.problem = None, None

    def create(self, driver, text, tensors):
        settings = json.loads(text)
        tensors = [Tensor(*described) for described in tensors]
        try:
            if driver == "callable":
                self.problem = shipped(settings, tensors)
            else:
                self.loaded = self.loaded or load(self.file, self.function)
                self.problem = in_words(self.loaded, driver, settings, tensors)
        except Refused as refused:
            return UNSUPPORTED, str(refused)
        except BaseException as error:
            return INVALID, f"cannot load the kernel: {said(error)}"
        try:
            self.problem.check_arrays()
        except (ImportError, ValueError) as missing:  # not the kernel's fault: assay.check raises it, verify skips the problem
            return (INVALID if driver == "callable" else UNSUPPORTED), str(missing)
        return OK, json.dumps({"not_kept": not_kept(self.loaded, self.problem.framework)}) if driver != "callable" else ""

    def run(self, addresses):
        return self.problem.run(addresses)

    def destroy(self):
        self.problem = None
        return OK, ""


class Refused(Exception):
    """Raised for a problem that the kernel does not support."""


class Tensor:
    def __init__(self, role, dtype, shape, strides, is_output):
        self.role, self.dtype, self.shape, self.strides, self.is_output = role, numpy_name(dtype), tuple(shape), tuple(strides), is_output
        self.is_packed = False  # elements of 2 and 4 bits share bytes


class Problem:
    """A callable and its arguments; `arguments` has a number in place of the tensor with that number."""

    def __init__(self, kernel, tensors, arguments, keywords, framework, device=None, into=False, alias=False, discover=False, timed=False, tells_unfit=False):
        self.kernel, self.arguments, self.keywords = kernel, arguments, keywords
        self.inputs = [tensor for tensor in tensors if not tensor.is_output]
        self.outputs = [tensor for tensor in tensors if tensor.is_output]
        self.framework, self.device, self.into, self.alias, self.discover = framework, device, into, alias, discover
        self.timed, self.returned, self.swept = timed, [], None
        self.tells_unfit = tells_unfit  # its exit code shows that it cannot work on these arrays

    def check_arrays(self):
        """Raises ImportError where this Python has no arrays of a type, ValueError where PyTorch cannot use the device."""
        for tensor in self.inputs + self.outputs if self.framework == "numpy" else ():
            numpy_dtype(tensor.dtype)
        if self.device and self.framework == "torch":
            import torch

            try:
                torch.zeros(1, device=self.device).cpu()
            except Exception as error:
                raise ValueError(f"PyTorch cannot use device={self.device!r} here: {' '.join(str(error).split())[:200]}") from None

    def run(self, addresses):
        made = [self.array(tensor, address, False) for tensor, address in zip(self.inputs, addresses)]
        places = addresses[len(self.inputs) :]
        words = placed(self.arguments, made)
        given = [self.array(tensor, address, True) for tensor, address in zip(self.outputs, places)] if self.into else []
        owner, threads, printed = os.getpid(), threading.active_count(), io.StringIO()
        late = self.settle() if self.timed else None
        try:
            with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
                start = CLOCK()
                returned = self.kernel(*words, *given, **self.keywords)
                self.finish(returned, given)
                seconds = CLOCK() - start
        except BaseException as error:
            if os.getpid() != owner and isinstance(error, SystemExit):  # a child that ends normally
                os._exit(0)
            text = said(error)
            is_unfit = self.tells_unfit and isinstance(error, OTHER_ARRAYS) and not wrote_into_input(error)
            return UNSUPPORTED if is_unfit else FAILED, text
        finally:
            if os.getpid() != owner:  # a child that the kernel forked returned from it: the worker reports it
                return FAILED, ""
        if self.discover:
            return OK, json.dumps({"outputs": [described(one) for one in flat(returned)]})
        results = given if self.into else flat(returned)
        if self.tells_unfit and not self.are_arrays(results):
            return UNSUPPORTED, self.collect(results, places, made)
        try:
            why = self.collect(results, places, made)
        except Exception as error:
            why = f"its result cannot be read: {said(error)}"
        if why:
            return FAILED, why
        left = threading.active_count() - threads
        return OK, json.dumps({"printed": printed.getvalue()[:PRINTED_AT_MOST], "threads_left": max(left, 0), "seconds": seconds, "late": late})

    def settle(self):
        """Empties the caches; the output of the last run that has changed since it was read, or None."""
        import numpy

        if self.swept is None:
            self.swept = numpy.zeros(COLD_BYTES, numpy.uint8)
        self.swept += 1
        for tensor, result, data in self.returned:
            if not numpy.array_equal(arrays.host_bytes(result), data):
                return tensor.role
        return None

    def array(self, tensor, address, writable):
        if tensor.is_packed:
            return arrays.of_bytes(arrays.unpacked(address, tensor.dtype, tensor.shape, tensor.strides), tensor.dtype, tensor.shape, self.framework)
        return arrays.as_framework(address, tensor.dtype, tensor.shape, tensor.strides, self.framework, self.device, writable)

    def finish(self, *values):
        """Waits until a device has finished, within the time limit."""
        if self.framework == "torch" and self.device and self.device.startswith("cuda"):
            import torch

            torch.cuda.synchronize()
        if self.framework == "jax":
            import jax

            jax.block_until_ready(values)

    def are_arrays(self, results):
        """Whether the number of arrays is as expected: methods of one name may return an array in one framework and a pair in another."""
        return len(results) == len(self.outputs) and all(arrays.framework_of(one) for one in results)

    def collect(self, results, places, made):
        """Copies results to their places. Returns why they are not the requested ones, or None."""
        kept = []
        if len(results) != len(self.outputs):
            nothing = "nothing (into=True: it writes into arrays that follow its inputs)"
            return f"returned {amount(len(results), 'array') if results else nothing}, expected {amount(len(self.outputs), 'array')}"
        for tensor, result, place in zip(self.outputs, results, places):
            if arrays.framework_of(result) is None:
                return f"returned {type(result).__name__} for {tensor.role}, expected an array"
            if arrays.shape_of(result) != tensor.shape:
                return f"{tensor.role} has the shape {arrays.shape_of(result)}, expected {tensor.shape}"
            result = self.of_all_digits(result, tensor.dtype)
            if str(result.dtype).removeprefix("torch.") != tensor.dtype:
                return f"{tensor.role} is {str(result.dtype).removeprefix('torch.')}, expected {tensor.dtype}"
            shared = self.shares(result, made)
            if shared and not self.alias:
                return f"returned memory of its input {shared} as {tensor.role} (alias=True allows it)"
            if self.into and not self.device and self.framework != "jax":
                continue
            data = arrays.host_bytes(result)
            write = arrays.write_packed if tensor.is_packed else arrays.write_elements
            write(place, tensor.dtype, tensor.shape, tensor.strides, data)
            if self.timed:
                kept.append((tensor, result, data.copy()))
        self.returned = kept
        return None

    def of_all_digits(self, result, dtype):
        """JAX has no integers of 64 bits unless they are switched on: 32-bit ones stand for them."""
        import numpy

        if self.framework != "jax" or dtype not in ("int64", "uint64") or str(result.dtype) != dtype.replace("64", "32"):
            return result
        return numpy.asarray(result).astype(dtype)

    def shares(self, result, made):
        mine = arrays.address_range(result)
        for tensor, array in zip(self.inputs, made):
            other = arrays.address_range(array)
            if mine and other and mine[0] < other[1] and other[0] < mine[1]:
                return tensor.role
        return None


def shipped(settings, tensors):
    """The problem of assay.check, which includes the callable."""
    for folder in reversed(settings["path"]):
        if folder not in sys.path:
            sys.path.insert(0, folder)
    if settings["file"]:
        kernel = load(*settings["file"])
        _, arguments, keywords = shipping.loads(base64.b64decode(settings["callable"]))
    else:
        kernel, arguments, keywords = shipping.loads(base64.b64decode(settings["callable"]))
    if settings["framework"] != "numpy":
        importlib.import_module(settings["framework"])  # not in the kernel's time
    options = {name: settings[name] for name in ("device", "into", "alias", "discover", "timed", "tells_unfit")}
    return Problem(kernel, tensors, arguments, keywords, settings["framework"], **options)


def in_words(function, driver, problem, tensors):
    """A problem of `assay verify`: the function takes the inputs in their order, and `problem` if it has such a keyword."""
    parameters = inspect.signature(function).parameters
    takes = "problem" in parameters
    keywords = {"problem": dict(problem, driver=driver)} if takes else {}
    if not takes:
        if driver not in ("matmul", "op"):
            raise Refused(f"a function without the keyword problem= does matmul and programs, not {driver}")
        for key in ("post_ops", "scales", "zero_points"):
            if problem.get(key):
                raise Refused(f"a function without the keyword problem= does no {key}")
    for tensor in tensors:
        tensor.is_packed = packed_bits(tensor.dtype) < 8
    inputs = [tensor for tensor in tensors if not tensor.is_output]
    places = [Place(i) for i in range(len(inputs))]
    try:
        inspect.signature(function).bind(*places, **keywords)
    except TypeError as error:
        raise Refused(f"the function cannot take {', '.join(tensor.role for tensor in inputs)}: {error}") from None
    framework = getattr(function, "arrays", None) or frameworks.used_by(function) or "numpy"
    return Problem(function, tensors, places, keywords, framework)


def not_kept(function, framework):
    """The special numbers that a function need not support: its attribute `not_kept`, and those that its framework flushes."""
    return frameworks.not_kept(framework, getattr(function, "not_kept", ()))


def load(file, function):
    """The function of a file, which is imported as a module with its own name."""
    path = pathlib.Path(file)
    sys.path.insert(0, str(path.parent))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    for part in function.split("."):
        if not hasattr(module, part):
            raise AttributeError(f"no function '{function}' in {file}")
        module = getattr(module, part)
    return module


def described(result):
    """[dtype, sizes] of a result, or the name of its type where it is not an array."""
    if arrays.framework_of(result) is None:
        return type(result).__name__
    return [arrays.dtype_of(result), list(arrays.shape_of(result))]


def flat(value):
    """The arrays of a result: lists and tuples in order, dictionaries by sorted keys."""
    if isinstance(value, dict):
        return [item for key in sorted(value) for item in flat(value[key])]
    if isinstance(value, (list, tuple)):
        return [item for one in value for item in flat(one)]
    return [] if value is None else [value]


def wrote_into_input(error):
    """NumPy's exception for memory that it may not write has no type of its own."""
    return isinstance(error, ValueError) and "read-only" in str(error)


def said(error):
    """An exception as one line, with the innermost line of the user's code."""
    if isinstance(error, SystemExit):
        return f"called sys.exit({error.code if error.code is not None else ''})"
    own = str(pathlib.Path(__file__).parent)
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if not frame.filename.startswith((own, "<frozen"))]
    near = [frame for frame in frames if "site-packages" not in frame.filename] or frames
    where = f" ({pathlib.Path(near[-1].filename).name}:{near[-1].lineno})" if near else ""
    text = " ".join(str(error).split())
    if wrote_into_input(error):
        return f"wrote into an input{where}"
    wanted = "; keywords={...} gives it" if isinstance(error, TypeError) and "required keyword-only argument" in text else ""
    return f"raised {type(error).__name__}: {text[:400]}{wanted}{where}"


def main():
    from . import _assay

    preload = os.environ.get("ASSAY_PRELOAD")
    if preload in arrays.FRAMEWORKS:
        with contextlib.suppress(ImportError):  # reported when a kernel needs it
            importlib.import_module(preload)

    return _assay.serve(Host(sys.argv[1]), int(sys.argv[2]))


if __name__ == "__main__":
    sys.exit(main())
