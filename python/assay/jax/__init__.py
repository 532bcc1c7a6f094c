"""Recording from JAX: `assay.jax.record` writes every intermediate of a function into a dump."""
from .recording import record

__all__ = ["record"]
