"""Sums and products of terms that are scattered to one place: kernels of 16-bit types may keep them in the type (atomics do), in any order; a
term too many or too few still fails on the default data."""
import pytest
import torch

import assay

torch.manual_seed(39)
ROWS, COUNT, WIDTH = 6, 90, 3
PLACES = torch.randint(0, ROWS, (COUNT,))
EACH = torch.randint(0, ROWS, (COUNT, WIDTH))
FLAT = torch.randint(0, ROWS * WIDTH, (COUNT,))

# name: (the kernel of x, terms and places; the shapes of x and terms; places)
SCATTERS = {
    "index_put": (lambda x, v, i: x.index_put((i,), v, accumulate=True), (ROWS, WIDTH), (COUNT, WIDTH), PLACES),
    "put": (lambda x, v, i: x.put(i, v, accumulate=True), (ROWS, WIDTH), (COUNT,), FLAT),
    "index_add": (lambda x, v, i: x.index_add(0, i, v), (ROWS, WIDTH), (COUNT, WIDTH), PLACES),
    "scatter_add": (lambda x, v, i: x.scatter_add(0, i, v), (ROWS, WIDTH), (COUNT, WIDTH), EACH),
    "scatter_reduce": (lambda x, v, i: x.scatter_reduce(0, i, v, "sum"), (ROWS, WIDTH), (COUNT, WIDTH), EACH),
    "index_reduce of means": (lambda x, v, i: x.index_reduce(0, i, v, "mean"), (ROWS, WIDTH), (COUNT, WIDTH), PLACES),
    "embedding backward": (lambda x, v, i: torch.ops.aten.embedding_dense_backward(v, i, ROWS, -1, False), (1,), (COUNT, WIDTH), PLACES),
}  # fmt: skip
TYPES = pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float32], ids=["bf16", "f16", "f32"])
element = {torch.bfloat16: assay.bf16, torch.float16: assay.f16, torch.float32: assay.f32}


@TYPES
@pytest.mark.parametrize("name", SCATTERS)
def test_sums_may_be_kept_in_the_type(name, dtype):
    scatter, shape, terms, places = SCATTERS[name]
    listed = places.tolist()  # a tensor would make each reference another one, exported again
    reference = lambda x, v: scatter(x, v, torch.tensor(listed))
    data = element[dtype][shape], element[dtype][terms]
    wide = lambda x, v: scatter(x.double(), v.double(), places).to(dtype)
    backwards = lambda x, v: scatter(x, v.flip(0), places.flip(0))
    for right in (lambda x, v: scatter(x, v, places), wide, backwards):
        verdict = assay.check(right, reference, *data, framework="torch")
        assert verdict, verdict
    last = torch.arange(COUNT) != COUNT - 1
    moved = torch.where(last if places.dim() == 1 else last[:, None], places, (places + 1) % ROWS)
    faults = {
        "a dropped term": lambda x, v: scatter(x, v[:-1], places[:-1]),
        "a doubled term": lambda x, v: scatter(x, torch.cat([v, v[-1:]]), torch.cat([places, places[-1:]])),
        "a wrong place": lambda x, v: scatter(x, v, moved),
        "the last of equal places": lambda x, v: scatter(x, v, torch.where(torch.arange(COUNT).reshape(-1, *[1] * (places.dim() - 1)) == 0, places[1:2], places)),
    }  # fmt: skip
    for said, wrong in faults.items():
        verdict = assay.check(wrong, reference, *data, framework="torch")
        assert verdict.status == "FAILED", (said, str(verdict))


@TYPES
def test_products_may_be_kept_in_the_type(dtype):
    each, listed = EACH.tolist(), PLACES.tolist()
    reference = lambda x, v: x.scatter_reduce(0, torch.tensor(each), v, "prod")
    put = lambda x, v: x.index_reduce(0, torch.tensor(listed), v, "prod")
    data = element[dtype][ROWS, WIDTH], element[dtype][COUNT, WIDTH]
    for function in (reference, put):
        verdict = assay.check(lambda x, v: function(x, v), function, *data, framework="torch")
        assert verdict, verdict
        assert assay.check(lambda x, v: function(x, v[: COUNT - 1]) if function is put else -function(x, v), function, *data, framework="torch").status == "FAILED"


@TYPES
def test_overlapping_blocks_may_be_added_in_the_type(dtype):
    fold = lambda x, padding=2: torch.nn.functional.fold(x, (9, 7), (5, 4), padding=padding, stride=1)
    data = element[dtype][2, 60, 72]
    for right in (lambda x: fold(x), lambda x: fold(x.double()).to(dtype)):
        verdict = assay.check(right, fold, data, framework="torch")
        assert verdict, verdict

    def dropped(x):
        return fold(torch.cat([x[:, :, :-1], torch.zeros_like(x[:, :, -1:])], 2))

    def twice(x):
        return fold(torch.cat([x[:, :, :1] * 2, x[:, :, 1:]], 2))

    def turned(x):
        return fold(x.reshape(2, 3, 5, 4, 72).flip(3).reshape(2, 60, 72))

    for wrong in (dropped, twice, turned):
        assert assay.check(wrong, fold, data, framework="torch").status == "FAILED"


@pytest.mark.parametrize("count", [60, 500, 3000])
def test_one_of_many_terms_is_missed_in_exact_data(count):
    places = torch.arange(count) % 3
    reference = lambda x: torch.zeros(3, 8, dtype=x.dtype).index_add(0, places, x)
    kept = lambda x, last: torch.zeros(3, 8, dtype=x.dtype).index_put((places[:last],), x[:last], accumulate=True)
    data = assay.bf16[count, 8]
    verdict = assay.check(lambda x: kept(x, count), reference, data, framework="torch")
    assert verdict, verdict
    assert assay.check(lambda x: kept(x, count - 1), reference, data, framework="torch", fill="exact").status == "FAILED"
