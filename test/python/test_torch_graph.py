"""Two methods from a PyTorch reference to a program (python/assay/torch_graph.py), compared with each other and with PyTorch."""
import subprocess
import sys

import numpy as np
import pytest
import torch

from assay import arrays, elements, torch_graph, torch_reference
from assay.torch.aten_program import Composer

REFERENCES = {
    "mlp": (torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.LayerNorm(8), torch.nn.GELU(), torch.nn.Softmax(-1)), [(5, 4)]),
    "convolution": (torch.nn.Sequential(torch.nn.Conv2d(2, 3, 3, padding=1), torch.nn.BatchNorm2d(3), torch.nn.ReLU()), [(1, 2, 6, 5)]),
    "matmul": (lambda a, b: torch.matmul(a, b) * 2 - a.sum(), [(3, 4), (4, 5)]),
    "mask": (lambda a: torch.where(a > 0, a, -1.0), [(3, 4)]),
    "one of two results": (lambda a: torch.topk(a, 2)[0], [(3, 7)]),
    "tied weights": (lambda a, b: (a @ b, b.t().contiguous(), a), [(3, 4), (4, 4)]),
}


def called(function, shapes):
    torch.manual_seed(5)
    examples = tuple(torch.randn(shape) for shape in shapes)
    places = [elements.Place(i) for i in range(len(shapes))]
    return torch_reference.Called(function, places, {}).eval(), examples


def results_of(graph, examples):
    """The results of the composed program on the examples."""
    from assay._assay import Program
    import assay

    text, slots = Composer(graph).compose()
    program = Program.parse(text, "reference.mlir")
    given = [examples[one].numpy() if isinstance(one, int) else arrays.host_bytes(one).view(elements.numpy_dtype(dtype)).reshape(shape)
             for one, (dtype, shape) in zip(slots, program.inputs)]  # fmt: skip
    returned = assay.run(text, *given)
    return returned if isinstance(returned, tuple) else (returned,)


@pytest.mark.parametrize("name", REFERENCES)
def test_both_roads_compute_what_pytorch_computes(name):
    module, examples = called(*REFERENCES[name])
    with torch.no_grad():
        returned = module(*examples)
    wanted = returned if isinstance(returned, tuple) else (returned,)
    for method in (torch_graph.traced, torch_graph.exported):
        got = results_of(method(module, examples), examples)
        assert len(got) == len(wanted)
        for one, other in zip(got, wanted):
            np.testing.assert_allclose(one, other.numpy(), rtol=1e-5, atol=1e-6)


OUTSIDE = torch.ones(4)


@pytest.mark.parametrize(
    "function",
    [
        lambda a: a.numpy().sum() * a,
        lambda a: torch.from_numpy(np.asarray(a)) * a,
        lambda a: a * float(a.sum()),
        lambda a: a if a.sum() > 0 else -a,
        lambda a: a * torch.tensor(a.tolist()),
        lambda a: a.clone().add_(1),
        lambda a: torch.dropout(a, 0.5, True),
        lambda a: torch.empty(4) + a,
        lambda a: a[a > 0],
        lambda a: a * OUTSIDE,
        lambda a: torch.from_dlpack(a) * 2,
    ],
    ids="numpy asarray float branch list in_place random empty sizes outside dlpack".split(),
)
def test_what_one_run_cannot_vouch_for_is_not_traced(function):
    module, examples = called(function, [(4,)])
    with pytest.raises(torch_graph.NotTraced):
        torch_graph.traced(module, examples)


def test_a_small_reference_needs_no_compiler():
    code = "import sys, torch, assay; assert assay.check(torch.relu, torch.nn.ReLU(), assay.f32[9], framework='torch'); print('torch._dynamo' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300)
    assert done.stdout.split() == ["False"], done.stderr


def test_a_large_reference_is_not_run():
    assert torch_graph.methods([torch.empty(1 << 20)])[0] is torch_graph.traced
    assert torch_graph.methods([torch.empty((1 << 20) + 1)]) == (torch_graph.exported,)


def check(kernel, reference, *inputs):
    import assay

    return assay.check(kernel, reference, *inputs, framework="torch", deterministic=False)


def nonzero(x: torch.Tensor):
    return torch.nonzero(x)


def inverse(x: torch.Tensor):
    return torch.linalg.inv(x)


def picked(x: torch.Tensor, places: torch.Tensor):
    return x[places]


def test_a_reference_is_traced_on_the_callers_data_not_on_ones():
    """On ones there would be no inverse, indices would be out of range, and results would have other sizes."""
    x = torch.tensor([[1.0, 0, 2], [0, 0, 3]])
    assert check(nonzero, torch.nonzero, x), check(nonzero, torch.nonzero, x)
    again = torch.tensor([[1.0, 0, 0], [0, 0, 3]])
    assert check(nonzero, torch.nonzero, again), check(nonzero, torch.nonzero, again)  # the sizes of the first check are not reused
    verdict = check(inverse, torch.linalg.inv, torch.tensor([[2.0, 1], [1, 3]]))
    assert verdict and not verdict.notes, verdict
    assert check(inverse, torch.linalg.inv, elements.Spec("float32", (4, 4)))
    assert check(picked, lambda x, places: x[places], torch.randn(1, 3), torch.tensor([0, 0]))
