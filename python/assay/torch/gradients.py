"""The share of a module's call in the gradients of its inputs, without extra nodes in the autograd graph.

A tensor that several modules read has one gradient, the sum over all of them. A call's share is the sum over the nodes that
read the tensor and were made during the call: their sequence numbers are between those at its begin and its end. They are
found by walking from the outputs of each call back to its begin, every node once, and are watched by hooks that run after
them. So autograd runs the same nodes as without a recording, adds in the same order, and a tensor that is passed twice
stays one tensor. Nodes are numbered thread by thread: each thread that calls modules has its own Shares, and backward passes may
run in any thread.
"""
import functools
import os
import threading

import torch

_lock = threading.RLock()  # guards sums that several threads may add to


def _new_lock():
    global _lock
    _lock = threading.RLock()


os.register_at_fork(after_in_child=_new_lock)  # the thread that held it does not exist in the child


class _Call:
    """One call of a module: where it begins, ends, and what its inputs' gradients are called."""

    __slots__ = ("begin", "end", "edges", "sources", "frontier")

    def __init__(self, edges):
        self.edges = edges  # {(node, output number): name}
        self.sources = {node for node, _ in edges}  # may be nodes of another thread: their numbers mean nothing
        self.begin = torch.autograd._get_sequence_nr()
        self.end = None
        self.frontier = set()  # nodes from before an inner call that the inner call reads


class Shares:
    """The shares of one step in one thread. `put(name, gradient)` is called when a share is complete, `failed(name, error)` instead of
    raising. Their sums are operators of the trace, so that a search can follow them."""

    def __init__(self, put, failed):
        self._put, self._failed = put, failed
        self._calls, self._consumers, self._seen = [], {}, set()
        self._read_inside = []  # (call, edge, name, tensor): outputs that their own module reads
        self._open = {}  # backward pass -> its shares that are not complete

    def enter(self, inputs, prefix):
        """Begins a call, with [(name, tensor)]: a tensor that is given more than once counts under its first name."""
        edges = {}
        for name, tensor in inputs:
            if tensor.requires_grad:
                edge = _edge(tensor)
                edges.setdefault(edge, f"{prefix}.{name}")
                self._consumers.setdefault(edge, [])  # other edges are not read
        return _Call(edges)

    def leave(self, call, outputs, outer):
        """Ends a call, with [(name of its gradient, tensor)]. `outer` is the call around it, None for the outermost one: then the hooks are set.

        Returns the names of the outputs that the call reads itself (an LSTM cell computes its output from its state): the gradient of
        such an output includes the call's own part, but the call receives only the share from outside.
        """
        call.end = torch.autograd._get_sequence_nr()
        made = [(name, tensor) for name, tensor in outputs if tensor.grad_fn is not None]
        edges = [(_edge(tensor), name, tensor) for name, tensor in made] if outer is not None and len(made) > 1 else []
        for edge, _, _ in edges:
            self._consumers.setdefault(edge, [])
        left = self._walk(call, [tensor.grad_fn for _, tensor in made])
        inside = [item for item in edges if any(call.begin <= consumer[0] < call.end for consumer in self._consumers[item[0]])]
        self._read_inside += [(call, *item) for item in inside]
        if call.edges:
            self._calls.append(call)
        if outer is not None:
            outer.frontier |= left
            return [name for _, name, _ in inside]
        for done in self._calls:
            for edge, name in done.edges.items():
                self._watch(name, [c for c in self._consumers[edge] if done.begin <= c[0] < done.end])
        given = {_edge(tensor) for _, tensor in made}
        for done, edge, name, tensor in self._read_inside:
            if edge in given:  # read by the caller of the model
                tensor.register_hook(functools.partial(self._put, name))
            else:
                self._watch(name, [c for c in self._consumers[edge] if not done.begin <= c[0] < done.end])
        self._calls, self._consumers, self._seen, self._read_inside = [], {}, set(), []  # nothing keeps the graph alive
        return []

    def _walk(self, call, roots):
        """Notes which nodes of the call read which others; returns the nodes from before the call."""
        todo, left = roots + list(call.frontier), set()
        while todo:
            node = todo.pop()
            if node in self._seen:
                continue
            number = node._sequence_nr()
            if number < call.begin or node in call.sources:
                left.add(node)
                continue
            self._seen.add(node)
            for at, edge in enumerate(node.next_functions):
                consumers = self._consumers.get(edge)
                if consumers is not None:
                    consumers.append((number, node, at))
                source = edge[0]
                if source is not None and type(source).__name__ != "AccumulateGrad":  # AccumulateGrad reads nothing
                    todo.append(source)
        return left

    def _watch(self, name, consumers):
        nodes = {}
        for _, node, at in consumers:
            nodes.setdefault(node, []).append(at)
        share = _Share(name, len(nodes))
        for node, places in nodes.items():
            node.register_hook(self._hook(share, places))

    def _hook(self, share, places):
        if share.count == len(places) == 1:
            (at,) = places

            def hook(gradients, _):
                if gradients[at] is not None:
                    self._put(share.name, gradients[at])

            return hook

        def hook(gradients, _):
            if torch.compiler.is_compiling():
                return
            try:
                self._add(share, [gradients[at] for at in places])
            except Exception as error:  # the model's backward pass must continue
                self._failed(share.name, error)

        return hook

    def _add(self, share, gradients):
        task = torch._C._current_graph_task_id()
        with _lock, torch.no_grad():
            share.left -= 1
            for gradient in gradients:
                if gradient is not None:
                    share.sum = gradient if share.sum is None else share.sum + gradient
            if share.left > 0:
                if task not in self._open:  # a backward pass need not run all of the nodes
                    self._open[task] = set()
                    torch.autograd.Variable._execution_engine.queue_callback(functools.partial(self._flush, task))
                self._open[task].add(share)
                return
        self._emit(share, task)

    def _flush(self, task):
        for share in list(self._open.get(task, ())):
            self._emit(share, task)
        self._open.pop(task, None)

    def _emit(self, share, task):
        with _lock:
            self._open.get(task, set()).discard(share)
            total, share.sum, share.left = share.sum, None, share.count
        if total is not None:
            self._put(share.name, total)


class _Share:
    __slots__ = ("name", "count", "left", "sum")

    def __init__(self, name, count):
        self.name, self.count, self.left, self.sum = name, count, count, None


def _edge(tensor):
    """(node, output number) at which the gradient of a tensor arrives."""
    if tensor.grad_fn is not None:
        return tensor.grad_fn, tensor.output_nr
    edge = torch.autograd.graph.get_gradient_edge(tensor)
    return edge.node, edge.output_nr
