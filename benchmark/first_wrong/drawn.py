"""First wrong on random models, faults and differences: all are drawn by seed from lists.

usage: ./dev bench first_wrong --drawn [--seed N] [--models N] [--faults N] [--pairs N] [--mode modules|operators] [--only NAME] [--json FILE]
       ./dev bench first_wrong --drawn --keep FOLDER ...    and after a change of the search: --drawn --again FOLDER

Models are those of zoo/, faults those of drawn_faults.py, differences without a fault those of drawn_differences.py. Each model trains one step as
the bench, then once with each fault and once with each difference, recorded by module hooks and again with the operators (dump_torch_api). A fault
counts as named if the first suspect is the module that has it, or, with operators, the call that is wrong (that the fault made, changed or omitted).
If a pair without a fault gets a name, that counts as an accusation. A fault that changes no output and no gradient by more than rounding does is
drawn again. Nothing stops the run: a case that raises an exception is a row too.
"""
import argparse
import collections
import concurrent.futures
import contextlib
import io
import json
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
import traceback
import warnings

import torch

sys.path[:0] = [str(pathlib.Path(__file__).parent)]
import drawn_differences  # noqa: E402
import drawn_faults  # noqa: E402
import zoo  # noqa: E402
from drawn_record import FILE, Run, effect  # noqa: E402

MODES = {"modules": False, "operators": True}


def judge(target, bench):
    """(the name or "none" or "cannot tell", the JSON result, seconds)."""
    begin = time.perf_counter()
    ran = subprocess.run(["assay", "compare", str(target), str(bench), "--first-wrong", "--json", "-"], capture_output=True, text=True)
    seconds = time.perf_counter() - begin
    if ran.returncode not in (0, 1):
        raise RuntimeError(f"assay compare: {ran.returncode} {ran.stderr[-500:]}")
    first = json.loads(ran.stdout)["first_wrong"]
    return first["first_wrong"] if first["answer"] == "named" else first["answer"], first, seconds


class Place:
    """Where a fault is: module paths, and the numbers of recorded operators."""

    def __init__(self, paths, operators):
        self.paths, self.operators = {p for p in paths if p is not None}, set(operators)

    def json(self):
        return {"paths": sorted(self.paths), "operators": sorted(self.operators)}

    def names(self, first, operators, root):
        if not first["suspects"]:
            return False
        name = first["suspects"][0]["module"]
        number = re.match(r"(\d+)-", name)
        if number:
            return operators and int(number[1]) in self.operators
        return ("" if name in ("", "(model)", root) else name) in self.paths

    def __str__(self):
        shown = sorted(self.operators)
        return f"{sorted(self.paths)} operators {shown[:6]}{'…' if len(shown) > 6 else ''}"


def above(path):
    """The paths of the enclosing modules, innermost first; "" is the model."""
    while path:
        path = path.rpartition(".")[0]
        yield path


class Subject:
    """A model with its recorded bench in one mode."""

    def __init__(self, name, mode, folder):
        self.name, self.mode, self.operators, self.folder = name, mode, MODES[mode], pathlib.Path(folder)
        model, inputs = zoo.build(name)
        self.root = type(model).__name__
        self.bench = Run(self.folder / "bench", self.operators, faults=drawn_faults.FUNCTION_FAULTS)
        self.path = self.bench.record(model, inputs)
        self.modules = {path: module for path, module in model.named_modules()}
        narrow = any(y.dtype in (torch.bfloat16, torch.float16) for y in model.parameters()) or name == "autocast"
        self.threshold = 5e-2 if narrow else 2e-4

    def draw(self, random_):
        """A fault: (words, function () -> (run, path of the dump, place)). Its kind is drawn first, then its place."""
        kinds = collections.defaultdict(list)
        for call in self.bench.functions:
            for fault in call.faults:
                kinds[fault].append(call)
        for fault in drawn_faults.MODULE_FAULTS:
            for path, module in self.modules.items():
                if path or not fault.replaced:
                    kinds[fault.name] += [(path, place) for place in fault.places(module)]
        for call in self.bench.kernels:
            if call.path is not None and drawn_faults.computes(call.name):
                kinds["wrong kernel, backward" if call.backward else "wrong kernel"].append(call)
        kinds = {kind: places for kind, places in sorted(kinds.items()) if places}
        names = list(kinds) + ["wrong kernel", "wrong kernel", "wrong kernel, backward", "wrong kernel, backward"]
        kind = random_.choice([name for name in names if name in kinds])
        place = random_.choice(kinds[kind])
        if kind.startswith("wrong kernel"):
            return self._kernel(kind, place, random_.choice(list(drawn_faults.DAMAGE)), random_.randrange(1000))
        for fault in drawn_faults.FUNCTION_FAULTS:
            if fault.name == kind:
                return f"{kind}: {place.name}", lambda: self._function(fault, place)
        fault = next(fault for fault in drawn_faults.MODULE_FAULTS if fault.name == kind)
        return f"{kind}: {place[0]}.{place[1]}", lambda: self._module(fault, *place)

    def _kernel(self, kind, call, how, seed):
        def run():
            hit = []
            model, inputs = zoo.build(self.name)
            target = Run(self.folder / "target", self.operators, below=drawn_faults.kernel_fault(call.number, how, seed, hit))
            path = target.record(model, inputs)
            if (target.kernels[call.number].name, target.kernels[call.number].path) != (call.name, call.path):
                raise RuntimeError("the call of this number is another one in this run")
            return target, path, Place([call.path, *(above(call.path) if call.adds else ())], call.operators)

        return f"{kind}: {how} of {call.name}", run

    def _function(self, fault, call):
        model, inputs = zoo.build(self.name)
        target = Run(self.folder / "target", self.operators, at_function=call.number, change=fault.change, faults=[f for f in drawn_faults.FUNCTION_FAULTS if f.name == "stale result"])
        path = target.record(model, inputs)
        paths = [call.path]
        if fault.between:  # the enclosing module also counts if it is called (lists are not), and so do those around it that return the same result
            outer = call.path
            for path_ in above(call.path):
                if path_ and path_ not in target.under:
                    continue
                paths.append(path_)
                if not path_ or target.given.get(path_) != target.given.get(outer):
                    break
                outer = path_
        made = target.extra or [*target.functions[call.number].operators, *call.operators]
        return target, path, Place(paths, made)

    def _module(self, fault, path, place):
        model, inputs = zoo.build(self.name)
        held = getattr(model.get_submodule(path), place, None) if place else None
        same = [p for p, module in model.named_modules() if isinstance(held, torch.Tensor) and any(t is held for t in [*module.parameters(False), *module.buffers(False)])]
        fault.change(model, path, place)
        target = Run(self.folder / "target", self.operators)
        dump = target.record(model, inputs)
        paths = {path, *same, *([path.rpartition(".")[0]] if fault.replaced else [])}
        operators = {n for p in {path, *same} for run in (target, self.bench) for n in run.under.get(p, ())}
        return target, dump, Place(paths, operators)


