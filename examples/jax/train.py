"""A small convolutional network and a perceptron after it, Adam, 100 steps on data that it can learn: plain JAX, with nothing of Assay in it.

    JAX_PLATFORMS=cpu python train.py
    JAX_PLATFORMS=assay python train.py
    ASSAY_DEVICES=8 JAX_PLATFORMS=assay python train.py       the batch cut over eight virtual devices
"""
import jax
import jax.numpy as jnp
from jax.sharding import NamedSharding, PartitionSpec

STEPS, BATCH, RATE = 100, 32, 1e-3


def initial(key):
    keys = jax.random.split(key, 4)
    shapes = {"filter": (3, 3, 1, 8), "dense": (8 * 8 * 8 // 4, 32), "head": (32, 10)}
    params = {name: jax.random.normal(k, shape) * (2 / jnp.prod(jnp.array(shape[:-1]))) ** 0.5 for k, (name, shape) in zip(keys, shapes.items())}
    return params | {"bias": jnp.zeros(32)}


def loss(params, images, labels):
    y = jax.lax.conv_general_dilated(images, params["filter"], (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))
    y = jax.lax.reduce_window(jax.nn.relu(y), -jnp.inf, jax.lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
    y = jax.nn.gelu(y.reshape(y.shape[0], -1) @ params["dense"] + params["bias"])
    return -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(y @ params["head"]), labels[:, None], axis=1))


@jax.jit
def step(params, moments, t, images, labels):
    value, grads = jax.value_and_grad(loss)(params, images, labels)
    first = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, moments[0], grads)
    second = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g * g, moments[1], grads)
    scale = RATE * jnp.sqrt(1 - 0.999**t) / (1 - 0.9**t)
    params = jax.tree.map(lambda p, m, v: p - scale * m / (jnp.sqrt(v) + 1e-8), params, first, second)
    return params, (first, second), value


def main():
    mesh = jax.make_mesh((len(jax.devices()),), ("batch",), axis_types=(jax.sharding.AxisType.Auto,))
    cut = NamedSharding(mesh, PartitionSpec("batch"))
    params = initial(jax.random.key(0))
    params = jax.device_put(params, NamedSharding(mesh, PartitionSpec()))
    moments = (jax.tree.map(jnp.zeros_like, params), jax.tree.map(jnp.zeros_like, params))
    patterns = jax.random.normal(jax.random.key(1), (10, 8, 8, 1))
    for t in range(1, STEPS + 1):
        keys = jax.random.split(jax.random.key(t), 2)
        labels = jax.random.randint(keys[0], (BATCH,), 0, 10)
        images = patterns[labels] + 0.5 * jax.random.normal(keys[1], (BATCH, 8, 8, 1))
        params, moments, value = step(params, moments, jnp.float32(t), jax.device_put(images, cut), jax.device_put(labels, cut))
        if t in (1, STEPS):
            print(f"{jax.default_backend()}, {len(jax.devices())} devices: loss {float(value):.6f} after step {t}")


main()
