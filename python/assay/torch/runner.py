"""A program on an engine, from tensors of PyTorch to tensors of PyTorch."""
import threading

import torch

from .. import arrays


class Runner:
    """Planned once; a call takes a tensor for each argument of @main and returns a list. Dense tensors in the host's memory are read where they are.
    `kept`: the numbers of arguments that change only when PyTorch's counter of writes does: weights are packed once."""

    def __init__(self, text, engine="native", threads=0, kept=()):
        from .._assay import PlannedProgram

        self.text = text
        self._planned = PlannedProgram(text, False, "main", engine, threads or torch.get_num_threads(), 0, {}, "direct", list(kept))
        self._kept, self._seen, self._lock = list(kept), None, threading.Lock()
        self._dtypes = [dtype for dtype, _ in self._planned.outputs]

    def __call__(self, tensors):
        dense = [dense_tensor(one) for one in tensors]
        addresses, sizes = [one.data_ptr() if one.numel() else _EMPTY.data_ptr() for one in dense], [list(one.shape) for one in dense]
        if self._kept:
            with self._lock:
                seen = [(addresses[i], _writes(tensors[i])) for i in self._kept]
                renew, self._seen = seen != self._seen or any(count is None for _, count in seen), seen
                made = self._planned.run(addresses, sizes, renew)
        else:
            made = self._planned.run(addresses, sizes)
        return [arrays.of_memory(data, dtype, shape, "torch") for dtype, (data, shape) in zip(self._dtypes, made)]


_EMPTY = torch.zeros(1)


def _writes(tensor):
    """PyTorch's count of writes to a tensor; None where it does not count."""
    return None if tensor.is_inference() else tensor._version


def dense_tensor(tensor):
    """The tensor itself where it is row-major in the host's memory, else a copy that is."""
    if tensor.is_conj() or tensor.is_neg():
        tensor = tensor.resolve_conj().resolve_neg()
    if tensor.device.type != "cpu":
        tensor = tensor.cpu()
    return tensor.detach() if tensor.is_contiguous() else tensor.detach().contiguous()


def host_array(tensor):
    """A NumPy array of a tensor; types that NumPy lacks as integers of the same width."""
    tensor = dense_tensor(tensor)
    if tensor.dtype in (torch.bfloat16,):
        return tensor.view(torch.uint16).numpy()
    if arrays.dtype_of(tensor).startswith("float8"):
        return tensor.view(torch.uint8).numpy()
    return tensor.numpy()
