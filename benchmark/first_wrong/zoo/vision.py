"""Convolutional networks of one, two and three dimensions, norms, generators and their critics."""
import torch
import torch.nn.functional as F
from torch import nn

from . import model, rand

B = 2


class Residual(nn.Module):
    def __init__(self, inp, out, stride=1, norm=nn.BatchNorm2d):
        super().__init__()
        self.conv1, self.bn1 = nn.Conv2d(inp, out, 3, stride, 1, bias=False), norm(out)
        self.conv2, self.bn2 = nn.Conv2d(out, out, 3, 1, 1, bias=False), norm(out)
        self.relu = nn.ReLU(inplace=True)
        self.down = nn.Sequential(nn.Conv2d(inp, out, 1, stride, bias=False), norm(out)) if stride > 1 or inp != out else None

    def forward(self, x):
        y = self.bn2(self.conv2(self.relu(self.bn1(self.conv1(x)))))
        return self.relu(y + (x if self.down is None else self.down(x)))


def _resnet(norm):
    return nn.Sequential(nn.Conv2d(3, 8, 3, 2, 1), norm(8), nn.ReLU(inplace=True), nn.MaxPool2d(2), Residual(8, 8, norm=norm), Residual(8, 12, 2, norm),
                         nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(12, 5))


@model
def resnet():
    return _resnet(nn.BatchNorm2d), (rand(4, 3, 16, 16),)


@model
def resnet_evaluated():
    return _resnet(nn.BatchNorm2d).eval(), (rand(4, 3, 16, 16),)


@model
def resnet_group_norm():
    return _resnet(lambda n: nn.GroupNorm(4, n)), (rand(B, 3, 16, 16),)


@model
def instance_norm_style():
    return nn.Sequential(nn.ReflectionPad2d(2), nn.Conv2d(3, 6, 5), nn.InstanceNorm2d(6, affine=True), nn.ReLU(), nn.Upsample(scale_factor=2),
                         nn.Conv2d(6, 3, 3, padding=1, padding_mode="reflect"), nn.Tanh()), (rand(B, 3, 6, 6),)


@model
def alexnet_lrn():
    return nn.Sequential(nn.Conv2d(3, 8, 5, 2, 2), nn.ReLU(), nn.LocalResponseNorm(3, 0.1), nn.MaxPool2d(3, 2), nn.Flatten(), nn.Dropout(0.3),
                         nn.Linear(8 * 9, 10), nn.ReLU(), nn.Linear(10, 4)), (rand(B, 3, 16, 16),)


@model
def convnext():
    class Block(nn.Module):
        def __init__(self, c):
            super().__init__()
            self.dw, self.norm = nn.Conv2d(c, c, 5, padding=2, groups=c), nn.LayerNorm(c, eps=1e-6)
            self.pw1, self.act, self.pw2 = nn.Linear(c, 4 * c), nn.GELU(), nn.Linear(4 * c, c)
            self.gamma = nn.Parameter(torch.full((c,), 0.5))

        def forward(self, x):
            y = self.norm(self.dw(x).permute(0, 2, 3, 1))
            return x + (self.gamma * self.pw2(self.act(self.pw1(y)))).permute(0, 3, 1, 2)

    return nn.Sequential(nn.Conv2d(3, 8, 4, 4), Block(8), Block(8), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.LayerNorm(8), nn.Linear(8, 3)), (rand(B, 3, 16, 16),)


@model
def mobilenet():
    class Inverted(nn.Module):
        def __init__(self, c, hidden):
            super().__init__()
            self.expand = nn.Sequential(nn.Conv2d(c, hidden, 1, bias=False), nn.BatchNorm2d(hidden), nn.Hardswish())
            self.depth = nn.Sequential(nn.Conv2d(hidden, hidden, 3, 1, 1, groups=hidden, bias=False), nn.BatchNorm2d(hidden), nn.ReLU6())
            self.squeeze = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Conv2d(hidden, 4, 1), nn.ReLU(), nn.Conv2d(4, hidden, 1), nn.Hardsigmoid())
            self.project = nn.Sequential(nn.Conv2d(hidden, c, 1, bias=False), nn.BatchNorm2d(c))

        def forward(self, x):
            y = self.depth(self.expand(x))
            return x + self.project(y * self.squeeze(y))

    return nn.Sequential(nn.Conv2d(3, 6, 3, 2, 1), Inverted(6, 12), Inverted(6, 12)), (rand(3, 3, 10, 10),)


