"""What the models of the benchmark are made of: layers that draw their weights on the first call and read them afterwards."""
import jax
import jax.numpy as jnp
import numpy as np


class Net:
    """Weights by order of use, and the multiply-adds of convolutions and products, times two.

    `plain`: images are NCHW and filters OIHW, as PyTorch has them; else NHWC and HWIO.
    """

    def __init__(self, seed, plain=False):
        self.random, self.made, self.given, self.flops, self.plain = np.random.default_rng(seed), [], None, 0, plain

    def weight(self, shape, fan_in=None):
        if self.given is not None:
            return next(self.given)
        scale = (2 / fan_in) ** 0.5 if fan_in else 0.02
        self.made.append((self.random.standard_normal(shape) * scale).astype(np.float32))
        return self.made[-1]

    def channels(self, x):
        return x.shape[1] if self.plain else x.shape[-1]

    def per_channel(self, vector):
        return vector[:, None, None] if self.plain else vector

    def convolution(self, x, outputs, kernel, stride=1, groups=1, bias=True):
        inputs = self.channels(x)
        shape = (outputs, inputs // groups, kernel, kernel) if self.plain else (kernel, kernel, inputs // groups, outputs)
        order = ("NCHW", "OIHW", "NCHW") if self.plain else ("NHWC", "HWIO", "NHWC")
        pad = [((kernel - 1) // 2, (kernel - 1) // 2)] * 2 if kernel > stride else [(0, 0)] * 2
        w = self.weight(shape, kernel * kernel * inputs // groups)
        y = jax.lax.conv_general_dilated(x, w, (stride, stride), pad, dimension_numbers=order, feature_group_count=groups)
        self.flops += 2 * y.size * kernel * kernel * inputs // groups
        return y + self.per_channel(self.weight((outputs,))) if bias else y

    def batch_norm(self, x):
        """Inference: scale and shift of recorded statistics, the square root included."""
        n = self.channels(x)
        scale, shift, mean, variance = (self.per_channel(self.weight((n,))) for _ in range(4))
        return (x - mean) * jax.lax.rsqrt(jnp.abs(variance) + 1) * (1 + scale) + shift

    def layer_norm(self, x, axis=-1):
        n = x.shape[axis]
        wide = [n if d == axis % x.ndim else 1 for d in range(x.ndim)]
        mean = x.mean(axis, keepdims=True)
        variance = ((x - mean) ** 2).mean(axis, keepdims=True)
        return ((x - mean) * jax.lax.rsqrt(variance + 1e-5) * (1 + self.weight((n,)).reshape(wide))
                + self.weight((n,)).reshape(wide))

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
        return x.mean((2, 3) if self.plain else (1, 2))

    def image(self, size=224, batch=1):
        x = self.random.standard_normal((batch, size, size, 3)).astype(np.float32)
        return np.ascontiguousarray(x.transpose(0, 3, 1, 2)) if self.plain else x


def model(net, build, *inputs):
    """The function of (weights, *inputs), its arguments, its multiply-adds times two."""
    jax.eval_shape(lambda *values: build(net, *values), *inputs)
    flops = net.flops

    def run(weights, *values):
        net.given = iter(weights)
        return build(net, *values)

    return run, (net.made, *inputs), flops
