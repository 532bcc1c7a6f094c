"""utils/torch_conformance: the outcome of a sample, workers that end, resume, the figures and their page."""
import importlib.util
import json
import pathlib
import sys
import types

import pytest
import torch

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "utils" / "torch_conformance"
sys.path.insert(0, str(FOLDER))
import page  # noqa: E402
import samples  # noqa: E402


@pytest.fixture
def driver():
    spec = importlib.util.spec_from_file_location("torch_conformance_driver", FOLDER / "__main__.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def outcome(function, *tensors, **keywords):
    operator = types.SimpleNamespace(name=function.__name__, variant_test_name="", op=function)
    return samples.judged(samples.Sample(operator, types.SimpleNamespace(input=tensors[0], args=tensors[1:], kwargs=keywords)))


def test_a_right_operator_is_within_the_bound_on_every_side():
    found = outcome(torch.softmax, torch.randn(3, 5), dim=1)
    assert (found["outcome"], found["reference"], found["native"], found["torch"]) == ("program", "PASSED", "PASSED", "PASSED")


def test_a_wrong_result_of_pytorch_is_seen(monkeypatch):
    right = samples.eager
    monkeypatch.setattr(samples, "eager", lambda sample: ([one + 0.01 for one in right(sample)[0]], ""))
    found = outcome(torch.softmax, torch.randn(3, 5), dim=1)
    assert (found["reference"], found["native"], found["torch"]) == ("PASSED", "PASSED", "FAILED") and found["torch_fraction"] > 100


@pytest.mark.parametrize(
    "function, tensors, why",
    [
        (torch.bernoulli, [torch.rand(4)], "random"),
        (torch.empty_like, [torch.rand(4)], "its values are not set"),
        (torch.equal, [torch.rand(4), torch.rand(4)], "a result that is not a tensor"),
        (torch.linalg.inv, [torch.zeros(2, 2)], "PyTorch refuses it"),
        (torch.neg, [torch.rand(2, 2).to_sparse()], "sparse"),
    ],
)
def test_what_is_no_question_is_left_out(function, tensors, why):
    found = outcome(function, *tensors)
    assert found["outcome"] == "outside" and why in found["why"]


def gradients(function, *tensors, **keywords):
    operator = types.SimpleNamespace(name=function.__name__, variant_test_name="", op=function)
    given = types.SimpleNamespace(input=tensors[0], args=tensors[1:], kwargs=keywords, output_process_fn_grad=lambda made: made)
    return samples.Gradient(operator, given)


def test_gradients_are_programs_of_the_tensors_and_of_the_results_gradients():
    x, w = (torch.randn(3, 4, generator=torch.Generator().manual_seed(i), requires_grad=True) for i in (1, 2))
    for function, tensors, words in ((torch.softmax, (x,), {"dim": 1}), (torch.mul, (x, w), {}), (torch.cumprod, (x,), {"dim": 1}), (torch.matmul, (x, w.detach().t()), {})):
        found = samples.judged(gradients(function, *tensors, **words))
        assert (found["outcome"], found["reference"], found["native"], found["torch"]) == ("program", "PASSED", "PASSED", "PASSED"), (function, found)


def test_a_wrong_gradient_is_seen():
    class Wrong(torch.autograd.Function):
        @staticmethod
        def forward(context, x):
            context.save_for_backward(x)
            return x.exp()

        @staticmethod
        def backward(context, g):
            return g * context.saved_tensors[0]

    x = torch.randn(4, generator=torch.Generator().manual_seed(1), requires_grad=True)
    right, wrong = gradients(torch.exp, x), gradients(Wrong.apply, x)
    right.fresh = wrong.fresh = lambda: tuple(one.clone() for one in right.tensors)
    text, slots, _, choices = samples.program_of(right)
    found = samples.verdicts(right, text, slots, choices, samples.eager(wrong)[0])
    assert (found["native"], found["torch"]) == ("PASSED", "FAILED")


def test_the_kinds_of_an_operator():
    both = types.SimpleNamespace(dtypes={torch.float32, torch.int64}, backward_dtypes={torch.float32, torch.bfloat16}, supports_autograd=True)
    assert samples.kinds_of(both) == ["f32", "i64", "f32 gradient"]
    both.supports_autograd = False
    assert samples.kinds_of(both) == ["f32", "i64"]


def test_results_in_other_bits_are_no_random_numbers(monkeypatch):
    runs = iter([torch.ones(3), torch.ones(3) + 1e-6, torch.zeros(3), torch.ones(3)])
    sample = types.SimpleNamespace(call=lambda *tensors: next(runs), fresh=lambda: ())
    assert samples.eager(sample)[1] == ""
    assert samples.eager(sample)[1] == "differs between two runs"


def test_the_place_of_an_equal_element_is_right():
    for function, words in ((torch.sort, {}), (torch.topk, {"k": 3}), (torch.kthvalue, {"k": 2}), (torch.mode, {})):
        found = outcome(function, torch.randint(0, 3, (20, 40), generator=torch.Generator().manual_seed(2)), **words)
        assert (found["outcome"], found["torch"]) == ("program", "PASSED"), function


def test_what_has_no_program_is_named():
    found = outcome(torch.linalg.eigvals, torch.rand(3, 3))
    assert found["outcome"] == "no program" and "linalg_eig" in found["why"]


WORKER = """
import json, os, sys, time
for line in sys.stdin:
    job = json.loads(line)
    if job["operator"] == "boom":
        os.abort()
    if job["operator"] == "hangs":
        time.sleep(60)
    print(json.dumps({**job, "sample": 0, "outcome": "program", "reference": "PASSED", "native": "PASSED", "torch": "PASSED"}), flush=True)
    print(json.dumps({**job, "done": True}), flush=True)
"""


def test_a_worker_that_ends_or_hangs_is_a_result_and_the_rest_goes_on(driver, tmp_path, monkeypatch):
    (tmp_path / "worker.py").write_text(WORKER)
    monkeypatch.setattr(driver, "HERE", tmp_path)
    monkeypatch.setattr(driver, "SECONDS", 3)
    jobs, rows = [{"operator": name, "dtype": "f32", "count": 1} for name in ("add", "boom", "hangs", "mul")], []
    driver.run(jobs, types.SimpleNamespace(results=tmp_path / "results.jsonl", jobs=1), rows)
    assert [(row["operator"], row["outcome"]) for row in rows] == [("add", "program"), ("boom", "crashed"), ("hangs", "timeout"), ("mul", "program")]
    lines = (tmp_path / "results.jsonl").read_text().splitlines()
    (tmp_path / "cut.jsonl").write_text("\n".join([*lines[:-1], '{"operator": "mul", "dty']))  # killed while it wrote
    kept, done = driver.earlier(tmp_path / "cut.jsonl")
    assert [row["operator"] for row in kept] == ["add", "boom", "hangs"] and ("mul", "f32") not in done and ("hangs", "f32") in done


def test_the_figures_and_their_page(tmp_path):
    good = dict(dtype="f32", outcome="program", reference="PASSED", native="PASSED", torch="FAILED")
    rows = [
        {**good, "operator": "add", "sample": 0}, {**good, "operator": "add", "sample": 1, "native": "FAILED"},
        {"operator": "svd", "dtype": "f32", "sample": 0, "outcome": "no program", "why": "no program for aten.svd"},
        {"operator": "rand", "dtype": "f32", "sample": 0, "outcome": "outside", "why": "random"},
    ]  # fmt: skip
    facts = page.facts_of(rows)
    assert facts["f32"] | {"operators": 2, "whole": 1, "samples": 3, "programs": 2, "both": 1, "wrong": 1, "torch": 0} == facts["f32"]
    target = tmp_path / "page.md"
    target.write_text(f"# Head\n\n{page.BEGIN}\n| 01234567 | 2026-01-01 | f32 | 1 | 1 | 1 | 0 |\n{page.END}\nTail\n")
    for _ in range(2):
        page.write(target, facts, rows, "89abcdef", 2)
    text = target.read_text()
    assert text.startswith("# Head") and text.endswith("Tail\n") and "| 01234567 |" in text and text.count("| 89abcdef |") == 1
    assert "no program for aten.svd" in text and "an engine beyond the bound | 1 | add" in text
    json.dumps(facts)
