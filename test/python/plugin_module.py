"""A shared library with the plugin interface (assay/engine/assay_plugin.h), called from Python with NumPy arrays."""
import ctypes
import json

import numpy as np

OK, UNSUPPORTED, INVALID, FAILED = range(4)
NAMES = {"float32": "f32", "float16": "f16", "bfloat16": "bf16", "int32": "s32", "int8": "s8", "uint8": "u8", "float64": "f64"}


class Tensor(ctypes.Structure):
    _fields_ = [("role", ctypes.c_char_p), ("dtype", ctypes.c_char_p), ("rank", ctypes.c_int32),
                ("dims", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)), ("data", ctypes.c_void_p)]

    @classmethod
    def of(cls, role, array):
        numbers = ctypes.c_int64 * max(array.ndim, 1)
        return cls(role.encode(), NAMES[str(array.dtype)].encode(), array.ndim, numbers(*array.shape),
                   numbers(*[step // array.itemsize for step in array.strides]), array.ctypes.data)


class Problem(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_uint32), ("driver", ctypes.c_char_p), ("problem_json", ctypes.c_char_p),
                ("n_inputs", ctypes.c_int32), ("n_outputs", ctypes.c_int32), ("threads", ctypes.c_int32),
                ("inputs", ctypes.POINTER(Tensor)), ("outputs", ctypes.POINTER(Tensor))]


class Info(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_uint32), ("abi_version", ctypes.c_uint32), ("name", ctypes.c_char_p),
                ("version", ctypes.c_char_p)]


class Module:
    def __init__(self, path):
        self.library = ctypes.CDLL(path)
        pointer, text, size = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t
        self.library.assay_plugin_create.argtypes = [ctypes.POINTER(Problem), ctypes.POINTER(pointer), text, size]
        self.library.assay_plugin_run.argtypes = [pointer, ctypes.POINTER(Tensor), ctypes.POINTER(Tensor), text, size]
        self.library.assay_plugin_destroy.argtypes = [pointer]

    def version(self):
        self.library.assay_plugin_info.restype = ctypes.POINTER(Info)
        return self.library.assay_plugin_info().contents.version.decode()

    def run(self, driver, keys, inputs, outputs):
        """Computes into the arrays of `outputs`, {role: array}; returns the code and the reason."""
        sources = (Tensor * max(len(inputs), 1))(*[Tensor.of(*item) for item in inputs.items()])
        results = (Tensor * max(len(outputs), 1))(*[Tensor.of(*item) for item in outputs.items()])
        problem = Problem(ctypes.sizeof(Problem), driver.encode(), json.dumps({"driver": driver, **keys}, separators=(",", ":")).encode(), len(inputs),
                          len(outputs), 1, sources, results)
        kernel, why = ctypes.c_void_p(), ctypes.create_string_buffer(512)
        code = self.library.assay_plugin_create(ctypes.byref(problem), ctypes.byref(kernel), why, 512)
        if code == OK:
            for _ in range(2):  # a kernel runs any number of times
                code = code or self.library.assay_plugin_run(kernel, sources, results, why, 512)
            self.library.assay_plugin_destroy(kernel)
        return code, why.value.decode()


def strided(array, order):
    """The same array, stored with its dimensions in the given order."""
    back = np.argsort(order)
    return np.ascontiguousarray(array.transpose(order)).transpose(back)
