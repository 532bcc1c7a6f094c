"""`assay merge` and `assay compare DIR BENCH`: the dumps of two ranks under gloo become one dump that equals that of one process; a fault on one
rank is named with its rank and module, even if the other rank receives its results."""
import json
import pathlib
import re

import h5py
import numpy
import preloaded
import pytest

WORKER = pathlib.Path(__file__).with_name("merge_worker.py")
FAULTS = {"tensor": 10, "data": 10, "pipeline": 4, "experts": 4, "sequence": 4}
TENSOR = {
    "mesh": ["tp 2"],
    "tensors": [
        {"name": "*.up.Linear.0.forward_params.*", "tp": "shard 0"},
        {"name": "*.up.Linear.0.forward_output.0", "tp": "shard -1"},
        {"name": "*.act.GELU.0.*", "tp": "shard -1"},
        {"name": "*.down.Linear.0.forward_input.0", "tp": "shard -1"},
        {"name": "*.down.Linear.0.forward_params.weight", "tp": "shard 1"},
        {"name": "*.down.Linear.0.forward_output.0", "tp": "sum"},
        {"name": "*", "tp": "replicate"},
    ],
}
DATA = {
    "mesh": ["dp 2"],
    "tensors": [
        {"name": "*.forward_params.*", "dp": "replicate"},
        {"name": "*.forward_*", "dp": "shard 0"},
        {"name": "*.backward_grad_*", "dp": "shard 0 scaled"},
        {"name": "*.params_grad.*", "dp": "replicate"},
    ],
}

PIPELINE = {
    "mesh": ["pp 2"],
    "numbered": {"layers": "pp"},
    "tensors": [{"name": "Pipeline.0.forward_input.*", "pp": "first"}, {"name": "Pipeline.0.forward_output.*", "pp": "last"}, {"name": "*", "pp": "replicate"}],
}
EXPERTS = {"mesh": ["ep 2"], "numbered": {"experts": "ep"}, "tensors": [{"name": "*", "ep": "replicate"}]}
SEQUENCE = {
    "mesh": ["sp 2"],
    "tensors": [
        {"name": "Sequence.0.forward_input.*", "sp": "replicate"},
        {"name": "*.forward_params.*", "sp": "replicate"},
        {"name": "*", "sp": "shard 0 zigzag"},
    ],
}
LAYOUTS = {"tensor": TENSOR, "data": DATA, "pipeline": PIPELINE, "experts": EXPERTS, "sequence": SEQUENCE}


def run_ranks(folder, kind, faults):
    preloaded.ranks(1 if kind.startswith("whole") else 2, WORKER, kind, folder, faults)


def tensors(path):
    with h5py.File(path) as file:
        return {name: file["1"][name][()] for name in file["1"]}


def in_the_whole(kind, rank, module):
    """The merged dump's name of a rank's module: rank 1 has the second half of a numbered list."""
    (listed, *rest) = module.split(".", 1)
    counts = {"layers": 2, "experts": 2} if kind in ("pipeline", "experts") else {}
    if listed not in counts:
        return module
    number, leaf = rest[0].split(".", 1)
    return f"{listed}.{int(number) + counts[listed] * int(rank)}.{leaf}"


@pytest.mark.parametrize("kind", list(LAYOUTS))
def test_the_rank_and_the_module_are_named(tmp_path, assay, kind):
    run_ranks(tmp_path, kind, FAULTS[kind])
    run_ranks(tmp_path, f"whole-{kind}", 0)
    (tmp_path / "layout.json").write_text(json.dumps(LAYOUTS[kind]))
    bench = "bench/globalrank-0_localrank-0.h5"
    merged = assay("merge", "clean", "-o", "whole.h5", "--layout", "layout.json")
    assert merged.returncode == 0, merged.stdout + merged.stderr
    whole, expected = tensors(tmp_path / "whole.h5"), tensors(tmp_path / bench)
    assert whole.keys() == expected.keys()
    for name, value in expected.items():
        numpy.testing.assert_allclose(whole[name], value, rtol=1e-5, atol=1e-6, err_msg=name)
    clean = assay("compare", "clean", bench, "--first-wrong", "--layout", "layout.json")
    assert clean.returncode == 0 and "first wrong rank: none\nfirst wrong: none" in clean.stdout, clean.stdout + clean.stderr
    named = []
    for i in range(FAULTS[kind]):
        rank, module, how = (tmp_path / f"fault{i}" / "expected.txt").read_text().split(" ", 2)
        ran = assay("compare", f"fault{i}", bench, "--first-wrong", "--layout", "layout.json")
        named.append(ran.returncode == 1 and f"first wrong rank: {rank}\nfirst wrong: {in_the_whole(kind, rank, module)}\n" in ran.stdout)
        assert named[-1], (i, rank, module, how, ran.stdout[-3000:])
    print(f"{kind}: rank and module named for {sum(named)} of {FAULTS[kind]} faults")


