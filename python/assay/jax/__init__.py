"""Recording from JAX: `assay.jax.record` writes every intermediate of a function into a dump."""

__all__ = ["record"]


def __getattr__(name):  # the plugin, which JAX imports from here, needs no extension module
    if name == "record":
        from .recording import record

        return record
    raise AttributeError(f"module 'assay.jax' has no attribute '{name}'")
