"""Models whose target is written with other parameters or other operators: that is not a fault if the results agree, and a fault in it is
still named. Gradients that one side lacks; operators that were recorded without modules."""
import copy
import json

import pytest
import torch
from first_wrong_pairs import FILE, Pair, random
from torch import nn
from torch.nn import functional

from assay.torch import begin_dump, end_dump

MODES = pytest.mark.parametrize("operators", [False, True], ids=["modules", "operators"])


def judged(assay, folder, target, bench):
    ran = assay("compare", str(target), str(bench), "--first-wrong", "--json", "out.json", "--quiet")
    return ran, json.loads((folder / "out.json").read_text())["first_wrong"]


def compared(pair, operators, assay, folder):
    pair.record(folder, operators)
    return judged(assay, folder, folder / "target" / FILE, folder / "bench" / FILE)


class Transposed(nn.Module):
    """A linear layer with a transposed weight."""

    def __init__(self, inputs, outputs):
        super().__init__()
        self.weight, self.bias = nn.Parameter(0.3 * torch.randn(inputs, outputs)), nn.Parameter(torch.randn(outputs))

    def forward(self, x):
        return x @ self.weight + self.bias


def transposed():
    bench = nn.Sequential(Transposed(8, 16), nn.GELU(), Transposed(16, 8))
    target = copy.deepcopy(bench)
    for i in (0, 2):
        target[i] = nn.Linear(*bench[i].weight.shape)
        target[i].weight.data, target[i].bias.data = bench[i].weight.data.t().contiguous(), bench[i].bias.data.clone()
    return bench, target, (random(5, 8),), True


