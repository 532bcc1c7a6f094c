"""The programs of the benchmark, as JAX functions with their arguments: real sizes, random weights."""
import jax
import jax.numpy as jnp
import numpy as np


def normalise(x, scale, shift):
    mean = x.mean(-1, keepdims=True)
    variance = ((x - mean) ** 2).mean(-1, keepdims=True)
    return (x - mean) * jax.lax.rsqrt(variance + 1e-5) * scale + shift


def attention(p, x, heads):
    batch, tokens, width = x.shape
    parts = (x @ p["qkv"] + p["qkv_bias"]).reshape(batch, tokens, 3, heads, width // heads)
    q, k, v = (parts[:, :, i].transpose(0, 2, 1, 3) for i in range(3))
    scores = jnp.einsum("bhtd,bhsd->bhts", q, k) / np.float32(np.sqrt(width // heads))
    scores = jnp.where(jnp.tril(jnp.ones((tokens, tokens), bool)), scores, np.float32(-1e9))
    mixed = jnp.einsum("bhts,bhsd->bhtd", jax.nn.softmax(scores), v)
    return mixed.transpose(0, 2, 1, 3).reshape(batch, tokens, width) @ p["out"] + p["out_bias"]


def gpt2(p, tokens):
    x = p["embedding"][tokens] + p["positions"][: tokens.shape[1]]
    for b in p["blocks"]:
        x = x + attention(b, normalise(x, b["s1"], b["t1"]), 12)
        hidden = jax.nn.gelu(normalise(x, b["s2"], b["t2"]) @ b["up"] + b["up_bias"])
        x = x + hidden @ b["down"] + b["down_bias"]
    return normalise(x, p["s"], p["t"]) @ p["embedding"].T


def gpt2_small(layers=12, tokens=128, width=768, words=50257):
    """GPT-2 small, prefill: the function, its arguments, its multiply-adds times two."""
    random = np.random.default_rng(11)
    normal = lambda *shape, scale=0.02: (random.standard_normal(shape) * scale).astype(np.float32)
    block = lambda: dict(
        s1=1 + normal(width), t1=normal(width), s2=1 + normal(width), t2=normal(width),
        qkv=normal(width, 3 * width), qkv_bias=normal(3 * width), out=normal(width, width), out_bias=normal(width),
        up=normal(width, 4 * width), up_bias=normal(4 * width), down=normal(4 * width, width), down_bias=normal(width))
    weights = dict(embedding=normal(words, width), positions=normal(1024, width), s=1 + normal(width), t=normal(width),
                   blocks=[block() for _ in range(layers)])
    flops = 2 * tokens * (layers * (12 * width * width + 2 * tokens * width) + words * width)
    return gpt2, (weights, random.integers(0, words, (1, tokens)).astype(np.int32)), flops


def resnet50():
    """ResNet-50, one image, NHWC, normalisation as scale and shift."""
    random = np.random.default_rng(12)
    weights, flops = [], [0]

    def layer(kernel, inputs, outputs):
        weights.append(((random.standard_normal((kernel, kernel, inputs, outputs)) * (2 / (kernel * kernel * inputs)) ** 0.5)
                        .astype(np.float32), np.full(outputs, 0.5, np.float32), np.zeros(outputs, np.float32)))

    stages = [(3, 64, 1), (4, 128, 2), (6, 256, 2), (3, 512, 2)]
    layer(7, 3, 64)
    inputs = 64
    for count, width, _ in stages:
        for j in range(count):
            for kernel, i, o in [(1, inputs, width), (3, width, width), (1, width, 4 * width)]:
                layer(kernel, i, o)
            if j == 0:
                layer(1, inputs, 4 * width)
            inputs = 4 * width
    head = (random.standard_normal((2048, 1000)) * 0.02).astype(np.float32)

    def run(weights, head, x):
        remaining = iter(weights)

        def convolve(x, stride=1, relu=True):
            w, scale, shift = next(remaining)
            y = jax.lax.conv_general_dilated(x, w, (stride, stride), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))
            flops[0] += 2 * y.size * w.shape[0] * w.shape[1] * w.shape[2]
            y = y * scale + shift
            return jax.nn.relu(y) if relu else y

        x = convolve(x, 2)
        x = jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, (1, 3, 3, 1), (1, 2, 2, 1), "SAME")
        for count, _, stride in stages:
            for j in range(count):
                step = stride if j == 0 else 1
                y = convolve(convolve(convolve(x), step), 1, False)
                x = jax.nn.relu(y + (convolve(x, step, False) if j == 0 else x))
        return x.mean((1, 2)) @ head

    image = random.standard_normal((1, 224, 224, 3)).astype(np.float32)
    jax.eval_shape(run, weights, head, image)
    return run, (weights, head, image), flops[0]


MODELS = {"gpt2_small_prefill_128": gpt2_small, "resnet50_image": resnet50}