def test_recorded_placements_need_no_layout(tmp_path, assay):
    run_ranks(tmp_path, "dtensor", 0)
    run_ranks(tmp_path, "whole-tensor", 0)
    bench = "bench/globalrank-0_localrank-0.h5"
    with h5py.File(tmp_path / "clean/globalrank-1_localrank-0.h5") as file:
        assert file["1/0.up.Linear.0.forward_params.weight"].attrs["placement"] == "tp 1/2: shard 0"
        assert file["1/0.down.Linear.0.forward_params.weight"].attrs["placement"] == "tp 1/2: shard 1"
    clean = assay("compare", "clean", bench, "--first-wrong")
    assert clean.returncode == 0 and "first wrong rank: none\nfirst wrong: none" in clean.stdout, clean.stdout + clean.stderr
    facts = json.loads(assay("compare", "clean", bench, "--first-wrong", "--json", "-").stdout)
    assert facts["merge"]["ranks"] == 2 and facts["merge"]["joined"] >= 8 and facts["merge"]["left_out"] == []


def write(path, **values):
    path.parent.mkdir(exist_ok=True)
    with h5py.File(path, "w") as file:
        for name, value in values.items():
            file[f"1/{name}"] = numpy.asarray(value)


def rank(folder, number):
    return folder / f"globalrank-{number}_localrank-{number}.h5"


