"""Assay for JAX: `record` writes every intermediate of a function into a dump; `reference` states the expected result of a foreign function."""

__all__ = ["record", "reference"]


def __getattr__(name):  # lazy: the plugin, which JAX imports from here, needs no extension module
    if name == "record":
        from .recording import record

        return record
    if name == "reference":
        from .references import reference

        return reference
    raise AttributeError(f"module 'assay.jax' has no attribute '{name}'")
