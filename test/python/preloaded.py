"""Python programs of the tests, each a process forked from a server that has PyTorch (or what `load` names) loaded: a start takes
hundredths of a second instead of two seconds of a core. A test of the start or the death of an interpreter needs its own (subprocess)."""
import atexit
import ctypes
import multiprocessing
import os
import pathlib
import runpy
import socket
import subprocess
import sys
import tempfile
import threading

_FORKS = multiprocessing.get_context("forkserver")


def load(*modules):
    """What the server has loaded; before the first program of a test's file."""
    _FORKS.set_forkserver_preload(list(modules))


load("torch", "torch.distributed", "torch.distributed.fsdp", "torch.distributed.tensor.parallel", "h5py", "assay.torch")


def _interpret(words, cwd, env, said):
    """Runs in the forked process: does the same as `python WORDS`, with its output in files."""
    os.environ.clear()
    os.environ.update(env)
    if "jax" in sys.modules:  # it read its variables when it was loaded
        for name in env:
            if name.startswith("JAX_"):
                sys.modules["jax"].config.update(name.lower(), env[name] or None)
    if cwd is not None:
        os.chdir(cwd)
    for descriptor, path in zip((1, 2), said, strict=True):
        os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND), descriptor)
    first, *rest = words
    code = 1
    try:
        if first == "-c":
            sys.argv, sys.path[0] = ["-c", *rest[1:]], ""
            exec(compile(rest[0], "<string>", "exec"), {"__name__": "__main__"})
        elif first == "-m":
            sys.argv, sys.path[0] = rest, os.getcwd()
            runpy.run_module(rest[0], run_name="__main__", alter_sys=True)
        else:
            sys.argv, sys.path[0] = words, str(pathlib.Path(first).parent)
            runpy.run_path(first, run_name="__main__")
        code = 0
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 0 if end.code is None else print(end.code, file=sys.stderr) or 1
    except BaseException:
        sys.excepthook(*sys.exc_info())
    threading._shutdown()
    atexit._run_exitfuncs()
    sys.stdout.flush()
    if "jax" in sys.modules:
        ctypes.PyDLL(None).exit(code)  # the plugin reports when its library ends; a forked process of multiprocessing leaves that out, too
    sys.exit(code)


class Python:
    """A started program; `communicate` as subprocess.Popen's, of text."""

    def __init__(self, *words, cwd=None, env=None):
        self._folder = tempfile.TemporaryDirectory()
        self._said = [os.path.join(self._folder.name, name) for name in ("stdout", "stderr")]
        full = {name: str(value) for name, value in (os.environ if env is None else env).items()}
        self._process = _FORKS.Process(target=_interpret, args=([str(word) for word in words], cwd and str(cwd), full, self._said))
        self._process.start()
        self.pid = self._process.pid

    @property
    def returncode(self):
        return self._process.exitcode

    def said(self):
        """Its standard output up to now."""
        return pathlib.Path(self._said[0]).read_text() if os.path.exists(self._said[0]) else ""

    def kill(self):
        self._process.kill()
        self._process.join()

    def communicate(self, timeout):
        self._process.join(timeout)
        if self._process.exitcode is None:
            self._process.kill()
            self._process.join()
            raise subprocess.TimeoutExpired("python", timeout)
        texts = [self.said(), pathlib.Path(self._said[1]).read_text() if os.path.exists(self._said[1]) else ""]
        self._folder.cleanup()
        return texts


def run(*words, cwd=None, env=None, timeout=600):
    """subprocess.run of `python WORDS`, its output captured as text."""
    started = Python(*words, cwd=cwd, env=env)
    out, err = started.communicate(timeout)
    return subprocess.CompletedProcess(words, started.returncode, out, err)


def ranks(count, worker, kind, folder, *words):
    """`python WORKER KIND RANK PORT FOLDER WORDS` in `count` processes, which meet at a free port; all must succeed."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    started = [Python(worker, kind, rank, port, folder, *words) for rank in range(count)]
    for rank in started:
        _, said = rank.communicate(timeout=600)
        assert rank.returncode == 0, said[-3000:]
