"""Two ranks under gloo: `assay compare DIR DIR` names the rank on which a kernel is wrong, and the call, although the other rank
receives its results."""
import hashlib
import json
import pathlib
import re
import shutil

import h5py
import numpy
import preloaded
import pytest

WORKER = pathlib.Path(__file__).with_name("rank_worker.py")
FAULTS = 10


def run_ranks(folder, kind):
    preloaded.ranks(2, WORKER, kind, folder, FAULTS)


@pytest.mark.parametrize("kind", ["tensor", "data"])
def test_the_rank_and_the_call_are_named(tmp_path, assay, kind):
    run_ranks(tmp_path, kind)
    clean = assay("compare", "clean", "bench", "--first-wrong")
    assert clean.returncode == 0 and "first wrong rank: none" in clean.stdout, clean.stdout + clean.stderr
    for i in range(FAULTS):
        rank, call, module = (tmp_path / f"fault{i}" / "expected.txt").read_text().split(" ")
        ran = assay("compare", f"fault{i}", "bench", "--first-wrong")
        assert ran.returncode == 1 and f"first wrong rank: {rank}\nfirst wrong: {call} (" in ran.stdout, (i, rank, call, ran.stdout)
        (line,) = re.findall(r"^  1\. .*", ran.stdout, re.M)
        assert not module or f" in {module}, " in line, line  # backward calls run outside of modules
    found = assay("compare", "fault0", "bench", "--first-wrong", "--json", "-")
    facts = json.loads(found.stdout)
    assert [r["rank"] for r in facts["ranks"]] == [0, 1] and str(facts["first_wrong_rank"]) == (tmp_path / "fault0" / "expected.txt").read_text().split()[0]


def test_what_cannot_be_paired_is_said(tmp_path, assay):
    for folder in ("a", "b", "empty"):
        (tmp_path / folder).mkdir()
    assert "no dump in" in assay("compare", "empty", "empty").stderr
    for name in ("a/globalrank-0_localrank-0.h5", "a/globalrank-1_localrank-1.h5", "b/globalrank-1_localrank-1.h5", "b/globalrank-2_localrank-0.h5"):
        (tmp_path / name).write_bytes(b"")
    ran = assay("compare", "a", "b")
    assert ran.returncode == 2 and "rank 0 is in 'a' and not in 'b'" in ran.stderr
    shutil.copy(tmp_path / "a/globalrank-1_localrank-1.h5", tmp_path / "a/globalrank-1_localrank-0.h5")
    assert "dumps of the same rank" in assay("compare", "a", "b").stderr
    ran = assay("compare", "a", "b", "result.csv")
    assert ran.returncode == 2 and "are for one pair of dumps" in ran.stderr


@pytest.mark.parametrize("hashes", [True, False])
def test_gradients_that_an_all_reduce_spread(tmp_path, assay, hashes):
    """Wrong and the same on both ranks: no rank is accused. If something before it is wrong on one rank, that rank is."""
    names = [f"{layer}.Linear.0.{kind}" for layer in (0, 1) for kind in ("forward_input.0", "forward_output.0")]
    names += [f"{layer}.Linear.0.{kind}" for layer in (1, 0) for kind in ("backward_grad_output.0", "backward_grad_input.0")]
    names += [f"{layer}.Linear.0.params_grad.weight" for layer in (0, 1)]

    def dump(folder, rank, wrong=()):
        (tmp_path / folder).mkdir(exist_ok=True)
        with h5py.File(tmp_path / folder / f"globalrank-{rank}_localrank-{rank}.h5", "w", track_order=True) as file:
            group = file.create_group("1", track_order=True)
            for number, name in enumerate(names):
                own = 0 if "params_grad" in name else rank  # the other tensors are of each rank's own data
                values = numpy.random.default_rng([number, own]).standard_normal((8, 8), dtype=numpy.float32)
                values *= 1.5 if name in wrong else 1
                group[name] = values
                if hashes:
                    group[name].attrs["hash"] = hashlib.md5(values.tobytes()).hexdigest()

    reduced = "1.Linear.0.params_grad.weight"
    for rank in (0, 1):
        dump("bench", rank)
        dump("reduced", rank, [reduced])
        dump("before", rank, [reduced, "1.Linear.0.backward_grad_output.0"] if rank == 1 else [reduced])
        dump("own", rank, [reduced] if rank == 1 else [])
    ran = assay("compare", "reduced", "bench", "--first-wrong")
    assert ran.returncode == 1 and f"first wrong rank: cannot tell\nfirst wrong: cannot tell: before the all-reduce: '{reduced}' is wrong and the same on all 2 ranks" in ran.stdout, ran.stdout
    assert ran.stdout.splitlines()[2].split()[-2:] == ["cannot", "tell"]
    facts = json.loads(assay("compare", "reduced", "bench", "--first-wrong", "--json", "-").stdout)
    assert "first_wrong_rank" not in facts and facts["first_wrong"]["answer"] == "cannot tell" and "before the all-reduce" in facts["first_wrong"]["not_judged"]
    for folder in ("before", "own"):
        ran = assay("compare", folder, "bench", "--first-wrong")
        assert ran.returncode == 1 and "first wrong rank: 1\n" in ran.stdout, ran.stdout
