"""Writes the benchmark's two dumps: 649 fp16 tensors, with the shapes of a vision transformer's leaf modules (27 blocks,
width 1152, 260 tokens), 468 MB each. The target's inputs and outputs have the last bit of 15 % of their elements flipped;
parameters are equal. The layout is that of `assay`: /1/NAME, contiguous, in creation order.

    python make_pair.py TARGET.h5 BENCH.h5 [--blocks N]
"""
import argparse

import h5py
import numpy

TOKENS, WIDTH, HIDDEN = 260, 1152, 4304


def modules(blocks):
    """(name, [(kind, shape)]) for every leaf module in the order of execution."""
    yield "patch_embed.proj.Conv3d.0", [("params.weight", (WIDTH, 3, 2, 16, 16)), ("params.bias", (WIDTH,)),
                                        ("input.0", (TOKENS, 3, 2, 16, 16)), ("output.0", (TOKENS, WIDTH, 1, 1, 1))]
    yield "pos_embed.Embedding.0", [("params.weight", (2304, WIDTH)), ("output.0", (TOKENS, WIDTH))]
    for block in range(blocks):
        def layer(name, class_name, inputs, outputs, weight):
            parts = [("params.weight", (inputs,))] if weight else []
            return f"blocks.{block}.{name}.{class_name}.0", parts + [
                ("params.bias", (outputs,)), ("input.0", (TOKENS, inputs)), ("output.0", (TOKENS, outputs))]
        yield layer("norm1", "LayerNorm", WIDTH, WIDTH, True)
        yield layer("attn.qkv", "QKVParallelLinear", WIDTH, 3 * WIDTH, False)
        yield layer("attn.proj", "RowParallelLinear", WIDTH, WIDTH, False)
        yield layer("norm2", "LayerNorm", WIDTH, WIDTH, True)
        yield layer("mlp.linear_fc1", "ColumnParallelLinear", WIDTH, HIDDEN, False)
        yield f"blocks.{block}.mlp.act_fn.GELU.0", [("input.0", (TOKENS, HIDDEN)), ("output.0", (TOKENS, HIDDEN))]
        yield layer("mlp.linear_fc2", "RowParallelLinear", HIDDEN, WIDTH, False)
    for extra in range(21):
        yield f"extra.{extra}.Identity.0", [("output.0", (TOKENS, WIDTH))]
    for merger in range(4):
        name = f"merger.{merger}"
        yield f"{name}.norm.LayerNorm.0", [("params.weight", (4 * WIDTH,)), ("params.bias", (4 * WIDTH,)),
                                           ("input.0", (TOKENS // 4, 4 * WIDTH)), ("output.0", (TOKENS // 4, 4 * WIDTH))]
        yield f"{name}.linear_fc1.Linear.0", [("params.bias", (4 * WIDTH,)), ("input.0", (TOKENS // 4, 4 * WIDTH)),
                                              ("output.0", (TOKENS // 4, 4 * WIDTH))]


def write(path, blocks, flipped):
    with h5py.File(path, "w", track_order=True) as file:
        group = file.create_group("1", track_order=True)
        number = 0
        for name, tensors in modules(blocks):
            for kind, shape in tensors:
                number += 1
                generator = numpy.random.default_rng(number)
                values = generator.standard_normal(shape, numpy.float32).astype(numpy.float16)
                if flipped and not kind.startswith("params"):
                    chosen = numpy.random.default_rng(1000000 + number).random(shape, numpy.float32) < 0.15
                    values = (values.view(numpy.uint16) ^ chosen.astype(numpy.uint16)).view(numpy.float16)
                group.create_dataset(f"{name}.forward_{kind}", data=values)
    return number


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("target")
    parser.add_argument("bench")
    parser.add_argument("--blocks", type=int, default=27)
    arguments = parser.parse_args()
    write(arguments.bench, arguments.blocks, False)
    print(write(arguments.target, arguments.blocks, True), "tensors")


if __name__ == "__main__":
    main()
