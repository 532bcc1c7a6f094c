"""Models of sequences at full size."""
import jax
import jax.numpy as jnp
import numpy as np
from layers import Net, model


def gpt2_small(tokens=128, words=50257, width=768):
    """The processing of a prompt (prefill)."""
    def build(net, ids):
        table = jnp.asarray(net.weight((words, width)))
        x = table[ids] + net.weight((tokens, width))
        mask = jnp.tril(jnp.ones((tokens, tokens), bool))
        for _ in range(12):
            x = x + net.attention(net.layer_norm(x), 12, mask)
            x = x + net.linear(jax.nn.gelu(net.linear(net.layer_norm(x), 4 * width)), width)
        net.flops += 2 * tokens * words * width
        return net.layer_norm(x) @ table.T

    net = Net(11)
    return model(net, build, net.random.integers(0, words, (1, tokens)).astype(np.int32))


def gpt2_decode(past=128, words=50257, width=768, heads=12):
    """One more token, with the keys and values of the previous ones."""
    def build(net, ids, keys, values, position):
        table = jnp.asarray(net.weight((words, width)))
        x = table[ids] + jax.lax.dynamic_slice(jnp.asarray(net.weight((1024, width))), (position, 0), (1, width))
        seen = jnp.arange(past) <= position
        new_keys, new_values = [], []
        for layer in range(12):
            q, k, v = jnp.split(net.linear(net.layer_norm(x), 3 * width).reshape(3 * heads, 1, width // heads), 3)
            k = jax.lax.dynamic_update_slice(keys[layer], k, (0, position, 0))
            v = jax.lax.dynamic_update_slice(values[layer], v, (0, position, 0))
            scores = jnp.where(seen, jnp.einsum("htd,hsd->hts", q, k) / np.float32(8), np.float32(-1e9))
            mixed = jnp.einsum("hts,hsd->htd", jax.nn.softmax(scores), v)
            net.flops += 4 * past * width
            x = x + net.linear(mixed.reshape(1, width), width)
            x = x + net.linear(jax.nn.gelu(net.linear(net.layer_norm(x), 4 * width)), width)
            new_keys.append(k)
            new_values.append(v)
        net.flops += 2 * words * width
        return net.layer_norm(x) @ table.T, jnp.stack(new_keys), jnp.stack(new_values)

    net = Net(16)
    cache = net.random.standard_normal((2, 12, heads, past, width // heads)).astype(np.float32)
    return model(net, build, np.int32([7]), cache[0], cache[1], np.int32(past - 1))


def bert_base(tokens=128, words=30522, width=768):
    def build(net, ids):
        x = net.layer_norm(jnp.asarray(net.weight((words, width)))[ids] + net.weight((tokens, width)))
        for _ in range(12):
            x = net.layer_norm(x + net.attention(x, 12))
            hidden = jax.nn.gelu(net.linear(x, 4 * width), approximate=False)
            x = net.layer_norm(x + net.linear(hidden, width))
        return x

    net = Net(17)
    return model(net, build, net.random.integers(0, words, (1, tokens)).astype(np.int32))


def lstm(steps=100, batch=8, width=512):
    """A layer over a sequence, as a `jax.lax.scan`."""
    def build(net, x):
        w = net.weight((2 * width, 4 * width), 2 * width)
        bias = net.weight((4 * width,))
        net.flops += 16 * steps * batch * width * width

        def step(state, now):
            h, c = state
            i, f, g, o = jnp.split(jnp.concatenate([now, h], 1) @ w + bias, 4, 1)
            c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
            h = jax.nn.sigmoid(o) * jnp.tanh(c)
            return (h, c), h

        zero = jnp.zeros((batch, width))
        return jax.lax.scan(step, (zero, zero), x)[1]

    net = Net(18)
    return model(net, build, net.random.standard_normal((steps, batch, width)).astype(np.float32))
