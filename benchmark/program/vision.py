"""Image models at full size, channels last."""
import jax
import jax.numpy as jnp
from layers import Net, model


def resnet50(batch=1):
    def build(net, x):
        def unit(x, outputs, kernel, stride=1, relu=True):
            y = net.batch_norm(net.convolution(x, outputs, kernel, stride, bias=False))
            return jax.nn.relu(y) if relu else y

        x = unit(x, 64, 7, 2)
        window, step, pad = (1, 3, 3, 1), (1, 2, 2, 1), [(0, 0), (1, 1), (1, 1), (0, 0)]
        x = jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, window, step, pad)
        for count, width, stride in [(3, 64, 1), (4, 128, 2), (6, 256, 2), (3, 512, 2)]:
            for j in range(count):
                step = stride if j == 0 else 1
                y = unit(unit(unit(x, width, 1), width, 3, step), 4 * width, 1, relu=False)
                x = jax.nn.relu(y + (unit(x, 4 * width, 1, step, relu=False) if j == 0 else x))
        return net.linear(net.mean(x), 1000)

    net = Net(12)
    return model(net, build, net.image(batch=batch))


def mobilenet_v3_large():
    """The rows of the paper's table: kernel, expansion, outputs, squeeze-and-excite, hard swish, stride."""
    rows = [(3, 16, 16, 0, 0, 1), (3, 64, 24, 0, 0, 2), (3, 72, 24, 0, 0, 1), (5, 72, 40, 1, 0, 2), (5, 120, 40, 1, 0, 1),
            (5, 120, 40, 1, 0, 1), (3, 240, 80, 0, 1, 2), (3, 200, 80, 0, 1, 1), (3, 184, 80, 0, 1, 1), (3, 184, 80, 0, 1, 1),
            (3, 480, 112, 1, 1, 1), (3, 672, 112, 1, 1, 1), (5, 672, 160, 1, 1, 2), (5, 960, 160, 1, 1, 1), (5, 960, 160, 1, 1, 1)]

    def build(net, x):
        hard_sigmoid = lambda y: jnp.clip(y + 3, 0, 6) / 6
        hard_swish = lambda y: y * hard_sigmoid(y)
        x = hard_swish(net.batch_norm(net.convolution(x, 16, 3, 2, bias=False)))
        for kernel, wide, outputs, squeeze, swish, stride in rows:
            act = hard_swish if swish else jax.nn.relu
            y = x
            if wide != net.channels(x):
                y = act(net.batch_norm(net.convolution(y, wide, 1, bias=False)))
            y = act(net.batch_norm(net.convolution(y, wide, kernel, stride, groups=wide, bias=False)))
            if squeeze:
                gate = hard_sigmoid(net.linear(jax.nn.relu(net.linear(net.mean(y), wide // 4)), wide))
                y = y * gate[:, None, None, :]
            y = net.batch_norm(net.convolution(y, outputs, 1, bias=False))
            x = x + y if stride == 1 and outputs == net.channels(x) else y
        x = hard_swish(net.batch_norm(net.convolution(x, 960, 1, bias=False)))
        return net.linear(hard_swish(net.linear(net.mean(x), 1280)), 1000)

    net = Net(13)
    return model(net, build, net.image())


def convnext_tiny():
    def build(net, x):
        norm = net.layer_norm
        for stage, (count, width) in enumerate([(3, 96), (3, 192), (9, 384), (3, 768)]):
            x = norm(net.convolution(x, width, 4, 4)) if stage == 0 else net.convolution(norm(x), width, 2, 2)
            for _ in range(count):
                y = net.convolution(x, width, 7, groups=width)
                y = net.linear(jax.nn.gelu(net.linear(net.layer_norm(y), 4 * width), approximate=False), width)
                x = x + y * net.weight((width,))
        return net.linear(net.layer_norm(net.mean(x)), 1000)

    net = Net(14)
    return model(net, build, net.image())


def vit_b16():
    def build(net, x):
        y = net.convolution(x, 768, 16, 16)
        y = y.reshape(1, 196, 768)
        x = jnp.concatenate([net.weight((1, 1, 768)), y], 1) + net.weight((1, 197, 768))
        for _ in range(12):
            x = x + net.attention(net.layer_norm(x), 12)
            x = x + net.linear(jax.nn.gelu(net.linear(net.layer_norm(x), 3072), approximate=False), 768)
        return net.linear(net.layer_norm(x)[:, 0], 1000)

    net = Net(15)
    return model(net, build, net.image())
