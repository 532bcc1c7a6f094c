"""The score by file: how many faults of a file its tests were run on, and how many were killed. It is stored in test/mutants/score.csv, so that a
file keeps it when its text changes, when the journal of a working tree is gone, and when it moves to another folder (by its name, if no other file
has that name)."""
import csv
import io
import pathlib

COLUMNS = ("file", "tried", "killed", "date")


def read(path):
    """file -> its row; empty if there is no stored score."""
    if not path.exists():
        return {}
    return {row["file"]: {**row, "tried": int(row["tried"]), "killed": int(row["killed"])} for row in csv.DictReader(io.StringIO(path.read_text()))}


def of_journal(rows, date):
    """The same for trials, whether or not their faults can still be drawn."""
    score = {}
    for row in rows.values():
        if row["status"] in ("killed", "survived", "unreached"):
            one = score.setdefault(row["file"], {"file": row["file"], "tried": 0, "killed": 0, "date": date})
            one["tried"] += 1
            one["killed"] += row["status"] == "killed"
    return score


def merged(kept, fresh, files):
    """The stored rows under the current names of their files; files of a new run replace their old rows."""
    by_name = {}
    for file in files:
        by_name.setdefault(pathlib.PurePath(file).name, []).append(file)
    out = {}
    for file, row in kept.items():
        places = [file] if file in files else by_name.get(pathlib.PurePath(file).name, [])
        if len(places) == 1:
            out[places[0]] = {**row, "file": places[0]}
    out.update({file: row for file, row in fresh.items() if file in files})
    return dict(sorted(out.items()))


def write(path, score):
    out = io.StringIO()
    lines = csv.DictWriter(out, COLUMNS, lineterminator="\n")
    lines.writeheader()
    lines.writerows(score.values())
    path.write_text(out.getvalue())


def text(score, most=20):
    """All files together, then those with the most survivors."""
    tried, killed = sum(row["tried"] for row in score.values()), sum(row["killed"] for row in score.values())
    if not tried:
        return "no score is kept; --keep writes one after a run"
    lines = [f"score by file: {killed} of {tried} killed ({100 * killed / tried:.1f} %) in {len(score)} files; the files with most survivors:"]
    worst = sorted(score.values(), key=lambda row: (row["killed"] - row["tried"], row["file"]))
    return "\n".join(lines + [f"  {row['tried'] - row['killed']:3} of {row['tried']:3}  {row['file']} ({row['date']})" for row in worst[:most] if row["killed"] < row["tried"]])
