"""Control flow of PyTorch's graphs: branches, loops and graphs inside a graph.

Each becomes a private function of its operands. A graph inside it is a function too, which regions call:

    cond(p, t, f, xs)              stablehlo.if, with a call of t and one of f
    while_loop(c, b, carried, ys)  stablehlo.while over the carried values; ys are read from outside
    scan(f, init, xs, ys)          stablehlo.while over a count, the carry and the results; each iteration reads a slice of each of xs
    map_impl(f, xs, ys)            the same without a carry
    associative_scan(f, xs, ys)    the same, where the carry is the previous result
    invoke_subgraph, and regions with a setting of autocast or of gradients: a call

A number among the operands is known when the graph is written: a graph with open sizes has a program for each of them. Numbers that
a loop changes are tensors inside it (carried_numbers.py).
"""
import torch
from torch._ops import HigherOrderOperator
from torch.fx import Node

from .. import arrays
from ..elements import mlir_type
from . import carried_numbers, decompositions

_REGIONS = {"invoke_subgraph": 0, "wrap_with_set_grad_enabled": 1, "wrap_with_autocast": 4}  # the number of the argument that is the graph


def has_program(target):
    return isinstance(target, HigherOrderOperator) and (target.name() in _BODIES or target.name() in _REGIONS)


class Value:
    """A tensor inside the function: its name, and a tensor without data that has its type. A number has no name."""

    def __init__(self, name, like):
        self.name, self.like = name, like

    @property
    def kind(self):
        return mlir_type(arrays.dtype_of(self.like), [int(size) for size in self.like.shape])


class Function:
    """Writes the private function of a call line by line. `results`: a Value for each result of the call."""

    def __init__(self, composer, node):
        self.composer, self.node, self.lines, self.operands, self.count = composer, node, [], [], 0
        name = node.target.name()
        self.results = _BODIES[name](self, *node.args) if name in _BODIES else self._region(_REGIONS[name])
        self.made = [i for i, one in enumerate(self.results) if one.name is not None]
        self._return("func.return", [self.results[i] for i in self.made])

    def text(self, name):
        """Its text; `made` has the results."""
        parameters = ", ".join(f"%a{i}: {kind}" for i, (_, kind) in enumerate(self.operands))
        kinds = ", ".join(self.results[i].kind for i in self.made)
        return "\n".join([f"func.func private @{name}({parameters}) -> ({kinds}) {{", *self.lines, "}"])

    def operand(self, word):
        """An argument of the call: a tensor becomes a parameter of the function, a number stays a number."""
        like = word.meta.get("val") if isinstance(word, Node) else word
        if not isinstance(like, torch.Tensor):
            return Value(None, like)
        value = Value(f"%a{len(self.operands)}", like)
        self.operands.append((word, value.kind))
        return value

    def operation(self, text, like):
        """A line with one result."""
        return self._results(text, [like])[0]

    def call(self, body, values):
        """A line that calls a graph's function with its tensors."""
        name, likes = body
        given = [one for one in values if one.name is not None]
        kinds = [Value("", one).kind for one in likes if isinstance(one, torch.Tensor)]
        return self._results(f"func.call @{name}({_names(given)}) : ({_kinds(given)}) -> ({', '.join(kinds)})", likes)

    def graph(self, word, values, changing=()):
        """(name, results) of the function of a graph that is called with such values; `changing`: numbers that are tensors inside it."""
        module = getattr(word.graph.owning_module, word.target)
        likes = [one.like for one in values]
        return self.composer.graph_function(decompositions.of_graph(module, likes, changing))

    def branches(self, operation, bodies, values, likes):
        """An operation with a region for each body; the region calls the body and returns its results."""
        self.lines.append(f"  {self._head(likes)}{operation} ({{")
        count = self.count
        for i, body in enumerate(bodies):
            self.lines += ["  }, {"] if i else []
            made = self.call(body, values)
            self._return("stablehlo.return", [one for one in made if one.name is not None])
        return self._named(count, likes)

    def loop(self, carried, proceeds, turn):
        """stablehlo.while over `carried`. `proceeds`: from an iteration's values to whether it runs; `turn`: to the values of the next iteration."""
        likes, inside = [one.like for one in carried], [Value(f"%s{self.count}_{i}", one.like) for i, one in enumerate(carried)]
        head = f"^bb0({', '.join(f'{one.name}: {one.kind}' for one in inside)}):"
        self.lines.append(f'  {self._head(likes)}"stablehlo.while"({_names(carried)}) ({{\n  {head}')
        count = self.count
        self._return("stablehlo.return", [proceeds(inside)])
        self.lines.append(f"  }}, {{\n  {head}")
        self._return("stablehlo.return", turn(inside))
        self.lines.append(f"  }}) : ({_kinds(carried)}) -> ({_kinds(carried)})")
        return self._named(count, likes)

    def _region(self, place):
        _, *words = self.node.args[place:] if place else (None, *self.node.args[2:])
        values = list(map(self.operand, words))
        return self.call(self.graph(self.node.args[place], values), values)

    def _results(self, text, likes):
        self.lines.append(f"  {self._head(likes)}{text}")
        return self._named(self.count, likes)

    def _head(self, likes):
        self.count += 1
        number = sum(isinstance(one, torch.Tensor) for one in likes)
        return f"%t{self.count}:{number} = " if number else ""

    @staticmethod
    def _named(count, likes):
        places = iter(range(len(likes)))
        return [Value(f"%t{count}#{next(places)}", one) if isinstance(one, torch.Tensor) else Value(None, one) for one in likes]

    def _return(self, keyword, values):
        self.lines.append(f"  {keyword} {_names(values)} : {_kinds(values)}" if values else f"  {keyword}")


