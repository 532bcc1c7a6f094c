"""A forked child must do nothing with a recording of its parent.

The child has the recorder's hooks and its Python objects; but the writing thread does not exist there, and its locks may be held.
So recorders register here what to do around a fork, by optional methods: `before_fork` waits until no thread writes,
`after_fork` continues in the parent, and `leave_to_parent` abandons in the child what it must not touch.
"""
import os
import sys
import weakref

_followed = weakref.WeakValueDictionary()


def follow(recording):
    """Calls the methods of `recording` around forks, until unfollow() or its end."""
    _followed[id(recording)] = recording


def unfollow(recording):
    _followed.pop(id(recording), None)


class Writing:
    """Pauses the native writer in `_writer` (or None) around a fork, in the parent."""

    def before_fork(self):
        if self._writer is not None:
            self._writer.before_fork()

    def after_fork(self):
        if self._writer is not None:
            self._writer.after_fork()


def say_left(path):
    """Prints one line in the child, when the recorded code first runs there."""
    # One write with its newline: several children share the stream.
    sys.stderr.write(f"assay: recording into {str(path)!r} ends in the child process {os.getpid()}: it goes on in its parent alone\n")
    sys.stderr.flush()


def _each(method):
    for reference in _followed.valuerefs():
        recording = reference()
        work = getattr(recording, method, None)
        if work is not None:
            work()


os.register_at_fork(
    before=lambda: _each("before_fork"), after_in_parent=lambda: _each("after_fork"), after_in_child=lambda: _each("leave_to_parent"),
)
