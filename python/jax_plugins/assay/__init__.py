"""Where JAX finds the plugin in a source checkout on PYTHONPATH; an installed wheel has an entry point instead."""
from assay.jax.plugin import initialize

__all__ = ["initialize"]