class Kept:
    """Recordings for judging again: a folder for each case, with both sides and the right answer."""

    def __init__(self, folder):
        self.folder = folder and pathlib.Path(folder)

    def add(self, target, bench, **case):
        if self.folder:
            place = self.folder / f"{case['model']}-{case['mode']}-{case['kind']}-{len(list(self.folder.glob('*')))}"
            for side, path in (("target", target), ("bench", bench)):
                shutil.copytree(path.parent, place / side)
            (place / "case.json").write_text(json.dumps(case))

    def judge(self, say):
        """Judges all cases again, on two threads."""
        def again(place):
            case = json.loads((place / "case.json").read_text())
            name, first, seconds = judge(*[place / side / FILE for side in ("target", "bench")])
            right = Place(case["paths"], case["operators"]) if case["kind"] == "fault" else None
            verdict = verdict_of(name, first, right, case["mode"], case["root"])
            return {**case, **row(case["case"], verdict, name, str(right or ""), first, seconds), "folder": str(place)}

        places = sorted(path.parent for path in self.folder.glob("*/case.json"))
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            rows = list(pool.map(again, places))
        for r in rows:
            say(r["model"], r["mode"], r)
        return rows


def verdict_of(name, first, place, mode, root):
    """`place`: the place of the fault; None if there is none."""
    if place is None:
        return name if name in ("none", "cannot tell") else "accused"
    if place.names(first, MODES[mode], root):
        return "named"
    return name if name in ("none", "cannot tell") else "wrong place"


def run_fault(subject, random_, kept, tries=12):
    for _ in range(tries):
        words, run = subject.draw(random_)
        try:
            with contextlib.redirect_stderr(io.StringIO()):  # warnings that a fault causes in the recorder
                target, path, place = run()
        except Exception as error:  # the fault does not fit the model: shapes, types
            del error
            continue
        if effect(target, subject.bench) < subject.threshold:
            continue
        kept.add(path, subject.path, kind="fault", model=subject.name, mode=subject.mode, case=words, root=subject.root, **place.json())
        name, first, seconds = judge(path, subject.path)
        return row(words, verdict_of(name, first, place, subject.mode, subject.root), name, str(place), first, seconds)
    return None


def sides_of(name, difference):
    """(target, bench), each as (model, inputs)."""
    prepared = [zoo.build(name), zoo.build(name)]
    if difference.both:
        prepared = [difference.both(*side) for side in prepared]
    target, bench = prepared
    return difference.prepare(*target) if difference.prepare else target, bench


def run_pair(name, mode, difference, folder, seed, kept):
    try:
        for model, inputs in sides_of(name, difference):
            model(*inputs)
    except RuntimeError:  # not possible for that type
        return None
    target, bench = sides_of(name, difference)
    reference = Run(folder / "bench", MODES[mode])
    other = Run(folder / "target", MODES[mode], below=difference.below(seed) if difference.below else None, above=difference.above, settings=difference.settings, reverse=difference.reverse)
    with contextlib.redirect_stderr(io.StringIO()):
        bench_path, target_path = reference.record(*bench), other.record(*target)
    kept.add(target_path, bench_path, kind="pair", model=name, mode=mode, case=difference.name, root=type(bench[0]).__name__)
    named, first, seconds = judge(target_path, bench_path)
    return row(difference.name, verdict_of(named, first, None, mode, ""), named, "", first, seconds)


