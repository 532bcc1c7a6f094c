"""PyTorch modules of the kinds that users export: recurrent, convolutional, attention, detection without custom kernels, experts."""
import torch
from torch import nn
from torch.nn import functional


class Recurrent(nn.Module):
    def __init__(self, cell):
        super().__init__()
        self.cells = nn.ModuleList([cell(6, 10), cell(10, 10)])
        self.head = nn.Linear(10, 3)

    def forward(self, x):
        for cell in self.cells:
            state = [torch.zeros(x.shape[1], 10), torch.zeros(x.shape[1], 10)]
            steps = []
            for t in range(x.shape[0]):
                new = cell(x[t], tuple(state)) if isinstance(cell, nn.LSTMCell) else (cell(x[t], state[0]), state[1])
                state = list(new)
                steps.append(state[0])
            x = torch.stack(steps)
        return self.head(x), state[0]


class InvertedResidual(nn.Module):
    """MobileNet's block: expand, depthwise, squeeze and excite, project."""

    def __init__(self):
        super().__init__()
        self.expand = nn.Sequential(nn.Conv2d(8, 24, 1, bias=False), nn.BatchNorm2d(24), nn.Hardswish())
        self.depthwise = nn.Sequential(nn.Conv2d(24, 24, 5, stride=1, padding=2, groups=24, bias=False), nn.BatchNorm2d(24), nn.Hardswish())
        self.squeeze = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Conv2d(24, 8, 1), nn.ReLU(), nn.Conv2d(8, 24, 1), nn.Hardsigmoid())
        self.project = nn.Sequential(nn.Conv2d(24, 8, 1, bias=False), nn.BatchNorm2d(8))

    def forward(self, x):
        y = self.depthwise(self.expand(x))
        return x + self.project(y * self.squeeze(y))


class Unet(nn.Module):
    def __init__(self):
        super().__init__()
        self.down = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.GroupNorm(2, 8), nn.SiLU())
        self.middle = nn.Sequential(nn.Conv2d(8, 16, 3, stride=2, padding=1), nn.SiLU(), nn.Conv2d(16, 16, 3, padding=2, dilation=2), nn.SiLU())
        self.up = nn.ConvTranspose2d(16, 8, 4, stride=2, padding=1)
        self.out = nn.Conv2d(16, 2, 3, padding=1)

    def forward(self, x):
        skip = self.down(x)
        return self.out(torch.cat([skip, self.up(self.middle(functional.max_pool2d(functional.pad(skip, (0, 1, 0, 1)), 2, 1)))], 1))


