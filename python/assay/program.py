"""Finds and calls the program `assay`: ASSAY_BIN (a folder or the program), the wheel, the build tree of this checkout, PATH."""
import os
import pathlib
import shutil
import subprocess


def find():
    """The path of the program. Raises FileNotFoundError with advice."""
    named = os.environ.get("ASSAY_BIN")
    if named:
        path = pathlib.Path(named)
        path = path / "assay" if path.is_dir() else path
        if path.is_file():
            return str(path)
        raise FileNotFoundError(f"ASSAY_BIN names {named}, where no program 'assay' is")
    own = pathlib.Path(__file__).resolve().parent / "bin" / "assay"
    if own.is_file():
        return str(own)
    built = pathlib.Path(__file__).resolve().parents[2] / "build" / "release" / "bin" / "assay"
    if built.is_file():
        return str(built)
    found = shutil.which("assay")
    if found:
        return found
    raise FileNotFoundError("the program 'assay' is neither on PATH nor built; set ASSAY_BIN or run ./dev build")


def call(*arguments, **options):
    """Runs `assay ARGUMENTS` and returns its exit code; options go to subprocess.run."""
    return subprocess.run([find(), *map(str, arguments)], **options).returncode
