"""The output of `./dev mutants`: a line per trial, and a table by component."""
import collections


def line(row):
    what = row["status"] + (f" by {row['by']}" if row.get("by") else "") + (" (hangs)" if row.get("how") == "hangs" else "") + \
        (f", {row['fails']} tests" if row.get("fails", 0) > 1 else "")
    return f"{row['name']:60} {what}, {row['seconds']} s"


def listing(mutants):
    lines = []
    for mutant in sorted(mutants, key=lambda m: m.name):
        old, new = " ".join(mutant.old.split())[:60], " ".join(mutant.new.split())[:60]
        what = mutant.hurts if not mutant.mechanical else f"{old}  ->  {new or '(removed)'}"
        lines.append(f"{mutant.key} {mutant.name}: {what}")
    return "\n".join(lines)


def survivors(mutants, rows):
    return [mutant for mutant in mutants if not mutant.equivalent and rows.get(mutant.key, {}).get("status") in ("survived", "unreached")]


def table(mutants, rows):
    """Component by component and kind by kind: killed, survived, unreached, equivalent, not tried; then every survivor."""
    counts = collections.defaultdict(collections.Counter)
    for mutant in mutants:
        status = "equivalent" if mutant.equivalent else rows.get(mutant.key, {}).get("status", "not tried")
        for key in (("by hand" if not mutant.mechanical else "mechanical", mutant.component),
                    ("by hand" if not mutant.mechanical else "mechanical", "all")):
            counts[key][status] += 1
    columns = ("killed", "survived", "unreached", "equivalent", "no mutant", "not tried")
    lines = [f"{'':28}" + "".join(f"{column:>11}" for column in columns) + f"{'of tried':>10}"]
    for (kind, component), counter in sorted(counts.items(), key=lambda item: (item[0][0], item[0][1] == "all", item[0][1])):
        tried = counter["killed"] + counter["survived"] + counter["unreached"]
        share = f"{100 * counter['killed'] / tried:9.1f}%" if tried else f"{'-':>10}"
        lines.append(f"{kind + ' ' + component:28}" + "".join(f"{counter[column]:11}" for column in columns) + share)
    left = survivors(mutants, rows)
    if left:
        lines.append("\nnoticed by no test:")
        for mutant in sorted(left, key=lambda m: m.name):
            lines.append(f"  {rows[mutant.key]['status']:9} " + listing([mutant]))
    known = [mutant for mutant in mutants if mutant.equivalent]
    if known:
        lines.append("\nequivalent:")
        lines += [f"  {mutant.name}: {mutant.equivalent}" for mutant in sorted(known, key=lambda m: m.name)]
    return "\n".join(lines)
