"""A program on an engine, from tensors of PyTorch to tensors of PyTorch."""
import torch

from .. import arrays


class Runner:
    """Planned once; a call takes a tensor for each argument of @main and returns a list. Dense tensors in the host's memory are read where they are."""

    def __init__(self, text, engine="native", threads=0):
        from .._assay import PlannedProgram

        self.text = text
        self._planned = PlannedProgram(text, False, "main", engine, threads or torch.get_num_threads(), 0, {}, "direct")
        self._dtypes = [dtype for dtype, _ in self._planned.outputs]

    def __call__(self, tensors):
        dense = [dense_tensor(one) for one in tensors]
        made = self._planned.run([one.data_ptr() if one.numel() else _EMPTY.data_ptr() for one in dense], [list(one.shape) for one in dense])
        return [arrays.of_memory(data, dtype, shape, "torch") for dtype, (data, shape) in zip(self._dtypes, made)]


_EMPTY = torch.zeros(1)


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
