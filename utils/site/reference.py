"""The pages of the site's reference: one for each command from `--help`, one for each Python module from its stub and docstrings, one for each C
header, and the contents of folders."""
import ast
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "gates"))
import program_help  # noqa: E402

# Python modules: the public names, and the file that defines them.
PYTHON = {
    "assay": {"check": "checking", "run": "running", "load": "running", "time": "timing", "audit": "auditing", "equiv": "equivalence", "sweep": "sweeping",
              "Verdict": "verdict", "CheckFailed": "verdict", "Spec": "elements"},
    "assay.torch": {"PrecisionDebugger": "torch/debugger", "begin_dump": "torch/operators", "end_dump": "torch/operators"},
    "assay.torch.triggers": {"NotFinite": "torch/triggers", "Jump": "torch/triggers", "Against": "torch/triggers"},
    "assay.jax": {"record": "jax/recording"},
    "assay.tune": {"Predictor": "tune"},
}
HEADERS = {
    "assay_plugin.h": ("src/assay/engine", "A library of kernels as an engine: `--engine plugin:PATH`"),
    "assay_custom_call.h": ("src/assay/engine", "Custom calls of a program: `--custom-call NAME=PATH`"),
    "assay.h": ("src/assay/embed", "Programs inside a C program"),
    "assay.hpp": ("src/assay/embed", "The same in C++"),
    "assay_dispatch.h": ("src/assay/embed", "Products by the kernel that fits: C"),
    "assay_dispatch.hpp": ("src/assay/embed", "The same in C++"),
}


def pages(root, program):
    """{path in the site: Markdown} of all generated pages."""
    made = {"reference/python.md": _python(root), "reference/headers.md": _headers(root), 
            "drivers/index.md": _contents(root / "docs/drivers", "Drivers", "A driver reads a problem in benchdnn's syntax and builds the program that it means."),
            "tasks/index.md": _contents(root / "docs/tasks", "Tasks", "Each page begins with a problem and ends with an answer.")}
    for name, _ in program_help.listed(program_help.help_of(program)):
        made[f"reference/commands/{name}.md"] = _command(program, name)
    return made


def _block(text, kind="text"):
    return f"```{kind}\n{text.rstrip()}\n```\n"


def _command(program, name):
    text = program_help.help_of(program, name)
    parts = [f"# assay {name}\n", _block(text)]
    for inner, _ in program_help.subcommands(name, text):
        parts += [f"## assay {name} {inner}\n", _block(program_help.help_of(program, name, inner))]
    return "\n".join(parts)


def _python(root):
    parts = ["# Python\n", "Made of the package's docstrings.\n"]
    for module, names in PYTHON.items():
        parts.append(f"## {module}\n")
        for name, file in names.items():
            tree = ast.parse((root / f"python/assay/{file}.py").read_text())
            node = next(node for node in tree.body if getattr(node, "name", None) == name)
            parts += [f"### {module}.{name}\n", _block(_signature(node), "python"), _prose(node)]
            parts += _methods(node) if isinstance(node, ast.ClassDef) else []
    return "\n".join(parts)


def _signature(node):
    if isinstance(node, ast.ClassDef):
        start = next((item for item in node.body if isinstance(item, ast.FunctionDef) and item.name == "__init__"), None)
        return f"{node.name}({ast.unparse(start.args).removeprefix('self, ').removeprefix('self')})" if start else f"class {node.name}"
    returns = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    return f"{node.name}({ast.unparse(node.args)}){returns}"


def _prose(node):
    """A docstring with its original columns."""
    text = ast.get_docstring(node)
    return _block(text) if text else ""


def _methods(node):
    parts = []
    for item in node.body:
        if isinstance(item, ast.FunctionDef) and not item.name.startswith("_") and ast.get_docstring(item):
            arguments = ast.unparse(item.args).removeprefix("self, ").removeprefix("self")
            parts.append(f"- `{item.name}({arguments})`: {' '.join(ast.get_docstring(item).split())}\n")
    return parts


def _headers(root):
    parts = ["# C and C++\n"]
    for name, (folder, about) in HEADERS.items():
        parts += [f"## {name}\n", f"{about}.\n", _block((root / folder / name).read_text(), "c")]
    return "\n".join(parts)


def _contents(folder, title, intro):
    """A page that lists the pages of a folder by their headings."""
    parts = [f"# {title}\n", f"{intro}\n"]
    for path in sorted(folder.glob("*.md")):
        parts.append(f"- [{path.read_text().splitlines()[0].lstrip('# ')}]({path.name})")
    return "\n".join(parts) + "\n"
