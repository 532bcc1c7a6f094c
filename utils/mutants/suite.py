"""The tests of the copy: ctest's list, with unit programs split into their suites and lit suites into their files. Also how to run one, and which
mutants it reaches."""
import dataclasses
import hashlib
import json
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import tempfile
import time

# Tests of the source tree itself: they run no program of Assay.
_NOT_PROGRAMS = {"golden.registry", "golden.file_lengths", "golden.arrows", "golden.install", "golden.performance_page", "golden.words", "golden.calibration"}
_MEMORY_BYTES = 12 << 30  # of private memory: an absurd size, made by a mutant, fails instead of filling the machine
_FILE_BYTES = 2 << 30


@dataclasses.dataclass
class Test:
    name: str
    command: list
    folder: str
    environment: dict
    stamp: str  # of its text: when it changes, the lines that it reaches are measured again
    seconds: float = 0.0
    passes: bool = True
    reached: frozenset = frozenset()  # numbers of mutants
    known: frozenset = frozenset()  # numbers of the mutants that took part in the measurement


def _digest(paths):
    digest = hashlib.sha256()
    for path in paths:
        digest.update(pathlib.Path(path).read_bytes())
    return digest.hexdigest()[:16]


def _unit_sources(tree, name):
    """The GoogleTest files of a program: those below the CMakeLists of its component."""
    for lists in (tree / "src").rglob("CMakeLists.txt"):
        if f"assay_component({name[5:]}\n" in lists.read_text():
            return sorted(lists.parent.rglob("*Test.cpp"))
    return sorted((tree / "src").rglob("*Test.cpp"))


def _suites(command):
    """The suites of a GoogleTest program: each can be run on a mutant without the others."""
    if not os.path.exists(command[0]):
        return []
    shown = subprocess.run([command[0], "--gtest_list_tests"], check=True, capture_output=True, text=True).stdout
    return [line.split(".  #")[0].strip().removesuffix(".") for line in shown.split("\n") if line and not line.startswith(" ") and line.split("  #")[0].endswith(".")]


def list_tests(tree, build):
    shown = subprocess.run(["ctest", "--test-dir", str(build), "--show-only=json-v1"], check=True, capture_output=True, text=True)
    tests = []
    for entry in json.loads(shown.stdout)["tests"]:
        name = entry["name"]
        if name in _NOT_PROGRAMS or not entry.get("command"):
            continue
        if entry["command"][0].endswith("/own_folders"):  # a trial has its own folders anyway, without the kernels of another
            entry["command"] = entry["command"][3:]
        properties = {item["name"]: item["value"] for item in entry.get("properties", [])}
        environment = dict(line.split("=", 1) for line in properties.get("ENVIRONMENT", []))
        folder = properties.get("WORKING_DIRECTORY", str(build))
        if name.startswith("lit."):
            suite = name[4:]
            for file in sorted((tree / "test" / suite).rglob("*")):
                if file.suffix in (".mlir", ".test") and "Inputs" not in file.parts and "RUN:" in file.read_text(errors="replace"):
                    inner = file.relative_to(tree / "test")
                    tests.append(Test(f"lit.{inner}", [*entry["command"][:-1], str(build / "test" / inner)], folder, environment,
                                      _digest([tree / "test" / "lit.cfg.py", file])))
            continue
        data = [word for word in entry["command"] if word.endswith((".py", ".npz", ".mlir")) and os.path.exists(os.path.join(folder, word))]
        stamp = _digest(os.path.join(folder, word) for word in data)
        if name.startswith("unit.") and entry["command"][0].endswith("_tests"):  # others are not GoogleTest programs
            stamp = _digest(_unit_sources(tree, name))
            tests += [Test(f"{name}/{suite}", [*entry["command"], f"--gtest_filter={suite}.*"], folder, environment, stamp)
                      for suite in _suites(entry["command"])]
            continue
        tests.append(Test(name, entry["command"], folder, environment, stamp))
    return tests