class Folded(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv, self.norm, self.act, self.head = nn.Conv2d(3, 6, 3), nn.BatchNorm2d(6), nn.ReLU(), nn.Conv2d(6, 4, 3)
        self.norm.running_mean.normal_()
        self.norm.running_var.uniform_(0.5, 2)
        self.eval()

    def forward(self, x):
        return self.head(self.act(self.norm(self.conv(x))))


def folded():
    bench = Folded()
    target = copy.deepcopy(bench)
    target.conv, target.norm = torch.nn.utils.fusion.fuse_conv_bn_eval(target.conv, target.norm), nn.Identity()
    return bench, target, (random(2, 3, 9, 9),), False


def folded_into_a_bias():
    """The bench's convolution has no bias: the calls of the two sides have other operands."""
    bench = Folded()
    bench.conv = nn.Conv2d(3, 6, 3, bias=False)
    target = copy.deepcopy(bench)
    target.conv, target.norm = torch.nn.utils.fusion.fuse_conv_bn_eval(target.conv.eval(), target.norm), nn.Identity()
    return bench, target, (random(2, 3, 9, 9),), False


class Branches(nn.Module):
    """Two convolutions and a shortcut, or one convolution with the sum of their weights."""

    def __init__(self):
        super().__init__()
        self.wide, self.narrow = nn.Conv2d(5, 5, 3, padding=1), nn.Conv2d(5, 5, 1)

    def forward(self, x):
        return functional.relu(self.wide(x) + self.narrow(x) + x if hasattr(self, "narrow") else self.one(x))


def joined():
    bench = nn.Sequential(Branches(), Branches())
    target = copy.deepcopy(bench)
    for block in target:
        block.one = nn.Conv2d(5, 5, 3, padding=1)
        weight = block.wide.weight.data + functional.pad(block.narrow.weight.data, (1, 1, 1, 1))
        weight[:, :, 1, 1] += torch.eye(5)
        block.one.weight.data, block.one.bias.data = weight, block.wide.bias.data + block.narrow.bias.data
        del block.wide, block.narrow
    return bench, target, (random(2, 5, 6, 6),), False


def scaled():
    """The scale and the shift of a norm are folded into the layer after it."""
    bench = nn.Sequential(nn.LayerNorm(8), nn.Linear(8, 6), nn.ReLU(), nn.Linear(6, 3))
    bench[0].weight.data.uniform_(0.5, 2)
    bench[0].bias.data.normal_()
    target = copy.deepcopy(bench)
    target[0] = nn.LayerNorm(8, elementwise_affine=False)
    target[1].bias.data += target[1].weight.data @ bench[0].bias.data
    target[1].weight.data *= bench[0].weight.data
    return bench, target, (random(5, 8),), False


@MODES
@pytest.mark.parametrize("wrong", [False, True], ids=["right", "wrong"])
@pytest.mark.parametrize("make, path", [(transposed, "2"), (folded, "conv"), (folded_into_a_bias, "conv"), (joined, "1.one"), (scaled, "1")])
def test_other_parameters_are_no_fault_where_what_they_give_agrees(make, path, wrong, operators, assay, tmp_path):
    torch.manual_seed(0)
    bench, target, inputs, backward = make()
    if wrong:
        target.get_submodule(path).weight.data[1] *= 1.1
    ran, found = compared(Pair(bench, target, inputs, backward=backward), operators, assay, tmp_path)
    assert found["answer"] == ("named" if wrong else "none") or make is scaled and wrong and found["answer"] == "cannot tell", ran.stdout
    assert not wrong or make is scaled or found["suspects"][0]["module"].startswith(path.split(".")[0]), ran.stdout


class Chunked(nn.Module):
    """A block whose feed-forward layers run on all tokens at once, or on chunks of them or of the batch."""

    def __init__(self):
        super().__init__()
        self.norm, self.up, self.down = nn.LayerNorm(12), nn.Linear(12, 40), nn.Linear(40, 12)
        self.split, self.fault = (1, 1), None

    def forward(self, x):
        given = []
        parts = self.norm(x).chunk(*self.split)
        for n, part in enumerate(parts):
            y = functional.gelu(self.up(part))
            is_last = n == len(parts) - 1
            y = y.clamp(max=0.5) if is_last and self.fault == "clamp" else y
            given.append(self.down(y.detach() if is_last and self.fault == "gradient" else y))
        given = given[::-1] if self.fault == "order" else given
        return x + torch.cat(given, self.split[1])


@MODES
@pytest.mark.parametrize("swapped", [False, True], ids=["target", "bench"])
@pytest.mark.parametrize("fault", [None, "clamp", "order", "gradient"])
@pytest.mark.parametrize("chunks, axis", [(2, 0), (3, 1)])
def test_a_module_that_runs_on_chunks_is_compared_by_parts(chunks, axis, fault, swapped, operators, assay, tmp_path):
    torch.manual_seed(0)
    whole = nn.Sequential(Chunked(), Chunked(), nn.Linear(12, 7))
    divided = copy.deepcopy(whole)
    divided[0].split = divided[1].split = chunks, axis
    divided[1].fault = fault
    ran, found = compared(Pair(*(divided, whole) if swapped else (whole, divided), (random(2, 6, 12),), backward=True), operators, assay, tmp_path)
    assert found["answer"] == ("named" if fault else "none"), ran.stdout
    place = found["suspects"][0] if fault else {}
    assert not fault or place["module"].startswith("1") or place.get("where", "").startswith("1"), ran.stdout


class Scaled(nn.Module):
    """A root-mean-square norm, written with operators or PyTorch's, which has other operators."""

    def __init__(self):
        super().__init__()
        self.weight, self.eps, self.own = nn.Parameter(torch.rand(8) + 0.5), 1e-5, True

    def forward(self, x):
        if self.own:
            return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + self.eps) * self.weight
        return functional.rms_norm(x, (8,), self.weight, self.eps)


@MODES
@pytest.mark.parametrize("swapped", [False, True], ids=["target", "bench"])
@pytest.mark.parametrize("eps", [1e-5, 3e-2])
def test_another_number_in_other_operators_is_named(eps, swapped, operators, assay, tmp_path):
    """The operators are paired by similarity, each is right with its own constant, but the module's result differs."""
    torch.manual_seed(0)
    bench = nn.Sequential(nn.Linear(8, 8), Scaled(), nn.Linear(8, 8))
    target = copy.deepcopy(bench)
    (bench if swapped else target)[1].own = False
    target[1].eps = eps
    ran, found = compared(Pair(bench, target, (random(6, 8),), backward=True), operators, assay, tmp_path)
    assert found["answer"] == ("none" if eps == 1e-5 else "named"), ran.stdout
    place = found["suspects"][0] if eps != 1e-5 else {}
    assert eps == 1e-5 or place["module"] == "1" or place["where"].startswith("1"), ran.stdout


def kept_transposed():
    target, bench, inputs, _ = transposed()
    return bench, target, inputs, True


