"""Assay in Python: recording from PyTorch (`assay.torch`), the seed's command names (`assay.entry`).

No numerics live here: tensors go to the C++ writer as bytes, and every judgement is the program `assay`'s. The extension
module `_assay` lies beside this file in a build tree or an installed wheel; in a source checkout it is found in build/.
"""
import pathlib as _pathlib

__version__ = "0.1.0"

# A source checkout: let `assay._assay` come from the build tree.
for _preset in ("release", "debug"):
    _folder = _pathlib.Path(__file__).resolve().parents[2] / "build" / _preset / "python" / "assay"
    if _folder.is_dir() and str(_folder) not in __path__:
        __path__.append(str(_folder))
