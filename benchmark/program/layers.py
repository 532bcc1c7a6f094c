"""The layers of the benchmark's models. They draw their weights on the first call and read them afterwards."""
import jax
import jax.numpy as jnp
import numpy as np


class Net:
    """Weights by order of use, and the multiply-adds of convolutions and products, times two. Images are NHWC, filters HWIO."""

    def __init__(self, seed):
        self.random, self.made, self.given, self.flops = np.random.default_rng(seed), [], None, 0

    def weight(self, shape, fan_in=None):
        if self.given is not None:
            return next(self.given)
        scale = (2 / fan_in) ** 0.5 if fan_in else 0.02
        self.made.append((self.random.standard_normal(shape) * scale).astype(np.float32))
        return self.made[-1]

    def channels(self, x):
        return x.shape[-1]

    def convolution(self, x, outputs, kernel, stride=1, groups=1, bias=True):
        inputs = self.channels(x)
        shape, order = (kernel, kernel, inputs // groups, outputs), ("NHWC", "HWIO", "NHWC")
        pad = [((kernel - 1) // 2, (kernel - 1) // 2)] * 2 if kernel > stride else [(0, 0)] * 2
        w = self.weight(shape, kernel * kernel * inputs // groups)
        y = jax.lax.conv_general_dilated(x, w, (stride, stride), pad, dimension_numbers=order, feature_group_count=groups)
        self.flops += 2 * y.size * kernel * kernel * inputs // groups
        return y + self.weight((outputs,)) if bias else y

    def batch_norm(self, x):
        """Batch normalisation for inference: scale and shift by recorded statistics, including the square root."""
        n = self.channels(x)
        scale, shift, mean, variance = (self.weight((n,)) for _ in range(4))
        return (x - mean) * jax.lax.rsqrt(jnp.abs(variance) + 1) * (1 + scale) + shift

    def layer_norm(self, x):
        n = self.channels(x)
        mean = x.mean(-1, keepdims=True)
        variance = ((x - mean) ** 2).mean(-1, keepdims=True)
        return (x - mean) * jax.lax.rsqrt(variance + 1e-5) * (1 + self.weight((n,))) + self.weight((n,))

    def linear(self, x, outputs):
        w = self.weight((x.shape[-1], outputs), x.shape[-1])
        self.flops += 2 * x.size * outputs
        return x @ w + self.weight((outputs,))

    def attention(self, x, heads, mask=None):
        batch, tokens, width = x.shape
        parts = self.linear(x, 3 * width).reshape(batch, tokens, 3, heads, width // heads)
        q, k, v = (parts[:, :, i].transpose(0, 2, 1, 3) for i in range(3))
        self.flops += 4 * batch * tokens * tokens * width
        scores = jnp.einsum("bhtd,bhsd->bhts", q, k) / np.float32(np.sqrt(width // heads))
        if mask is not None:
            scores = jnp.where(mask, scores, np.float32(-1e9))
        mixed = jnp.einsum("bhts,bhsd->bhtd", jax.nn.softmax(scores), v)
        return self.linear(mixed.transpose(0, 2, 1, 3).reshape(batch, tokens, width), width)

    def mean(self, x):
        return x.mean((1, 2))

    def image(self, size=224, batch=1):
        return self.random.standard_normal((batch, size, size, 3)).astype(np.float32)


def model(net, build, *inputs):
    """The function of (weights, *inputs), its arguments, its multiply-adds times two."""
    jax.eval_shape(lambda *values: build(net, *values), *inputs)
    flops = net.flops

    def run(weights, *values):
        net.given = iter(weights)
        return build(net, *values)

    return run, (net.made, *inputs), flops