def _limits():
    os.setsid()
    resource.setrlimit(resource.RLIMIT_DATA, (_MEMORY_BYTES, _MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_FSIZE, (_FILE_BYTES, _FILE_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _namespace():
    """A separate process namespace if the system allows it: no signal of a mutant leaves it, and no process outlives it."""
    wrap = ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc"]
    tried = shutil.which("unshare") and subprocess.run([*wrap, "true"], capture_output=True).returncode == 0
    return wrap if tried else []


_WRAP = None


def run(command, folder, environment, limit_s, scratch):
    """(how it ended, seconds): `passed`, `failed`, `hangs`. Caches and temporary files are below `scratch` and are deleted with it."""
    global _WRAP
    if _WRAP is None:
        _WRAP = _namespace()
    home = tempfile.mkdtemp(dir=scratch)
    for name in ("tmp", "cache"):
        os.mkdir(os.path.join(home, name))
    full = dict(os.environ, **environment, TMPDIR=home + "/tmp", XDG_CACHE_HOME=home + "/cache", ASSAY_CACHE_DIR=home + "/cache/assay")
    started = time.monotonic()
    child = subprocess.Popen([*_WRAP, *command], cwd=folder, env=full, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, preexec_fn=_limits, text=True, errors="replace")
    try:
        output, _ = child.communicate(timeout=limit_s)
        how = "passed" if child.returncode == 0 else "failed"
    except subprocess.TimeoutExpired:
        os.killpg(child.pid, signal.SIGKILL)
        output, _ = child.communicate()
        how = "hangs"
    finally:
        shutil.rmtree(home, ignore_errors=True)
    return how, time.monotonic() - started, output


class Suite:
    """The tests with their measurements, stored in build/mutants/tests.json."""

    def __init__(self, tree):
        self.home = tree.home
        self.scratch = str(tree.home / "scratch")
        os.makedirs(self.scratch, exist_ok=True)
        self.build = tree.build
        self.tests = list_tests(tree.tree, tree.build)
        path = self.home / "tests.json"
        self.others = json.loads(path.read_text()) if path.exists() else {}
        for test in self.tests:
            entry = self.others.get(test.name)
            if entry and entry["stamp"] == test.stamp:
                test.seconds, test.passes = entry["seconds"], entry["passes"]
                test.known, test.reached = frozenset(entry["known"]), frozenset(entry["reached"])

    def save(self):
        self.others.update({test.name: {"stamp": test.stamp, "seconds": test.seconds, "passes": test.passes, "known": sorted(test.known),
                                        "reached": sorted(test.reached)} for test in self.tests if test.known})
        (self.home / "tests.json").write_text(json.dumps(self.others))

    def measure(self, mutants, say):
        """Runs every test once without a mutant: whether it passes, how long it takes, and the mutants that it reaches. Results of an earlier run
        remain valid as long as the test's text and the mutants are the same."""
        newest = {mutant.number for mutant in mutants if mutant.form != "rebuild"}
        todo = [test for test in self.tests if not newest <= test.known]
        size = max(newest, default=0) + 1
        files = {mutant.number: mutant.file for mutant in mutants}
        for done, test in enumerate(todo):
            marks = self.home / "marks"
            marks.write_bytes(bytes(size))
            environment = {**test.environment, "ASSAY_MUTANT_REACH": str(marks)}
            how, test.seconds, output = run(test.command, test.folder, environment, 900, self.scratch)
            test.passes = how == "passed"
            raw = marks.read_bytes()
            test.reached = (test.reached - newest) | {number for number in newest if raw[number]}
            test.known = test.known | newest
            if not test.passes:
                say(f"  {test.name} {how} without a mutant and is left out:\n{output[-600:]}")
            if done % 20 == 19:
                self.save()
                say(f"  measured {done + 1} of {len(todo)} tests")
        self.save()

    def reaching(self, mutant):
        """The tests that can notice the mutant: unit programs of the component, those that the patch names, then the quick ones."""
        chosen = [test for test in self.tests if test.passes and (mutant.form == "rebuild" or mutant.number in test.reached)]
        folders = {folder.rstrip("s") for folder in mutant.file.split("/")[2:-1]}

        def order(test):
            unit, named = test.name.startswith("unit."), names(mutant, test)
            own = unit and test.name[5:].split("/")[0].rstrip("s") in folders
            return (not (unit and (own or named)), not named, test.name.startswith(("python.", "diff.")), test.seconds)

        return sorted(chosen, key=order)


def names(mutant, test):
    """Whether the patch's head names the test."""
    return any(test.name.startswith(word) for word in mutant.tests)
