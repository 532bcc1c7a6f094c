"""assay.time: honest kernels, and ways to cheat a timer, each found."""
import gc
import json
import signal
import threading
import time

import numpy as np
import pytest

import assay

SPEC = assay.f32[64, 96]
OPTIONS = {"reference": lambda x: np.exp(x) + x, "framework": "numpy", "pairs": 12, "max_pairs": 12}


def honest(x):
    return np.exp(x) + x


def slow(x):
    end = time.perf_counter() + 5e-3
    while time.perf_counter() < end:
        pass
    return np.exp(x) + x


def test_honest_kernels_count_and_the_ratio_is_theirs():
    report = assay.time({"slow": slow, "honest": honest}, SPEC, **OPTIONS)
    assert report and not report.findings, report
    assert report.seconds["slow"] >= 5e-3 > report.seconds["honest"]
    ratio = report.ratios["honest"]
    assert ratio.low <= ratio.median <= ratio.high < 1 and ratio.pairs == 12
    assert report.judged["slow"] >= 2 and "slow" in str(report)
    facts = json.loads(report.to_json())
    assert facts["ok"] and len(facts["samples"]["honest"]) == 12


STORE = {}


def cached(x):  # always returns the first result
    return STORE.setdefault("result", honest(x)).copy()


def by_identity(x):  # one result per address
    return STORE.setdefault(x.ctypes.data, honest(x)).copy()


def on_a_thread(x):
    out = np.zeros_like(x)

    def work():
        time.sleep(0.02)
        out[...] = honest(x)

    threading.Thread(target=work, daemon=True).start()
    return out


def late_write(x):  # finishes the previous result only now
    out = honest(x)
    right = out.copy()
    out[-1] = 0

    def finish():
        out[-1] = right[-1]

    thread = threading.Timer(0.001, finish)
    thread.daemon = True
    threading.Thread(target=thread.run, daemon=True).start()
    time.sleep(0)
    return out


def skips_last(x):
    STORE["calls"] = STORE.get("calls", 0) + 1
    return honest(x) if STORE["calls"] < 12 else np.zeros_like(x)


def coarse_when_timed(x):  # the first call is right: a single check passes
    STORE["calls"] = STORE.get("calls", 0) + 1
    return honest(x) if STORE["calls"] == 1 else honest(x.astype(np.float16)).astype(np.float32)


def finds_the_answer(x):  # any array that looks like the reference's result
    for one in gc.get_objects():
        if isinstance(one, np.ndarray) and one.shape == x.shape and one.dtype == x.dtype and one is not x:
            return one.copy()
    return np.zeros_like(x)


def by_signal(x):  # no thread: an alarm finishes the output
    out = honest(x)
    right = out[-1].copy()
    out[-1] = 0
    signal.signal(signal.SIGALRM, lambda *_: out.__setitem__(-1, right))
    signal.setitimer(signal.ITIMER_REAL, 0.002)
    return out


def stops_the_clock(x):
    time.perf_counter = time.time = time.monotonic = lambda: 0.0
    time.sleep(0.004)
    return honest(x)


@pytest.mark.parametrize(
    "kernel,words",
    [
        (cached, "a timed run is wrong"),
        (by_identity, "a timed run is wrong"),
        (on_a_thread, "left 1 thread running"),
        (late_write, "threads? running|changed after the call had returned"),
        (by_signal, "a timed run is wrong|changed after the call had returned"),
        (skips_last, "a timed run is wrong"),
        (coarse_when_timed, "a timed run is wrong"),
        (finds_the_answer, "a timed run is wrong"),
    ],
)
def test_a_cheat_is_found(kernel, words):
    import re

    report = assay.time({"honest": honest, "cheat": kernel}, SPEC, **OPTIONS)
    assert not report and list(report.findings) == ["cheat"] and re.search(words, report.findings["cheat"]), report
    assert "DOES NOT COUNT" in str(report)


def test_a_stopped_clock_changes_nothing():
    report = assay.time(stops_the_clock, SPEC, **OPTIONS)
    assert report and report.seconds["stops_the_clock"] >= 4e-3


def test_a_crash_and_bad_words():
    import os

    report = assay.time(lambda x: os._exit(4), SPEC, **OPTIONS)
    assert report.findings == {"<lambda>": "the kernel called exit(4)"}
    with pytest.raises(TypeError, match="needs reference="):
        assay.time(np.tanh, np.tanh, assay.f32[4])
    with pytest.raises(TypeError, match="no keyword 'atol'"):
        assay.time(np.tanh, assay.f32[4], reference=np.tanh, atol=1)
    with pytest.raises(ValueError, match="takes a callable"):
        assay.time({}, SPEC, **OPTIONS)
    with pytest.raises(ValueError, match="pairs=1"):
        assay.time(honest, SPEC, reference=OPTIONS["reference"], pairs=1)
