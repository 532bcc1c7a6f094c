"""Kernels of Triton as functions (triton_kernels.py), where Triton is installed."""

import importlib.util

import pytest

if importlib.util.find_spec("triton"):
    from triton_kernels import *  # noqa: F403
else:

    def test_triton():
        pytest.skip("triton is not installed")
