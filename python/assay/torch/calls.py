"""The calls of one step, thread by thread: a thread has its own stack of calls and its own shares of gradients (nodes of the
autograd graph are numbered thread by thread too); a module's calls are numbered once for all threads."""
import itertools
import threading


class _Thread:
    """The open calls of one thread."""

    __slots__ = ("stack", "shares", "mode")

    def __init__(self, shares):
        self.stack = []  # (path, call's number, its part in `shares` or None)
        self.shares = shares
        self.mode = None  # records the operators of this thread during its outermost call


class Calls:
    """`shares` makes a thread's Shares; `earlier` are the calls of the same step before a pause."""

    def __init__(self, shares, earlier=None):
        self._shares, self._threads = shares, threading.local()
        self._numbers = earlier._numbers if earlier is not None else {}

    def here(self):
        """The state of the calling thread."""
        try:
            return self._threads.state
        except AttributeError:
            state = self._threads.state = _Thread(self._shares())
            return state

    def number(self, path):
        """The number of the next call of a module; no two threads get the same."""
        numbers = self._numbers.get(path)
        if numbers is None:
            numbers = self._numbers.setdefault(path, itertools.count())
        return next(numbers)
