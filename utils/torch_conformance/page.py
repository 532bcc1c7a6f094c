"""The figures of a run, as a table and as docs/torch_conformance.md."""
import collections
import datetime
import re
import subprocess

SIDES = ("reference", "native", "torch")
BEGIN, END = "<!-- figures: made by ./dev conformance torch --write -->", "<!-- figures end -->"


def revision(root):
    found = subprocess.run(["git", "rev-parse", "--short=8", "HEAD"], cwd=root, capture_output=True, text=True)
    return found.stdout.strip() or "unknown"


def facts_of(rows):
    """{dtype: counts}; an operator counts as a program when all of its samples do."""
    facts = {}
    for dtype in dict.fromkeys(row["dtype"] for row in rows):
        own = [row for row in rows if row["dtype"] == dtype and row["outcome"] != "outside"]
        whole = collections.defaultdict(lambda: True)
        for row in own:
            whole[row["operator"]] &= row["outcome"] == "program"
        programs = [row for row in own if row["outcome"] == "program"]
        one = {"operators": len(whole), "whole": sum(whole.values()), "samples": len(own), "programs": len(programs)}
        for side in SIDES:
            one[side] = sum(row[side] == "PASSED" for row in programs)
            one[f"{side}_open"] = sum(row[side] == "MISTRUSTED" for row in programs)
        one["both"] = sum(row["reference"] == row["native"] == "PASSED" for row in programs)
        one["wrong"] = sum("FAILED" in (row["reference"], row["native"]) for row in programs)
        facts[dtype] = one
    return facts


def _share(part, whole):
    return f"{part} ({100 * part / whole:.1f} %)" if whole else "0"


HEAD = "| type | operators | all samples a program | samples | a program | both engines within the bound | an engine beyond | not decided | PyTorch within the bound |"


def table(facts):
    lines = [HEAD, "|---|---|---|---|---|---|---|---|---|"]
    for dtype, one in facts.items():
        lines.append(f"| {dtype} | {one['operators']} | {_share(one['whole'], one['operators'])} | {one['samples']} | {_share(one['programs'], one['samples'])} | "
                     f"{_share(one['both'], one['samples'])} | {one['wrong']} | {max(one['reference_open'], one['native_open'])} | {_share(one['torch'], one['samples'])} |")  # fmt: skip
    return "\n".join(lines)


def _reasons(rows):
    """Why samples have no program, or why an engine is wrong: the most frequent reasons first."""
    found = collections.defaultdict(lambda: [0, set()])
    for row in rows:
        if row["outcome"] in ("no program", "error", "crashed", "timeout"):
            why = re.sub(r"\b(u\d+|\d{3,})\b", "N", f"{row['outcome']}: {row.get('why', '')}")[:140].replace("|", "\\|")
        elif row["outcome"] == "program" and "FAILED" in (row["reference"], row["native"]):
            why = "an engine beyond the bound"
        elif row["outcome"] == "program" and row["torch"] == "FAILED":
            why = "PyTorch beyond the bound"
        elif row["outcome"] == "program" and "MISTRUSTED" in (row["reference"], row["native"]):
            why = "not decided: an operation without a bound"
        else:
            continue
        found[why][0] += 1
        found[why][1].add(row["operator"])
    lines = ["| what | samples | operators |", "|---|---|---|"]
    for why, (count, operators) in sorted(found.items(), key=lambda item: (-item[1][0], item[0])):
        shown = sorted(operators)
        lines.append(f"| {why} | {count} | {', '.join(shown[:8])}{f' and {len(shown) - 8} more' if len(shown) > 8 else ''} |")
    return "\n".join(lines)


def write(path, facts, rows, at, samples):
    """Replaces the figures of the page; adds a line for this revision to its history."""
    text = path.read_text()
    before, rest = text.split(BEGIN)
    old, after = rest.split(END)
    history = [line for line in old.splitlines() if re.match(r"\| [0-9a-f]{8} \|", line) and not line.startswith(f"| {at} |")]
    total = {key: sum(one[key] for one in facts.values()) for key in ("samples", "programs", "both", "wrong", "torch")}
    history.append(f"| {at} | {datetime.date.today()} | {', '.join(facts)} | {total['samples']} | {_share(total['programs'], total['samples'])} | {_share(total['both'], total['samples'])} | {total['wrong']} |")
    own = [row for row in rows if row.get("of_values")]
    sized = f" {len(own)} programs are of the sample's own values: sizes and numbers depend on data ({', '.join(sorted({row['operator'] for row in own}))})."
    made = "\n".join([f"{samples} samples of each operator and type at most, revision {at}.{sized if own else ''}", "", table(facts), "", "What is left, by reason:", "", _reasons(rows), "", "By revision:", "",
                      "| revision | date | types | samples | a program | both engines within the bound | an engine beyond |", "|---|---|---|---|---|---|---|", *history])  # fmt: skip
    path.write_text(f"{before}{BEGIN}\n{made}\n{END}{after}")