def row(words, verdict, name, place, first, seconds):
    top = first["suspects"][0] if first["suspects"] else {}
    return {"case": words, "verdict": verdict, "name": name, "expected": place, "class": top.get("class", ""), "evidence": top.get("evidence", ""),
            "reason": top.get("reason", ""), "where": top.get("where", ""), "judged": round(seconds, 3)}


def run_model(name, mode, options, say):
    rows, kept = [], Kept(options.keep)
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        folder = pathlib.Path(folder)
        draw = random.Random(f"{options.seed} {name}")
        subject = Subject(name, mode, folder)
        for _ in range(options.faults):
            rows.append(guarded("fault", lambda: run_fault(subject, draw, kept)))
            say(name, mode, rows[-1])
        draw = random.Random(f"{options.seed} {name} pairs")
        fitting = [d for d in drawn_differences.DIFFERENCES if d.only(*zoo.build(name))]
        for difference in draw.sample(fitting, min(options.pairs, len(fitting))):
            rows.append(guarded("pair", lambda d=difference: run_pair(name, mode, d, folder / "pair", options.seed, kept)))
            say(name, mode, rows[-1])
            shutil.rmtree(folder / "pair", ignore_errors=True)
    return [{"model": name, "mode": mode, **r} for r in rows if r is not None]


def guarded(kind, run):
    try:
        result = run()
        return None if result is None else {"kind": kind, **result}
    except NotImplementedError:  # torch lacks such an operator for this type
        return None
    except Exception:
        return {"kind": kind, "case": "", "verdict": "error", "name": "", "expected": "", "reason": traceback.format_exc()[-600:]}


def say(name, mode, result):
    if result is None:
        return
    wrong = result["verdict"] not in (("named",) if result["kind"] == "fault" else ("none",))
    text = f"{name:22} {mode:9} {result['kind']:5} {result['case']:44} {result['verdict']}"
    if wrong:
        text += f": {result['name']} ({result.get('evidence')}); expected {result['expected'] or 'none'}; {result['reason'][:150]}"
    print(text, flush=True)


def summary(rows):
    """Lines with the number of each verdict, per mode and kind."""
    lines = []
    for mode in MODES:
        for kind, good in (("fault", "named"), ("pair", "none")):
            mine = [r for r in rows if r["mode"] == mode and r["kind"] == kind]
            if mine:
                counts = collections.Counter(r["verdict"] for r in mine)
                rest = ", ".join(f"{n} {verdict}" for verdict, n in counts.most_common() if verdict != good)
                lines.append(f"{mode:9} {kind}s: {counts[good]} of {len(mine)} {good} ({100 * counts[good] / len(mine):.1f} %)" + (f"; {rest}" if rest else ""))
    return lines


def main(options):
    warnings.filterwarnings("ignore")
    torch.set_num_threads(2)
    names = list(zoo.load())
    random.Random(options.seed).shuffle(names)
    names = sorted(names[: options.models]) if not options.only else [n for n in zoo.load() if re.search(options.only, n)]
    rows, begin = [], time.perf_counter()
    if options.again:
        names, rows = [], Kept(options.again).judge(say)
    for name in names:
        for mode in MODES if options.mode is None else [options.mode]:
            try:
                rows += run_model(name, mode, options, say)
            except Exception:
                rows.append({"model": name, "mode": mode, "kind": "fault", "case": "bench", "verdict": "error", "name": "", "reason": traceback.format_exc()[-600:]})
                print(f"{name} {mode}: {rows[-1]['reason']}", flush=True)
        write(options, rows)
    write(options, rows)
    lines = summary(rows)
    print("\n".join(["", *lines, f"bench first_wrong --drawn: seed {options.seed}, {len({r['model'] for r in rows})} models, {len(rows)} pairs in {time.perf_counter() - begin:.0f} s"]))
    return 0 if rows and all(r["verdict"] == ("named" if r["kind"] == "fault" else "none") for r in rows) else 1


def write(options, rows):
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps({"seed": options.seed, "rows": rows}, indent=1))


def add_options(parser):
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--models", type=int, default=60, help="of --drawn: how many of the models")
    parser.add_argument("--pairs", type=int, default=6, help="of --drawn: pairs without a fault for each model")
    parser.add_argument("--mode", choices=list(MODES))
    parser.add_argument("--only", help="of --drawn: the models whose names this pattern is in")
    parser.add_argument("--keep", help="of --drawn: a folder in which the recordings are kept")
    parser.add_argument("--again", help="of --drawn: judges the kept recordings of this folder again")
    parser.add_argument("--folder", default="/dev/shm", help="of --drawn: where recordings go")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    add_options(parser)
    parser.add_argument("--faults", type=int, default=8)
    parser.add_argument("--json")
    sys.exit(main(parser.parse_args()))
