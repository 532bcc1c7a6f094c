"""docs/classic_faults.md and its table from what was said of each row."""
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "utils/site"))
import site_tables  # noqa: E402

PAGE, TABLE = ROOT / "docs/classic_faults.md", ROOT / "docs/tables/classic_faults.json"


def write(rows, found):
    faults = [i for i, row in enumerate(rows) if not row.is_right]
    names = [name for name in found if not name.startswith("verify")]
    caught = {name: sum(found[name][i][0] == "FAILED" for i in faults) for name in names}
    lines = [
        "# Classic faults and the data that show them",
        "",
        "Made by `python utils/classic_faults --write`. Each row is a kernel with one fault that kernels of this kind have had, before",
        "`assay.check`: with default data, and with `fill=(\"exact\", \"normal\", \"range\")` ([verify.md](verify.md#data)). A cell says on which kind of",
        "data it failed first; **missed** is what is still to be done, mostly NaN and infinities, which `--fill=special` asks for in some operations.",
        "",
        f"{len(faults)} faults: {caught['default']} are found by default, {caught['with range']} with range data. All {len(rows) - len(faults)} right kernels of the same operations pass.",
        "",
        "[Every fault with what found it](tables/classic_faults.json)",
    ]
    PAGE.write_text("\n".join(lines) + "\n")
    site_tables.write(TABLE, ["operation", "fault", *names],
                      [[rows[i].operation.name, rows[i].fault, *(_answer(found[name][i]) for name in names)] for i in faults])


def _answer(said):
    status, data, _ = said
    return (data or "found") if status == "FAILED" else "**missed**" if status == "PASSED" else status
