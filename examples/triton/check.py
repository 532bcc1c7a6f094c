#!/usr/bin/env python3
"""Triton kernels, right and with a fault each, judged by assay.check on the GPU; beside it how long torch.testing.assert_close takes and
what it says. Without a GPU: SKIPPED, unless TRITON_INTERPRET=1 runs the kernels on the CPU. Exit code 1: a verdict is not what it should be.

    python examples/triton/check.py
    TRITON_INTERPRET=1 python examples/triton/check.py
"""
import os
import sys
import time


def missing():
    """Why nothing can run here, or None."""
    for name in ("torch", "triton"):
        try:
            __import__(name)
        except ImportError:
            return f"{name} is not installed"
    import torch

    if os.environ.get("TRITON_INTERPRET") != "1" and not torch.cuda.is_available():
        return "no GPU that PyTorch can use (TRITON_INTERPRET=1 runs the kernels on the CPU)"
    return None


def causal(q, k, v):
    import torch

    return torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)


def cases():
    import assay
    import kernels
    import torch

    large = 60 * torch.randn(9, 77, generator=torch.Generator().manual_seed(1))
    matrices = assay.f32[33, 70], assay.f32[70, 29]
    heads = (assay.f32[2, 29, 16],) * 3
    return [
        ("softmax", kernels.softmax, torch.nn.Softmax(-1), (assay.f32[9, 77],), True),
        ("softmax of large numbers", kernels.softmax, torch.nn.Softmax(-1), (large,), True),
        ("softmax without its maximum", kernels.softmax_without_maximum, torch.nn.Softmax(-1), (large,), False),
        ("matmul", kernels.matmul, torch.matmul, matrices, True),
        ("matmul without the last tile of k", kernels.matmul_without_last_tile, torch.matmul, matrices, False),
        ("causal attention", kernels.attention, causal, heads, True),
        ("attention, sums not rescaled", kernels.attention_not_rescaled, causal, heads, False),
    ]


def assert_close(kernel, reference, inputs, device):
    """(whether it holds, seconds) on one draw of normal data."""
    import assay
    import torch

    drawn = [torch.randn(one.shape) if isinstance(one, assay.Spec) else one for one in inputs]
    drawn = [one.to(device) for one in drawn]
    start = time.perf_counter()
    try:
        torch.testing.assert_close(kernel(*drawn), reference(*drawn))
        holds = True
    except AssertionError:
        holds = False
    return holds, time.perf_counter() - start


def main():
    why = missing()
    if why:
        print(f"SKIPPED: {why}")
        return 0
    import assay
    import torch

    device = "cuda:0" if torch.cuda.is_available() else None
    print(f"on {torch.cuda.get_device_name(0) if device else 'the CPU, interpreted'}")
    print(f"{'kernel':36} {'assay.check':12} {'ms':>8}  {'assert_close':12} {'ms':>8}  pattern")
    wrong = 0
    for name, kernel, reference, inputs, is_right in cases():
        start = time.perf_counter()
        verdict = assay.check(kernel, reference, *inputs, framework="torch", device=device)
        seconds = time.perf_counter() - start
        holds, other = assert_close(kernel, reference, inputs, device or "cpu")
        words = "holds" if holds else "fails"
        print(f"{name:36} {verdict.status:12} {1e3 * seconds:8.1f}  {words:12} {1e3 * other:8.1f}  {verdict.pattern}")
        wrong += bool(verdict) != is_right
    print(f"{wrong} verdicts are not what they should be")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    sys.exit(main())
