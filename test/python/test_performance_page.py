"""docs/performance.md against the kept runs: what utils/performance_page.py must notice, on a page and a run made here."""
import copy
import importlib.util
import json
import pathlib

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture
def page(monkeypatch, tmp_path):
    spec = importlib.util.spec_from_file_location("performance_page", ROOT / "utils/performance_page.py")
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
    assert "| mlp, 1 thread | XLA | 2 ms, 4 ms: **3x** [2, 4] |" in text
    assert "znver4: EPYC, 2026-11-22, load 0.5, `./dev bench program`;" in text
    assert page.findings(text, runs) == []


def test_classes_of_machines_stand_side_by_side(page, tmp_path):
    keep(page, tmp_path, run())
    runs = keep(page, tmp_path, run("sapphirerapids", 2.0))
    text = page.written(TEXT, runs)
    assert "| case | peer | sapphirerapids | znver4 |" in text
    assert "| cnn, 1 thread | XLA | 2 ms, 8 ms: **6x** [4, 8] | 2 ms, 4 ms: **3x** [2, 4] |" in text


def test_groups_have_a_mean_and_the_worst(page, tmp_path):
    made = run()
    made["cases"][1]["ms"] = copy.deepcopy(run(slower=4.0)["cases"][1]["ms"])
    text = page.written(TEXT.replace("run: program", "run: program by=threads"), keep(page, tmp_path, made))
    assert "| 1 thread | XLA | **6x** (geomean of 2, worst 3: mlp, 1 thread) |" in text


@pytest.mark.parametrize("was,now", [("**3x**", "**4x**"), ("2 ms, 4 ms", "1 ms, 4 ms"), ("2026-11-22, load", "2026-11-23, load")])
def test_a_figure_changed_by_hand_is_found(page, tmp_path, was, now):
    runs = keep(page, tmp_path, run())
    text = page.written(TEXT, runs)
    assert was in text
    assert page.findings(text.replace(was, now, 1), runs)


def test_a_run_that_is_shown_nowhere_is_found(page, tmp_path):
    runs = keep(page, tmp_path, run())
    assert page.findings("# Performance\n\n## program\n\nNothing.\n", runs) == ["program-znver4-2026-11-22.json is shown nowhere"]


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
