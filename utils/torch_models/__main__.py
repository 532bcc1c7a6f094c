#!/usr/bin/env python3
"""Models of torchvision and transformers, with random weights and without downloads. Each is exported by assay.torch.export and run on the native
engine, for comparison with eager PyTorch; and compiled by torch.compile(backend="assay"), where every operator is judged by the derived bound, in
evaluation and for ten training steps, whose losses are compared with those of eager PyTorch.

usage: utils/torch_models [--only REGEX] [--libraries DIR] [--json FILE] [--resume] [--write FILE.md] [--train]

The packages are those of --libraries (default .cache/torchlibs) or of the interpreter. Each model runs in a separate process. The file of --json is
updated after each; with --resume a model that it contains (and, with --train, its training steps) is not run again.
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
SECONDS = 900
BEGIN, END = "<!-- models: made by utils/torch_models --write -->", "<!-- models end -->"


def one(name, train, step_alone=False):
    """The results of a model, as a dictionary. `step_alone`: only its training steps."""
    import warnings

    import torch

    warnings.filterwarnings("ignore")
    import models

    kept = models.prepare()  # noqa: F841
    torch.manual_seed(0)
    model, args, keywords = models.MODELS[name]()
    model = models.without_zeros(model).eval()
    facts = {"model": name}
    if not step_alone:
        facts.update(attempt(lambda: exported(model, args, keywords), "export"))
        facts.update(attempt(lambda: judged(model, lambda run: evaluated(run, args, keywords)), "judged"))
        facts.pop("made", None)
    if train:
        facts.update(attempt(lambda: {"training": followed(*trained(name, model, args), keywords)}, "training"))
    return facts


STEPS = 10
LARGE = 1 << 21  # parameters: of the ten steps of a larger model, only the first is judged


def followed(model, args, keywords):
    """Ten steps of SGD, with the operators judged. `gap`: the largest distance of the losses from eager's, relative to the loss; `rounding`: the
    distance of eager's own losses if each parameter starts one rounding away. The losses follow eager's if the gap is at most four times that
    distance, or a rounding of ten operators."""
    import copy

    import torch

    eager, moved, plain = (copy.deepcopy(model) for _ in range(3))
    with torch.no_grad():
        for parameter in moved.parameters():
            parameter.mul_(1 + torch.finfo(parameter.dtype).eps * torch.randint(-1, 2, parameter.shape))
    due, other = losses(eager, eager, args, keywords), losses(moved, moved, args, keywords)
    steps = 1 if sum(each.numel() for each in model.parameters()) > LARGE else STEPS
    facts = judged(model, lambda run: losses(model, run, args, keywords, steps))
    made = facts.pop("made")
    if steps < STEPS:
        made = losses(plain, torch.compile(plain, backend="assay"), args, keywords)
    far = lambda one: max(abs(a - b) / max(abs(b), 1e-30) for a, b in zip(one, due))
    gap, rounding = far(made), far(other)
    return {**facts, "steps": steps, "gap": gap, "rounding": rounding, "follows": gap <= max(4 * rounding, 10 * 2**-23)}


def losses(model, run, args, keywords, steps=STEPS):
    import torch

    optimizer, found = torch.optim.SGD(model.parameters(), lr=0.01), []
    for step in range(steps):
        torch.manual_seed(step)
        optimizer.zero_grad()
        loss = sum(each.float().square().mean() for each in tensors_of(run(*args, **keywords)) if each.requires_grad)
        loss.backward()
        optimizer.step()
        found.append(loss.item())
    return found


def trained(name, model, args):
    """The model for a training step: the model itself, or, if it is large, a small configuration of its class."""
    import torch
    from small import SMALL

    if name not in SMALL:
        return model.train(), args
    made, shape = SMALL[name]
    return made().train(), (torch.randn(shape),)


def attempt(make, key):
    """The facts that it returns; if it fails, the error as the fact `key`."""
    try:
        return make()
    except Exception as error:
        return {key: f"{type(error).__name__}: {' '.join(str(error).split())[:300]}"}


def tensors_of(made):
    import torch
    from torch.utils._pytree import tree_leaves

    if hasattr(made, "to_tuple"):
        made = made.to_tuple()
    return [each for each in tree_leaves(made) if isinstance(each, torch.Tensor)]


def exported(model, args, keywords):
    import torch

    import assay.torch
    from assay._assay import judge_tensor
    from assay.torch.runner import dense_tensor

    import copy

    program = assay.torch.export(model, *args, keywords=keywords)
    with torch.no_grad():
        got, due = tensors_of(program(*args, **keywords)), tensors_of(model(*args, **keywords))
        wide = lambda given: {name: each.double() if each.is_floating_point() else each for name, each in given.items()}
        exact = tensors_of(copy.deepcopy(model).double()(*wide(dict(enumerate(args))).values(), **wide(keywords)))
    verdicts = []
    for mine, theirs, truth in zip(got, due, exact):
        own, other, true = dense_tensor(mine), dense_tensor(theirs), dense_tensor(truth.to(torch.float64))
        judge = judge_tensor("shadow", str(own.dtype).removeprefix("torch."), list(own.shape), own.data_ptr(), other.data_ptr(), true.data_ptr())
        verdicts.append(judge["passed"])
    far = lambda results: max((float((each.double() - true.double()).norm() / true.double().norm().clamp(min=1e-30)) for each, true in zip(results, exact) if each.is_floating_point()), default=0.0)
    return {"export": "ok", "calls": program.text.count("func.call"), "agrees": all(verdicts) and len(got) == len(due), "error": far(got), "eager_error": far(due)}


def judged(model, call):
    """What was judged in a call of the compiled model, and the result of the call."""
    import torch

    import assay.torch

    torch._dynamo.reset()
    before = len(assay.torch.compiled_graphs())
    made = call(torch.compile(model, backend="assay", options={"check": "bound"}))
    graphs = assay.torch.compiled_graphs()[before:]
    eager = {}
    for graph in graphs:
        for operator, count in graph["eager"].items():
            eager[operator] = eager.get(operator, 0) + count
    return {"judged": sum(graph["judged"] for graph in graphs), "undecided": sum(graph["undecided"] for graph in graphs), "graphs": len(graphs), "eager": eager, "made": made}


def evaluated(run, args, keywords):
    import torch

    with torch.no_grad():
        run(*args, **keywords)


def row(facts):
    def of(found):
        if isinstance(found, dict):
            steps = f"; loss {'follows' if found['follows'] else 'DIFFERS'} ({found['gap']:.1e}, a rounding {found['rounding']:.1e})" if "gap" in found else ""
            return f"{found['judged']}{', {} not decided'.format(found['undecided']) if found['undecided'] else ''}{steps}"
        return str(found or "-").replace("|", "\\|")[:120]

    eager = ", ".join(f"{name} {count}" for name, count in facts.get("eager", {}).items()) or "-"
    both = facts if isinstance(facts.get("judged"), int) else facts.get("judged")
    exported_ = f"{'agrees' if facts['agrees'] else 'DIFFERS'} ({facts['error']:.1e}, eager {facts['eager_error']:.1e})" if facts.get("export") == "ok" else of(facts.get("export"))
    return f"| {facts['model']} | {facts.get('calls', '-')} | {exported_} | {of(both)} | {of(facts.get('training'))} | {eager} |"


HEAD = "| model | operators | export, native engine beside f64 | operators judged | in ten training steps | left to PyTorch in evaluation |\n|---|---|---|---|---|---|"


def run(name, options, step_alone):
    """The facts about a model, from a separate process."""
    flags = [*(["--train"] if options.train else []), *(["--step-alone"] if step_alone else [])]
    words = [sys.executable, str(HERE), "--one", name, "--libraries", options.libraries, *flags]
    try:
        ran = subprocess.run(words, capture_output=True, text=True, timeout=SECONDS)
        return json.loads(ran.stdout.splitlines()[-1])
    except subprocess.TimeoutExpired:
        return {"model": name, "export": f"more than {SECONDS} s"}
    except (ValueError, IndexError):
        return {"model": name, "export": f"ended: {' '.join(ran.stderr.splitlines()[-1:])[:200]}"}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="")
    parser.add_argument("--libraries", default=str(ROOT / ".cache" / "torchlibs"))
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--resume", action="store_true")
    parser.add_argument("--write", type=pathlib.Path)
    parser.add_argument("--train", action="store_true")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    parser.add_argument("--step-alone", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    sys.path[:0] = [options.libraries, str(HERE), str(ROOT / "python")]
    if options.one:
        print(json.dumps(one(options.one, options.train, options.step_alone)))
        return 0
    import models

    known = {}
    if options.resume and options.json and options.json.exists():
        known = {facts["model"]: facts for facts in json.loads(options.json.read_text())}
    for name in models.MODELS:
        if not re.search(options.only, name) or name in known and (not options.train or "training" in known[name]):
            continue
        made = run(name, options, name in known)
        known[name] = {**known[name], "training": made.get("training", made.get("export"))} if name in known else made
        print(row(known[name]), flush=True)
        if options.json:
            options.json.write_text(json.dumps(list(known.values()), indent=1) + "\n")
    rows = [known[name] for name in models.MODELS if name in known and re.search(options.only, name)]
    good = sum(bool(facts.get("agrees")) for facts in rows)
    wrong = sum("WrongOperator" in str(facts) for facts in rows)
    stepped = [facts["training"] for facts in rows if "training" in facts]
    steps = f", {sum(isinstance(each, dict) for each in stepped)} of {len(stepped)} also in ten training steps, {sum(isinstance(each, dict) and each['follows'] for each in stepped)} with losses that follow eager's" if stepped else ""
    summary = f"{len(rows)} models: {sum(facts.get('export') == 'ok' for facts in rows)} exported, {good} agree, {sum(isinstance(facts.get('judged'), int) for facts in rows)} compiled with every program's operators judged{steps}, {wrong} with an operator beyond its bound."
    print(summary)
    if options.write:
        text = options.write.read_text()
        options.write.write_text(text[: text.index(BEGIN) + len(BEGIN)] + "\n" + "\n".join([summary, "", HEAD, *map(row, rows)]) + "\n" + text[text.index(END) :])
    return 1 if good < len(rows) or wrong else 0


if __name__ == "__main__":
    sys.exit(main())