@model
def densenet():
    class Dense(nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = nn.ModuleList([nn.Sequential(nn.BatchNorm2d(4 + 3 * i), nn.ReLU(), nn.Conv2d(4 + 3 * i, 3, 3, padding=1)) for i in range(3)])
            self.transition = nn.Sequential(nn.Conv2d(13, 6, 1), nn.AvgPool2d(2))

        def forward(self, x):
            features = [x]
            for layer in self.layers:
                features.append(layer(torch.cat(features, 1)))
            return self.transition(torch.cat(features, 1))

    return nn.Sequential(nn.Conv2d(3, 4, 3), Dense()), (rand(B, 3, 8, 8),)


@model
def unet():
    class UNet(nn.Module):
        def __init__(self):
            super().__init__()
            self.down1, self.down2 = nn.Conv2d(2, 6, 3, padding=1), nn.Conv2d(6, 10, 3, padding=1)
            self.up, self.merge, self.out = nn.ConvTranspose2d(10, 6, 2, stride=2), nn.Conv2d(12, 6, 3, padding=1), nn.Conv2d(6, 1, 1)
            self.norm1, self.norm2 = nn.GroupNorm(2, 6), nn.GroupNorm(2, 10)

        def forward(self, x):
            a = F.silu(self.norm1(self.down1(x)))
            b = F.silu(self.norm2(self.down2(F.max_pool2d(a, 2))))
            y = torch.cat([a, self.up(b)], 1)
            return self.out(F.silu(self.merge(y)))

    return UNet(), (rand(B, 2, 8, 8),)


@model
def unet_interpolated():
    class UNet(nn.Module):
        def __init__(self):
            super().__init__()
            self.enc, self.mid, self.dec = nn.Conv2d(2, 5, 3, 2, 1), nn.Conv2d(5, 5, 3, padding=2, dilation=2), nn.Conv2d(7, 2, 3, padding=1)

        def forward(self, x):
            y = F.leaky_relu(self.mid(F.leaky_relu(self.enc(x), 0.2)), 0.2)
            y = F.interpolate(y, scale_factor=2.0, mode="bilinear", align_corners=False)
            return self.dec(torch.cat([x, y], 1))

    return UNet(), (rand(B, 2, 8, 8),)


@model
def generator():
    return nn.Sequential(nn.Linear(6, 32), nn.Unflatten(1, (8, 2, 2)), nn.BatchNorm2d(8), nn.ReLU(), nn.ConvTranspose2d(8, 6, 4, 2, 1), nn.BatchNorm2d(6),
                         nn.ReLU(), nn.ConvTranspose2d(6, 1, 4, 2, 1), nn.Tanh()), (rand(5, 6),)


@model
def gan():
    """Generator and critic; the critic is called twice."""

    class Gan(nn.Module):
        def __init__(self):
            super().__init__()
            self.generator = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 9))
            self.critic = nn.Sequential(nn.Linear(9, 16), nn.LeakyReLU(0.2), nn.Dropout(0.2), nn.Linear(16, 1))

        def forward(self, noise, real):
            fake = self.generator(noise)
            return F.softplus(-self.critic(real)), F.softplus(self.critic(fake))

    return Gan(), (rand(4, 4), rand(4, 9, seed=7))


@model
def spectral_critic():
    norm = nn.utils.parametrizations.spectral_norm
    return nn.Sequential(norm(nn.Conv2d(1, 6, 3, 2, 1)), nn.LeakyReLU(0.1), norm(nn.Conv2d(6, 8, 3, 2, 1)), nn.LeakyReLU(0.1), nn.Flatten(), norm(nn.Linear(32, 1))).eval(), (rand(B, 1, 8, 8),)


@model
def wavenet():
    class Layer(nn.Module):
        def __init__(self, dilation):
            super().__init__()
            self.conv, self.res, self.dilation = nn.Conv1d(6, 12, 2, dilation=dilation), nn.Conv1d(6, 6, 1), dilation

        def forward(self, x):
            a, b = self.conv(F.pad(x, (self.dilation, 0))).chunk(2, 1)
            y = self.res(torch.tanh(a) * torch.sigmoid(b))
            return x + y, y

    class WaveNet(nn.Module):
        def __init__(self):
            super().__init__()
            self.inp, self.layers, self.out = nn.Conv1d(1, 6, 1), nn.ModuleList([Layer(1), Layer(2), Layer(4)]), nn.Conv1d(6, 4, 1)

        def forward(self, x):
            x, total = self.inp(x), 0
            for layer in self.layers:
                x, skip = layer(x)
                total = total + skip
            return self.out(F.relu(total))

    return WaveNet(), (rand(B, 1, 12),)


