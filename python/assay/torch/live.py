"""Watching a model without writing: triggers see its outputs and the values of observe(), and are checked at the end of each step."""
import fnmatch

from .hooks import Watch
from .session import say
from .tensors import leaves, reason


class Live:
    """The triggers of one recording. A trigger that fails is named and not called again; the model continues."""

    def __init__(self, triggers, after):
        self.triggers = list(triggers)
        self.after_firing = after
        self.fired = None  # the reason
        self.left = 0  # steps to record after that
        self._observed, self._asked, self._watch = {}, None, None

    def watch(self, model):
        patterns = [pattern for trigger in self.triggers for pattern in getattr(trigger, "modules", ())]
        wanted = [("", model)] if any(hasattr(trigger, "output") for trigger in self.triggers) else []
        wanted += [(path, module) for path, module in model.named_modules() if path and any(fnmatch.fnmatchcase(path, p) for p in patterns)]
        if wanted and self._watch is None:
            self._watch = Watch(wanted, self)

    def unwatch(self):
        if self._watch is not None:
            self._watch.remove()
            self._watch = None

    def observe(self, values):
        for name, value in values.items():
            self._observed[name] = value.detach() if hasattr(value, "detach") else value

    def ask(self, why):
        """Fires at the end of the step, whatever the triggers return."""
        self._asked = str(why)

    def tensor(self, step, name, content):
        self._each("tensor", step, name, content)

    def end_of_step(self):
        """Why a trigger fires, or None."""
        observed = {}
        for name, value in self._observed.items():
            try:
                observed[name] = float(value)
            except (TypeError, ValueError, RuntimeError) as error:
                say(f"observe({name}=…) is left out: {reason(error)}")
        self._observed = {}
        found, self._asked = self._asked, None
        for why in self._each("step", observed):
            found = found or why
        return found

    def _each(self, method, *values):
        answers = []
        for trigger in list(self.triggers):
            ask = getattr(trigger, method, None)
            if ask is None:
                continue
            try:
                answers.append(ask(*values))
            except Exception as error:  # whatever a user's trigger does, the model continues
                self.triggers.remove(trigger)
                say(f"trigger {type(trigger).__name__} failed and is not called again: {reason(error)}")
        return answers

    # Called by hooks.py.

    def before(self, path, module, args, kwargs):
        pass

    def after(self, path, module, output):
        for name, tensor in leaves(output):
            self._each("output", ".".join(part for part in (path, "output", name) if part), tensor.detach())
