"""The performance pages against the stored runs: errors that utils/gates/performance_page.py must notice, on a page and a run made here."""
import copy
import importlib.util
import json
import pathlib

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture
def page(monkeypatch, tmp_path):
    spec = importlib.util.spec_from_file_location("performance_page", ROOT / "utils/gates/performance_page.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "ROOT", tmp_path)
    monkeypatch.setattr(module, "RUNS", tmp_path / "runs")
    module.RUNS.mkdir()
    return module


def run(kind="znver4", slower=1.0):
    ours, theirs = [2.0, 2.5, 2.25], [4.0 * slower, 10.0 * slower, 6.75 * slower]
    ratio = {"median": 3.0 * slower, "low": 2.0 * slower, "high": 4.0 * slower, "pairs": 3, "of_least": 2.0 * slower}
    cases = [{"case": name, "threads": 1, "ms": {"ours": ours, "peers": {"XLA": theirs}, "ratio": {"XLA": ratio}}} for name in ("mlp", "cnn")]
    return {"benchmark": "program", "command": "./dev bench program --json f.json", "date": "2026-11-22", "processor": "EPYC", "class": kind,
            "load": 0.5, "cases": cases}  # fmt: skip


def keep(page, tmp_path, made):
    (tmp_path / "made.json").write_text(json.dumps(made))
    page.keep(tmp_path / "made.json")
    return page.kept_runs()


TEXT = "# Performance\n\n30 % and more.\n\n## program\n\n<!-- run: program -->\n<!-- run end -->\n"


def test_a_run_without_samples_is_not_kept(page, tmp_path):
    bare = run()
    bare["cases"] = [case["ms"] for case in bare["cases"]]  # as a benchmark that forgot to name its cases
    for cases in (bare["cases"], {"one": bare["cases"][0]}):
        with pytest.raises(page.BadRun):
            keep(page, tmp_path, {**bare, "cases": cases})


def test_a_page_that_was_written_has_no_findings(page, tmp_path):
    runs = keep(page, tmp_path, run())
    text = page.written(TEXT, runs)
    assert "| mlp, 1 thread | XLA | 2 ms, 4 ms: **3x** [2, 4] of 3 |" in text
    assert "znver4: EPYC, 2026-11-22, load 0.5, `./dev bench program`;" in text
    assert page.findings(text, runs) == []


def test_classes_of_machines_stand_side_by_side(page, tmp_path):
    keep(page, tmp_path, run())
    runs = keep(page, tmp_path, run("sapphirerapids", 2.0))
    text = page.written(TEXT, runs)
    assert "| case | peer | sapphirerapids | znver4 |" in text
    assert "| cnn, 1 thread | XLA | 2 ms, 8 ms: **6x** [4, 8] of 3 | 2 ms, 4 ms: **3x** [2, 4] of 3 |" in text


def test_groups_have_a_mean_and_the_worst(page, tmp_path):
    made = run()
    made["cases"][1]["ms"] = copy.deepcopy(run(slower=4.0)["cases"][1]["ms"])
    text = page.written(TEXT.replace("run: program", "run: program by=threads"), keep(page, tmp_path, made))
    assert "| 1 thread | XLA | **6x** (geomean of 2, none slower, worst 3: mlp, 1 thread) |" in text


@pytest.mark.parametrize("was,now", [("**3x**", "**4x**"), ("2 ms, 4 ms", "1 ms, 4 ms"), ("2026-11-22, load", "2026-11-23, load")])
def test_a_figure_changed_by_hand_is_found(page, tmp_path, was, now):
    runs = keep(page, tmp_path, run())
    text = page.written(TEXT, runs)
    assert was in text
    assert page.findings(text.replace(was, now, 1), runs)


def test_a_run_that_is_shown_nowhere_is_found(page, tmp_path):
    runs = keep(page, tmp_path, run())
    assert page.unshown(["# Performance\n\n## program\n\nNothing.\n"], runs) == ["program-znver4-2026-11-22.json is shown nowhere"]
    assert page.unshown(["Nothing.\n", page.written(TEXT, runs)], runs) == []


def test_a_long_table_stands_beside_the_page(page, tmp_path, monkeypatch):
    runs = keep(page, tmp_path, run())
    monkeypatch.setattr(page, "MOST_ROWS", 1)
    monkeypatch.setattr(page, "TABLES", tmp_path)
    text, tables = page.made(TEXT, runs)
    assert "\n\n[program: all 2 rows](tables/performance_program.json)\n\nznver4: EPYC" in text and "| mlp" not in text
    rows = json.loads(tables["performance_program.json"])["rows"]
    assert rows[0] == ["mlp, 1 thread", "XLA", "2 ms, 4 ms: **3x** [2, 4] of 3"] and len(rows) == 2
    assert page.findings(text, runs)  # the table is not there
    (tmp_path / "performance_program.json").write_text(tables["performance_program.json"])
    assert page.findings(text, runs) == []


@pytest.mark.parametrize("line", ["It is 1.5x XLA.", "| mlp | 12 |", "A call takes 3.5 ms.", "It holds 40 MB.", "Half: 50 %."])
def test_a_figure_of_no_run_is_found(page, tmp_path, line):
    runs = keep(page, tmp_path, run())
    assert len(page.findings(page.written(TEXT, runs) + "\n" + line + "\n", runs)) == 1


def test_older_figures_say_their_date(page, tmp_path):
    runs = keep(page, tmp_path, run())
    older = "\n<!-- older: 2026-11-21 -->\nOlder figures ({}):\n\n| mlp | 1.2x |\n<!-- older end -->\n"
    assert page.findings(page.written(TEXT + older.format("2026-11-21"), runs), runs) == []
    assert page.findings(page.written(TEXT + older.format("of old"), runs), runs)


def test_a_ratio_that_is_not_that_of_its_samples_is_refused(page, tmp_path):
    keep(page, tmp_path, run())
    kept = next(page.RUNS.glob("*.json"))
    kept.write_text(kept.read_text().replace('"median":3.0', '"median":3.5', 1))
    with pytest.raises(page.BadRun, match="mlp, 1 thread: the ratio to XLA is not that of its samples"):
        page.kept_runs()
    changed = json.loads(kept.read_text().replace('"median":3.5', '"median":3.0', 1))
    changed["cases"][0]["ms"]["ours"][2] = 9.0
    kept.write_text(json.dumps(changed))
    with pytest.raises(page.BadRun):
        page.kept_runs()


def test_a_run_under_another_name_is_refused(page, tmp_path):
    keep(page, tmp_path, run())
    kept = next(page.RUNS.glob("*.json"))
    kept.rename(kept.with_name("program-znver5-2026-11-22.json"))
    with pytest.raises(page.BadRun, match="is the run of program-znver4"):
        page.kept_runs()


def with_peers(made, **slower):
    """The run with more peers, each slower than ours by this factor in every pair of the first case; the second case has only the first peer."""
    for place, case in enumerate(made["cases"]):
        peers, ratios = case["ms"]["peers"], case["ms"]["ratio"]
        for name, times in list(slower.items())[: None if place == 0 else 1]:
            peers[name] = [one * times for one in case["ms"]["ours"]]
            ratios[name] = {"median": times, "low": times, "high": times, "pairs": 3, "of_least": times}
    return made


def test_the_best_peer_is_that_of_each_case(page, tmp_path):
    """XLA is 3, MKL 0.5 and 4 (the second case lacks it) times as slow; MKL is the best of the first case, XLA of the second."""
    made = with_peers(run(), OpenBLAS=4.0, MKL=0.5)
    text = page.written(TEXT.replace("run: program", "run: program by=threads"), keep(page, tmp_path, made))
    assert "| 1 thread | best of those there are | **1.22x** (geomean of 2, 1 slower, worst 0.5: mlp, 1 thread) |" in text
    assert "| 1 thread | OpenBLAS | **4x** (geomean of 2, none slower, worst 4: " in text
    assert "; 1.22x best of those there are (geomean of 2, 1 slower, worst 0.5: mlp, 1 thread);" in text
    text = page.written(TEXT, page.kept_runs())
    assert "| mlp, 1 thread | best of MKL, OpenBLAS, XLA | 2 ms, 1 ms: **0.5x** [0.5, 0.5] of 3 |" in text
    assert "| cnn, 1 thread | best of OpenBLAS, XLA | 2 ms, 4 ms: **3x** [2, 4] of 3 |" in text


def test_the_best_is_of_the_same_peers_in_every_column(page, tmp_path):
    keep(page, tmp_path, with_peers(run("znver4"), OpenBLAS=2.0))
    runs = keep(page, tmp_path, with_peers(run("znver5"), OpenBLAS=2.0, IREE=0.5))
    lines = page.written(TEXT, runs).split("\n")
    (shared,) = [line for line in lines if line.startswith("| mlp, 1 thread | best of OpenBLAS, XLA |")]
    assert shared.count("**2x**") == 2
    (own,) = [line for line in lines if line.startswith("| mlp, 1 thread | best of IREE, OpenBLAS, XLA |")]
    assert own.count("x**") == 1 and own.endswith("|  | 2 ms, 1 ms: **0.5x** [0.5, 0.5] of 3 |")
    # A benchmark's own "best" depends on its peers, so it is not a row.
    assert not any("| best |" in line for line in lines)


def test_a_narrow_interval_is_found(page, tmp_path):
    """Order statistics hold the median of a distribution by the binomial one; of fewer than six pairs not even their range does in 95 of 100."""
    stats = pytest.importorskip("scipy.stats")
    for pairs in range(3, 60):
        low, high = (sorted(range(pairs)).index(end) for end in page.interval_of(list(range(pairs))))
        inside = stats.binom.cdf(high, pairs, 0.5) - stats.binom.cdf(low, pairs, 0.5)  # low < number of pairs below the median <= high
        narrower = stats.binom.cdf(high - 1, pairs, 0.5) - stats.binom.cdf(low + 1, pairs, 0.5)
        assert (inside >= 0.95) == (pairs >= page.LEAST_PAIRS) and narrower < 0.95, pairs
    made = run()
    made["cases"][0]["ms"]["ratio"]["XLA"]["low"] = 3.0
    with pytest.raises(page.BadRun, match="narrower than its 3 pairs give"):
        keep(page, tmp_path, made)


def test_gemm_is_what_its_samples_say():
    """The page's own figures, computed again from the kept samples: the best of the peers in each case, separately by type and by training."""
    import numpy as np

    (path,) = (ROOT / "benchmark/results").glob("gemm-znver4-*.json")
    groups = {}
    for case in json.loads(path.read_text())["cases"]:
        ours = np.array(case["us"]["ours"])
        best = min(np.median(np.array(theirs) / ours) for theirs in case["us"]["peers"].values())
        for group in (f"{case['types']}, {case['threads']} thread{'s' * (case['threads'] > 1)}", "trained shape" if case["seen"] else "unseen shape", "all"):
            groups.setdefault(group, []).append(best)
    text = (ROOT / "docs/performance_kernels.md").read_text().partition("## gemm")[2].partition("## select")[0]
    assert len(groups) == 9
    for group, ratios in groups.items():
        mean = f"{np.exp(np.mean(np.log(ratios))):.3g}x"
        said = f"(geomean of {len(ratios)}, {sum(one < 1 for one in ratios)} slower, worst {min(ratios):.3g}: "
        (line,) = [line for line in text.split("\n") if line.startswith(f"| {group} | best of")] or [text]
        assert f"**{mean}** {said}" in line or (group == "all" and f"{mean} best of those there are {said}" in text), (group, mean, said)
