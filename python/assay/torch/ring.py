"""The last steps of a model, which a recording holds in memory until a trigger fires.

Equal contents are held once, however many steps and modules have them, so an unchanged parameter costs only its hash.
"""
import collections
import pathlib
import threading

from .session import Session, say
from .tensors import PLAIN, Unrecordable, stored


class Ring:
    """Stands in for a Session; `write()` writes the held steps into a file, and later steps are written there."""

    def __init__(self, path, keep, limit, seen):
        self.path, self.keep, self.limit = pathlib.Path(path), keep, limit
        self.skipped, self.failure = {}, None
        self._seen = seen  # seen(step, name, content) of every tensor
        self._steps = collections.OrderedDict()  # step -> {name: (key or None, content)}
        self._contents = {}  # (hash, type, shape) -> [tensor, uses]
        self._bytes = 0
        self._session = None
        self._lock = threading.Lock()

    def put(self, step, name, tensor, likely_new=False):
        """Holds a copy of the tensor, or records it once the file is open."""
        name = name.replace("/", "|")
        try:
            content = stored(tensor)
        except Unrecordable as why:
            return self.skip(name, str(why))
        self._seen(step, name, content)
        if self._session is not None:
            return self._session.put(step, name, tensor, likely_new)
        with self._lock:
            return self._hold_step(step, name, tensor, content)

    def _hold_step(self, step, name, tensor, content):
        held = self._steps.get(step)
        if held is None:
            held = self._steps[step] = {}
            while len(self._steps) > self.keep:
                self._drop()
        if name in held:
            return self.skip(name, "its name is taken in this step (a second backward pass?)")
        held[name] = self._hold(tensor, *content)
        while self._bytes > self.limit and len(self._steps) > 1:
            self._drop()
        if self._bytes <= self.limit:
            return True
        self._release(*held.pop(name))
        return self.skip(name, f"one step is more than the {self.limit >> 20} MB that `ring_bytes` allows")

    def _hold(self, tensor, data, address, dtype, shape, where):
        from .. import _assay

        key = (_assay.hash_bytes(address, data.nbytes), dtype, shape)
        entry = self._contents.get(key)
        if entry is None:
            mine = type(tensor) not in PLAIN or address != tensor.data_ptr()  # `stored` made it: nothing else writes to it
            entry = self._contents[key] = [data if mine else data.detach().clone(), 0]
            self._bytes += data.nbytes
        entry[1] += 1
        return key, (entry[0], dtype, shape, where)

    def _release(self, key, _):
        entry = self._contents[key]
        entry[1] -= 1
        if entry[1] == 0:
            self._bytes -= entry[0].nbytes
            del self._contents[key]

    def _drop(self):
        _, held = self._steps.popitem(last=False)
        for item in held.values():
            self._release(*item)

    def steps(self):
        return list(self._steps)

    def write(self):
        """Writes the file of the steps that are held, oldest first."""
        self._session = Session(self.path)
        for step, held in self._steps.items():
            for name, (_, (data, dtype, shape, where)) in held.items():
                self._session.put_content(step, name, data, (data, data.data_ptr() if data.nbytes else 0, dtype, shape, where))
        self._steps, self._contents, self._bytes = collections.OrderedDict(), {}, 0

    def skip(self, name, why):
        if self._session is not None:
            return self._session.skip(name, why)
        self.skipped.setdefault(why, []).append(name)
        return False

    def prepare(self, tensor):
        """Does nothing: the parameters are held from their first step on."""

    def reserve(self, size=0):
        """Does nothing: PyTorch makes the copies."""

    def drop_prepared(self):
        if self._session is not None:
            self._session.drop_prepared()

    def close(self):
        """Returns whether a file was written."""
        if self._session is None:
            for why, names in self.skipped.items():
                say(f"not held: {len(names)} ({names[0]}, …): {why}")
            return False
        for why, names in self.skipped.items():
            self._session.skipped.setdefault(why, [])[:0] = names
        return self._session.close()
