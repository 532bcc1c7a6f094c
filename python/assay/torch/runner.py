"""Runs a program on an engine, from tensors of PyTorch to tensors of PyTorch."""
import operator
import threading
import weakref

import torch

from .. import arrays


class Runner:
    """Planned once; a call takes a tensor for each argument of @main and returns a list. Dense tensors in the host's memory are read in place.
    `kept`: the numbers of arguments that change only when PyTorch's counter of writes does: weights are packed once."""

    def __init__(self, text, engine="native", threads=0, kept=()):
        from .._assay import PlannedProgram

        self.text = text
        self._planned = PlannedProgram(text, False, "main", engine, threads or torch.get_num_threads(), 0, {}, "direct", list(kept))
        self._kept = _Kept(self._planned, kept) if kept else None
        self._given = sorted({*range(len(self._planned.inputs))} - {*kept})
        self._dtypes = [dtype for dtype, _ in self._planned.outputs]

    def __call__(self, tensors):
        memory = _memory([tensors[i] for i in self._given])
        if self._kept is None:
            made = self._planned.run(*memory[1:])
        else:
            with self._kept.lock:
                self._kept.follow(tensors)
                made = self._planned.run(*memory[1:])
        return [arrays.of_memory(data, dtype, shape, "torch") for dtype, (data, shape) in zip(self._dtypes, made)]


class _Kept:
    """The kept arguments of a program, as they were when it last read them."""

    def __init__(self, planned, numbers):
        self.lock = threading.Lock()
        self._planned, self._numbers = planned, list(numbers)
        self._tensors, self._state, self._memory = [], None, None

    def follow(self, tensors):
        """Gives the program these tensors, if one is different from before or was written."""
        now = [tensors[i] for i in self._numbers]
        # A tensor's address may be reused after it is freed, so objects are compared, not only addresses.
        if len(now) == len(self._tensors) and all(map(operator.is_, now, map(operator.call, self._tensors))) and self._state == _state(now):
            return
        countable = not any(one.is_inference() for one in now)
        self._tensors, self._state = (list(map(weakref.ref, now)), _state(now)) if countable else ([], None)
        self._memory = _memory(now)  # copies live as long as the program reads them
        self._planned.keep(*self._memory[1:])


def _state(tensors):
    """Where tensors are, and how often PyTorch wrote them."""
    return list(map(torch.Tensor.data_ptr, tensors)), list(map(_writes, tensors))


_EMPTY = torch.zeros(1)
_writes = operator.attrgetter("_version")


def _memory(tensors):
    """Dense tensors, their addresses and sizes."""
    dense = [dense_tensor(one) for one in tensors]
    return dense, [one.data_ptr() or _EMPTY.data_ptr() for one in dense], [list(one.shape) for one in dense]


def dense_tensor(tensor):
    """The tensor itself if it is row-major in the host's memory, else such a copy."""
    if tensor.is_conj() or tensor.is_neg():
        tensor = tensor.resolve_conj().resolve_neg()
    if tensor.device.type != "cpu":
        tensor = tensor.cpu()
    return tensor if tensor.is_contiguous() else tensor.detach().contiguous()


def host_array(tensor):
    """A NumPy array of a tensor; types that NumPy lacks become integers of the same width."""
    tensor = dense_tensor(tensor).detach()
    if tensor.dtype in (torch.bfloat16,):
        return tensor.view(torch.uint16).numpy()
    if arrays.dtype_of(tensor).startswith("float8"):
        return tensor.view(torch.uint8).numpy()
    return tensor.numpy()
