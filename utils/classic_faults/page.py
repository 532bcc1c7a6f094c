"""docs/classic_faults.md and its table, made from the results for each row."""
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "utils/site"))
import site_tables  # noqa: E402

PAGE, TABLE = ROOT / "docs/classic_faults.md", ROOT / "docs/tables/classic_faults.json"


def write(rows, found, missed, seconds):
    """`seconds`: for the right kernels, by default and on exact and normal data only. `found`: {"check": assay.check's result for each row,
    "verify": ...}; `missed`: {(key, command): why}."""
    faults = [i for i, row in enumerate(rows) if not row.is_right]
    caught = {name: sum(found[name][i][0] == "FAILED" for i in faults) for name in found}
    lines = [
        "# Classic faults and the data that show them",
        "",
        "Made by `python utils/classic_faults --verify --write`. Each row is a kernel with one fault that kernels of this kind have had, before",
        "`assay.check` and `assay verify` without options. A cell says on which kind of default data ([verify.md](verify.md#data)) it failed first;",
        "**missed** stands where it passed, with the reason in the last column.",
        "",
        f"{len(faults)} faults: `assay.check` finds {caught['check']}, `assay verify` {caught['verify']}. All {len(rows) - len(faults)} right kernels of the same operations pass.",
        "",
        f"The right kernels take `assay.check` {seconds[0]:.2f} s by default, {seconds[0] / seconds[1]:.2f} times the {seconds[1]:.2f} s on exact and normal data alone (the least of three runs of each).",
        "",
        "[Every fault with what found it](tables/classic_faults.json)",
    ]
    PAGE.write_text("\n".join(lines) + "\n")
    site_tables.write(TABLE, ["operation", "fault", *found, "why it is missed"], [_cells(rows[i], {name: found[name][i] for name in found}, missed) for i in faults])


def _cells(row, said, missed):
    why = {missed.get((row.key, name), "") for name, (status, _, _) in said.items() if status == "PASSED"}
    return [row.operation.name, row.fault, *map(_answer, said.values()), "; ".join(sorted(why))]


def _answer(said):
    status, data, _ = said
    return (data or "found") if status == "FAILED" else "**missed**" if status == "PASSED" else status
