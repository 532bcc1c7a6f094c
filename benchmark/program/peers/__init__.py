"""The peers, and where a comparison with ours is not fair. There is one file per peer."""
UNFAIR = {
    "XLA": "jax.jit; weights are arguments, which it may not pack ahead",
    "PyTorch": "eager; parameters, packed at each call; images channels last; one Python call per operation",
    "compile": "torch.compile with freezing: weights are constants, packed ahead, layouts of its own choice",
    "ONNX": "ONNX Runtime's CPU provider, all optimisations: weights are constants, packed and folded ahead",
    "IREE": "llvm-cpu for this processor, compiled ahead, the faster of two sets of options; weights are arguments, packed at each call",
}
