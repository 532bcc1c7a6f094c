"""The copy of the project that contains the mutants: build/mutants/tree, with its own build directory."""
import json
import os
import re
import subprocess

import draw
import launcher
import patches
from weave import Woven

_COPIED = ("src", "tools", "test", "python", "cmake", "examples", "inputs", "models", "fuzz", "benchmark", "utils",
           "docs", "CMakeLists.txt", "CMakePresets.json", "CONTRIBUTING.md", "README.md")
_ERROR = re.compile(r"^(?P<file>[^\s:][^:\n]*):(?P<line>\d+):(?P<column>\d+):\s+(?P<what>error|required from|  required|note)", re.M)


def files(root):
    """The project's files as git lists them, including new ones."""
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "--", *_COPIED], cwd=root, check=True, capture_output=True, text=True)
    return sorted(line for line in listed.stdout.split("\n") if line and (root / line).is_file())


def _write(path, data):
    """Writes a file only if it differs, so that nothing is built twice."""
    if not path.exists() or path.read_bytes() != data:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        return True
    return False


class Tree:
    def __init__(self, root):
        self.root = root
        self.home = root / "build" / "mutants"
        self.tree = self.home / "tree"
        self.build = self.tree / "build" / "release"
        self.home.mkdir(parents=True, exist_ok=True)
        self.state = self._load("state.json", {"numbers": {}, "forms": {}, "dropped": {}})
        self.built = set(self.state.get("woven", []))  # the mutants of the last build

    def _load(self, name, default):
        path = self.home / name
        return json.loads(path.read_text()) if path.exists() else default

    def save(self):
        (self.home / "state.json").write_text(json.dumps(self.state, indent=0))

    def collect(self, seed, count):
        """All mutants: those of test/mutants and `count` drawn ones, without those that do not compile. Also the files that are not patches."""
        found, bad = [], []
        for path in sorted((self.root / "test" / "mutants").glob("*.patch")):
            try:
                mutant = patches.load(path, self.root, "expression")
                form = self.state["forms"].get(mutant.key, "expression")
                if form != "expression":
                    mutant = patches.load(path, self.root, form)
                found.append(mutant)
            except patches.BadPatch as problem:
                bad.append(str(problem))
        sources = {path: (self.root / path).read_text() for path in files(self.root)
                   if re.match(r"src/.*\.cpp$", path) and not path.endswith("Test.cpp")}
        drawn = draw.draw(sources, seed, count + count // 2)
        equivalent = self.equivalents()
        for mutant in drawn:
            mutant.equivalent = equivalent.get(mutant.key, "")
        found += [mutant for mutant in drawn if mutant.key not in self.state["dropped"]][:count]
        numbers = self.state["numbers"]
        for mutant in found:
            mutant.number = numbers.setdefault(mutant.key, len(numbers) + 1)
        self.everything = found
        return found, bad

    def equivalents(self):
        """test/mutants/equivalent.txt: `KEY reason` for a mechanical mutant that nothing can notice."""
        path = self.root / "test" / "mutants" / "equivalent.txt"
        lines = path.read_text().split("\n") if path.exists() else []
        return dict(line.split(None, 1) for line in lines if line.strip() and not line.startswith("#"))

    def copy(self, mutants):
        """Updates the copy to the project, with the mutants woven in; returns the woven files by their path."""
        by_file, woven = {}, {}
        for mutant in mutants:
            if mutant.form != "rebuild":
                by_file.setdefault(mutant.file, []).append(mutant)
        present = set()
        for path in files(self.root):
            data = (self.root / path).read_bytes()
            if path in by_file:
                # Files without mutants also include the headers, but the launcher gives these files no include folder.
                folder = f"{self.home}/include/" if path.endswith((".h", ".inc")) else ""
                woven[path] = Woven(data.decode(), by_file[path], f"{folder}assay_mutants.h")
                data = woven[path].text.encode()
            _write(self.tree / path, data)
            os.chmod(self.tree / path, (self.root / path).stat().st_mode)
            present.add(path)
        _write(self.home / "include" / "assay_mutants.h", (self.root / "utils" / "mutants" / "assay_mutants.h").read_bytes())
        for folder in _COPIED:
            for stale in (self.tree / folder).rglob("*"):
                if stale.is_file() and "__pycache__" not in stale.parts and str(stale.relative_to(self.tree)) not in present:
                    stale.unlink()
        for link in (".venv",):
            if (self.root / link).exists() and not (self.tree / link).exists():
                (self.tree / link).symlink_to((self.root / link).resolve())
        return woven

    def _environment(self):
        return dict(os.environ, CCACHE_BASEDIR=os.environ.get("CCACHE_BASEDIR", str(self.tree)), CCACHE_NOHASHDIR="1")

    def configure(self):
        program = launcher.write(self.home)
        if (self.build / "build.ninja").exists():
            return
        options = [f"-DCCACHE_PROGRAM={program}"]
        if (self.tree / ".venv").exists():
            options += ["-DASSAY_PYTHON=ON", f"-DPython_EXECUTABLE={self.tree}/.venv/bin/python"]
        with open(self.home / "configure.log", "w") as out:
            subprocess.run(["cmake", "--preset", "release", *options], cwd=self.tree, env=self._environment(), check=True, stdout=out, stderr=out)

    def ninja(self, log, targets=()):
        with open(log, "w") as out:
            jobs = os.environ.get("DEV_JOBS", str(os.cpu_count()))
            return subprocess.run(["ninja", "-k", "0", "-j", jobs, "-C", str(self.build), *targets], env=self._environment(),
                                  stdout=out, stderr=out).returncode == 0

    def _blame(self, text, woven):
        """The mutants that the compiler's errors point at, and the files that failed for another reason."""
        guilty, failed = {}, set()
        for match in _ERROR.finditer(text):
            path = os.path.normpath(os.path.join(self.build, match["file"]))
            path = os.path.relpath(path, self.tree)
            if path not in woven:
                continue
            if match["what"] == "error":
                failed.add(path)
                for mutant in woven[path].blamed(int(match["line"]), int(match["column"])):
                    guilty[mutant.key] = mutant
        # An error inside a header, caused by an instantiation: ninja names the unit that failed.
        for unit in re.findall(r"^FAILED: .*?CMakeFiles/\S+?\.dir/(\S+)\.o", text, re.M):
            for path in woven:
                if path.endswith("/" + unit) and not any(m.file == path for m in guilty.values()):
                    failed.add(path)
                    for match in _ERROR.finditer(text):
                        if os.path.relpath(os.path.normpath(os.path.join(self.build, match["file"])), self.tree) == path:
                            for mutant in woven[path].blamed(int(match["line"]), int(match["column"])):
                                guilty[mutant.key] = mutant
        silent = {path for path in failed if not any(mutant.file == path for mutant in guilty.values())}
        return guilty, silent

    def prepare(self, collect, targets, say):
        """Copies, weaves and builds until everything compiles; returns the remaining mutants, and bad patches."""
        for attempt in range(1, 12):
            mutants, bad = collect()
            self.save()  # the numbers: after an interruption the next build uses the same text
            woven = self.copy(self._with_built(mutants))
            for path in woven:
                for mutant in woven[path].left_out:
                    self._refuse(mutant, "overlaps another mutant")
            if any(woven[path].left_out for path in woven):
                self.save()
                continue
            say(f"build {attempt}: {len(mutants)} mutants in {len(woven)} files")
            log = self.home / "build.log"
            self.configure()
            if self.ninja(log, targets):
                self.state["woven"] = [mutant.key for path in woven for _, _, mutant in woven[path].places]
                self.save()
                return mutants, bad
            guilty, silent = self._blame(log.read_text(errors="replace"), woven)
            for path in silent:
                guilty.update({mutant.key: mutant for _, _, mutant in woven[path].places})
            if not guilty:
                raise RuntimeError(f"the copy does not build, and no mutant is to blame; the log is {log}")
            for mutant in guilty.values():
                self._refuse(mutant, "does not compile")
            say(f"  {len(guilty)} mutants do not compile as they stand")
            self.save()
        raise RuntimeError("the copy does not build after 11 attempts")

    def _with_built(self, mutants):
        """The mutants and also those of the last build, so that a choice of a few changes no other file."""
        chosen = {mutant.key for mutant in mutants}
        return mutants + [mutant for mutant in self.everything if mutant.key in self.built - chosen]

    def _refuse(self, mutant, why):
        if mutant.mechanical:
            self.state["dropped"][mutant.key] = f"{mutant.name}: {why}"
        else:
            self.state["forms"][mutant.key] = patches.FORMS[patches.FORMS.index(mutant.form) + 1]
