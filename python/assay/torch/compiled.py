"""Finds compiled or captured code, where Python hooks do not run: torch.compile, torch.jit, CUDA graphs.

Such modules are found before recording (by type and attribute), while it runs (something traces the hooks instead of calling
them) and after it (hooks that never fired although the module's parent ran); all are reported, because a dump that silently
lacks a part misleads.
"""
import torch

_noted = set()  # traces and compilations of recorded modules since the last traced()


def note_compiled():
    """Called in the hooks while torch.compile or torch.export traces them: the compiler keeps the result as a constant, so
    this runs when the trace is made and adds nothing to it."""
    _noted.add("torch.compile or torch.export")
    return 0


note_compiled._dynamo_marked_constant = True  # torch._dynamo.assume_constant_result, which would import the compiler


def tracing():
    """Whether torch.jit.trace is running: operations of a hook would become part of the trace."""
    if torch._C._get_tracing_state() is None:
        return False
    _noted.add("torch.jit.trace")
    return True


def transforming():
    """Whether torch.func or vmap is running: its tensors have no storage, and their graph is not the model's."""
    return torch._C._functorch.peek_interpreter_stack() is not None


def traced():
    """The tracers that ran recorded modules since the last call of this function, as text; "" for none."""
    names = " and ".join(sorted(_noted))
    _noted.clear()
    return names


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
    return torch.cuda.is_initialized() and torch.cuda.is_current_stream_capturing()