def _names(values):
    return ", ".join(one.name for one in values)


def _kinds(values):
    return ", ".join(one.kind for one in values)


def _cond(function, predicate, yes, no, operands):
    given, values = function.operand(predicate), list(map(function.operand, operands))
    if given.name is None:  # the number was known when the graph was made
        return function.call(function.graph(yes if given.like else no, values), values)
    if given.like.dim():
        given = function.operation(f"stablehlo.reshape {given.name} : ({given.kind}) -> tensor<i1>", given.like.reshape(()))
    bodies = [function.graph(branch, values) for branch in (yes, no)]
    likes = bodies[0][1]
    if any(not isinstance(one, torch.Tensor) and one is not other and one != other for one, other in zip(likes, bodies[1][1])):
        raise ValueError("the branches give different numbers, and a number that depends on values has no program")
    made = function.branches(f'"stablehlo.if"({given.name})', bodies, values, likes)
    kinds = ", ".join(one.kind for one in made if one.name is not None)
    function.lines.append(f"  }}) : (tensor<i1>) -> ({kinds})")
    return made


def _while_loop(function, condition, body, carried, more, *_):
    begun, around = [function.operand(one) for one in carried], [function.operand(one) for one in more]
    numbers = [i for i, one in enumerate(begun) if one.name is None]
    begun = [_constant(function, one.like) if one.name is None else one for one in begun]
    proceeds, turn = (function.graph(one, [*begun, *around], numbers) for one in (condition, body))
    if any(one.kind != Value("", other).kind for one, other in zip(begun, turn[1])):
        raise ValueError("a value that the loop carries changes its type")
    made = function.loop(begun, lambda inside: _one(function, function.call(proceeds, [*inside, *around])[0]), lambda inside: function.call(turn, [*inside, *around]))
    return [Value(None, None) if i in numbers else one for i, one in enumerate(made)]


def _one(function, predicate):
    return function.operation(f"stablehlo.reshape {predicate.name} : ({predicate.kind}) -> tensor<i1>", predicate.like.reshape(())) if predicate.like.dim() else predicate


def _scan(function, combine, init, xs, more=(), *_):
    begun, rows, around = ([function.operand(one) for one in group] for group in (init, xs, more))
    parts = [Value("", one.like[0]) for one in rows]
    body = function.graph(combine, [*begun, *parts, *around])
    return _over_rows(function, begun, rows, lambda carry, row: function.call(body, [*carry, *row, *around]), body[1][len(begun) :], 0)