class Audio(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Conv1d(1, 12, 10, stride=5)
        self.blocks = nn.Sequential(nn.Conv1d(12, 12, 3, padding=1, groups=3), nn.GELU(), nn.LayerNorm(19), nn.Conv1d(12, 4, 1), nn.GLU(1))

    def forward(self, x):
        return self.blocks(self.stem(x))


class CausalBlock(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(40, 16)
        self.position = nn.Parameter(torch.randn(9, 16) * 0.1)
        self.qkv, self.out = nn.Linear(16, 48), nn.Linear(16, 16)
        self.norms = nn.ModuleList([nn.LayerNorm(16), nn.LayerNorm(16)])
        self.mlp = nn.Sequential(nn.Linear(16, 64), nn.GELU(approximate="tanh"), nn.Linear(64, 16))

    def forward(self, tokens):
        x = self.table(tokens) + self.position
        q, k, v = (part.unflatten(-1, (4, 4)).transpose(1, 2) for part in self.qkv(self.norms[0](x)).chunk(3, -1))
        x = x + self.out(functional.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).flatten(2))
        x = x + self.mlp(self.norms[1](x))
        return x @ self.table.weight.T


class Detection(nn.Module):
    """Boxes from anchors, their overlaps, and a soft suppression that keeps the best: no custom kernel."""

    def __init__(self):
        super().__init__()
        self.features = nn.Conv2d(3, 8, 3, stride=4, padding=1)
        self.scores, self.deltas = nn.Conv2d(8, 3, 1), nn.Conv2d(8, 12, 1)

    def forward(self, image):
        features = functional.relu(self.features(image))
        scores = self.scores(features).sigmoid().flatten(1)
        deltas = self.deltas(features).unflatten(1, (3, 4)).permute(0, 1, 3, 4, 2).flatten(1, 3)
        ys, xs = torch.meshgrid(torch.arange(4.0), torch.arange(4.0), indexing="ij")
        centers = (torch.stack([xs, ys], -1) * 4 + 2).reshape(1, -1, 2).repeat(1, 3, 1)
        middle, size = centers + deltas[..., :2].tanh(), 4 * deltas[..., 2:].clamp(-2, 2).exp()
        best, index = scores.topk(10, dim=1)
        boxes = torch.cat([middle - size / 2, middle + size / 2], -1).gather(1, index[..., None].expand(-1, -1, 4))
        low, high = torch.maximum(boxes[:, :, None, :2], boxes[:, None, :, :2]), torch.minimum(boxes[:, :, None, 2:], boxes[:, None, :, 2:])
        overlap = (high - low).clamp(min=0).prod(-1)
        area = (boxes[..., 2:] - boxes[..., :2]).prod(-1)
        shared = overlap / (area[:, :, None] + area[:, None] - overlap)
        return boxes, best * torch.exp(-torch.triu(shared, 1).transpose(1, 2).amax(-1) ** 2 / 0.5)


class Experts(nn.Module):
    """The two best of four experts for each token."""

    def __init__(self):
        super().__init__()
        self.router = nn.Linear(8, 4)
        self.weights = nn.Parameter(torch.randn(4, 8, 8) * 0.3)

    def forward(self, x):
        share, chosen = self.router(x).softmax(-1).topk(2, -1)
        every = torch.einsum("td,edf->tef", x, self.weights)
        return (torch.gather(every, 1, chosen[..., None].expand(-1, -1, 8)) * share[..., None]).sum(1)


def models():
    """name -> (module, arguments)"""
    torch.manual_seed(7)
    image = torch.randn(2, 3, 16, 16)
    return {
        "torch_lstm": (Recurrent(nn.LSTMCell), (torch.randn(5, 2, 6),)),
        "torch_gru": (Recurrent(nn.GRUCell), (torch.randn(5, 2, 6),)),
        "torch_inverted_residual": (InvertedResidual(), (torch.randn(2, 8, 9, 9),)),
        "torch_unet": (Unet(), (image,)),
        "torch_audio": (Audio(), (torch.randn(2, 1, 100),)),
        "torch_encoder_layer": (nn.TransformerEncoderLayer(16, 4, 32, batch_first=True), (torch.randn(2, 7, 16),)),
        "torch_causal_block": (CausalBlock(), (torch.randint(0, 40, (2, 9)),)),
        "torch_detection": (Detection(), (image,)),
        "torch_experts": (Experts(), (torch.randn(6, 8),)),
    }


def exported(module, arguments):
    """(text, inputs, outputs) of torch.export through torchax; the outputs are PyTorch's own."""
    from_torch = load_torchax()
    module = module.eval()
    with torch.no_grad():
        results = module(*arguments)
    weights, program = from_torch(torch.export.export(module, arguments))
    inputs = [*weights, *arguments]
    kept = [inputs[i] for i in program.module_kept_var_idx]
    as_numpy = lambda tensor: tensor.detach().numpy() if isinstance(tensor, torch.Tensor) else tensor
    results = results if isinstance(results, tuple) else (results,)
    arrays = [as_numpy(value) for value in kept]
    for i, (array, wanted) in enumerate(zip(arrays, [program.in_avals[i] for i in program.module_kept_var_idx])):
        arrays[i] = array.astype(wanted.dtype) if array.dtype != wanted.dtype else array
    return program.mlir_module(), arrays, [as_numpy(value) for value in results]


def load_torchax():
    """torchax uses overloads that newer versions of PyTorch lack; they are skipped while it is imported."""
    packet = torch._ops.OpOverloadPacket
    strict = packet.__getattr__

    def lenient(self, name):
        try:
            return strict(self, name)
        except AttributeError:
            if name.startswith("__"):
                raise
            return object()

    packet.__getattr__ = lenient
    try:
        import torchax.export
    finally:
        packet.__getattr__ = strict
    return torchax.export.exported_program_to_stablehlo
