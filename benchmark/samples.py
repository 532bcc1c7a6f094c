"""What the benchmarks in Python share. Every sample is kept, and all of them report one statistic: the median of the paired ratios with its
95 % interval (assay.time's), together with the ratio of the smallest times. common/Samples.h is the same in C++.
"""
import datetime
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "python"))
from assay.timing import Ratio  # noqa: E402


class Samples:
    """Turn by turn, in any one unit of time: ours[i] and peers[name][i] were measured one after the other."""

    def __init__(self, *peers):
        self.ours, self.peers = [], {name: [] for name in peers}

    def add(self, ours, **peers):
        self.ours.append(ours)
        for name, value in peers.items():
            self.peers[name].append(value)

    def against(self, peer):
        """The peer's time as a multiple of ours: a Ratio."""
        return Ratio([theirs / ours for ours, theirs in zip(self.ours, self.peers[peer])])

    def least(self, peer=None):
        return min(self.peers[peer] if peer else self.ours)

    def json(self):
        ratios = {name: self.against(name) for name in self.peers if self.peers[name]}
        facts = {name: {"median": one.median, "low": one.low, "high": one.high, "pairs": one.pairs, "of_least": self.least(name) / self.least()}
                 for name, one in ratios.items()}  # fmt: skip
        return {"ours": self.ours, "peers": self.peers, "ratio": facts}


def closing(benchmark, peer, ratios, share=None):
    """The last line of a benchmark: geometric mean and worst of several ratios, and the share of the machine's limit."""
    limit = "" if share is None else f", {100 * share:.0f}% of limit"
    print(f"bench {benchmark}: {statistics.geometric_mean(ratios):.2f}x {peer} (geomean of {len(ratios)} cases, worst {min(ratios):.2f}){limit}")


def write(path, benchmark, cases, **facts):
    """Writes the samples with the machine and the date; does nothing without a path."""
    if path:
        name, kind = processor()
        head = {"benchmark": benchmark, "command": os.environ.get("ASSAY_BENCH", ""), "date": str(datetime.date.today()), "processor": name,
                "class": kind, "load": os.getloadavg()[0], **facts}  # fmt: skip
        pathlib.Path(path).write_text(json.dumps({**head, "cases": cases}, indent=1) + "\n")


def doctor(pattern):
    """A line of `assay doctor` about this machine: the match, or None."""
    out = subprocess.run(["assay", "doctor"], capture_output=True, text=True).stdout
    return re.search(pattern, out, re.M)


def processor():
    """The operating system's name of the processor, and its class: LLVM's name with the instruction set, since virtual machines may report an
    older processor than they have. Machines of one class share a column."""
    found, isa = doctor(r"^processor +name +(.*) \((.*)\) *$"), doctor(r"^processor +instruction set +(\w+)")
    return (found[1], f"{found[2]}-{isa[1]}") if found and isa else ("unknown", "unknown")


def peak_gflops(threads):
    """The measured rate of f32 multiply-adds, GFLOP/s."""
    found = doctor(rf"^measured +f32 multiply-add, {threads} threads? +([0-9.]+) GFLOP/s")
    return float(found[1]) if found else None