def _map(function, mapped, xs, more=()):
    return _scan(function, mapped, (), xs, more)


def _associative_scan(function, combine, xs, more=(), *_):
    rows, around = ([function.operand(one) for one in group] for group in (xs, more))
    parts = [Value("", one.like[0]) for one in rows]
    body = function.graph(combine, [*parts, *parts, *around])
    first = [_row(function, one, _constant(function, 0)) for one in rows]

    def turn(carry, row):
        made = function.call(body, [*carry, *row, *around])
        return [*made, *made]

    return _over_rows(function, first, rows, turn, body[1], 1)[len(rows) :]


def _over_rows(function, begun, rows, turn, likes, start):
    """The carry at the end and the results of all iterations; before iteration `start` the results are the initial carry."""
    count = rows[0].like.shape[0]
    full = [one.new_empty((count, *one.shape)) for one in likes]
    made = [function.operation(f"stablehlo.constant {_zero(one)} : {Value('', one).kind}", one) for one in full]
    for i in range(start and len(made)):
        made[i] = _with_row(function, made[i], begun[i], _constant(function, 0))
    step, end = _constant(function, 1), _constant(function, count)

    def proceeds(inside):
        return function.operation(f"stablehlo.compare LT, {inside[0].name}, {end.name} : (tensor<i64>, tensor<i64>) -> tensor<i1>", torch.empty((), dtype=torch.bool))

    def next_values(inside):
        at, carry, results = inside[0], inside[1 : len(begun) + 1], inside[len(begun) + 1 :]
        given = turn(carry, [_row(function, one, at) for one in rows])
        written = [_with_row(function, whole, one, at) for whole, one in zip(results, given[len(begun) :])]
        return [function.operation(f"stablehlo.add {at.name}, {step.name} : tensor<i64>", at.like), *given[: len(begun)], *written]

    return function.loop([_constant(function, start), *begun, *made], proceeds, next_values)[1:]


def _row(function, whole, at):
    """whole[at]"""
    part = whole.like[:1]
    zeros = "".join(f", {one}" for one in [_constant(function, 0).name] * (part.dim() - 1))
    sizes, indices = ", ".join(map(str, part.shape)), ", ".join(["tensor<i64>"] * part.dim())
    kind = Value("", part).kind
    cut = function.operation(f"stablehlo.dynamic_slice {whole.name}, {at.name}{zeros}, sizes = [{sizes}] : ({whole.kind}, {indices}) -> {kind}", part)
    return function.operation(f"stablehlo.reshape {cut.name} : ({kind}) -> {Value('', part[0]).kind}", part[0])


def _with_row(function, whole, row, at):
    """whole with row at index `at`"""
    part = Value("", row.like.unsqueeze(0))
    cut = function.operation(f"stablehlo.reshape {row.name} : ({row.kind}) -> {part.kind}", part.like)
    places = [at.name] + [_constant(function, 0).name] * row.like.dim()
    kinds = ", ".join([whole.kind, part.kind] + ["tensor<i64>"] * len(places))
    return function.operation(f"stablehlo.dynamic_update_slice {whole.name}, {cut.name}, {', '.join(places)} : ({kinds}) -> {whole.kind}", whole.like)


def _constant(function, number):
    like = carried_numbers.like(number)
    return function.operation(f"stablehlo.constant dense<{str(number).lower()}> : {Value('', like).kind}", like)


def _zero(tensor):
    if tensor.numel() == 0:
        return "dense<>"
    return "dense<false>" if tensor.dtype is torch.bool else "dense<(0.0, 0.0)>" if tensor.is_complex() else "dense<0.0>" if tensor.is_floating_point() else "dense<0>"


_BODIES = {"cond": _cond, "while_loop": _while_loop, "scan": _scan, "map_impl": _map, "associative_scan": _associative_scan}