def test_each_placement_against_numpy(tmp_path, assay):
    rng = numpy.random.default_rng(0)
    x, qkv, tall = rng.standard_normal((8, 6)).astype("f"), rng.standard_normal((24, 5)), numpy.arange(16 * 2).reshape(16, 2)
    q, k, v = qkv[:16], qkv[16:20], qkv[20:]
    parts = rng.standard_normal((2, 3, 4)).astype(numpy.float16)
    for r in range(2):
        write(
            rank(tmp_path / "in", r),
            rows=x[4 * r :][:4], columns=x[:, 3 * r :][:, :3], uneven=x[:5] if r == 0 else x[5:],
            joint=numpy.concatenate([a[len(a) // 2 * r :][: len(a) // 2] for a in (q, k, v)]),
            turns=numpy.concatenate([tall[4 * r :][:4], tall[4 * (3 - r) :][:4]]),
            sum=parts[r], mean=parts[r], max=parts[r], min=parts[r], complex=parts[r] * 1j, count=numpy.int64([r, 7]),
            same=x, scaled=x[4 * r :][:4],
        )
    kinds = dict(rows="shard 0", columns="shard -1", uneven="shard 0", joint="shard 0 blocks 4:1:1", turns="shard 0 zigzag", sum="sum", mean="mean", max="max", min="min", complex="sum", count="sum", same="replicate", scaled="shard 0 scaled")
    (tmp_path / "layout.json").write_text(json.dumps({"mesh": ["r 2"], "tensors": [{"name": name, "r": kind} for name, kind in kinds.items()]}))
    ran = assay("merge", "in", "out.h5", "--layout", "layout.json")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    whole = tensors(tmp_path / "out.h5")
    wide = parts.astype("d")
    expected = dict(rows=x, columns=x, uneven=x, joint=qkv, turns=tall, sum=wide.sum(0).astype(numpy.float16), mean=wide.mean(0).astype(numpy.float16), max=parts.max(0), min=parts.min(0), complex=(wide.sum(0) * 1j), count=[1, 14], same=x, scaled=x / 2)
    assert whole.keys() == expected.keys()
    for name, value in expected.items():
        if name == "complex":
            numpy.testing.assert_allclose(whole[name], value, rtol=1e-6)
        else:
            numpy.testing.assert_array_equal(whole[name], value, err_msg=name)


def test_a_grid_and_numbered_modules(tmp_path, assay):
    """Two stages of a pipeline, each cut in two: stage 1 numbers its layers from 0 again, and has one more."""
    weights = numpy.arange(5 * 4 * 3, dtype="f").reshape(5, 4, 3)
    for r in range(4):
        stage, part = divmod(r, 2)
        layers = range(2) if stage == 0 else range(2, 5)
        values = {f"layers.{i}.Linear.0.forward_params.weight": weights[layer][2 * part :][:2] for i, layer in enumerate(layers)}
        values |= {f"layers.{i}.Linear.0.forward_output.0": weights[layer] for i, layer in enumerate(layers)}
        write(rank(tmp_path / "in", r), **values)
    (tmp_path / "layout.json").write_text(
        json.dumps({"mesh": ["pp 2", "tp 2"], "numbered": {"layers": "pp"}, "tensors": [{"name": "*.weight", "tp": "shard 0"}, {"name": "*", "tp": "replicate"}]})
    )
    ran = assay("merge", "in", "out.h5", "--layout", "layout.json")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    whole = tensors(tmp_path / "out.h5")
    assert len(whole) == 10
    for i in range(5):
        numpy.testing.assert_array_equal(whole[f"layers.{i}.Linear.0.forward_params.weight"], weights[i])


def test_what_cannot_be_put_together_is_said(tmp_path, assay):
    for r in range(2):
        write(rank(tmp_path / "in", r), same=[1, 2], other=numpy.float32([r, 2]), cut=numpy.ones((3, 2 + r)), spare=[r])
    ran = assay("merge", "in", "out.h5", "--json", "facts.json")
    assert ran.returncode == 1 and "3 were left out" in ran.stdout and "no placement is known" in ran.stdout
    assert "compare" not in ran.stderr and tensors(tmp_path / "out.h5").keys() == {"same"}
    write(tmp_path / "like.h5", cut=numpy.ones((3, 5)))
    ran = assay("merge", "in", "out.h5", "--like", "like.h5")
    assert "1 without a placement were put together by the sizes" in ran.stdout and tensors(tmp_path / "out.h5")["cut"].shape == (3, 5)
    layout = tmp_path / "layout.json"
    layout.write_text(json.dumps({"mesh": ["r 2"], "tensors": [{"name": "other", "r": "replicate"}, {"name": "cut", "r": "shard 2"}, {"name": "spare", "r": "shard 0 blocks 2:1"}]}))
    ran = assay("merge", "in", "out.h5", "--layout", "layout.json", "--quiet", "--json", "-")
    facts = json.loads(ran.stdout)
    (found,) = facts["diverging"]
    assert ran.returncode == 1 and found == {"tensor": "other", "step": 1, "ranks": [0, 1], "rank": 1, "differing": 1, "elements": 2, "largest": 1}
    assert {item["tensor"]: item["why"] for item in facts["left_out"]} == {
        "cut": "it has 2 dimensions and is cut along dimension 2", "spare": "its size 1 does not divide into the blocks"}


@pytest.mark.parametrize(
    "layout, said",
    [
        ("[]", "expected an object"),
        ("{", "not JSON"),
        ("[" * 40000, "nests"),
        ('{"mesh": ["r 2"], "tensor": []}', '"tensor" is not part of a layout'),
        ('{"tensors": []}', '"mesh" is missing'),
        ('{"mesh": ["2"]}', "not an axis with its size"),
        ('{"mesh": ["r 3"]}', "the layout is of 3 processes, and 2 dumps are there"),
        ('{"mesh": ["r 2"], "tensors": [{"name": "a", "s": "sum"}]}', '"s" is not an axis of the mesh'),
        ('{"mesh": ["r 2"], "tensors": [{"name": "a", "r": "split"}]}', "placement 'split', expected replicate"),
        ('{"mesh": ["r 2"], "tensors": [{"r": "sum"}]}', 'without a "name"'),
        ('{"mesh": ["r 2"], "tensors": [{"name": "[", "r": "sum"}]}', '"["'),
        ('{"mesh": ["r 2"], "numbered": {"layers": "pp"}}', "names no axis of the mesh"),
    ],
)
def test_layouts_that_are_wrong(tmp_path, assay, layout, said):
    for r in range(2):
        write(rank(tmp_path / "in", r), a=[1])
    (tmp_path / "layout.json").write_text(layout)
    ran = assay("merge", "in", "out.h5", "--layout", "layout.json")
    assert ran.returncode == 2 and said in ran.stderr and not (tmp_path / "out.h5").exists(), ran.stderr


def test_flags(tmp_path, assay):
    for r in range(2):
        write(rank(tmp_path / "in", r), a=[1])
    write(tmp_path / "one.h5", a=[1])
    (tmp_path / "layout.json").write_text('{"mesh": ["r 2"]}')
    assert "is none" in assay("compare", "one.h5", "one.h5", "--layout", "layout.json").stderr
    assert "`assay merge` puts them together" in assay("compare", "in", "in", "--layout", "layout.json").stderr
    ran = assay("compare", "in", "one.h5", "--layout", "layout.json")
    assert ran.returncode == 0 and re.search(r"^2 ranks: 1 tensors, 1 the same", ran.stdout, re.M), ran.stdout + ran.stderr
    assert "has no globalrank-R_localrank-r.h5" in assay("merge", ".", "out.h5").stderr
    late = assay("merge", "in", "late.h5", "--max-seconds", "0.0000001")
    assert late.returncode == 2 and "--max-seconds" in late.stderr and not list(tmp_path.glob("late*"))


def test_parts_without_a_placement_ask_for_a_layout(tmp_path, assay):
    """Tensors of the whole shape are compared between the ranks and with the bench; modules between parts are not accused."""
    run_ranks(tmp_path, "tensor", FAULTS["tensor"])
    run_ranks(tmp_path, "whole-tensor", 0)
    bench = "bench/globalrank-0_localrank-0.h5"
    clean = assay("compare", "clean", bench, "--first-wrong")
    lines = clean.stdout.splitlines()
    assert clean.returncode == 1 and "first wrong rank: cannot tell" in lines, clean.stdout + clean.stderr
    (answer,) = (line for line in lines if line.startswith("first wrong: "))
    assert "cannot tell" in answer and "a part of the bench's" in answer and "--layout FILE" in answer, answer
    assert not [line for line in lines if line.startswith("  1. ")]
    assert json.loads(assay("compare", "clean", bench, "--first-wrong", "--json", "-").stdout)["merge"]["parts"] >= 8
    without = assay("compare", "clean", bench)
    assert without.returncode == 1 and "--layout FILE says how they belong together" in without.stdout, without.stdout
    named = 0
    for i in range(FAULTS["tensor"]):
        rank, module, how = (tmp_path / f"fault{i}" / "expected.txt").read_text().split(" ", 2)
        ran = assay("compare", f"fault{i}", bench, "--first-wrong")
        assert ran.returncode == 1, ran.stdout
        right = f"first wrong rank: {rank}\nfirst wrong: {module}\n" in ran.stdout
        assert right or "first wrong rank: cannot tell\nfirst wrong: cannot tell" in ran.stdout, (i, rank, module, how, ran.stdout)
        assert right or not module.endswith("norm"), (i, module, ran.stdout)  # whole on every rank
        named += right
    assert named >= 1


def test_what_is_the_same_on_all_ranks_is_not_the_first_ones(tmp_path, assay):
    """The gradient of a parameter that an all-reduce spread, joined by a layout."""
    names = ["fc.Linear.0.forward_input.0", "fc.Linear.0.forward_output.0", "fc.Linear.0.backward_grad_output.0", "fc.Linear.0.params_grad.bias"]
    whole = {name: numpy.random.default_rng(i).standard_normal((8,) if "bias" in name else (4, 8)).astype("f") for i, name in enumerate(names)}
    write(tmp_path / "bench" / "globalrank-0_localrank-0.h5", **whole)
    for r in range(2):
        write(rank(tmp_path / "run", r), **{name: 2 * values if "bias" in name else values[2 * r :][:2] for name, values in whole.items()})
    (tmp_path / "layout.json").write_text(json.dumps({"mesh": ["dp 2"], "tensors": [{"name": "*.params_grad.*", "dp": "replicate"}, {"name": "*", "dp": "shard 0"}]}))
    ran = assay("compare", "run", "bench/globalrank-0_localrank-0.h5", "--first-wrong", "--layout", "layout.json")
    assert ran.returncode == 1 and "first wrong rank: not one rank alone\n" in ran.stdout, ran.stdout
    assert "the same on all 2 ranks" in ran.stdout and "first_wrong_rank" not in assay(
        "compare", "run", "bench/globalrank-0_localrank-0.h5", "--first-wrong", "--layout", "layout.json", "--json", "-").stdout
