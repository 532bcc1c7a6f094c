"""Writes the lists of convolutions for training and judging models, next to this file: conv_train.csv (layers of published networks, and
random shapes) and conv_unseen.csv (layers of other networks, and other random shapes; 60 of them, none in the first list). A column `network`
names the origin of a line. The output has the same bytes each time.

    python3 benchmark/tune/conv_shapes.py
"""
import pathlib
import random

HERE = pathlib.Path(__file__).parent
MOST_GFLOP = 0.25


def words(mb, ic, ih, oc, k, s=1, d=1, g=1, p=None, iw=None):
    p = (k - 1) * d // 2 if p is None else p
    text = f"mb{mb}" + (f"g{g}" if g > 1 else "") + f"ic{ic}ih{ih}" + (f"iw{iw}" if iw else "") + f"oc{oc}kh{k}"
    return text + (f"sh{s}" if s > 1 else "") + f"ph{p}" + (f"dh{d - 1}" if d > 1 else "")


def gflop(mb, ic, ih, oc, k, s=1, d=1, g=1, p=None, iw=None):
    p = (k - 1) * d // 2 if p is None else p
    out = [(n + 2 * p - d * (k - 1) - 1) // s + 1 for n in (ih, iw or ih)]
    return 2e-9 * mb * oc * out[0] * out[1] * k * k * ic / g


def resnet(widths, size=56, expansion=4):
    """The bottlenecks (1x1, 3x3, 1x1) of each stage, including the strided and the shortcut one."""
    previous, layers = widths[0], []
    for stage, width in enumerate(widths):
        stride = 1 if stage == 0 else 2
        layers += [(previous, size, width, 1), (width, size, width, 3, stride), (previous, size, width * expansion, 1, stride)]
        size //= stride
        previous = width * expansion
        layers += [(width, size, previous, 1), (previous, size, width, 1), (width, size, width, 3)]
    return layers


def basic(widths, size=56):
    layers = []
    for stage, width in enumerate(widths):
        if stage:
            layers += [(widths[stage - 1], size, width, 3, 2), (widths[stage - 1], size, width, 1, 2)]
            size //= 2
        layers.append((width, size, width, 3))
    return layers


def inverted(rows):
    """Expansion, depthwise, projection in mobile networks: (input, expanded, output, size, window, stride)."""
    layers = []
    for ic, mid, oc, size, k, s in rows:
        layers += [(ic, size, mid, 1), (mid, size, mid, k, s, 1, mid), (mid, size // s, oc, 1)]
    return layers


def grouped(widths, groups, size=56):
    layers = []
    for stage, width in enumerate(widths):
        if stage:
            layers.append((width, size, width, 3, 2, 1, groups))
            size //= 2
        layers.append((width, size, width, 3, 1, 1, groups))
    return layers


TRAIN = {
    "resnet50": [(3, 224, 64, 7, 2)] + resnet([64, 128, 256, 512]),
    "resnet18": basic([64, 128, 256, 512]),
    "vgg16": [(3, 224, 64, 3), (64, 112, 128, 3), (128, 56, 256, 3), (256, 56, 256, 3), (256, 28, 512, 3), (512, 28, 512, 3), (512, 14, 512, 3)],
    "mobilenet_v2": [(3, 224, 32, 3, 2)] + inverted([(16, 96, 24, 112, 3, 2), (24, 144, 24, 56, 3, 1), (24, 144, 32, 56, 3, 2), (32, 192, 32, 28, 3, 1),
        (32, 192, 64, 28, 3, 2), (64, 384, 64, 14, 3, 1), (64, 384, 96, 14, 3, 1), (96, 576, 160, 14, 3, 2), (160, 960, 160, 7, 3, 1)]),
    "mobilenet_v3": inverted([(16, 64, 24, 112, 3, 2), (24, 72, 40, 56, 5, 2), (40, 120, 40, 28, 5, 1), (80, 200, 80, 14, 3, 1), (112, 672, 160, 14, 5, 2)]),
    "convnext": [(3, 224, 96, 4, 4, 1, 1, 0), (96, 56, 96, 7, 1, 1, 96), (192, 28, 192, 7, 1, 1, 192), (384, 14, 384, 7, 1, 1, 384),
        (768, 7, 768, 7, 1, 1, 768), (96, 56, 384, 1), (384, 56, 96, 1), (192, 28, 768, 1), (384, 14, 1536, 1), (96, 56, 192, 2, 2, 1, 1, 0)],
    "resnext50": grouped([128, 256, 512, 1024], 32),
    "unet": [(64, 64, 64, 3), (128, 32, 128, 3), (256, 16, 256, 3), (384, 32, 128, 3), (192, 64, 64, 3), (64, 64, 2, 1)],
    "deeplab": [(256, 28, 256, 3, 1, 2), (256, 28, 256, 3, 1, 4), (512, 14, 256, 3, 1, 6), (64, 56, 64, 3, 1, 2)],
    "super_resolution": [(1, 96, 64, 5), (64, 96, 32, 3), (32, 96, 32, 3), (32, 96, 9, 3), (3, 128, 32, 9)],
}  # fmt: skip
UNSEEN = {
    "densenet121": [(64, 56, 128, 1), (128, 56, 32, 3), (256, 28, 128, 1), (128, 28, 32, 3), (512, 14, 128, 1), (128, 14, 32, 3), (1024, 7, 128, 1)],
    "efficientnet_b0": inverted([(32, 32, 16, 112, 3, 1), (24, 144, 40, 56, 5, 2), (40, 240, 80, 28, 3, 2), (80, 480, 112, 14, 5, 1),
        (192, 1152, 192, 7, 5, 1)]),
    "regnet_x": grouped([64, 128, 288, 672], 8, 48) + [(288, 14, 672, 1, 2), (64, 48, 128, 1)],
    "squeezenet": [(3, 224, 96, 7, 2, 1, 1, 0), (96, 55, 16, 1), (16, 55, 64, 3), (48, 27, 192, 3), (256, 13, 48, 1)],
    "inception": [(192, 28, 64, 1), (96, 28, 128, 3), (16, 28, 32, 5), (480, 14, 192, 1), (112, 14, 224, 3), (24, 14, 64, 5)],
    "yolo": [(3, 160, 16, 3), (16, 80, 32, 3, 2), (32, 40, 64, 3, 2), (128, 20, 256, 3, 2), (256, 10, 128, 1), (384, 20, 255, 1)],
    "shufflenet": [(58, 28, 58, 3, 1, 1, 58), (116, 14, 116, 1), (232, 7, 232, 3, 1, 1, 232)],
}  # fmt: skip


def layer_lines(networks, batches):
    lines = []
    for network, layers in networks.items():
        for layer in layers:
            ic, ih, oc, k, *rest = layer
            s, d, g, p = (rest + [1, 1, 1, None][len(rest):])[:4]
            for mb in batches:
                if gflop(mb, ic, ih, oc, k, s, d, g, p) <= MOST_GFLOP:
                    lines.append((network, words(mb, ic, ih, oc, k, s, d, g, p)))
    return lines


def drawn_lines(seed, count):
    draw, lines = random.Random(seed), []
    while len(lines) < count:
        k = draw.choice([1, 1, 3, 3, 3, 5, 7])
        s = draw.choice([1, 1, 1, 2]) if k > 1 else draw.choice([1, 1, 1, 1, 2])
        size = lambda low, high: int(round(2 ** draw.uniform(low, high)))
        ih, mb = size(2.5, 7), draw.choice([1, 1, 2, 4, 8])
        iw = ih if draw.random() < 0.7 else size(2.5, 7)
        kind = draw.random()
        if kind < 0.6:
            g, ic, oc = 1, size(1.6, 9), size(2, 9)
        elif kind < 0.8:
            ic = oc = g = size(4, 9.5)
        else:
            g = draw.choice([2, 4, 8, 16, 32])
            ic, oc = g * size(1.5, 5.5), g * size(1.5, 5.5)
        if draw.random() < 0.5 and g == 1:
            ic, oc = max(8, ic // 8 * 8), max(8, oc // 8 * 8)
        d = draw.choice([1] * 9 + [2])
        if min(ih, iw) < (k - 1) * d + 1 or not 0.0004 <= gflop(mb, ic, ih, oc, k, s, d, g, None, iw) <= MOST_GFLOP:
            continue
        lines.append(("drawn", words(mb, ic, ih, oc, k, s, d, g, None, None if iw == ih else iw)))
    return lines


def write(name, lines, seen=()):
    known, kept = set(seen), []
    for network, text in lines:
        if text not in known:
            known.add(text)
            kept.append((network, text))
    (HERE / name).write_text("network,problem\n" + "".join(f"{network},{text}\n" for network, text in kept))
    print(f"{name}: {len(kept)} problems")
    return known


if __name__ == "__main__":
    train = write("conv_train.csv", layer_lines(TRAIN, [1, 2, 4]) + drawn_lines(1, 320))
    layers, draws = layer_lines(UNSEEN, [1]), drawn_lines(2, 60)
    unseen = [line for line in layers if line[1] not in train][:40]
    write("conv_unseen.csv", unseen + draws[: 60 - len(unseen)], train)
