"""Assay in Python: `assay.check` judges any kernel; `assay.run` runs a StableHLO program; recording from PyTorch (`assay.torch`); xray's command names
(`assay.entry`).

    verdict = assay.check(kernel, reference, assay.f32[128, 512], assay.f32[512, 64])
    verdict.raise_for_status()

This package does no numerics: tensors are passed to the C++ writer as bytes, and the program `assay` makes every judgement. The extension
module `_assay` is beside this file in a build tree or an installed wheel; in a source checkout it is found in build/.
"""
import pathlib as _pathlib

__version__ = "0.1.0"

# In a source checkout, `assay._assay` comes from the build tree.
for _preset in ("release", "debug"):
    _folder = _pathlib.Path(__file__).resolve().parents[2] / "build" / _preset / "python" / "assay"
    if _folder.is_dir() and str(_folder) not in __path__:
        __path__.append(str(_folder))

# Names that are imported at their first use: `import assay` itself needs neither NumPy nor the extension module.
_LAZY = {
    "check": "checking",
    "audit": "auditing",
    "equiv": "equivalence",
    "sweep": "sweeping",
    "load": "running",
    "run": "running",
    "time": "timing",
    "Verdict": "verdict",
    "CheckFailed": "verdict",
    "Spec": "elements",
}


def __getattr__(name):
    import importlib

    if name in _LAZY:
        return getattr(importlib.import_module(f".{_LAZY[name]}", __name__), name)
    if name == "torch":
        return importlib.import_module(".torch", __name__)
    if not name.startswith("_"):
        try:
            elements = importlib.import_module(".elements", __name__)
        except ImportError as error:
            raise AttributeError(f"assay.{name} needs NumPy (pip install numpy): {error}") from None
        known = elements.in_words(name)
        if known in elements.NAMES:
            return elements.Element(known)
        if name in elements.WORDS:
            raise AttributeError(f"module 'assay' has no attribute '{name}'; the element type is assay.{elements.WORDS[name]}")
        if name[-1].isdigit():
            raise AttributeError(f"module 'assay' has no attribute '{name}'; the element types are {', '.join(elements.NAMES)}")
    raise AttributeError(f"module 'assay' has no attribute '{name}'")


def __dir__():
    return sorted({*(name for name in globals() if not name.startswith("_")), "__version__", *_LAZY, *_element_names()})


def _element_names():
    """The element types; none without NumPy."""
    import importlib

    try:
        return importlib.import_module(".elements", __name__).NAMES
    except ImportError:
        return ()