class Heads(nn.Module):
    """Attention as one module of torch, as four layers, or as two with fewer heads of keys and values side by side."""

    def __init__(self, form):
        super().__init__()
        self.form = form
        if form == "torch":
            self.attn = nn.MultiheadAttention(16, 4, batch_first=True)
        elif form == "fused":
            self.qkv, self.o = nn.Linear(16, 32), nn.Linear(16, 16)
        else:
            width = 16 if form == "own" else 8
            self.q, self.k, self.v, self.o = nn.Linear(16, 16), nn.Linear(16, width), nn.Linear(16, width), nn.Linear(16, 16)
        self.norm, self.head = nn.LayerNorm(16), nn.Linear(16, 16)

    def forward(self, x):
        y = self.norm(x)
        if self.form == "torch":
            return self.head(x + self.attn(y, y, y)[0])
        q, k, v = self.qkv(y).split([16, 8, 8], -1) if self.form == "fused" else (self.q(y), self.k(y), self.v(y))
        q, k, v = (t.unflatten(-1, (-1, 4)).transpose(1, 2) for t in (q, k, v))
        y = torch.softmax(q @ k.mT / 2, -1) @ v if self.form == "own" else functional.scaled_dot_product_attention(q, k, v, enable_gqa=True)
        return self.head(x + self.o(y.transpose(1, 2).flatten(2)))


def attention(form, other):
    bench, target = Heads(form), Heads(other)
    weights = bench.state_dict()
    for kind in ("weight", "bias"):
        if form == "torch":
            for name, part in zip("qkv", weights.pop(f"attn.in_proj_{kind}").chunk(3)):
                weights[f"{name}.{kind}"] = part
            weights[f"o.{kind}"] = weights.pop(f"attn.out_proj.{kind}")
        else:
            weights[f"qkv.{kind}"] = torch.cat([weights.pop(f"{name}.{kind}") for name in "qkv"])
    target.load_state_dict(weights)
    return bench, target, (random(2, 5, 16),), True


def attention_of_torch():
    return attention("torch", "own")


def projections_of_two_widths():
    return attention("few", "fused")


class Patches(nn.Module):
    """Squares of an image by a convolution, or by a product."""

    def __init__(self, product):
        super().__init__()
        self.proj, self.head = nn.Linear(48, 8) if product else nn.Conv2d(3, 8, 4, stride=4), nn.Linear(8, 5)

    def forward(self, x):
        if isinstance(self.proj, nn.Conv2d):
            return self.head(self.proj(x).flatten(2).mean(2))
        return self.head(self.proj(x.unfold(2, 4, 4).unfold(3, 4, 4).permute(0, 2, 3, 1, 4, 5).flatten(3)).mean((1, 2)))


def patches():
    bench, target = Patches(False), Patches(True)
    target.load_state_dict({name: value.flatten(1) if value.dim() > 1 else value for name, value in bench.state_dict().items()})
    return bench, target, (random(2, 3, 8, 8),), True


class Flat(nn.Module):
    def __init__(self):
        super().__init__()
        self.mix, self.norm, self.up, self.down = nn.Linear(8, 8), nn.LayerNorm(8, eps=1e-12), nn.Linear(8, 16), nn.Linear(16, 8)

    def forward(self, x):
        x = x + self.norm(self.mix(x))
        return x + self.down(functional.gelu(self.up(x)))


class Tree(nn.Module):
    """Blocks whose first two layers are a separate module, while the block is not a module: none of its modules is a block of `Flat`."""

    def __init__(self):
        super().__init__()
        self.layer = nn.ModuleList(
            nn.ModuleDict({"attention": nn.Sequential(nn.Linear(8, 8), nn.LayerNorm(8, eps=1e-12)), "intermediate": nn.Linear(8, 16), "output": nn.Linear(16, 8)})
            for _ in range(3))

    def forward(self, x):
        for block in self.layer:
            x = x + block["attention"](x)
            x = x + block["output"](functional.gelu(block["intermediate"](x)))
        return x


