"""Finds compiled or captured code, where Python hooks do not run: torch.compile, torch.jit, CUDA graphs.

Such modules are found before recording (by type and attribute) and after it (hooks that never fired though the module's
parent ran); both are reported, because a dump that lacks a part in silence misleads.
"""
import torch


def reason(module):
    """Why the hooks inside this module may not run, or None."""
    if type(module).__name__ == "OptimizedModule" or hasattr(module, "_orig_mod"):
        return "torch.compile wraps it (OptimizedModule)"
    if getattr(module, "_compiled_call_impl", None) is not None:
        return "Module.compile() replaced its call"
    if isinstance(module, torch.jit.ScriptModule):
        return "it is a TorchScript module"
    if isinstance(module, torch.fx.GraphModule):
        return None  # runs eagerly: its submodules' hooks fire
    if hasattr(getattr(module, "forward", None), "_torchdynamo_orig_callable"):
        return "torch.compile wraps its forward"
    return None


def find(model):
    """[(path, reason)] of the outermost compiled modules of a model."""
    found = []
    for path, module in model.named_modules():
        why = reason(module)
        if why and not any(path == outer or path.startswith(f"{outer}.") or outer == "" for outer, _ in found):
            found.append((path, why))
    return found


def capturing():
    """Whether a CUDA graph is being captured now: copies to the CPU would break the capture."""
    return torch.cuda.is_available() and torch.cuda.is_current_stream_capturing()
