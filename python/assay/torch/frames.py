"""Which lines of the user's code led to a call."""
import pathlib
import sys
import traceback

import torch

_INTERPOSED = ("__torch_function__", "__torch_dispatch__")
_LEFT_OUT = (str(pathlib.Path(__file__).parent), str(pathlib.Path(torch.__file__).parent))


def user_frames(depth=8):
    """The innermost frames outside PyTorch and this package, outermost first: file:line function."""
    frames = []
    for frame, line in traceback.walk_stack(sys._getframe(1)):
        file = frame.f_code.co_filename
        if not file.startswith(_LEFT_OUT) and frame.f_code.co_name not in _INTERPOSED:
            frames.append(f"{file}:{line} {frame.f_code.co_name}")
            if len(frames) == depth:
                break
    return frames[::-1]
