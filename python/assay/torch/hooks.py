"""The one pair of hooks through which every recording sees the calls of modules.

They are torch's global hooks, so the tables of a recorded model stay empty: it can be copied, pickled and scripted as usual,
and code that asks whether a module has hooks (the fused path of nn.TransformerEncoderLayer) takes the same decision as
without a recording. Only a module that has hooks of its own gets the pair as well, after them: its input is the one that
they return. The hooks return nothing, never raise, and ignore code that is being traced or compiled.
"""
import warnings

import torch
from torch.nn.modules import module as _torch

from . import compiled

_KEY = "assay"  # in torch's tables; its own keys are numbers
_watched = {}  # id of a module -> [(watcher, path, whether the module's own tables hold the hooks)]
_installed = []  # removes the global hooks
_WARNING = r"Using `torch.compile\(module\)` when there are global hooks"


class Watch:
    """Calls watcher.before(path, module, args, kwargs) and watcher.after(path, module, output) around the calls of `modules`
    [(path, module)], until remove(). The output is None where the module raised an exception."""

    def __init__(self, modules, watcher):
        self._entries, self._handles = [], []
        if not _installed:
            _install()
        for path, module in modules:
            own = bool(_own_hooks(module)) and self._add_own(module)
            if not own:
                _with_kwargs(module, True)
            entry = (watcher, path, own)
            _watched.setdefault(id(module), []).append(entry)
            self._entries.append((module, entry))  # keeps the module alive, and so its id

    def _add_own(self, module):
        try:
            self._handles.append(module.register_forward_pre_hook(_own_before, with_kwargs=True))
            self._handles.append(module.register_forward_hook(_own_after, with_kwargs=True, always_call=True))
        except RuntimeError:  # TorchScript modules take no hooks
            return False
        return True

    def remove(self):
        for module, entry in self._entries:
            entries = _watched[id(module)]
            entries.remove(entry)
            if not entries:
                del _watched[id(module)]
                _with_kwargs(module, False)
        for handle in self._handles:
            handle.remove()
        self._entries, self._handles = [], []
        if not _watched:
            while _installed:
                _installed.pop()()


def _own_hooks(module):
    return getattr(module, "_forward_pre_hooks", None) or getattr(module, "_forward_hooks", None)


def _with_kwargs(module, wanted):
    """Whether the global hook before the module's calls also gets keyword arguments; torch looks in the module's table."""
    table = getattr(module, "_forward_pre_hooks_with_kwargs", None)
    if table is not None and wanted:
        table[_KEY] = True
    elif table is not None:
        table.pop(_KEY, None)


def _install():
    # Not by register_module_forward_hook: it leaves an entry behind, and the other has no with_kwargs.
    for table, value in (
        (_torch._global_forward_pre_hooks, _before),
        (_torch._global_forward_hooks, _after),
        (_torch._global_forward_hooks_with_kwargs, True),
        (_torch._global_forward_hooks_always_called, True),
    ):
        table[_KEY] = value
        _installed.append(lambda table=table: table.pop(_KEY, None))
    # Hooks do not fire twice here: an OptimizedModule is a separate module.
    warnings.filterwarnings("ignore", message=_WARNING)
    added = warnings.filters[0]
    _installed.append(lambda: added in warnings.filters and warnings.filters.remove(added))


def _before(module, args, kwargs=None):
    if torch.compiler.is_compiling():
        compiled.note_compiled()
        return None
    return _tell_before(module, args, kwargs or {}, False)


def _own_before(module, args, kwargs):
    if torch.compiler.is_compiling():
        compiled.note_compiled()
        return None
    return _tell_before(module, args, kwargs, True)


def _after(module, args, *rest):  # torch omits the keyword arguments if the module raised an exception
    if torch.compiler.is_compiling():
        return None
    return _tell_after(module, rest[-1], False)


def _own_after(module, args, *rest):
    if torch.compiler.is_compiling():
        return None
    return _tell_after(module, rest[-1], True)


def _tell_before(module, args, kwargs, own):
    for watcher, path, own_tables in tuple(_watched.get(id(module), ())):
        if own_tables == own:
            watcher.before(path, module, args, kwargs)


def _tell_after(module, output, own):
    for watcher, path, own_tables in tuple(_watched.get(id(module), ())):
        if own_tables == own:
            watcher.after(path, module, output)