@model
def conv3d():
    return nn.Sequential(nn.Conv3d(1, 4, 3, padding=1), nn.BatchNorm3d(4), nn.ELU(), nn.MaxPool3d(2), nn.Conv3d(4, 6, (1, 3, 3), padding=(0, 1, 1)), nn.Softplus(),
                         nn.AdaptiveAvgPool3d(1), nn.Flatten(), nn.Linear(6, 3)), (rand(B, 1, 4, 6, 6),)


@model
def temporal_convolutions():
    return nn.Sequential(nn.Conv1d(4, 8, 3, padding=1), nn.BatchNorm1d(8), nn.PReLU(8), nn.AvgPool1d(2), nn.ConvTranspose1d(8, 4, 2, 2), nn.Mish(), nn.LayerNorm(10)), (rand(B, 4, 10),)


@model
def super_resolution():
    return nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.PReLU(), nn.Conv2d(8, 12, 3, padding=1), nn.PixelShuffle(2), nn.Conv2d(3, 3, 3, padding=1), nn.Sigmoid()), (rand(B, 3, 5, 5),)


@model
def inception():
    class Inception(nn.Module):
        def __init__(self):
            super().__init__()
            self.b1, self.b2 = nn.Conv2d(3, 4, 1), nn.Sequential(nn.Conv2d(3, 4, 1), nn.ReLU(), nn.Conv2d(4, 4, 3, padding=1))
            self.b3 = nn.Sequential(nn.MaxPool2d(3, 1, 1), nn.Conv2d(3, 4, 1))

        def forward(self, x):
            return F.relu(torch.cat([self.b1(x), self.b2(x), self.b3(x)], 1))

    return nn.Sequential(Inception(), nn.Conv2d(12, 3, 1), Inception()), (rand(B, 3, 6, 6),)


@model
def shufflenet():
    class Shuffle(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv, self.norm = nn.Conv2d(8, 8, 3, padding=1, groups=4), nn.BatchNorm2d(8)

        def forward(self, x):
            b, c, h, w = x.shape
            return x.view(b, 2, c // 2, h, w).transpose(1, 2).reshape(b, c, h, w) + F.relu6(self.norm(self.conv(x)))

    return nn.Sequential(nn.Conv2d(2, 8, 1), Shuffle(), Shuffle()), (rand(3, 2, 5, 5),)


@model
def spatial_transformer():
    class Stn(nn.Module):
        def __init__(self):
            super().__init__()
            self.locate, self.conv = nn.Sequential(nn.Flatten(), nn.Linear(64, 8), nn.ReLU(), nn.Linear(8, 6)), nn.Conv2d(1, 3, 3)

        def forward(self, x):
            theta = 0.1 * self.locate(x).view(-1, 2, 3) + torch.eye(2, 3)
            grid = F.affine_grid(theta, x.shape, align_corners=False)
            return self.conv(F.grid_sample(x, grid, align_corners=False))

    return Stn(), (rand(B, 1, 8, 8),)


@model
def pointnet():
    class PointNet(nn.Module):
        def __init__(self):
            super().__init__()
            self.mlp = nn.Sequential(nn.Conv1d(3, 8, 1), nn.BatchNorm1d(8), nn.ReLU(), nn.Conv1d(8, 12, 1))
            self.head = nn.Sequential(nn.Linear(12, 8), nn.ReLU(), nn.Dropout(0.2), nn.Linear(8, 4))

        def forward(self, points):
            return self.head(self.mlp(points).amax(-1))

    return PointNet(), (rand(4, 3, 10),)


@model
def detector():
    """A feature pyramid with two heads that share weights over the levels."""

    class Pyramid(nn.Module):
        def __init__(self):
            super().__init__()
            self.c1, self.c2 = nn.Conv2d(3, 6, 3, 2, 1), nn.Conv2d(6, 8, 3, 2, 1)
            self.l1, self.l2 = nn.Conv2d(6, 4, 1), nn.Conv2d(8, 4, 1)
            self.boxes, self.classes = nn.Conv2d(4, 4, 3, padding=1), nn.Conv2d(4, 2, 3, padding=1)

        def forward(self, x):
            a = F.relu(self.c1(x))
            b = F.relu(self.c2(a))
            p2 = self.l2(b)
            p1 = self.l1(a) + F.interpolate(p2, scale_factor=2, mode="nearest")
            return {"boxes": [self.boxes(p) for p in (p1, p2)], "classes": [torch.sigmoid(self.classes(p)) for p in (p1, p2)]}

    return Pyramid(), (rand(B, 3, 8, 8),)
