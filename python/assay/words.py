"""Checks of words that callers choose: an unknown one raises a ValueError with the choices."""


def one_of(what, word, choices):
    """The word. Raises ValueError unless it is one of the choices."""
    if word in choices:
        return word
    raise ValueError(f"{what} {word!r} is not one of {', '.join(str(one) for one in choices if one is not None)}")


def amount(number, word):
    return f"{number} {word}" if number == 1 else f"{number} {word}s"


def rule_named(rule):
    """The rule. Raises ValueError with the names of rules."""
    from ._assay import check_rule

    check_rule(_text("rule", rule))
    return rule


def engine_named(engine):
    """The engine. Raises ValueError with the names of engines."""
    from ._assay import check_engine

    check_engine(_text("engine", engine))
    return engine


def _text(what, word):
    if not isinstance(word, str):
        raise ValueError(f"{what} is {type(word).__name__}, expected its name")
    return word


def an_instance(what, value):
    """The value. Raises ValueError for a class if its instances are to be called."""
    if isinstance(value, type) and any(name in vars(base) for base in value.__mro__ for name in ("__call__", "forward")):
        raise ValueError(f"the {what} {value.__name__} is a class; give an instance: {value.__name__}(...)")
    return value


_TOLERANCES = ("rtol", "atol", "tol", "tolerance", "eps", "equal_nan")


def no_further(function, keywords):
    """Raises a TypeError that suggests other names for keywords that the function does not have."""
    if not keywords:
        return
    name = next(iter(keywords))
    if name in _TOLERANCES:
        hint = 'by default each element has a bound of its own; for a tolerance write rule="close:RTOL,ATOL"'
    else:
        hint = f"`help({function})` lists them; what kernel and reference both take goes into keywords={{...}}"
    raise TypeError(f"{function}() has no keyword {name!r}: {hint}")