class Blocks(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList(Flat() for _ in range(3))

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return x


def other_trees():
    bench, target = Tree(), Blocks()
    target.load_state_dict({
        name.replace("layer", "blocks").replace("attention.0", "mix").replace("attention.1", "norm").replace("intermediate", "up").replace("output", "down"): value
        for name, value in bench.state_dict().items()})
    return bench, target, (random(4, 8),), True


@MODES
@pytest.mark.parametrize("make, path", [(kept_transposed, "2"), (attention_of_torch, "head"), (projections_of_two_widths, "head"), (patches, "head"), (other_trees, "blocks.2.down")])
@pytest.mark.parametrize("wrong", [False, True], ids=["right", "wrong"])
def test_modules_of_another_form_are_no_fault(make, path, wrong, operators, assay, tmp_path):
    torch.manual_seed(0)
    bench, target, inputs, backward = make()
    if wrong:
        target.get_submodule(path).weight.data[1] *= 1.5
    ran, found = compared(Pair(bench, target, inputs, backward=backward), operators, assay, tmp_path)
    assert found["answer"] == ("named" if wrong else "none"), ran.stdout
    assert not wrong or any(suspect["module"] == path for suspect in found["suspects"]), ran.stdout


@MODES
def test_an_epsilon_of_a_module_with_another_name_is_named(operators, assay, tmp_path):
    torch.manual_seed(0)
    bench, target, inputs, backward = other_trees()
    target.blocks[1].norm.eps = 0.1
    ran, found = compared(Pair(bench, target, inputs, backward=backward), operators, assay, tmp_path)
    first = found["suspects"][0]
    assert "blocks.1.norm" in first["module"] + first["where"] and "1e-12" in first["reason"], ran.stdout


class Teacher(nn.Module):
    """Two encoders, of which the second is not trained; a code book with a straight-through gradient."""

    def __init__(self, through=True, stops=True):
        super().__init__()
        self.student, self.teacher, self.book = nn.Linear(6, 6), nn.Linear(6, 6), nn.Embedding(9, 6)
        self.through, self.stops = through, stops

    def forward(self, x):
        z, t = self.student(x), self.teacher(x)
        t = t.detach() if self.stops else t
        code = self.book(torch.cdist(z, self.book.weight.detach()).argmin(-1))
        return (z + (code - z).detach() if self.through else code) * t


@MODES
@pytest.mark.parametrize("words, place, side", [({"through": False}, "student|book", "bench|target"), ({"stops": False}, "teacher", "target")])
def test_a_gradient_that_one_side_lacks_is_named(words, place, side, operators, assay, tmp_path):
    models = []
    for more in ({}, words):
        torch.manual_seed(0)
        models.append(Teacher(**more))
    ran, found = compared(Pair(*models, (random(12, 6),), backward=True), operators, assay, tmp_path)
    assert ran.returncode == 1 and found["answer"] == "named", ran.stdout
    first = found["suspects"][0]
    assert first["module"] in place.split("|") and any(f"has a gradient only in the {one}" in first["reason"] for one in side.split("|")), ran.stdout


def normal_rows(t):
    return functional.normalize(t, dim=-1)


def likeness(x, w, normal=normal_rows):
    """Cosines of rows, and two layers that read one tensor."""
    h = torch.tanh(x).unflatten(0, (2, -1))
    return torch.softmax(normal(functional.linear(h, w)) @ normal(functional.linear(h, w.flip(0))).mT, -1) @ h


def likeness_by_hand(x, w):
    return likeness(x, w, lambda t: t / t.norm(dim=-1, keepdim=True).clamp(min=1e-12))


def turned_inside(x, w):
    h = (torch.tanh(x).unflatten(0, (2, -1)).flip(1) * 1.05).contiguous()
    return torch.softmax(normal_rows(functional.linear(h, w)) @ normal_rows(functional.linear(h, w.flip(0))).mT, -1) @ h


def turned_at_the_end(x, w):
    return likeness(x, w).roll(1, -1)


@pytest.mark.parametrize("target, answer", [(likeness, "none"), (likeness_by_hand, "none"), (turned_inside, "wrong"), (turned_at_the_end, "wrong")])
def test_operators_without_modules_are_judged_by_what_they_give(target, answer, assay, tmp_path, monkeypatch):
    torch.manual_seed(0)
    x, w = torch.randn(8, 6), torch.randn(6, 6)
    files = []
    for name, function in (("target", target), ("bench", likeness)):
        (tmp_path / name).mkdir()
        monkeypatch.chdir(tmp_path / name)
        begin_dump(X_DUMP_NUM=100)
        function(x, w)
        end_dump()
        files.append(next((tmp_path / name).rglob("*.h5")))
    monkeypatch.chdir(tmp_path)
    ran, found = judged(assay, tmp_path, *files)
    assert (found["answer"] == "none") == (answer == "none") and ran.returncode == (answer != "none"), ran.stdout
